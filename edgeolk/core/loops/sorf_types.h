/* The configuration, the state and the operations of a learner on structured features; structured.h
   has the functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "forecast_types.h"

enum { OLK_SORF_GROUPS = 4, OLK_SORF_WIDTHS = 8, OLK_SORF_BLENDS = 8 };
/* Learned widths: 0 for fixed ones, one per input, one for all inputs. */
enum { OLK_RELEVANCE_EACH = 1, OLK_RELEVANCE_SHARED = 2 };
/* Weights of the row memory, an expert each (section 7f). */
enum { OLK_MEMORY_WEIGHTS = 5 };
enum { OLK_SORF_BINARY = 0, OLK_SORF_CLASSES = 1, OLK_SORF_REGRESSION = 2, OLK_SORF_NOVELTY = 3 };

/* A learner's configuration: set at construction, constant afterwards. */
typedef struct {
    ptrdiff_t d, D;    /* inputs (three a channel for novelty in time), frequencies */
    ptrdiff_t classes; /* columns of w and a: K for several classes, else 1 */
    int32_t task;
    int32_t groups;                              /* 1 to 4; 1 for novelty */
    int32_t first[OLK_SORF_GROUPS + 1];          /* blocks of each; the last: all blocks */
    int32_t widths[OLK_SORF_GROUPS];             /* 1 to 8 */
    double omega[OLK_SORF_GROUPS][OLK_SORF_WIDTHS]; /* sqrt(2 gamma m) / 64 */
    double size[OLK_SORF_GROUPS];                   /* divisor of a group's sums */
    int32_t n_blends;                            /* 2 to 8 */
    int32_t linear, last_label, drift;           /* options, 0 or 1 */
    int32_t relevance;                           /* 0, or as above */
    double leak;                                 /* option, 0: off */
    double blends[OLK_SORF_BLENDS];              /* first 0, last 1, increasing */
    double kappa;                                /* stored levels per unit of weight */
    double r, sharp, memory, cmin, cmax, shrink;
    double nu, forget;                           /* novelty */
    int32_t history;                             /* rows are ordered in time */
    int32_t robust;                              /* option of novelty in time, 0 or 1 */
    uint64_t signs;                              /* state of the feature generator, seeded */
    int32_t row_memory;                          /* rows of the row memory, 0: off */
    int32_t memory_narrow;                       /* its narrower kernel has experts too, 0 or 1 */
    double memory_steps;                         /* steps of its codes per unit of an input */
    double hold; /* features see inputs clamped to [-hold, hold]; 0: not clamped (section 15) */
} olk_sorf;

/* A learner's state, in memory of the caller; NULL for parts that the learner does not have. "Type"
   is the type of rows: double for float64, else float. */
typedef struct {
    void *w, *a;            /* [D][K][2] stored numbers; novelty: a only */
    double *L;              /* [groups][n_blends], linear, last label */
    double *n;              /* [groups], starts at 1 */
    uint64_t *t, *mistakes, *updates;
    uint64_t *rounding;     /* state of the rounding generator, seeded; int8 only */
    uint16_t *flags;        /* marked before the first write of a step; may be NULL */
    double *target;         /* regression: mean, sum of squared deviations */
    double *last;           /* last label: y, z, or class + 1 */
    double *novelty;        /* rho, m */
    void *wl, *Sl;          /* linear: [d + 1] of type, start at 0 and 1 */
    void *log_scale, *gradient_square; /* relevance of each input: [d] of type */
    void *shared;                      /* of all inputs: log scale and squared gradient, of type */
    uint64_t *gradient_steps;          /* of either */
    void *drift;                       /* [OLK_DRIFT_NUMBERS] of type; drift.h has their order */
    /* a memory of rows: kept_rows.h */
    uint8_t *memory_rows;
    uint64_t *memory_held;   /* rows stored; from bit 32 on where the search begins */
    double *memory_mistakes; /* [OLK_MEMORY_WEIGHTS] */
    double *memory_narrow;   /* [OLK_MEMORY_WEIGHTS - 1], of the narrower kernel's experts */
    /* novelty in time */
    void *channels;         /* [d / 3][12] of type: channels.h */
    uint32_t *readings;     /* [d / 3]: readings, and from bit 16 on rows without a change */
    void *deviations;       /* [8] of type: novelty_scores.h, event_words.h */
    uint64_t *watch;        /* [5]: event_words.h */
    /* scratch */
    void *inputs; /* relevance of each input: [2][d] of type; novelty in time: [d]; clamped
                               inputs otherwise: [d], where a single row may be stored */
    double *scores;         /* K > 1: [2][groups][K] */
    double *recalled;       /* row memory, K > 1: [2][K], with two kernels [3][K] */
    void *row;              /* may be NULL: [D][2], float for float32, else double */
} olk_sorf_state;

/* Numbers of type: dense, d of them (index NULL), or `count` non-zeros with ascending indices. */
typedef struct {
    const void *values;
    const int32_t *index;
    ptrdiff_t count;
} olk_sorf_row;

/* y: -1 or +1; 0 .. K - 1; a finite number. Returns the score before learning. */
typedef double (*olk_sorf_learn_fn)(const olk_sorf *, const olk_sorf_state *, const olk_sorf_row *,
                                    double y, double weight);
/* Returns f - rho before this step, or tau - u for novelty in time; negative means novel. */
typedef double (*olk_sorf_novelty_fn)(const olk_sorf *, const olk_sorf_state *,
                                      const olk_sorf_row *);
/* Events that a user reports on rows in time: they are normal from now on, or the stream
   stopped. */
typedef void (*olk_sorf_event_fn)(const olk_sorf *, const olk_sorf_state *);
/* out[rows][columns] of m dense rows or one sparse row; writes only to scratch. */
typedef void (*olk_sorf_scores_fn)(const olk_sorf *, const olk_sorf_state *, const olk_sorf_row *,
                                   ptrdiff_t m, double *out);
/* Only the features, each times `norm`: D cosines, then D sines, doubles if `wide`, else floats. */
typedef void (*olk_sorf_features_fn)(const olk_sorf *, const olk_sorf_row *, double norm, int wide,
                                     void *to);

/* The forecaster over such a learner (forecast.h), for one type; its state is that of the two. */
typedef void (*olk_forecast_answer_fn)(const olk_forecast *, const olk_forecast_state *,
                                       const olk_sorf *, const olk_sorf_state *, void *z,
                                       olk_forecast_answer *answer);
typedef int (*olk_forecast_tell_fn)(const olk_forecast *, const olk_forecast_state *,
                                    const olk_sorf *, const olk_sorf_state *, void *z,
                                    double target, double *answer);
typedef void (*olk_forecast_plain_fn)(const olk_forecast *, const olk_forecast_state *);

/* The operations for one type of weights and one instruction set. Features only for float
   weights. */
typedef struct {
    const char *name;
    olk_sorf_learn_fn learn;
    olk_sorf_novelty_fn learn_novelty;
    olk_sorf_novelty_fn learn_in_time; /* novelty in time */
    olk_sorf_event_fn accept, restart_rows;
    olk_sorf_scores_fn scores;
    olk_sorf_features_fn features;
    olk_forecast_answer_fn predict, ask;
    olk_forecast_tell_fn tell;
    olk_forecast_plain_fn restart, begin;
    double largest_target; /* of the forecaster */
} olk_sorf_ops;
