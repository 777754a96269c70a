/* Vectorised stochastic rounding of 128 levels (docs/sorf.md, section 5), for instruction sets that
   widen and pack in one instruction. Included by sorf_unit.h before sorf.h; no exported learner
   needs it. */
#pragma once

#include "vectors.h"

/* 16 bits a lane. */
static OLK_INLINE olk_i32s olk_random_at(const uint16_t *p)
{
#if OLK_BYTES == 64
    return (olk_i32s)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
#else
    return (olk_i32s)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
#endif
}

/* Levels as 32-bit integers. */
static OLK_INLINE olk_i32s olk_levels_at(const int8_t *p)
{
#if OLK_BYTES == 64
    return (olk_i32s)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
#else
    return (olk_i32s)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
#endif
}

/* to[i] <- level[i] - sunk, clipped to [-127, 127], for four vectors. */
static OLK_INLINE void olk_pack_levels(int8_t *to, const olk_i32s *level, int16_t sunk)
{
    /* Packing works within quarters of a vector. */
#if OLK_BYTES == 64
    const __m512i by = _mm512_set1_epi16(sunk);
    const __m512i low = _mm512_packs_epi32((__m512i)level[0], (__m512i)level[1]);
    const __m512i high = _mm512_packs_epi32((__m512i)level[2], (__m512i)level[3]);
    const __m512i both = _mm512_packs_epi16(_mm512_sub_epi16(low, by), _mm512_sub_epi16(high, by));
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i all = _mm512_permutexvar_epi32(order, both);
    _mm512_storeu_si512(to, _mm512_max_epi8(all, _mm512_set1_epi8(-127)));
#else
    const __m256i by = _mm256_set1_epi16(sunk);
    const __m256i low = _mm256_packs_epi32((__m256i)level[0], (__m256i)level[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)level[2], (__m256i)level[3]);
    const __m256i both = _mm256_packs_epi16(_mm256_sub_epi16(low, by), _mm256_sub_epi16(high, by));
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    const __m256i all = _mm256_permutevar8x32_epi32(both, order);
    _mm256_storeu_si256((__m256i *)to, _mm256_max_epi8(all, _mm256_set1_epi8(-127)));
#endif
}

/* Changes plus 2^27, rounded to nearest: as olk_lifted in sorf_weights.h. */
static OLK_INLINE olk_i32s olk_lifted_at(const float *change)
{
    const olk_f32s v = olk_load_f32s(change) + olk_splat_f32(0.5f);
    const olk_i32s towards_zero = __builtin_convertvector(v, olk_i32s);
    const olk_i32s below = (olk_i32s)(v < __builtin_convertvector(towards_zero, olk_f32s));
    return towards_zero + below + (1 << 27); /* a true comparison is -1 */
}

/* stored[i] += change[i] / 65536: as olk_add_some_changes in sorf_weights.h, to the bit. */
static OLK_INLINE void olk_round_levels(int8_t *restrict stored, const float *restrict change,
                                        const uint16_t *restrict bits)
{
    enum { L = OLK_BYTES / 4 };
    olk_i32s level[4];
    for (int i = 0; i < 128; i += L) {
        level[i / L % 4] = ((olk_lifted_at(change + i) + olk_random_at(bits + i)) >> 16) +
                           olk_levels_at(stored + i);
        if (i / L % 4 == 3)
            olk_pack_levels(stored + i - 3 * L, level, 1 << 11);
    }
}
