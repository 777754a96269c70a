/* Scaling of inputs by running statistics, for `RunningScaler` and inside a learner (docs/sorf.md,
   section 15): winsorised moments of each feature, or one scale for all; and the length of a row
   (`clip_rows`). scaler_compact.h has the statistics of 9 bytes. */
#pragma once

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "scaler_compact.h"

/* -- Winsorised moments --
   Mean and standard deviation of one sensor with occasional outliers.

Design. Winsorised exponential moments. A reading farther than k deviations from the mean is clipped
to k deviations (Huber's psi, Ann. Math. Stat. 35, 1964), so that no reading, whatever its value,
moves the mean by more than k g deviations, or the deviation by more than a factor sqrt(1 + k^2 g).
The gain g of the t-th reading is max(3 / (t + 2), 1 / window):

- 3 / (t + 2) gives reading j a weight of about (j/t)^2. Errors at the start are forgotten as t^-3,
  where equal weights forget them as t^-1.
- 1 / window keeps forgetting, so that a change of level is followed within a bounded time.

Readings after a change of level are clipped too; but as all of them are, each multiplies the
deviation by about exp(k^2 g / 2), until the new level is within k deviations. Any other reading
multiplies it by exp(-g / 2) or more. So outliers that are fewer than one reading out of k^2 never
have more than a bounded effect.

The start is the median of the first three readings and its distance from the nearer of the others.
A constant feature has no deviation to clip by: a single different reading is held as pending and
not learned; when a second one comes, the nearer of the two gives the deviation.

The deviation itself is stored, not its square, and updated by factors: sd' = sd sqrt((1 - g)(1 + g
r^2)) with r = (x - mean) / sd, |r| <= k. So 1e200 does not overflow, 1e-200 does not vanish, and no
unit is needed. Half distances are computed, because the difference of two doubles can overflow.

Rejected: quantile sketches. P-square lets the largest reading pull its neighbours. Quartiles by
stochastic approximation take 10 times as long to follow a shift of 100 deviations, and are equal
where a sensor is quiet more than half of the time: 3 of 7 columns of elec2, 23 of 24 of smap.

Invariants, true between any two readings; core/scaler.pxd checks them:
- age is 0 before the first reading; age 1: mean and held are x1; age 2: mean is x1, held is x2;
- mean, low, sd, held are finite; low is at most one last bit of mean;
- sd is 0, or above the rounding of mean, with a normal half;
- if sd is 0, held is the pending reading, or mean without one; otherwise held is 0. */

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

/* -- Affine maps --
   The affine map that scales a feature with winsorised statistics, for `RunningScaler` and inside a
   learner. */

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

/* -- The scaler --
   A scaler with winsorised statistics, inside a learner or standalone (`RunningScaler`), one
   reading at a time. A learner scales a row that it learns by statistics that include the row; they
   are stored only once the learner has accepted the row. */

/* Part of the file format. OLK_COMMON: one scale for all inputs, of a learner (below). OLK_COMPACT: as
   OLK_STANDARD, with statistics in 9 bytes. */
enum { OLK_STANDARD = 1, OLK_MINMAX = 2, OLK_COMMON = 3, OLK_COMPACT = 9 };

/* A scaler's parameters and where its statistics are stored. */
typedef struct {
    uint8_t *records;      /* [d][OLK_COMPACT_BYTES], OLK_COMPACT only, in place of the others */
#if defined OLK_SETUP && OLK_SCALE_METHOD == 9 && defined __GNUC__
    __extension__ union { /* a program with records alone reads nothing but them and its constants */
#endif
    olk_scalar clip;      /* deviations, at least 2 */
    olk_scalar window;    /* rows */
    int64_t freeze_after; /* 0: never */
    int32_t method;
    double *numbers;     /* of each feature: mean, low, sd, held */
    int32_t *counts;     /* of each feature: age, clipped */
    double *minimum, *maximum; /* [d], OLK_MINMAX only */
    olk_compact_rule rule; /* the same clip and window, for the records */
#if defined OLK_SETUP && OLK_SCALE_METHOD == 9 && defined __GNUC__
    };
#endif
} olk_scaler;

/* The statistics of one feature; the range only for OLK_MINMAX. */
typedef struct {
    olk_feature feature;
    double minimum, maximum;
} olk_feature_statistics;

/* Whether statistics have 9 bytes: constant in a program for one learner, which thereby omits the
   code of the other methods. */
