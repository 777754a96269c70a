/* Two models of real targets in one learner (docs/sorf.md, section 18): features, and the Gaussian
   process of krls_auto.h. Their answers are weighted by ML-Poly (Gaillard, Stoltz & van Erven, COLT
   2014), discounted and clipped as in the forecaster.

   Design. The process has its own scales of inputs, so it sees the row as the caller gave it, in
   double precision. What follows is the part that does not depend on the process; sorf_model.h
   calls both. The library finds the functions of the process in the table of the processor, a
   board has them in the same unit. */
#pragma once

#include <math.h>

#include "krls_auto_types.h"
#include "mathf.h"

typedef double olk_regret;
#include "ml_poly.h"

/* Rows that are answered by the features alone: in rows of random order a process may give a far
   answer among the first 15. Window of mean errors; rows after which an error counts at most so
   many means. */
static const double olk_features_alone = 30.0;
static const double olk_error_window = 200.0, olk_settled_rows = 20.0, olk_most_errors = 10.0;
/* The largest answer of a process that counts; over the smallest weight of a row. */
static const double olk_largest_answer = 1e120, olk_most_process_weight = 1e6;

/* Words of a block, part of the file format (files/live.py): of the features, then of the
   process. */
typedef struct {
    double poly[4];              /* regrets, and their squares */
    double error;                /* mean size of the errors of the answers */
    double features_square;      /* mean square of the errors of the features */
    double rows;                 /* learned, at most those of the window */
} olk_mixture;

enum { OLK_MIXTURE_SQUARE = 2, OLK_MIXTURE_ERROR = 4, OLK_MIXTURE_ROWS = 6, OLK_MIXTURE_WORDS };

/* The functions of a process, for the type of its numbers. */
typedef struct {
    void (*begin)(olk_untuned *t);
    double (*learn)(olk_untuned *t, const void *x, double y);
    double (*answer)(olk_untuned *t, const void *x);
} olk_process_ops;

/* A new mixture. */
static inline void olk_mixture_begin(olk_mixture *x)
{
    x->poly[0] = x->poly[1] = 0.0;
    x->poly[2] = x->poly[3] = 1.0;
    x->error = x->features_square = x->rows = 0.0;
}

/* The weight of the process in the next answer. */
static inline double olk_mixture_share(const olk_mixture *x)
{
    double weights[2];
    if (x->rows < olk_features_alone)
        return 0.0;
    olk_ml_poly_weights(x->poly, 2, weights);
    return weights[1];
}

/* The mixture of an answer of the features and of one of the process, which may be unusable. */
static inline double olk_mixture_answer(const olk_mixture *x, double features, double process)
{
    const double share = olk_mixture_share(x);
    if (!(olk_fabs(process) <= olk_largest_answer))
        return features;
    return features + share * (process - features);
}

/* The variance of the target around the mixture: each model's own, and how far they are apart. */
static inline double olk_mixture_variance(const olk_mixture *x, double features, double process,
                                          double process_variance)
{
    const double share = olk_mixture_share(x), gap = process - features;
    if (!(x->rows > 0.0))
        return HUGE_VAL;
    if (!(olk_fabs(process) <= olk_largest_answer) || share == 0.0)
        return x->features_square;
    return (1.0 - share) * x->features_square +
           share * (process_variance + (1.0 - share) * gap * gap);
}

static inline double olk_running_mean(double mean, double v, double rows)
{
    const double n = rows + 1.0 < olk_error_window ? rows + 1.0 : olk_error_window;
    const double most = olk_most_errors * mean;
    return mean + ((rows >= olk_settled_rows && mean > 0.0 && v > most ? most : v) - mean) / n;
}

/* Learns how far the two and their mixture were from a target. */
static inline void olk_mixture_learn(olk_mixture *x, const double *answers, double answer, double y)
{
    const double unit = x->error;
    const double of_features = olk_clip(answers[0] - y, 1e150);
    if (unit > 0.0)
        olk_ml_poly_learn(x->poly, 2, answers, answer, y, unit);
    x->error = olk_running_mean(unit, olk_fabs(answer - y), x->rows);
    x->features_square =
        olk_running_mean(x->features_square, of_features * of_features, x->rows);
    x->rows += x->rows < olk_error_window ? 1.0 : 0.0;
}
