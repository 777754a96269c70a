/* Random numbers from PCG32 (O'Neill 2014), the same on every platform (docs/sorf.md, section 2),
   and selection of the k-th largest number. Normal draws are in normals.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "port.h"
#if OLK_BYTES > 16
#include "vectors.h"
#endif

/* -- PCG32 --
   O'Neill 2014, XSH-RR 64/32: one word at a time, and skipping ahead. */

static const uint64_t OLK_PCG_FACTOR = UINT64_C(6364136223846793005);
/* Increments, 2 * stream + 1: stream 55 for features of `sorf`, 56 for normal draws, 54 for everything
   else. */
static const uint64_t OLK_PCG_DRAWS = UINT64_C(109), OLK_PCG_SIGNS = UINT64_C(111);
static const uint64_t OLK_PCG_NORMALS = UINT64_C(113);

static inline uint32_t olk_pcg_word(uint64_t state)
{
    const uint32_t word = (uint32_t)(((state >> 18) ^ state) >> 27);
    const uint32_t by = (uint32_t)(state >> 59);
    return (word >> by) | (word << ((32u - by) & 31u));
}

static OLK_SHORT uint32_t olk_pcg_next(uint64_t *state, uint64_t increment)
{
    const uint64_t old = *state;
    *state = old * OLK_PCG_FACTOR + increment;
    return olk_pcg_word(old);
}

static inline uint64_t olk_pcg_seed(uint64_t seed, uint64_t increment)
{
    return (increment + seed) * OLK_PCG_FACTOR + increment;
}

/* Skips n words in log2(n) steps (Brown 1994). */
static inline void olk_pcg_skip(uint64_t *state, uint64_t increment, uint64_t n)
{
    uint64_t factor = OLK_PCG_FACTOR;
    for (; n; n >>= 1) {
        if (n & 1)
            *state = *state * factor + increment;
        increment *= factor + 1;
        factor *= factor;
    }
}

/* -- Draws --
   From stream 54. */

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

/* -- Words for stochastic rounding --
   In the order of one generator (docs/sorf.md, section 2). */

#if OLK_BYTES > 16
/* Words of a block; factor and sum that advance the generator past a block at once. */
enum { OLK_BLOCK_WORDS = 64 };
static const uint64_t olk_block_power = UINT64_C(4910590176156014849);
static const uint64_t olk_block_sum = UINT64_C(13108727224844335808);
/* i words after state s the state is power[i] s + increment sum[i]. Each of up to 32 lanes begins
   at its own i, from 0 on; a step advances every lane by the number of lanes. */
static const uint64_t olk_pcg_power[33] = {
    UINT64_C(1), UINT64_C(6364136223846793005), UINT64_C(7520897724310334953),
    UINT64_C(793875393913628917), UINT64_C(18108194425815612945), UINT64_C(7596774164172298237),
    UINT64_C(17333513496047876729), UINT64_C(8758975453663301189), UINT64_C(13086856194709077281),
    UINT64_C(6584243485182795213), UINT64_C(13869413664309571593), UINT64_C(2074577609206900885),
    UINT64_C(3146358351720713521), UINT64_C(13559160814999052445), UINT64_C(4053545077848841881),
    UINT64_C(6097459430366169061), UINT64_C(10186629832379121217), UINT64_C(16810740733126029421),
    UINT64_C(11020827377343665705), UINT64_C(7558261124726471733), UINT64_C(14624333832639012945),
    UINT64_C(3364114677453856061), UINT64_C(4251702274019944121), UINT64_C(12535943411430348165),
    UINT64_C(7973944128306742113), UINT64_C(16647900582672578317), UINT64_C(6180384455311204425),
    UINT64_C(7623276295948624853), UINT64_C(11441347656053241713), UINT64_C(16399921247025679837),
    UINT64_C(5277534065100968665), UINT64_C(18289335160445122341), UINT64_C(10828933358287359105),
};
static const uint64_t olk_pcg_sum[33] = {
    UINT64_C(0), UINT64_C(1), UINT64_C(6364136223846793006), UINT64_C(13885033948157127959),
    UINT64_C(14678909342070756876), UINT64_C(14340359694176818205), UINT64_C(3490389784639564826),
    UINT64_C(2377159206977889939), UINT64_C(11136134660641191128), UINT64_C(5776246781640716793),
    UINT64_C(12360490266823512006), UINT64_C(7783159857423531983), UINT64_C(9857737466630432868),
    UINT64_C(13004095818351146389), UINT64_C(8116512559640647218), UINT64_C(12170057637489489099),
    UINT64_C(18267517067855658160), UINT64_C(10007402826525227761), UINT64_C(8371399485941705566),
    UINT64_C(945482789575819655), UINT64_C(8503743914302291388), UINT64_C(4681333673231752717),
    UINT64_C(8045448350685608778), UINT64_C(12297150624705552899), UINT64_C(6386349962426349448),
    UINT64_C(14360294090733091561), UINT64_C(12561450599696118262), UINT64_C(295090981297771071),
    UINT64_C(7918367277246395924), UINT64_C(912970859590086021), UINT64_C(17312892106615765858),
    UINT64_C(4143682098007182907), UINT64_C(3986273184742753632),
};

