/* Configuration, state and operations of a learner on structured features and of the forecaster
   over it, as a block stores them: the types that the library and exported learners share.
   Functions are in sorf.h and forecast.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* -- The forecaster --
   A forecaster's configuration and state (docs/forecast.md); forecast.h has the functions. */

/* Maximum of interval levels; maximum of the head's inputs; inputs of the kernel besides those of
   the row. */
enum { OLK_INTERVALS = 8, OLK_HEAD_INPUTS = 11, OLK_HISTORY_INPUTS = 4 };

/* Set at construction, constant afterwards except `frozen`. */
typedef struct {
    ptrdiff_t d;       /* inputs of a row, 0 allowed */
    int32_t kernel;    /* whether there is one, 0 or 1 */
    int32_t horizon;   /* rows until a target comes, k */
    int32_t season;    /* rows of a season, L, 0 for none */
    int32_t n_levels;  /* of the intervals */
    int32_t frozen;    /* only the target's history is updated, 0 or 1; changes at run time */
    double levels[OLK_INTERVALS];
} olk_forecast;

/* A forecaster's state, in memory of the caller. "Type" is that of rows: double for float64, else
   float. */
typedef struct {
    void *history;     /* olk_history, a quantile for each level, [d] scaled inputs; of type */
    void *diagonal;    /* weights, variances: [inputs] each, mean error; of type */
    void *head;        /* weights [inputs], packed covariance, mean error; of type */
    void *ml_poly;     /* ML-Poly: regrets, squares, [experts] each; of type */
    void *pending;     /* pending rows: targets not yet known; of type */
    void *season;      /* count, then [season + 1] targets; of type */
    uint64_t *n_asked; /* rows asked so far */
    uint16_t *flags;   /* as those of olk_sorf_state */
} olk_forecast_state;

/* An answer, and half the width of each level's interval: 0 while it is unknown. */
typedef struct {
    double answer;
    double half_width[OLK_INTERVALS];
    double share[3]; /* weights of the experts: head, kernel if there is one, last value */
} olk_forecast_answer;

/* Numbers of olk_history and of olk_pending, without what is stored behind them. */
enum { OLK_HISTORY_NUMBERS = 20, OLK_PENDING_NUMBERS = 9 };
/* Positions in olk_history (forecast_models.h), which starts with five counts; bits of its marks;
   changes that the unit of a horizon above 1 needs. */
enum {
    OLK_HISTORY_CHANGES = 1,
    OLK_HISTORY_MARKS = 5,
    OLK_HISTORY_FIRST = 6,
    OLK_HISTORY_ERROR = 8,
    OLK_HISTORY_LAST = 9,
    OLK_HISTORY_CHANGE = 10,
    OLK_HISTORY_MEAN = 13,
    OLK_HISTORY_VARIANCE = 14,
    OLK_HISTORY_SQUARE = 15,
    OLK_HISTORY_UNIT = 16,
    OLK_HISTORY_NEAR = 17,
    OLK_HISTORY_FAR = 18,
    OLK_HISTORY_KERNEL = 19
};
enum { OLK_KNOWN = 1, OLK_KERNEL_KNOWN = 2 };
enum { OLK_FIRST_CHANGES = 3 };
/* Marks of pending rows without a known last target, and of those answered while the mean error was
   0; a positive mark is that mean error, 0 an empty slot. */
enum { OLK_ROW_UNKNOWN = -2, OLK_ROW_WITHOUT_ERROR = -1 };
/* Largest targets that can be learned: their squares do not overflow. */
#define OLK_MAX_SINGLE_TARGET 1e15
#define OLK_MAX_DOUBLE_TARGET 1e100

/* Inputs of the diagonal learner; inputs of the head; experts of ML-Poly. Inlined, so that a board
   stores no setup to pass its address. */
static OLK_INLINE ptrdiff_t olk_diagonal_inputs(const olk_forecast *f)
{
    return 4 + (f->season ? 2 : 0) + 2 * f->d;
}

static OLK_INLINE int32_t olk_head_inputs(const olk_forecast *f)
{
    return 7 + (f->season ? 2 : 0) + (f->kernel ? 2 : 0);
}

static OLK_INLINE int32_t olk_n_experts(const olk_forecast *f)
{
    return f->kernel ? 3 : 2;
}

/* -- The learner --
   The configuration, the state and the operations of a learner on structured features; sorf.h
   has the functions. */

