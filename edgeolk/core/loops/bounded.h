/* Minimum, maximum, absolute value and clipping, in olk_compute_t. */
#pragma once

#include "roots.h"

static inline olk_compute_t olk_min(olk_compute_t a, olk_compute_t b)
{
    return a < b ? a : b;
}

static inline olk_compute_t olk_max(olk_compute_t a, olk_compute_t b)
{
    return a > b ? a : b;
}

static inline olk_compute_t olk_abs(olk_compute_t v)
{
    return v < 0 ? -v : v;
}

/* v clipped to [-a, a] */
static inline olk_compute_t olk_clip(olk_compute_t v, olk_compute_t a)
{
    return olk_min(a, olk_max(-a, v));
}

static inline olk_compute_t olk_root(olk_compute_t v)
{
    return (olk_compute_t)olk_sqrt((double)v);
}
