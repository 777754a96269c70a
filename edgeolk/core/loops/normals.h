/* Normal draws, one at a time, the same bits as numpy's Generator(PCG64(seed)).standard_normal(...)
   for a seed below 2^64: SeedSequence's hash of the seed, PCG64 (O'Neill 2014, XSL-RR 128/64), the
   ziggurat (Marsaglia & Tsang 2000) with numpy's layers. Draws outside the layers use the C
   library's exp and log1p, as in numpy.

   128-bit numbers are two halves: not every compiler has a 128-bit type. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "ziggurat.h"

typedef struct {
    uint64_t high, low;
} olk_u128;

typedef struct {
    olk_u128 state, increment;
} olk_pcg64;

static inline olk_u128 olk_add_128(olk_u128 a, olk_u128 b)
{
    const uint64_t low = a.low + b.low;
    return (olk_u128){a.high + b.high + (low < a.low), low};
}

/* a b modulo 2^128, from products of 32 bits. */
static inline olk_u128 olk_multiply_128(olk_u128 a, olk_u128 b)
{
    const uint64_t half = UINT64_C(0xffffffff);
    const uint64_t a0 = a.low & half, a1 = a.low >> 32, b0 = b.low & half, b1 = b.low >> 32;
    const uint64_t low = a0 * b0, left = a1 * b0 + (low >> 32), right = a0 * b1 + (left & half);
    const uint64_t high = a1 * b1 + (left >> 32) + (right >> 32);
    return (olk_u128){high + a.high * b.low + a.low * b.high, (right << 32) | (low & half)};
}

static inline uint64_t olk_pcg64_next(olk_pcg64 *g)
{
    const olk_u128 factor = {UINT64_C(0x2360ed051fc65da4), UINT64_C(0x4385df649fccf645)};
    g->state = olk_add_128(olk_multiply_128(g->state, factor), g->increment);
    const uint64_t word = g->state.high ^ g->state.low;
    const unsigned by = (unsigned)(g->state.high >> 58);
    return (word >> by) | (word << ((64 - by) & 63));
}

/* One step of SeedSequence's hash; `key` is multiplied by `factor`. */
static inline uint32_t olk_hash_word(uint32_t word, uint32_t *key, uint32_t factor)
{
    word ^= *key;
    *key *= factor;
    word *= *key;
    return word ^ (word >> 16);
}

/* SeedSequence(seed).generate_state(8): the seed's two words fill a pool of four, each word of
   which is then mixed with every other. */
static inline void olk_seed_words(uint64_t seed, uint32_t *words)
{
    uint32_t pool[4], key = UINT32_C(0x43b0d7e5);
    for (int i = 0; i < 4; i++)
        pool[i] = olk_hash_word(i < 2 ? (uint32_t)(seed >> (32 * i)) : 0, &key,
                                UINT32_C(0x931e8875));
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++)
            if (from != to) {
                const uint32_t hashed = olk_hash_word(pool[from], &key, UINT32_C(0x931e8875));
                const uint32_t mixed =
                    UINT32_C(0xca01f9dd) * pool[to] - UINT32_C(0x4973f715) * hashed;
                pool[to] = mixed ^ (mixed >> 16);
            }
    key = UINT32_C(0x8b51f9dd);
    for (int i = 0; i < 8; i++)
        words[i] = olk_hash_word(pool[i % 4], &key, UINT32_C(0x58f38ded));
}

static inline void olk_pcg64_seed(olk_pcg64 *g, uint64_t seed)
{
    uint32_t words[8];
    uint64_t pairs[4];
    olk_seed_words(seed, words);
    for (int i = 0; i < 4; i++)
        pairs[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    /* The stream's number is doubled and made odd, the start added between two steps. */
    g->increment = (olk_u128){pairs[2] << 1 | pairs[3] >> 63, pairs[3] << 1 | 1};
    g->state = (olk_u128){0, 0};
    olk_pcg64_next(g);
    g->state = olk_add_128(g->state, (olk_u128){pairs[0], pairs[1]});
    olk_pcg64_next(g);
}

/* Uniform in [0, 1), of 53 bits. */
static inline double olk_pcg64_uniform(olk_pcg64 *g)
{
    return (double)(olk_pcg64_next(g) >> 11) * (1.0 / 9007199254740992.0);
}

/* A draw from the tail, by two exponential draws. */
static inline double olk_normal_tail(olk_pcg64 *g)
{
    for (;;) {
        const double x = -OLK_ZIGGURAT_END_INVERSE * log1p(-olk_pcg64_uniform(g));
        const double y = -log1p(-olk_pcg64_uniform(g));
        if (y + y > x * x)
            return OLK_ZIGGURAT_END + x;
    }
}

static inline double olk_standard_normal(olk_pcg64 *g)
{
    for (;;) {
        /* Eight bits for the layer, one for the sign, 52 for the place in it. */
        const uint64_t drawn = olk_pcg64_next(g), place = (drawn >> 9) & UINT64_C(0xfffffffffffff);
        const int layer = (int)(drawn & 255);
        const double size = (double)place * olk_ziggurat_width[layer];
        const double x = drawn & 256 ? -size : size;
        if (place < olk_ziggurat_inner[layer])
            return x;
        if (layer == 0) {
            const double tail = olk_normal_tail(g);
            return place & 256 ? -tail : tail;
        }
        const double *at = olk_ziggurat_height + layer;
        const double height = (at[-1] - at[0]) * olk_pcg64_uniform(g) + at[0];
        if (height < exp(-0.5 * x * x))
            return x;
    }
}
