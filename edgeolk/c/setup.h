/* What a model is: its options, which are constant after construction, and where its regions are in
   the block. The library fills one from its configuration, by name; an exported model has a constant,
   so that the compiler leaves out what the model does not have. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sorf_types.h"

/* Whether features may have a Gaussian process beside them: in the library, and in a program that
   says so. */
#ifndef OLK_SORF_PLAIN
#define OLK_HAS_PROCESS 1
#endif
#ifdef OLK_HAS_PROCESS
#include "mixture.h"
#endif

/* Where regions are in the block, in bytes from its start; 0: the model does not have the region,
   since every block starts with its header. Names are those of the table of regions. */
typedef struct {
    /* state of the learner */
    size_t weights, mean_weights, blend, target, last_label, linear;
    size_t label_counts, linear_weights, linear_mean;
    size_t relevance, shared_relevance, gradient_steps, drift;
    size_t row_memory, memory_state, memory_mistakes, memory_narrow;
    size_t late_counts, late_losses, late_answers, late_scores;
    size_t novelty;
    size_t channels, channel_counts, channel_bytes, clock, clock_bytes, watch_scores, watch;
    size_t errors, skipped;
    /* state of the forecaster */
    size_t history, forecaster, head, ml_poly, pending, season, kernel_rows;
    /* state of the Gaussian process beside the features, and of their mixture */
    size_t process_words, process_origin, process_inputs, process_vectors, process_coefficients;
    size_t process_whitening, process_factor, process_mean, mixture;
    /* state of preprocessing */
    size_t scaler, scaler_counts, scaler_range, statistics, common, clipped_rows;
    size_t width, width_mean, width_follows;
    /* scratch */
    size_t query, inputs, class_scores, recalled, feature_row;
    size_t process_kernel_row, process_scratch, process_row;
} olk_offsets;

/* Runs of regions that are cleared once the width of the kernel is known, at most. */
enum { OLK_RUNS = 4 };

/* Counters in the header, at the same places in every block and file. */
enum {
    OLK_AT_FLAGS = 50,
    OLK_AT_VECTORS = 52,
    OLK_AT_DRAWS = 56,
    OLK_AT_STEPS = 64,
    OLK_AT_MISTAKES = 72,
    OLK_AT_UPDATES = 80
};

/* Contiguous regions. */
typedef struct {
    size_t offset, bytes;
} olk_run;

/* The largest counter: a step may add to it without overflow. */
#define OLK_MAX_COUNT (INT64_C(1) << 62)

/* How rows are scaled and shortened before the learner sees them, and how its width is found. */
typedef struct {
    int32_t method;       /* of the scaler, 0 for none */
    int32_t pairs;        /* two-valued readings are detected, 0 or 1 */
    olk_scalar clip, window;  /* deviations, rows */
    int64_t freeze_after; /* rows, 0: never */
    olk_scalar common_clip;   /* deviations, where all inputs share one scale */
    olk_scalar clamp;         /* bound on individually scaled inputs of the features, 0: none */
    olk_scalar max_norm;      /* of a row, 0: none */
    int64_t gamma_rows;   /* rows from which the width is estimated, 0: none */
    int32_t follows;      /* the width follows the rows, 0 or 1 */
    int32_t laplacian;    /* the kernel, for the estimate of its width; else Gaussian */
    olk_scalar gamma;         /* the width of the configuration */
    olk_scalar max_gamma;     /* the largest width whose frequencies are finite */
} olk_preprocessing;

typedef struct {
    ptrdiff_t features; /* readings in a row */
    ptrdiff_t columns;  /* scores: K for several classes, else 1 */
    int32_t wide;       /* rows are doubles, 0 or 1 */
    int32_t stored;     /* bytes of a stored weight */
    olk_scalar max_weight;  /* of a row */
    olk_scalar max_sum;     /* the largest sum of |x_j| of a row, for the configured width */
    olk_scalar lapse;       /* answers for which a last label counts, 0 for all */
    uint64_t seed;
    olk_scalar widths[OLK_SORF_GROUPS][OLK_SORF_WIDTHS]; /* of each group, as multiples of gamma */
    int32_t forecasts;                               /* whether `forecast` is in use, 0 or 1 */
    olk_sorf sorf;
    olk_forecast forecast;
    olk_preprocessing preprocessing;
    olk_offsets at;
    olk_run cleared[OLK_RUNS]; /* what is cleared once the width is known; then zeros */
} olk_setup;

/* What loops take by its address: members of the setup, of which a board stores only those that are
   used, and the operations for its type of weights and the processor. */
typedef struct {
    const olk_sorf *sorf;
    const olk_forecast *forecast;
    const olk_scalar (*widths)[OLK_SORF_WIDTHS];
    const olk_sorf_ops *ops;
#ifdef OLK_HAS_PROCESS
    const olk_process_ops *process; /* of a Gaussian process beside the features */
#endif
} olk_constants;

/* The setup of a model or of a part of it. A program for one learner defines OLK_SETUP, the name of a
   constant. */
#ifdef OLK_SETUP
#define OLK_SETUP_OF(m) ((void)(m), &OLK_SETUP)
#else
#define OLK_SETUP_OF(m) ((m)->setup)
#endif
/* A region in the block at `base`; NULL if the model does not have it. */
#define OLK_REGION(m, name) \
    (OLK_SETUP_OF(m)->at.name ? (void *)((m)->base + OLK_SETUP_OF(m)->at.name) : NULL)
