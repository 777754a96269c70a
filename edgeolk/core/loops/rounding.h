/* Stochastic rounding of 128 levels by vectors, for instruction sets that widen and pack in one
   instruction; included by structured_isa.h. */

#if OLK_BYTES > 16
#if OLK_BYTES == 64
#define OLK_INT __m512i
#define OLK_X(name) _mm512_##name
#define OLK_BITS_AT(p) _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(p)))
#define OLK_LEVELS_AT(p) _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(p)))
#else
#define OLK_INT __m256i
#define OLK_X(name) _mm256_##name
#define OLK_BITS_AT(p) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(p)))
#define OLK_LEVELS_AT(p) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p)))
#endif

/* to[i] <- level[i] - sunk, -127 to 127, of four vectors. */
static OLK_ALWAYS void OLK_NAME(olk_pack_levels)(int8_t *to, const OLK_INT *level, int16_t sunk)
{
    const OLK_INT by = OLK_X(set1_epi16)(sunk);
    const OLK_INT low = OLK_X(sub_epi16)(OLK_X(packs_epi32)(level[0], level[1]), by);
    const OLK_INT high = OLK_X(sub_epi16)(OLK_X(packs_epi32)(level[2], level[3]), by);
    /* Packing goes by quarters of a vector. */
#if OLK_BYTES == 64
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i all = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high));
    _mm512_storeu_si512(to, _mm512_max_epi8(all, _mm512_set1_epi8(-127)));
#else
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    const __m256i all = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
    _mm256_storeu_si256((__m256i *)to, _mm256_max_epi8(all, _mm256_set1_epi8(-127)));
#endif
}

/* stored[i] += change[i] / 65536: as olk_store_some in levels.h, to the bit. */
static OLK_ALWAYS void OLK_NAME(olk_round_levels)(int8_t *restrict stored,
                                                  const double *restrict change,
                                                  const uint16_t *restrict bits)
{
    enum { L = OLK_BYTES / 4 };
    OLK_INT level[4];
    for (int i = 0; i < 128; i += L) {
#if OLK_BYTES == 64
        const __m512d lift = _mm512_set1_pd(134217728.5);
        __m256i half[2];
        for (int h = 0; h < 2; h++)
            half[h] =
                _mm512_cvttpd_epi32(_mm512_add_pd(_mm512_loadu_pd(change + i + 8 * h), lift));
        const __m512i part = _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
#else
        const __m256d lift = _mm256_set1_pd(134217728.5);
        __m128i half[2];
        for (int h = 0; h < 2; h++)
            half[h] =
                _mm256_cvttpd_epi32(_mm256_add_pd(_mm256_loadu_pd(change + i + 4 * h), lift));
        const __m256i part = _mm256_inserti128_si256(_mm256_castsi128_si256(half[0]), half[1], 1);
#endif
        level[i / L % 4] = OLK_X(add_epi32)(
            OLK_X(srai_epi32)(OLK_X(add_epi32)(part, OLK_BITS_AT(bits + i)), 16),
            OLK_LEVELS_AT(stored + i));
        if (i / L % 4 == 3)
            OLK_NAME(olk_pack_levels)(stored + i - 3 * L, level, 1 << 11);
    }
}

/* to[i] <- stored[i] + step feature[i] / 65536: as olk_round_surely in settle.h. */
static OLK_ALWAYS int OLK_NAME(olk_round_features)(int8_t *restrict to,
                                                   const int8_t *restrict stored,
                                                   const float *restrict feature, float step,
                                                   const float *restrict least,
                                                   const float *restrict most,
                                                   const uint16_t *restrict bits)
{
    enum { L = OLK_BYTES / 4 };
    OLK_INT level[4], unsure = OLK_X(set1_epi32)(0);
    for (int i = 0; i < 128; i += L) {
        OLK_INT rise[2];
        for (int side = 0; side < 2; side++)
            rise[side] = OLK_X(srai_epi32)(
                OLK_X(add_epi32)(
                    OLK_X(cvttps_epi32)(OLK_X(fmadd_ps)(
                        OLK_X(set1_ps)(step), OLK_X(loadu_ps)(feature + i),
                        OLK_X(loadu_ps)((side ? most : least) + i))),
                    OLK_BITS_AT(bits + i)),
                16);
#if OLK_BYTES == 64
        unsure = _mm512_ternarylogic_epi32(unsure, rise[0], rise[1], 0xf6); /* or, xor */
#else
        unsure = _mm256_or_si256(unsure, _mm256_xor_si256(rise[0], rise[1]));
#endif
        level[i / L % 4] = OLK_X(add_epi32)(rise[0], OLK_LEVELS_AT(stored + i));
        if (i / L % 4 == 3)
            OLK_NAME(olk_pack_levels)(to + i - 3 * L, level, 1 << 3);
    }
#if OLK_BYTES == 64
    return !_mm512_test_epi32_mask(unsure, unsure);
#else
    return _mm256_testz_si256(unsure, unsure);
#endif
}
#undef OLK_LEVELS_AT
#undef OLK_BITS_AT
#undef OLK_X
#undef OLK_INT
#endif