static inline int olk_is_compact(const olk_scaler *s)
{
#ifdef OLK_SCALE_METHOD
    (void)s;
    return OLK_SCALE_METHOD == OLK_COMPACT;
#else
    return s->method == OLK_COMPACT;
#endif
}

static inline double *olk_numbers_of(const olk_scaler *s, ptrdiff_t j)
{
    return s->numbers + 4 * j;
}

static inline int32_t *olk_counts_of(const olk_scaler *s, ptrdiff_t j)
{
    return s->counts + 2 * j;
}

static inline int olk_has_range(const olk_scaler *s)
{
#ifdef OLK_SCALE_METHOD
    (void)s;
    return OLK_SCALE_METHOD == OLK_MINMAX;
#else
    return s->method == OLK_MINMAX;
#endif
}

static inline olk_feature_statistics olk_load_statistics(const olk_scaler *s, ptrdiff_t j)
{
    const double *numbers = olk_numbers_of(s, j);
    const int32_t *counts = olk_counts_of(s, j);
    olk_feature_statistics r = {{numbers[0], numbers[1], numbers[2], numbers[3],
                                 (uint32_t)counts[0], (uint32_t)counts[1]},
                                0.0,
                                0.0};
    if (olk_has_range(s)) {
        r.minimum = s->minimum[j];
        r.maximum = s->maximum[j];
    }
    return r;
}

/* Parameters that a program for one learner has as constants. */
#if defined OLK_SETUP && OLK_SCALE_METHOD == 9
#define OLK_FREEZE_AFTER(s) ((void)(s), OLK_SETUP.preprocessing.freeze_after)
#define OLK_RULE_OF(s)                                                                             \
    olk_compact_rule_of(OLK_SETUP.preprocessing.clip, OLK_SETUP.preprocessing.window)
#else
#define OLK_FREEZE_AFTER(s) ((s)->freeze_after)
#define OLK_RULE_OF(s) ((s)->rule)
#endif

static inline int olk_is_frozen(const olk_scaler *s, int64_t seen)
{
    return OLK_FREEZE_AFTER(s) > 0 && seen >= OLK_FREEZE_AFTER(s);
}

/* Learns reading j and returns it scaled; the new record goes to `to`. */
static inline olk_scalar olk_learn_record(const olk_scaler *s, ptrdiff_t j, olk_scalar x,
                                          int64_t seen, uint8_t *to)
{
    const olk_compact_rule rule = OLK_RULE_OF(s);
    olk_compact f = olk_compact_of(s->records + OLK_COMPACT_BYTES * j);
    const float z = olk_is_frozen(s, seen)
                        ? olk_compact_scaled(&f, (float)x, &rule)
                        : olk_compact_learn(&f, (float)x, &rule, (uint32_t)(seen + 1),
                                            (uint32_t)j);
    olk_compact_put(to, &f);
    return (olk_scalar)z;
}

/* Learns a reading, after `seen` rows; once frozen, only counts readings beyond clip. */
static inline void olk_learn_statistics(const olk_scaler *s, olk_feature_statistics *r, double x,
                                        int64_t seen)
{
    if (olk_is_frozen(s, seen)) {
        if (olk_is_clipped(&r->feature, x, (double)s->clip))
            olk_count_clipped(&r->feature);
        return;
    }
    olk_learn_reading(&r->feature, x, (double)s->clip, 1.0 / (double)s->window);
    if (olk_has_range(s)) {
        r->minimum = x < r->minimum || seen == 0 ? x : r->minimum;
        r->maximum = x > r->maximum || seen == 0 ? x : r->maximum;
    }
}

/* The affine map of a feature with these statistics. */
static inline olk_affine olk_affine_of(const olk_scaler *s, const olk_feature_statistics *r)
{
    const double clip = (double)s->clip;
    return olk_has_range(s) ? olk_range_affine(&r->feature, clip, r->minimum, r->maximum)
                            : olk_standard_affine(&r->feature, clip);
}

/* Reading j scaled, with `learning` by statistics that include it; nothing is stored. */
static inline olk_scalar olk_scale_reading(const olk_scaler *s, ptrdiff_t j, olk_scalar x,
                                           int64_t seen, int learning)
{
    if (olk_is_compact(s)) {
        uint8_t record[OLK_COMPACT_BYTES];
        if (learning)
            return olk_learn_record(s, j, x, seen, record);
        const olk_compact_rule rule = OLK_RULE_OF(s);
        const olk_compact f = olk_compact_of(s->records + OLK_COMPACT_BYTES * j);
        return (olk_scalar)olk_compact_scaled(&f, (float)x, &rule);
    }
    olk_feature_statistics r = olk_load_statistics(s, j);
    if (learning)
        olk_learn_statistics(s, &r, (double)x, seen);
    const olk_affine f = olk_affine_of(s, &r);
    return (olk_scalar)olk_scaled_number(f.centre, f.rest, f.half, f.low, f.high, (double)x);
}

