/* The threshold that a share nu of rows exceeds in the long run (docs/novelty.md, step C.1). */
#pragma once

/* The initial and the smallest threshold; the smallest step, and the first steps times the rows so
   far. */
static const double olk_first_threshold = 4.0, olk_min_threshold = 0.5;
static const double olk_min_threshold_step = 0.002, olk_first_steps = 10.0;

/* Quantile tracking by stochastic gradient. `rows`: previous rows with a model. */
static inline double olk_next_threshold(double threshold, int novel, double rows, double nu)
{
    const double early = olk_first_steps / (rows + 1.0);
    const double step = early > olk_min_threshold_step ? early : olk_min_threshold_step;
    threshold += novel ? step * (1.0 - nu) : -step * nu;
    return threshold > olk_min_threshold ? threshold : olk_min_threshold;
}
