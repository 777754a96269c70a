/* A forecaster's configuration and state (docs/forecast.md); forecast.h has the functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Maximum of interval levels; maximum of the head's inputs; inputs of the kernel besides those of
   the row. */
enum { OLK_INTERVALS = 8, OLK_HEAD_INPUTS = 11, OLK_HISTORY_INPUTS = 4 };

/* Set at construction, constant afterwards. */
typedef struct {
    ptrdiff_t d;       /* inputs of a row, 0 allowed */
    int32_t kernel;    /* whether there is one, 0 or 1 */
    int32_t horizon;   /* rows until a target comes, k */
    int32_t season;    /* rows of a season, L, 0 for none */
    int32_t n_levels;  /* of the intervals */
    int32_t frozen;    /* whether only the target's history is updated, 0 or 1: set at run time */
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

/* Inputs of the diagonal learner; inputs of the head; experts of ML-Poly. */
static inline ptrdiff_t olk_diagonal_inputs(const olk_forecast *f)
{
    return 4 + (f->season ? 2 : 0) + 2 * f->d;
}

static inline int32_t olk_head_inputs(const olk_forecast *f)
{
    return 7 + (f->season ? 2 : 0) + (f->kernel ? 2 : 0);
}

static inline int32_t olk_n_experts(const olk_forecast *f)
{
    return f->kernel ? 3 : 2;
}
