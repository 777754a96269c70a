/* Whether numbers are of a size that can be held: no branch, so that compilers take several at once. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The largest double that rounds to a finite float. */
static const double OLK_MOST_AS_FLOAT = 0x1.fffffefffffffp+127;

/* Every |x_j| <= most; not where one is NaN. */
static inline int olk_within_f32(const float *x, ptrdiff_t n, float most)
{
    int32_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int32_t) !(fabsf(x[j]) <= most);
    return beyond == 0;
}

static inline int olk_within_f64(const double *x, ptrdiff_t n, double most)
{
    int64_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int64_t) !(fabs(x[j]) <= most);
    return beyond == 0;
}
