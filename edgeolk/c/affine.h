/* The affine map that scales a feature with winsorised statistics (winsor.h), for `RunningScaler` and
   inside a learner. */
#pragma once

#include <float.h>

#include "winsor.h"

/* z = (x/2 - centre - rest) / half, clipped to [low, high]. All terms are half of what they scale
   by, because a difference of two doubles can overflow. half is infinite for a constant feature:
   z = 0 without a branch. */
typedef struct {
    double centre, rest, half, low, high;
} olk_affine;

/* A spread within 64 units in the last place of the numbers themselves (2^-46 of them) counts as 0:
   it may be rounding. So does a subnormal one, by which division is inaccurate. */
static inline olk_affine olk_finish_affine(olk_affine f, double magnitude)
{
    if (f.half <= 64.0 * DBL_EPSILON * magnitude || f.half < DBL_MIN) {
        f.half = (double)INFINITY;
        f.low = f.high = 0.0;
    }
    return f;
}

/* z = (x - mean) / sd */
static inline olk_affine olk_standard_affine(const olk_feature *f, double clip)
{
    const olk_affine affine = {0.5 * f->mean, 0.5 * f->low, 0.5 * f->sd, -clip, clip};
    return olk_finish_affine(affine, olk_fabs(affine.centre));
}

/* z = (x - minimum) / (maximum - minimum), where both are limited to clip deviations from the mean:
   the extremes stay exact, and a glitch has no effect beyond that. */
static inline olk_affine olk_range_affine(const olk_feature *f, double clip, double minimum,
                                          double maximum)
{
    const double middle = 0.5 * f->mean, radius = 0.5 * clip * f->sd;
    const double from = olk_fmax(0.5 * minimum, middle - radius);
    const double to = olk_fmin(0.5 * maximum, middle + radius);
    olk_affine affine = {from, 0.0, radius > 0.0 ? to - from : 0.0, -(double)INFINITY,
                         (double)INFINITY};
    if (affine.half > 0.0) {
        /* x' = x, at most clip sd from the mean */
        affine.low = ((middle - from) - radius) / affine.half;
        affine.high = ((middle - from) + radius) / affine.half;
    }
    const double size = olk_fabs(from), other = olk_fabs(from + affine.half);
    return olk_finish_affine(affine, olk_fmax(size, other));
}

static inline double olk_scaled_number(double centre, double rest, double half, double low,
                                       double high, double x)
{
    double z = ((0.5 * x - centre) - rest) / half + 0.0; /* -0 becomes 0 */
    z = z < low ? low : z;
    return z > high ? high : z;
}
