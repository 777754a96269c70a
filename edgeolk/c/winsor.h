/* Winsorised moments: mean and standard deviation of one sensor with occasional outliers.

   Design. Winsorised exponential moments. A reading farther than k deviations from the mean is
   clipped to k deviations (Huber's psi, Ann. Math. Stat. 35, 1964), so that no reading, whatever
   its value, moves the mean by more than k g deviations, or the deviation by more than a factor
   sqrt(1 + k^2 g). The gain g of the t-th reading is max(3 / (t + 2), 1 / window):

   - 3 / (t + 2) gives reading j a weight of about (j/t)^2. Errors at the start are forgotten as
     t^-3, where equal weights forget them as t^-1.
   - 1 / window keeps forgetting, so that a change of level is followed within a bounded time.

   Readings after a change of level are clipped too; but as all of them are, each multiplies the
   deviation by about exp(k^2 g / 2), until the new level is within k deviations. Any other reading
   multiplies it by exp(-g / 2) or more. So outliers that are fewer than one reading out of k^2
   never have more than a bounded effect.

   The start is the median of the first three readings and its distance from the nearer of the
   others. A constant feature has no deviation to clip by: a single different reading is held as
   pending and not learned; when a second one comes, the nearer of the two gives the deviation.

   The deviation itself is stored, not its square, and updated by factors: sd' = sd sqrt((1 - g)(1 +
   g r^2)) with r = (x - mean) / sd, |r| <= k. So 1e200 does not overflow, 1e-200 does not vanish,
   and no unit is needed. Half distances are computed, because the difference of two doubles can
   overflow.

   Rejected: quantile sketches. P-square lets the largest reading pull its neighbours. Quartiles by
   stochastic approximation take 10 times as long to follow a shift of 100 deviations, and are equal
   where a sensor is quiet more than half of the time: 3 of 7 columns of elec2, 23 of 24 of smap.

   Invariants, true between any two readings; core/scaler.pxd checks them:
   - age is 0 before the first reading; age 1: mean and held are x1; age 2: mean is x1, held is x2;
   - mean, low, sd, held are finite; low is at most one last bit of mean;
   - sd is 0, or above the rounding of mean, with a normal half;
   - if sd is 0, held is the pending reading, or mean without one; otherwise held is 0. */
#pragma once

#include <float.h>
#include <stdint.h>

#include "mathf.h"

enum { OLK_START_READINGS = 3 }; /* readings whose median is the start */

/* 40 bytes on 32 and 64 bits; part of the file format. All zero before the first reading. */
typedef struct {
    double mean;      /* of the readings: mean + low, see core/scaler.pxd */
    double low;
    double sd;        /* standard deviation (population); 0 for a constant feature */
    double held;      /* pending reading of a constant feature */
    uint32_t age;     /* readings since the deviation was reset; saturates */
    uint32_t clipped; /* readings beyond clip deviations; saturates */
} olk_feature;

static inline double olk_fmin(double a, double b)
{
    return a < b ? a : b;
}

static inline double olk_fmax(double a, double b)
{
    return a > b ? a : b;
}

/* Whether a deviation counts as 0: it is within 64 units in the last place of numbers of this size,
   so it may be rounding, or its half, by which readings are divided, is subnormal. */
static inline int olk_is_negligible_spread(double sd, double size)
{
    return sd <= 64.0 * DBL_EPSILON * size || sd < 2.0 * DBL_MIN;
}

static inline double olk_half_distance(const olk_feature *f, double x)
{
    return (0.5 * x - 0.5 * f->mean) - 0.5 * f->low;
}

static inline void olk_count_clipped(olk_feature *f)
{
    if (f->clipped < UINT32_MAX)
        f->clipped++;
}

static inline void olk_set_spread(olk_feature *f, double sd)
{
    f->sd = olk_fmin(sd, DBL_MAX);
    f->held = 0.0;
    if (olk_is_negligible_spread(f->sd, olk_fabs(f->mean))) {
        f->sd = 0.0;
        f->held = f->mean;
    }
}

/* mean + low + step as a pair (Knuth's two-sum). */
static inline void olk_move_mean(olk_feature *f, double step)
{
    const double small = f->low + step, total = f->mean + small, part = total - f->mean;
    f->low = (f->mean - (total - part)) + (small - part);
    f->mean = total;
}

/* The first three readings; age already counts this one. */
static inline void olk_start_feature(olk_feature *f, double x)
{
    if (f->age < OLK_START_READINGS) {
        f->held = x;
        if (f->age == 1)
            f->mean = x;
        return;
    }
    double lowest = olk_fmin(f->mean, f->held), highest = olk_fmax(f->mean, f->held);
    const double middle = olk_fmax(lowest, olk_fmin(x, highest));
    lowest = olk_fmin(lowest, x);
    highest = olk_fmax(highest, x);
    f->mean = middle;
    olk_set_spread(f, 2.0 * olk_fmin(0.5 * middle - 0.5 * lowest, 0.5 * highest - 0.5 * middle));
}

/* Learns a reading of a feature that was constant so far. */
static inline void olk_learn_constant(olk_feature *f, double x)
{
    const double half = olk_fabs(olk_half_distance(f, x));
    if (olk_is_negligible_spread(2.0 * half, olk_fabs(f->mean)))
        return;
    if (f->held == f->mean) {
        f->held = x;
        olk_count_clipped(f);
        return;
    }
    olk_set_spread(f, 2.0 * olk_fmin(half, olk_fabs(olk_half_distance(f, f->held))));
    f->age = OLK_START_READINGS;
}

/* Learns one finite reading; clip >= 2, 0 <= min_gain <= 1/2. */
static inline void olk_learn_reading(olk_feature *f, double x, double clip, double min_gain)
{
    if (f->age < UINT32_MAX)
        f->age++;
    if (f->age <= OLK_START_READINGS) {
        olk_start_feature(f, x);
        return;
    }
    if (f->sd == 0.0) {
        olk_learn_constant(f, x);
        return;
    }
    /* x' = x, at most clip sd from the mean */
    const double limit = 0.5 * clip * f->sd;
    double half = olk_half_distance(f, x);
    if (!(olk_fabs(half) <= limit)) {
        half = half < 0.0 ? -limit : limit;
        olk_count_clipped(f);
    }
    /* mean' = mean + g (x' - mean);  sd'^2 = (1 - g) (sd^2 + g (x' - mean)^2) */
    const double gain = olk_fmax(3.0 / ((double)f->age + 2.0), min_gain);
    const double r = half / (0.5 * f->sd);
    olk_move_mean(f, 2.0 * (gain * half));
    olk_set_spread(f, f->sd * olk_sqrt((1.0 - gain) * (1.0 + gain * r * r)));
}

static inline int olk_is_clipped(const olk_feature *f, double x, double clip)
{
    return f->sd > 0.0 && olk_fabs(olk_half_distance(f, x)) > 0.5 * clip * f->sd;
}