/* Whether feature j has a deviation yet. */
static inline int olk_has_deviation(const olk_scaler *s, ptrdiff_t j)
{
    if (olk_is_compact(s))
        return olk_compact_of(s->records + OLK_COMPACT_BYTES * j).code >= OLK_RUNNING;
    return olk_numbers_of(s, j)[2] > 0.0;
}

/* How many of d features have a deviation yet. */
static inline ptrdiff_t olk_count_deviating(const olk_scaler *s, ptrdiff_t d)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < d; j++)
        count += olk_has_deviation(s, j);
    return count;
}

/* Whether it scales by a mean and a deviation that still adapt after `seen` rows. */
static inline int olk_is_adapting(const olk_scaler *s, int64_t seen)
{
    return (olk_is_compact(s) || s->method == OLK_STANDARD) && !olk_is_frozen(s, seen);
}

/* Limits the age of all d features' statistics to `age` rows (at least 3), so that they adapt
   quickly. */
static inline void olk_limit_age(const olk_scaler *s, ptrdiff_t d, int32_t age)
{
    for (ptrdiff_t j = 0; j < d; j++) {
        if (olk_is_compact(s))
            olk_compact_limit_age(s->records + OLK_COMPACT_BYTES * j, (uint32_t)age);
        else if ((uint32_t)*olk_counts_of(s, j) > (uint32_t)age)
            *olk_counts_of(s, j) = age;
    }
}

/* Updates the stored statistics with reading j of a row that the learner has accepted. */
static inline void olk_update_reading(const olk_scaler *s, ptrdiff_t j, olk_scalar x,
                                      int64_t seen)
{
    if (olk_is_compact(s)) {
        (void)olk_learn_record(s, j, x, seen, s->records + OLK_COMPACT_BYTES * j);
        return;
    }
    olk_feature_statistics r = olk_load_statistics(s, j);
    olk_learn_statistics(s, &r, (double)x, seen);
    double *numbers = olk_numbers_of(s, j);
    int32_t *counts = olk_counts_of(s, j);
    numbers[0] = r.feature.mean;
    numbers[1] = r.feature.low;
    numbers[2] = r.feature.sd;
    numbers[3] = r.feature.held;
    counts[0] = (int32_t)r.feature.age;
    counts[1] = (int32_t)r.feature.clipped;
    if (olk_has_range(s)) {
        s->minimum[j] = r.minimum;
        s->maximum[j] = r.maximum;
    }
}

/* -- Doubles of a block --
   Numbers that a block stores as doubles, of a learner whose numbers are floats. A program with
   OLK_NARROW converts their bits: its compiler need not have doubles of 64 bits. */

#ifdef OLK_NARROW
typedef struct {
    uint32_t low, high;
} olk_stored_double;

/* A stored float; a count, which is not negative, and below 2^53. */
static inline float olk_stored_number(const olk_stored_double *v)
{
    const int32_t exponent = (int32_t)(v->high >> 20 & 0x7ff) - 1023 + 127;
    const uint32_t sign = v->high & UINT32_C(0x80000000);
    const uint32_t fraction = (v->high & UINT32_C(0xfffff)) << 3 | v->low >> 29;
    if (exponent <= 0) /* 0, and what no float but a subnormal one becomes */
        return olk_float_of(sign) + olk_float_of(sign | fraction | UINT32_C(1) << 23) *
                                        (exponent > -24 ? olk_two(exponent - 1) : 0.0f);
    return olk_float_of(sign | (uint32_t)exponent << 23 | fraction);
}

static inline void olk_store_number(olk_stored_double *v, float x)
{
    const uint32_t normal = olk_fabsf(x) < 0x1p-126f; /* 0, or subnormal: made normal */
    const uint32_t bits = olk_bits_of(normal ? x * 0x1p24f : x);
    const uint32_t exponent = (bits >> 23 & 0xff) + 1023 - 127 - (normal ? 24 : 0);
    v->low = bits << 29;
    v->high = (bits & UINT32_C(0x80000000)) | (bits & UINT32_C(0x7fffff)) >> 3;
    if (bits << 1)
        v->high |= exponent << 20;
}