#ifndef OLK_SORF_SIZES /* a program for one learner has its own sizes */
enum { OLK_SORF_GROUPS = 5, OLK_SORF_WIDTHS = 8, OLK_SORF_BLENDS = 8 };
#endif
/* Learned widths: 0 for fixed ones, one per input, one for all inputs. */
enum { OLK_RELEVANCE_EACH = 1, OLK_RELEVANCE_SHARED = 2 };
/* Weights of the row memory, an expert each (section 7f). */
enum { OLK_MEMORY_WEIGHTS = 5 };
/* The linear group (section 7i): with its average, or its last weights alone. */
enum { OLK_LINEAR_AVERAGED = 1, OLK_LINEAR_LAST = 2 };
enum { OLK_SORF_BINARY = 0, OLK_SORF_CLASSES = 1, OLK_SORF_REGRESSION = 2, OLK_SORF_NOVELTY = 3 };

/* A learner's configuration: set at construction, constant afterwards. */
typedef struct {
    ptrdiff_t d, D;    /* inputs (three a channel of rows in time), frequencies */
    ptrdiff_t classes; /* columns of w and a: K for several classes, else 1 */
    int32_t task;
    int32_t groups; /* 1 to 4 of features, then the linear group; 1 for novelty */
    int32_t first[OLK_SORF_GROUPS + 1];          /* first block of each; then their end */
    int32_t widths[OLK_SORF_GROUPS];             /* 1 to 8 */
    olk_scalar omega[OLK_SORF_GROUPS][OLK_SORF_WIDTHS]; /* sqrt(2 gamma m) / 64 */
    olk_scalar size[OLK_SORF_GROUPS];                   /* a group's scores: sums / size */
    int32_t n_blends;                            /* 2 to 8 */
    int32_t linear, last_label, constant, drift; /* options, 0 or 1 */
    int32_t linear_group;                        /* 0, or as above: the last group */
    int32_t relevance;                           /* 0, or as above */
    olk_scalar leak;                                 /* option, 0: off */
    olk_scalar blends[OLK_SORF_BLENDS];              /* first 0, last 1, increasing */
    olk_scalar kappa;                                /* stored levels per unit of weight */
    /* ridge of a step; sharpness of the blend; discount of cumulative losses; an averaging window's
       minimum and maximum in octets of rows, and factor when it shrinks */
    olk_scalar r, sharp, delta, cmin, cmax, shrink;
    olk_scalar nu, window;                           /* novelty */
    int32_t history;                             /* rows are ordered in time */
    uint64_t signs;                              /* state of the feature generator, seeded */
    int32_t memory;                              /* rows of the row memory, 0: off */
    int32_t memory_narrow;                       /* its narrower kernel has experts too, 0 or 1 */
    olk_scalar memory_steps;                         /* steps of its codes per unit of an input */
    olk_scalar hold; /* features see inputs clamped to [-hold, hold]; 0: not clamped (section 15) */
    int32_t delay;   /* rows between a row's answer and its label, 0: none (section 7h) */
    int32_t kept_answers, spacing; /* entries of its queue; every how many rows asked one is kept */
    int32_t gaussian_process; /* vectors of a process beside the features, 0: none (section 18) */
} olk_sorf;

/* The number of cumulative losses: of blends, then of the experts outside. */
static OLK_INLINE int32_t olk_n_losses(const olk_sorf *p)
{
    return p->groups * p->n_blends + p->linear + p->last_label + p->constant;
}

/* The configuration, which a program for one learner has as a constant, OLK_OPTIONS. */
#ifdef OLK_SETUP
#define OLK_OPTIONS_OF(p) ((void)(p), &OLK_OPTIONS)
#else
#define OLK_OPTIONS_OF(p) (p)
#endif

/* What follows the rows on a board, which keeps the rest of the configuration as a constant: the
   compiler then leaves out what a learner does not need. OLK_TUNES_WIDTHS, OLK_TUNES_HOLD,
   OLK_TUNES_STEPS: which of them do. The library has these members in olk_sorf. */
