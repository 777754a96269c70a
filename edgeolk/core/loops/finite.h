/* Whether numbers are within a bound; without branches, so that compilers vectorise. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The largest double that rounds to a finite float. */
static const double OLK_MAX_AS_FLOAT = 0x1.fffffefffffffp+127;

/* Whether every |x_j| <= limit; false for NaN. */
static inline int olk_within_f32(const float *x, ptrdiff_t n, float limit)
{
    int32_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int32_t)!(fabsf(x[j]) <= limit);
    return beyond == 0;
}

static inline int olk_within_f64(const double *x, ptrdiff_t n, double limit)
{
    int64_t beyond = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        beyond |= -(int64_t)!(fabs(x[j]) <= limit);
    return beyond == 0;
}