static inline int olk_is_negative(const olk_stored_double *v)
{
    return (int)(v->high >> 31);
}

static inline uint64_t olk_stored_count(const olk_stored_double *v)
{
    const uint64_t fraction = (uint64_t)(v->high & UINT32_C(0xfffff)) << 32 | v->low;
    const int32_t exponent = (int32_t)(v->high >> 20 & 0x7ff) - 1023;
    return exponent < 0 ? 0 : (fraction | UINT64_C(1) << 52) >> (52 - exponent);
}

static inline void olk_store_count(olk_stored_double *v, uint64_t count)
{
    uint32_t exponent = 1023 + 52;
    if (count)
        for (; !(count >> 52); exponent--)
            count <<= 1;
    else
        exponent = 0;
    v->low = (uint32_t)count;
    v->high = exponent << 20 | (uint32_t)(count >> 32 & 0xfffff);
}

static inline void olk_store_none(olk_stored_double *v)
{
    v->low = 0;
    v->high = UINT32_C(0xbff00000);
}
#else
typedef double olk_stored_double;

static inline double olk_stored_number(const olk_stored_double *v)
{
    return *v;
}

static inline void olk_store_number(olk_stored_double *v, double x)
{
    *v = x;
}

static inline int olk_is_negative(const olk_stored_double *v)
{
    return *v < 0.0;
}

static inline uint64_t olk_stored_count(const olk_stored_double *v)
{
    return (uint64_t)*v;
}

static inline void olk_store_count(olk_stored_double *v, uint64_t count)
{
    *v = (double)count;
}

/* -1: no count. */
static inline void olk_store_none(olk_stored_double *v)
{
    *v = -1.0;
}
#endif

/* -- One scale for all inputs --
   For inputs that have one unit (docs/sorf.md, section 15): pixels, spectra, one-hot, bits.
   z = (x - mean) / deviation, clipped to [-clip, clip], where mean and deviation are those of all
   readings of all inputs so far, including the row that is learned.

   olk_common has them as a mean and a sum of squared deviations (Welford). olk_two_numbers is for
   inputs that are otherwise scaled separately: it tracks whether every reading so far was one of
   two numbers; if so, one scale is used, and a count gives the mean and the deviation of all. */

/* Squares of larger readings would overflow. */
static const double olk_common_bound = 1e140;

/* Part of the file format. All zero before the first reading. */
typedef struct {
    double mean, squares;
} olk_common;

/* Part of the file format. Of the readings so far, `others` were `second`, the rest `first`;
   `others` below 0: a third number came. */
typedef struct {
    olk_stored_double first, second, others;
} olk_two_numbers;

/* z = (x/2 - centre) / half for all inputs; halves as in olk_affine. */
typedef struct {
    olk_scalar centre, half;
} olk_shared_affine;

/* x, at most olk_common_bound from 0. */
static inline double olk_bound_reading(double x)
{
    x = x < olk_common_bound ? x : olk_common_bound;
    return x > -olk_common_bound ? x : -olk_common_bound;
}

/* Learns one reading; `readings` came before it. */
static inline void olk_learn_common(olk_common *c, double x, double readings)
{
    const double gap = olk_bound_reading(x) - c->mean;
    c->mean += gap / (readings + 1.0);
    c->squares += gap * (olk_bound_reading(x) - c->mean);
}

static inline olk_shared_affine olk_common_affine(const olk_common *c, double readings)
{
    const double sd = readings > 0.0 ? olk_sqrt(c->squares / readings) : 0.0;
    const olk_shared_affine affine = {(olk_scalar)(0.5 * c->mean),
                                      (olk_scalar)(sd > 0.0 ? 0.5 * sd : 0.5)};
    return affine;
}

static inline int olk_is_pair(const olk_two_numbers *p)
{
    return !olk_is_negative(&p->others);
}

static inline void olk_learn_pair(olk_two_numbers *p, olk_scalar x, uint64_t readings)
{
    uint64_t others;
    if (!olk_is_pair(p))
        return;
    others = olk_stored_count(&p->others); /* undefined for the -1 of no pair */
    if (readings == 0)
        olk_store_number(&p->first, x);
    if (x == olk_stored_number(&p->first))
        return;
    if (others == 0)
        olk_store_number(&p->second, x);
    if (x == olk_stored_number(&p->second))
        olk_store_count(&p->others, others + 1);
    else
        olk_store_none(&p->others);
}

