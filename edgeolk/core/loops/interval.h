/* Intervals of forecasts: the quantile of errors in units of their running mean, tracked by
   multiplicative steps (docs/forecast.md, section 7b). Quantile tracking; adaptive conformal
   inference: Gibbs & Candes, NeurIPS 2021. */
#pragma once

#include "exponential.h"
#include "target_history.h"

static const double olk_first_quantile = 1.5;
/* The smallest step; in the first rows the step is first_step / (rows + first_rows); the range of
   quantiles. */
static const double olk_quantile_step = 0.05, olk_first_step = 2.0, olk_first_rows = 10.0;
static const double olk_least_quantile = 0.001, olk_largest_quantile = 1000.0;
/* Rows after which an error is clipped, and the limit in mean errors. */
static const olk_real olk_unbounded_rows = 20, olk_most_errors = 10;
/* Window of the mean error, in rows. */
static const olk_real olk_mean_error_rows = 200;

/* Updates the quantiles with the error, in units, of an answer given at mean error `mean`. */
static inline void olk_follow_quantiles(const olk_forecast *f, olk_input *quantile, olk_real error,
                                        olk_real mean, olk_real learned)
{
    const double early = olk_first_step / ((double)learned + olk_first_rows);
    const double step = early > olk_quantile_step ? early : olk_quantile_step;
    for (int32_t i = 0; i < f->n_levels; i++) {
        const double beyond = (double)(error / mean) > (double)quantile[i] ? 1.0 : 0.0;
        double q = (double)quantile[i] * olk_sorf_exp(step * (beyond - (1.0 - f->levels[i])));
        q = q > olk_least_quantile ? q : olk_least_quantile;
        quantile[i] = (olk_input)(q < olk_largest_quantile ? q : olk_largest_quantile);
    }
}

/* Updates the mean error. */
static inline void olk_follow_error(olk_history *h, olk_real error)
{
    const olk_real mean = (olk_real)h->error, n = (olk_real)h->learned;
    if (n > olk_unbounded_rows && mean > 0)
        error = olk_least(error, olk_most_errors * mean);
    h->error = (olk_input)(mean + (error - mean) / olk_least(n + 1, olk_mean_error_rows));
}
