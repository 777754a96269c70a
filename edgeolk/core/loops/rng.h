/* Random draws from PCG32, stream 54: the same on every platform. */
#pragma once

#include <stdint.h>

#include "pcg.h"

static inline uint32_t olk_pcg32(uint64_t *state)
{
    return olk_pcg_next(state, OLK_PCG_DRAWS);
}

static inline void olk_pcg32_seed(uint64_t *state, uint64_t seed)
{
    *state = olk_pcg_seed(seed, OLK_PCG_DRAWS);
}

/* Uniform in [0, 1), one draw. */
static inline double olk_uniform(uint64_t *state)
{
    return olk_pcg32(state) * (1.0 / 4294967296.0);
}

/* Uniform in 0..n-1 for 0 < n < 2^32, one draw, no rejection. */
static inline int64_t olk_uniform_index(uint64_t *state, int64_t n)
{
    return (int64_t)(((uint64_t)olk_pcg32(state) * (uint64_t)n) >> 32);
}

/* 1 with probability p, else 0; draws only for 0 < p < 1. */
static inline int olk_bernoulli(uint64_t *state, double p)
{
    if (p >= 1.0)
        return 1;
    if (!(p > 0.0))
        return 0;
    return olk_uniform(state) < p;
}
