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
static const double olk_min_quantile = 0.001, olk_max_quantile = 1000.0;
/* Rows after which an error is clipped, and the limit in mean errors. */
static const olk_compute_t olk_unclipped_rows = 20, olk_max_errors = 10;
/* Window of the mean error, in rows. */
static const olk_compute_t olk_mean_error_rows = 200;

/* Updates the quantiles with the error, in units, of an answer given at mean error `mean`. */
static inline void olk_update_quantiles(const olk_forecast *f, olk_input *quantile,
                                        olk_compute_t error, olk_compute_t mean,
                                        olk_compute_t learned)
{
    const double early = olk_first_step / ((double)learned + olk_first_rows);
    const double step = early > olk_quantile_step ? early : olk_quantile_step;
    for (int32_t i = 0; i < f->n_levels; i++) {
        const double beyond = (double)(error / mean) > (double)quantile[i] ? 1.0 : 0.0;
        double q = (double)quantile[i] * olk_sorf_exp(step * (beyond - (1.0 - f->levels[i])));
        q = q > olk_min_quantile ? q : olk_min_quantile;
        quantile[i] = (olk_input)(q < olk_max_quantile ? q : olk_max_quantile);
    }
}

/* Updates the mean error. */
static inline void olk_update_mean_error(olk_history *h, olk_compute_t error)
{
    const olk_compute_t mean = (olk_compute_t)h->error, n = (olk_compute_t)h->learned;
    if (n > olk_unclipped_rows && mean > 0)
        error = olk_min(error, olk_max_errors * mean);
    h->error = (olk_input)(mean + (error - mean) / olk_min(n + 1, olk_mean_error_rows));
}
