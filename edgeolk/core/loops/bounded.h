/* Minimum, maximum, absolute value and clipping, in olk_real. */
#pragma once

#include "roots.h"

static inline olk_real olk_least(olk_real a, olk_real b)
{
    return a < b ? a : b;
}

static inline olk_real olk_most(olk_real a, olk_real b)
{
    return a > b ? a : b;
}

static inline olk_real olk_size(olk_real v)
{
    return v < 0 ? -v : v;
}

/* v clipped to [-a, a] */
static inline olk_real olk_bounded(olk_real v, olk_real a)
{
    return olk_least(a, olk_most(-a, v));
}

static inline olk_real olk_root(olk_real v)
{
    return (olk_real)olk_sqrt((double)v);
}
