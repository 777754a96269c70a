/* PCG32 (O'Neill 2014, XSH-RR 64/32): one word at a time, and skipping ahead. */
#pragma once

#include <stdint.h>

static const uint64_t OLK_PCG_FACTOR = UINT64_C(6364136223846793005);
/* 2 * stream + 1: features of `sorf` on stream 55, everything else on 54. */
static const uint64_t OLK_PCG_DRAWS = UINT64_C(109), OLK_PCG_SIGNS = UINT64_C(111);

static inline uint32_t olk_pcg_word(uint64_t state)
{
    const uint32_t word = (uint32_t)(((state >> 18) ^ state) >> 27);
    const uint32_t by = (uint32_t)(state >> 59);
    return (word >> by) | (word << ((32u - by) & 31u));
}

static inline uint32_t olk_pcg_next(uint64_t *state, uint64_t step)
{
    const uint64_t old = *state;
    *state = old * OLK_PCG_FACTOR + step;
    return olk_pcg_word(old);
}

static inline uint64_t olk_pcg_seed(uint64_t seed, uint64_t step)
{
    return (step + seed) * OLK_PCG_FACTOR + step;
}

/* Skips n words in log2(n) steps (Brown 1994). */
static inline void olk_pcg_skip(uint64_t *state, uint64_t step, uint64_t n)
{
    uint64_t factor = OLK_PCG_FACTOR;
    for (; n; n >>= 1) {
        if (n & 1)
            *state = *state * factor + step;
        step *= factor + 1;
        factor *= factor;
    }
}