#if defined(OLK_TUNES_WIDTHS) || defined(OLK_TUNES_HOLD) || defined(OLK_TUNES_STEPS)
#define OLK_TUNES 1
#endif
#ifdef OLK_SETUP
typedef struct {
    olk_scalar omega[OLK_SORF_GROUPS][OLK_SORF_WIDTHS];
    olk_scalar hold, memory_steps;
} olk_tuned;
#endif
#ifdef OLK_TUNES_WIDTHS
#define OLK_OMEGA(p, s) ((void)(p), (s)->tuned->omega)
#else
#define OLK_OMEGA(p, s) ((void)(s), (p)->omega)
#endif
#ifdef OLK_TUNES_HOLD
#define OLK_HOLD(p, s) ((void)(p), (s)->tuned->hold)
#else
#define OLK_HOLD(p, s) ((void)(s), (p)->hold)
#endif
#ifdef OLK_TUNES_STEPS
#define OLK_MEMORY_STEPS(p, s) ((void)(p), (s)->tuned->memory_steps)
#else
#define OLK_MEMORY_STEPS(p, s) ((void)(s), (p)->memory_steps)
#endif

/* A learner's state, in memory of the caller; NULL for parts that the learner does not have. "Type"
   is the type of rows: double for float64, else float. */
typedef struct {
    void *w, *a;            /* [D][K][2] stored numbers; novelty: a only */
    void *L;                /* cumulative losses: [groups][n_blends], linear, last label, constant;
                               of type */
    void *n;                /* [groups] averaging windows in octets of rows, start at 1; of type */
    uint64_t *t, *mistakes, *updates;
    uint64_t *rounding;     /* state of the rounding generator, seeded; int8 only */
    uint16_t *flags;        /* marked before the first write of a step; may be NULL */
#ifdef OLK_FEW_PARTS /* a program for a learner without the following: all are one NULL */
    __extension__ union {
#endif
    float *label_counts;    /* constant: labels so far, [2] of -1 and +1, or [K] */
    void *linear_w, *linear_a; /* linear group: [d + 1][K] stored numbers */
    /* labels that come late: late_labels.h */
    uint32_t *late_counts;  /* [2]: number of the next row asked, rows that wait */
    uint8_t *late_answers;  /* [kept_answers]: what experts answered to a row */
    void *late_losses;      /* [groups][2] of type: of the average and of the last weights */
    double *target;         /* regression: mean, sum of squared deviations */
    void *last;             /* last label: y, z, or class + 1; if labels lapse, answers since; of
                               type */
    void *novelty;          /* rho, m; of type */
    void *wl, *Sl;          /* linear: [d + 1] of type, start at 0 and 1 */
    void *log_scale, *gradient_square; /* relevance of each input: [d] of type */
    void *shared;                      /* of all inputs: log scale and squared gradient, of type */
    uint64_t *gradient_steps;          /* of either */
    void *drift;                       /* [OLK_DRIFT_NUMBERS] of type; drift.h has their order */
    /* a memory of rows: row_memory_state.h */
    uint8_t *memory_rows;
    uint64_t *memory_held;   /* rows stored; from bit 32 on where the search begins */
    void *memory_mistakes;   /* [OLK_MEMORY_WEIGHTS] of type */
    void *memory_narrow; /* [OLK_MEMORY_WEIGHTS - 1] of type, of the narrower kernel's experts */
    /* anomalies of a stream of d / 3 channels: watch_state.h */
    void *channels;         /* [d / 3][OLK_CHANNEL_NUMBERS] of type */
    uint32_t *readings; /* [d / 3]: readings learned, and from bit 16 on rows without a change */
    uint8_t *channel_bytes; /* [d / 3][OLK_CHANNEL_BYTES] */
    void *clock;            /* seasons: [d / 3][OLK_CLOCK_NUMBERS] of type */
    uint8_t *clock_bytes;   /* [d / 3][OLK_CLOCK_BYTES] */
    void *watch_scores;     /* [OLK_WATCH_NUMBERS] of type */
    uint64_t *watch;        /* [OLK_WATCH_WORDS] */
#ifdef OLK_FEW_PARTS
    };
#endif
    /* scratch */
    void *inputs; /* relevance of each input: [2][d] of type; rows in time: [d]; clamped
                               inputs otherwise: [d], where a single row may be stored */
#ifdef OLK_FEW_PARTS
    __extension__ union {
#endif
    void *scores;           /* K > 1: [2][groups][K] of type */
    void *recalled;         /* row memory, K > 1: [2][K], with two kernels [3][K]; of type */
    void *row;              /* may be NULL: [D][2] of type */
#ifdef OLK_FEW_PARTS
    };
#endif
#ifndef OLK_SORF_NO_WISHES
    /* what a call in the library may ask for, else NULL: two classes: where to write f_a, f_w and g
       of each row (docs/sorf.md, section 16); what a row weighs in the counters of mistakes, if not
       as in its step (section 6) */
    double *parts;
    const double *counted;
#endif
#ifndef OLK_SORF_NO_LATE
    /* labels that come late, during a call: where to write what all experts answer to one row, else
       NULL; which row is learned, of those that wait, 0 the oldest; -1: one that was not asked */
    uint8_t *answers;
    int32_t place;
#endif
#ifdef OLK_SORF_SCRATCH
    double *work;           /* [OLK_WORK_BYTES / 8]: sorf_form.h */
#endif
#if defined(OLK_SETUP) && defined(OLK_TUNES)
    const olk_tuned *tuned;
#endif
} olk_sorf_state;

