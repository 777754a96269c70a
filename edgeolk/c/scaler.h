/* Scaling of inputs by running statistics (docs/sorf.md, section 15), inside a learner or standalone
   (`RunningScaler`), one reading at a time: by winsorised moments of each feature (winsor.h,
   affine.h), or by records of 9 bytes (scaler_compact.h). common_scale.h is one scale for all.

   A learner scales a row that it learns by statistics that include the row; they are stored only
   once the learner has accepted the row. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "affine.h"
#include "scaler_compact.h"

/* Part of the file format. OLK_COMMON: one scale for all inputs, of a learner (common_scale.h). OLK_COMPACT: as
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
