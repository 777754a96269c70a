/* Vectorised stochastic rounding of 128 levels (docs/sorf.md, section 5), for instruction sets that
   widen and pack in one instruction. Included by sorf_unit.h before sorf.h; no exported learner
   needs it. */
#pragma once

#include "vectors.h"

/* Vectorised stochastic rounding of 128 levels (docs/sorf.md, section 5), for instruction sets that
   widen and pack in one instruction; included by sorf.h. */

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
    const __m512i both =
        _mm512_packs_epi16(_mm512_sub_epi16(low, by), _mm512_sub_epi16(high, by));
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i all = _mm512_permutexvar_epi32(order, both);
    _mm512_storeu_si512(to, _mm512_max_epi8(all, _mm512_set1_epi8(-127)));
#else
    const __m256i by = _mm256_set1_epi16(sunk);
    const __m256i low = _mm256_packs_epi32((__m256i)level[0], (__m256i)level[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)level[2], (__m256i)level[3]);
    const __m256i both =
        _mm256_packs_epi16(_mm256_sub_epi16(low, by), _mm256_sub_epi16(high, by));
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    const __m256i all = _mm256_permutevar8x32_epi32(both, order);
    _mm256_storeu_si256((__m256i *)to, _mm256_max_epi8(all, _mm256_set1_epi8(-127)));
#endif
}

/* Changes plus 2^27, rounded to nearest: as olk_lifted in sorf_weights.h. */
static OLK_INLINE olk_i32s olk_lifted_at(const double *change)
{
#if OLK_BYTES == 64
    const __m512d lift = _mm512_set1_pd(134217728.5);
    __m256i half[2];
    for (int h = 0; h < 2; h++)
        half[h] = _mm512_cvttpd_epi32(_mm512_add_pd(_mm512_loadu_pd(change + 8 * h), lift));
    return (olk_i32s)_mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
#else
    const __m256d lift = _mm256_set1_pd(134217728.5);
    __m128i half[2];
    for (int h = 0; h < 2; h++)
        half[h] = _mm256_cvttpd_epi32(_mm256_add_pd(_mm256_loadu_pd(change + 4 * h), lift));
    return (olk_i32s)_mm256_inserti128_si256(_mm256_castsi128_si256(half[0]), half[1], 1);
#endif
}

/* stored[i] += change[i] / 65536: as olk_add_some_changes in sorf_weights.h, to the bit. */
static OLK_INLINE void olk_round_levels(int8_t *restrict stored, const double *restrict change,
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

/* to[i] <- stored[i] + step feature[i] / 65536: as olk_round_if_certain in sorf_single.h. */
static OLK_INLINE int olk_round_features(int8_t *restrict to, const int8_t *restrict stored,
                                         const float *restrict feature, float step,
                                         const float *restrict lower, const float *restrict upper,
                                         const uint16_t *restrict bits)
{
    enum { L = OLK_BYTES / 4 };
    olk_i32s level[4], unsure = {0};
    for (int i = 0; i < 128; i += L) {
        olk_i32s rise[2];
        for (int side = 0; side < 2; side++) {
            const olk_f32s change = olk_madd_f32s(olk_splat_f32(step), olk_load_f32s(feature + i),
                                                  olk_load_f32s((side ? upper : lower) + i));
            rise[side] = (__builtin_convertvector(change, olk_i32s) + olk_random_at(bits + i)) >>
                         16;
        }
        unsure |= rise[0] ^ rise[1];
        level[i / L % 4] = rise[0] + olk_levels_at(stored + i);
        if (i / L % 4 == 3)
            olk_pack_levels(to + i - 3 * L, level, 1 << 3);
    }
#if OLK_BYTES == 64
    return !_mm512_test_epi32_mask((__m512i)unsure, (__m512i)unsure);
#else
    return _mm256_testz_si256((__m256i)unsure, (__m256i)unsure);
#endif
}