/* A row is [d] numbers of type; of anomalies of a stream [d / 3]. y: -1 or +1; 0 .. K - 1; a finite
   number. Returns the score before learning. */
typedef olk_scalar (*olk_sorf_learn_fn)(const olk_sorf *, const olk_sorf_state *,
                                        const void *row, olk_scalar y, olk_scalar weight);
/* Returns f - rho before this step; negative means novel. */
typedef olk_scalar (*olk_sorf_novelty_fn)(const olk_sorf *, const olk_sorf_state *,
                                          const void *row);
/* Rows in time: `seconds` is NaN if unknown. Returns 0.5 minus the row's score. */
typedef double (*olk_sorf_watch_fn)(const olk_sorf *, const olk_sorf_state *, const void *row,
                                    double seconds);
/* Events that a user reports on rows in time: they are normal from now on, or the stream
   stopped. */
typedef void (*olk_sorf_event_fn)(const olk_sorf *, const olk_sorf_state *);
/* out[rows][columns] of m rows; writes only to scratch. */
typedef void (*olk_sorf_scores_fn)(const olk_sorf *, const olk_sorf_state *, const void *rows,
                                   ptrdiff_t m, olk_scalar *out);
/* Only the features, each times `norm`: D cosines, then D sines, doubles if `wide`, else floats. */
typedef void (*olk_sorf_features_fn)(const olk_sorf *, const void *row, double norm, int wide,
                                     void *to);

/* The forecaster over such a learner (forecast.h), for one type; its state is that of the two. */
typedef void (*olk_forecast_answer_fn)(const olk_forecast *, const olk_forecast_state *,
                                       const olk_sorf *, const olk_sorf_state *, void *z,
                                       olk_forecast_answer *answer);
/* The weight of the row memory in the next answer. */
typedef double (*olk_sorf_share_fn)(const olk_sorf *, const olk_sorf_state *);
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
    olk_sorf_watch_fn learn_in_time;
    olk_sorf_event_fn accept, restart_rows;
    olk_sorf_scores_fn scores;
    olk_sorf_features_fn features;
    olk_sorf_share_fn memory_share;
    olk_forecast_answer_fn predict, ask;
    olk_forecast_tell_fn tell;
    olk_forecast_plain_fn restart, begin;
    double largest_target; /* of the forecaster */
} olk_sorf_ops;

/* -- The dirty flag --
   The dirty flag of a step in progress, in the flags of a block: in memory that outlives the
   process (mapped, shared, battery-backed) it shows whether the last step was completed. It is set
   before the first write of a step and cleared after the last, in that order also for another
   process or for this one after a restart. */

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif

/* Torn: a step is in progress or was interrupted. Sealed: the block's checksums are valid
   (docs/file-format.md). */
enum { OLK_TORN = 1, OLK_SEALED = 2 };

/* Plain C99 on a microcontroller has no fence: writes in program order must do. */
static inline void olk_fence(void)
{
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
    atomic_thread_fence(memory_order_release);
#endif
}

/* A step begins to write; a seal ends. flags may be NULL. */
static inline void olk_begin_step(uint16_t *flags)
{
    if (flags) {
        *(volatile uint16_t *)flags = OLK_TORN;
        olk_fence();
    }
}

/* The step is complete; after one that changed nothing, `before` restores the flags. */
static inline void olk_end_step(uint16_t *flags, uint16_t before)
{
    olk_fence();
    *(volatile uint16_t *)flags = before;
}
