/* One scale for all inputs (docs/sorf.md, section 15), where they have one unit: pixels, spectra,
   one-hot, bits. z = (x - mean) / deviation, clipped to [-clip, clip], by statistics of all
   readings of all inputs, including the row that is learned.

   Such a scaler keeps a mean and a sum of squared deviations (Welford). A scaler of separate inputs
   also tracks whether every reading so far was one of two numbers: then a count gives the mean and
   the deviation of all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "roots.h"

/* Squares of larger readings would overflow. */
static const double olk_common_bound = 1e140;

/* Part of the file format. All zero before the first reading. */
typedef struct {
    double mean, squares;
} olk_common;

/* Part of the file format. Of the readings so far, `others` were `second`, the rest `first`;
   `others` below 0: a third number came. */
typedef struct {
    double first, second, others;
} olk_two_numbers;

/* How all inputs are scaled; halves, because a difference of two doubles can overflow. */
typedef struct {
    double centre, half;
} olk_shared_affine;

static inline double olk_clip_reading(double x)
{
    x = x < olk_common_bound ? x : olk_common_bound;
    return x > -olk_common_bound ? x : -olk_common_bound;
}

/* Learns one reading; `readings` came before it. */
static inline void olk_learn_common(olk_common *c, double x, double readings)
{
    const double gap = olk_clip_reading(x) - c->mean;
    c->mean += gap / (readings + 1.0);
    c->squares += gap * (olk_clip_reading(x) - c->mean);
}

static inline olk_shared_affine olk_common_affine(const olk_common *c, double readings)
{
    const double sd = readings > 0.0 ? olk_sqrt(c->squares / readings) : 0.0;
    const olk_shared_affine affine = {0.5 * c->mean, sd > 0.0 ? 0.5 * sd : 0.5};
    return affine;
}

static inline void olk_learn_pair(olk_two_numbers *p, double x, double readings)
{
    if (p->others < 0.0)
        return;
    if (readings == 0.0)
        p->first = x;
    if (x == p->first)
        return;
    if (p->others == 0.0)
        p->second = x;
    p->others = x == p->second ? p->others + 1.0 : -1.0;
}

/* Learns m readings in order. Once both numbers are known, the order does not matter. */
static inline void olk_learn_pairs(olk_two_numbers *p, const double *x, ptrdiff_t m,
                                   double readings)
{
    if (p->others > 0.0) {
        const double first = p->first, second = p->second;
        int64_t others = 0, known = 0;
        for (ptrdiff_t k = 0; k < m; k++) {
            const int64_t other = x[k] == second;
            others += other;
            known += other + (x[k] == first);
        }
        p->others = known == m ? p->others + (double)others : -1.0;
        return;
    }
    for (ptrdiff_t k = 0; k < m; k++)
        olk_learn_pair(p, x[k], readings + (double)k);
}

static inline olk_shared_affine olk_pair_affine(const olk_two_numbers *p, double readings)
{
    const double share = p->others > 0.0 ? p->others / readings : 0.0;
    const double half = 0.5 * p->second - 0.5 * p->first;
    const double sd = olk_fabs(half) * olk_sqrt(share * (1.0 - share));
    olk_shared_affine affine = {0.5 * p->first, 0.5};
    if (share > 0.0) {
        affine.centre += half * share;
        affine.half = sd > 0.0 ? sd : 0.5;
    }
    return affine;
}

static inline double olk_common_scaled(const olk_shared_affine *f, double clip, double x)
{
    double z = (0.5 * x - f->centre) / f->half + 0.0; /* -0 becomes 0 */
    z = z > -clip ? z : -clip;
    return z < clip ? z : clip;
}

/* z[m] <- the scaled readings. */
static inline void olk_scale_common(const olk_shared_affine *f, double clip, const double *x,
                                    ptrdiff_t m, double *z)
{
    const olk_shared_affine line = *f;
    for (ptrdiff_t k = 0; k < m; k++)
        z[k] = olk_common_scaled(&line, clip, x[k]);
}