typedef uint32_t olk_half_words __attribute__((vector_size(OLK_BYTES), aligned(2), may_alias));

/* Low or high halves of the lanes of two vectors, in order. */
static OLK_INLINE olk_half_words olk_low_halves(const olk_u64s *v)
{
#if OLK_BYTES == 64
    return __builtin_shufflevector((olk_half_words)v[0], (olk_half_words)v[1], 0, 2, 4, 6, 8, 10,
                                   12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#else
    return __builtin_shufflevector((olk_half_words)v[0], (olk_half_words)v[1], 0, 2, 4, 6, 8, 10,
                                   12, 14);
#endif
}

static OLK_INLINE olk_half_words olk_high_halves(const olk_u64s *v)
{
#if OLK_BYTES == 64
    return __builtin_shufflevector((olk_half_words)v[0], (olk_half_words)v[1], 1, 3, 5, 7, 9, 11,
                                   13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
    return __builtin_shufflevector((olk_half_words)v[0], (olk_half_words)v[1], 1, 3, 5, 7, 9, 11,
                                   13, 15);
#endif
}
#endif

/* bits[2i], bits[2i + 1] <- the high and the low half of word i < n <= 64; `bits` has space for 64
   words. */
static OLK_NOCLONE void olk_draw(uint64_t *generator, uint16_t *restrict bits, ptrdiff_t n)
{
    uint64_t state = *generator;
#if OLK_BYTES > 16
    enum { L = OLK_BYTES / 8 };
    if (n == OLK_BLOCK_WORDS)
        *generator = state * olk_block_power + OLK_PCG_DRAWS * olk_block_sum;
    else
        olk_pcg_skip(generator, OLK_PCG_DRAWS, (uint64_t)n);
    /* Four vectors in turn: one alone would wait for its product. */
    const olk_u64s power = olk_pcg_power[4 * L] + (olk_u64s){0};
    const olk_u64s sum = OLK_PCG_DRAWS * olk_pcg_sum[4 * L] + (olk_u64s){0};
    olk_u64s s[4];
    for (int g = 0; g < 4; g++)
        s[g] = *(const olk_u64s *)(olk_pcg_power + g * L) * state +
               *(const olk_u64s *)(olk_pcg_sum + g * L) * OLK_PCG_DRAWS;
    for (ptrdiff_t i = 0; i < n; i += 4 * L) {
        olk_u64s now[4], word[4];
        for (int g = 0; g < 4; g++) {
            now[g] = s[g];
            s[g] = s[g] * power + sum;
        }
        for (int g = 0; g < 4; g++)
            word[g] = ((now[g] >> 18) ^ now[g]) >> 27;
        /* The word is rotated by the state's top five bits, then by 16: its high half comes
           first. */
        for (int g = 0; g < 4; g += 2) {
            const olk_half_words low = olk_low_halves(word + g);
            const olk_half_words by = (olk_high_halves(now + g) >> 27) ^ 16;
#if OLK_BYTES == 64
            const olk_half_words turned =
                (olk_half_words)_mm512_rorv_epi32((__m512i)low, (__m512i)by);
#else
            const olk_half_words turned = (low >> by) | (low << ((32 - by) & 31));
#endif
            *(olk_half_words *)(bits + 2 * (i + g * L)) = turned;
        }
    }
#else
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint32_t word = olk_pcg_next(&state, OLK_PCG_DRAWS);
        bits[2 * i] = (uint16_t)(word >> 16);
        bits[2 * i + 1] = (uint16_t)word;
    }
    *generator = state;
#endif
}

/* -- Selection -- */

/* The k-th largest of v[0..n-1], 1 <= k <= n, by quickselect (Hoare 1961); v is reordered. */
static inline double olk_kth_largest(double *v, ptrdiff_t n, ptrdiff_t k)
{
    ptrdiff_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = v[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (v[i] > pivot)
                i++;
            while (v[j] < pivot)
                j--;
            if (i <= j) {
                const double t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        }
        if (k - 1 <= j)
            high = j;
        else if (k - 1 >= i)
            low = i;
        else
            break;
    }
    return v[k - 1];
}