/* Learns m readings in order. Once both numbers are known, the order does not matter. */
static inline void olk_learn_pairs(olk_two_numbers *p, const olk_scalar *x, ptrdiff_t m,
                                   uint64_t readings)
{
    if (m > 1 && olk_is_pair(p) && olk_stored_count(&p->others) > 0) {
        const olk_scalar first = olk_stored_number(&p->first);
        const olk_scalar second = olk_stored_number(&p->second);
        int64_t others = 0, known = 0;
        for (ptrdiff_t k = 0; k < m; k++) {
            const int64_t other = x[k] == second;
            others += other;
            known += other + (x[k] == first);
        }
        if (known == m)
            olk_store_count(&p->others, olk_stored_count(&p->others) + (uint64_t)others);
        else
            olk_store_none(&p->others);
        return;
    }
    for (ptrdiff_t k = 0; k < m; k++)
        olk_learn_pair(p, x[k], readings + (uint64_t)k);
}

/* In the type of rows; `wide`: doubles, else floats. */
static inline olk_shared_affine olk_pair_affine(const olk_two_numbers *p, uint64_t readings,
                                                int wide)
{
    const olk_scalar first = olk_stored_number(&p->first);
    const olk_scalar second = olk_stored_number(&p->second);
    const uint64_t others = olk_is_pair(p) ? olk_stored_count(&p->others) : 0;
    if (wide) {
        const double share = others ? (double)others / (double)readings : 0.0;
        const double half = 0.5 * (double)second - 0.5 * (double)first;
        const double sd = olk_fabs(half) * olk_sqrt(share * (1.0 - share));
        const double middle = 0.5 * (double)first + (share > 0.0 ? half * share : 0.0);
        const olk_shared_affine line = {(olk_scalar)middle,
                                        (olk_scalar)(share > 0.0 && sd > 0.0 ? sd : 0.5)};
        return line;
    }
    const float share = others ? (float)others / (float)readings : 0.0f;
    const float half = 0.5f * (float)second - 0.5f * (float)first;
    const float sd = olk_fabsf(half) * olk_sqrtf(share * (1.0f - share));
    const float middle = 0.5f * (float)first + (share > 0.0f ? half * share : 0.0f);
    const olk_shared_affine line = {(olk_scalar)middle,
                                    (olk_scalar)(share > 0.0f && sd > 0.0f ? sd : 0.5f)};
    return line;
}

static inline double olk_common_scaled(const olk_shared_affine *f, double clip, double x)
{
    double z = (0.5 * x - (double)f->centre) / (double)f->half + 0.0; /* -0 becomes 0 */
    z = z > -clip ? z : -clip;
    return z < clip ? z : clip;
}

static inline float olk_pair_scaled(const olk_shared_affine *f, float clip, float x)
{
    float z = (0.5f * x - (float)f->centre) / (float)f->half + 0.0f; /* -0 becomes 0 */
    z = z > -clip ? z : -clip;
    return z < clip ? z : clip;
}

/* z[m] <- the scaled readings; `single`: in single precision. */
static inline void olk_scale_common(const olk_shared_affine *f, olk_scalar clip,
                                    const olk_scalar *x, ptrdiff_t m, int single, olk_scalar *z)
{
    const olk_shared_affine line = *f;
    if (single)
        for (ptrdiff_t k = 0; k < m; k++)
            z[k] = (olk_scalar)olk_pair_scaled(&line, (float)clip, (float)x[k]);
    else
        for (ptrdiff_t k = 0; k < m; k++)
            z[k] = (olk_scalar)olk_common_scaled(&line, (double)clip, (double)x[k]);
}

/* -- The length of a row --
   The factor that shortens a row to the allowed length (`clip_rows`), from readings one by one. */

/* The sum of squares so far, and the largest absolute reading. All zero at the start. */
typedef struct {
    double total, largest;
} olk_length;

/* Adds a reading of the row. */
static inline void olk_measure(olk_length *length, double x)
{
    length->total += x * x;
    length->largest = olk_fabs(x) > length->largest ? olk_fabs(x) : length->largest;
}

static inline int olk_is_within(const olk_length *length, double longest)
{
    return olk_sqrt(length->total) <= longest;
}

/* For a row that is too long: adds its readings again, in units of the largest, since squares of
   1e200 overflow. The caller sets `total` to 0 first. */
static inline void olk_measure_again(olk_length *length, double x)
{
    length->total += (x / length->largest) * (x / length->largest);
}

static inline double olk_clip_factor(const olk_length *length, double longest)
{
    return (longest / length->largest) / olk_sqrt(length->total);
}
