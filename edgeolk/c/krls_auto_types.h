/* krls_auto (krls_auto.h): its words in a block, and the struct over one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sums and settings of krls_auto: words of a block, part of the file format. */
typedef struct {
    double num, den;                    /* of the scale of errors */
    double noise;                       /* in use, over the scale */
    double log_noise, log_noise_in_use; /* the wanted one, and that of the last exchange */
    double noise_rows, mean_share, information; /* of the estimate of the noise */
    double seen;                        /* rows in the statistics of inputs */
    double turn;                        /* the coordinate that drifted last */
    double offset;                      /* of the targets */
    double waited;                      /* of the first targets, how many came */
    double first[3];
} olk_tracking;

/* Words of it by position that rules ask for. */
enum {
    OLK_TRACK_NOISE_ROWS = 5,
    OLK_TRACK_SEEN = 8,
    OLK_TRACK_TURN = 9,
    OLK_TRACK_WAITED = 11,
    OLK_TRACK_WORDS = 15
};

/* Targets as inputs of krls_auto: words of a block, part of the file format. */
typedef struct {
    double known;           /* of the last targets, how many are known */
    double pending, oldest; /* rows that wait for their targets, and the place of the first */
} olk_lagging;

enum { OLK_LAG_KNOWN, OLK_LAG_PENDING, OLK_LAG_OLDEST, OLK_LAG_WORDS };

/* The largest input whose differences can be squared; the largest target and coefficient. */
static inline double olk_auto_largest_input(int wide)
{
    return wide ? 1e150 : 1e18;
}

static inline double olk_auto_largest_number(int wide)
{
    return wide ? 1e100 : 1e25;
}

/* The quantile of the normal distribution that belongs to an interval of level .9. */
static const double olk_normal_95 = 1.6448536269514722;

/* What a waiting row has beside its inputs: its answer, and whether all its targets were known. */
enum { OLK_PENDING_MORE = 2 };

/* Rows of the region of inputs, d numbers each. */
enum {
    OLK_AUTO_LOG_WIDTH,          /* wanted */
    OLK_AUTO_LOG_WIDTH_VARIANCE,
    OLK_AUTO_LOG_WIDTH_IN_USE,
    OLK_AUTO_MEAN,               /* of the inputs */
    OLK_AUTO_VARIANCE,
    OLK_AUTO_LEVEL_IN_USE,       /* log of the variance in use */
    OLK_AUTO_WIDTH,              /* exp(log width - level), both in use */
    OLK_AUTO_UNIT,               /* of the linear part */
    OLK_AUTO_INPUTS
};

/* krls_auto over a block (krls_auto.h): sizes, and where its numbers are. */
typedef struct {
    ptrdiff_t d, budget, stride, n; /* d: all inputs */
    ptrdiff_t lags, delay;          /* the last inputs are targets, which arrive so many rows late */
    int32_t frozen;                 /* only the targets among the inputs change */
    olk_tracking *words;
    double *origin; /* of the inputs, d numbers */
    olk_lagging *lagging;
    double *recent, *pending_rows; /* the last targets, the newest first; rows without their target */
    const double *row; /* of all inputs, in place of the caller's: one that has waited; or NULL */
    double weight;            /* of a row that is learned, 1 as a rule */
    double variance;          /* of the target of the last answer */
    void *inputs, *vectors, *coef, *whitening, *factor, *mean;
    /* scratch: k(s_i, x); three vectors of T numbers, the clipped row, logarithms of variances */
    void *kernel_row, *scratch;
} olk_untuned;
