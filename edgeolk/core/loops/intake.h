/* The scaler inside a learner, one reading at a time. A row that is learned is scaled by statistics
   that include it; they are kept only when the learner has taken the row. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compact.h"
#include "lines.h"

/* Part of the file format. OLK_COMPACT: as OLK_STANDARD, by statistics in 9 bytes. */
enum { OLK_STANDARD = 1, OLK_MINMAX = 2, OLK_COMPACT = 9 };

/* What a scaler is made of, and its statistics as a block holds them. */
typedef struct {
    double clip;         /* deviations, 2 at least */
    double window;       /* rows remembered */
    int64_t freeze_after; /* 0: never */
    int32_t method;
    double *numbers;     /* [d][4]: mean, low, sd, held */
    int32_t *counts;     /* [d][2]: age, clipped */
    double *least, *most; /* [d], OLK_MINMAX only */
    uint8_t *records;    /* [d][OLK_COMPACT_BYTES], OLK_COMPACT only, which has no other numbers */
    olk_compact_rule rule; /* the same clip and window for these */
} olk_scaler;

/* One feature's share of them. */
typedef struct {
    olk_feature feature;
    double least, most;
} olk_reading;

/* A program for one learner says which method it has, and is without the code of the others. */
static inline int olk_is_compact(const olk_scaler *s)
{
#ifdef OLK_SCALE_METHOD
    (void)s;
    return OLK_SCALE_METHOD == OLK_COMPACT;
#else
    return s->method == OLK_COMPACT;
#endif
}

static inline olk_reading olk_recall(const olk_scaler *s, ptrdiff_t j)
{
    olk_reading r = {{s->numbers[4 * j], s->numbers[4 * j + 1], s->numbers[4 * j + 2],
                      s->numbers[4 * j + 3], (uint32_t)s->counts[2 * j],
                      (uint32_t)s->counts[2 * j + 1]},
                     0.0,
                     0.0};
    if (s->method == OLK_MINMAX) {
        r.least = s->least[j];
        r.most = s->most[j];
    }
    return r;
}

static inline int olk_is_frozen(const olk_scaler *s, int64_t seen)
{
    return s->freeze_after > 0 && seen >= s->freeze_after;
}

/* Reading j of a row that is learned, scaled; the record that it leads to is put at `to`. */
static inline double olk_learn_apart(const olk_scaler *s, ptrdiff_t j, double x, int64_t seen,
                                     uint8_t *to)
{
    olk_compact f = olk_compact_of(s->records + OLK_COMPACT_BYTES * j);
    const float z = olk_is_frozen(s, seen)
                        ? olk_compact_scaled(&f, (float)x, &s->rule)
                        : olk_compact_learn(&f, (float)x, &s->rule, (uint32_t)(seen + 1),
                                            (uint32_t)j);
    olk_compact_put(to, &f);
    return (double)z;
}

/* A reading into them, after `seen` rows; once frozen only those beyond clip are counted. */
static inline void olk_learn_into(const olk_scaler *s, olk_reading *r, double x, int64_t seen)
{
    if (olk_is_frozen(s, seen)) {
        if (olk_beyond(&r->feature, x, s->clip))
            olk_count_clipped(&r->feature);
        return;
    }
    olk_learn_reading(&r->feature, x, s->clip, 1.0 / s->window);
    if (s->method == OLK_MINMAX) {
        r->least = x < r->least || seen == 0 ? x : r->least;
        r->most = x > r->most || seen == 0 ? x : r->most;
    }
}

/* Reading j scaled: by statistics that include it where it is learned; they stay as they are. */
static inline double olk_scale_reading(const olk_scaler *s, ptrdiff_t j, double x, int64_t seen,
                                       int learning)
{
    if (olk_is_compact(s)) {
        uint8_t apart[OLK_COMPACT_BYTES];
        if (learning)
            return olk_learn_apart(s, j, x, seen, apart);
        const olk_compact f = olk_compact_of(s->records + OLK_COMPACT_BYTES * j);
        return (double)olk_compact_scaled(&f, (float)x, &s->rule);
    }
    olk_reading r = olk_recall(s, j);
    if (learning)
        olk_learn_into(s, &r, x, seen);
    const olk_line f = s->method == OLK_MINMAX
                           ? olk_range_line(&r.feature, s->clip, r.least, r.most)
                           : olk_standard_line(&r.feature, s->clip);
    return olk_scaled_number(f.centre, f.rest, f.half, f.low, f.high, x);
}

/* Whether readings of feature j have a deviation so far. */
static inline int olk_has_deviation(const olk_scaler *s, ptrdiff_t j)
{
    if (olk_is_compact(s))
        return olk_compact_of(s->records + OLK_COMPACT_BYTES * j).code >= OLK_RUNNING;
    return s->numbers[4 * j + 2] > 0.0;
}

/* How many of d features have a deviation so far. */
static inline ptrdiff_t olk_deviating(const olk_scaler *s, ptrdiff_t d)
{
    ptrdiff_t some = 0;
    for (ptrdiff_t j = 0; j < d; j++)
        some += olk_has_deviation(s, j);
    return some;
}

/* Whether it scales by a mean and a deviation that still follow the rows, after `seen` of them. */
static inline int olk_follows_rows(const olk_scaler *s, int64_t seen)
{
    return (olk_is_compact(s) || s->method == OLK_STANDARD) && !olk_is_frozen(s, seen);
}

/* Statistics of all d features as young as `age` rows (3 at least), so that they follow the next ones
   quickly. */
static inline void olk_limit_age(const olk_scaler *s, ptrdiff_t d, int32_t age)
{
    for (ptrdiff_t j = 0; j < d; j++) {
        if (olk_is_compact(s))
            olk_compact_limit_age(s->records + OLK_COMPACT_BYTES * j, (uint32_t)age);
        else if ((uint32_t)s->counts[2 * j] > (uint32_t)age)
            s->counts[2 * j] = age;
    }
}

/* Reading j, of a row that was learned, kept in the statistics. */
static inline void olk_keep_reading(const olk_scaler *s, ptrdiff_t j, double x, int64_t seen)
{
    if (olk_is_compact(s)) {
        (void)olk_learn_apart(s, j, x, seen, s->records + OLK_COMPACT_BYTES * j);
        return;
    }
    olk_reading r = olk_recall(s, j);
    olk_learn_into(s, &r, x, seen);
    s->numbers[4 * j] = r.feature.mean;
    s->numbers[4 * j + 1] = r.feature.low;
    s->numbers[4 * j + 2] = r.feature.sd;
    s->numbers[4 * j + 3] = r.feature.held;
    s->counts[2 * j] = (int32_t)r.feature.age;
    s->counts[2 * j + 1] = (int32_t)r.feature.clipped;
    if (s->method == OLK_MINMAX) {
        s->least[j] = r.least;
        s->most[j] = r.most;
    }
}
