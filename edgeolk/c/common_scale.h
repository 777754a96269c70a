/* One scale for all inputs, if they have one unit (docs/sorf.md, section 15): pixels, spectra,
   one-hot, bits.

   z = (x - mean) / deviation, clipped to [-clip, clip], where mean and deviation are those of all
   readings of all inputs so far, including the row that is learned.

   olk_common has them as a mean and a sum of squared deviations (Welford). olk_two_numbers is for
   inputs that are otherwise scaled separately: it tracks whether every reading so far was one of
   two numbers; if so, one scale is used, and a count gives the mean and the deviation of all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stored_double.h"

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
