/* Stochastic rounding of 128 levels by vectors, for instruction sets that widen and pack in one
   instruction; included by structured_isa.h. */

#if OLK_BYTES > 16
/* stored[i] += change[i] / 65536: as olk_store_some in levels.h, to the bit. */
static OLK_ALWAYS void OLK_NAME(olk_round_levels)(int8_t *restrict stored,
                                                  const double *restrict change,
                                                  const uint16_t *restrict bits)
{
#if OLK_BYTES == 64
    const __m512d lift = _mm512_set1_pd(134217728.5);
    /* Packing goes by quarters of a vector. */
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    for (int i = 0; i < 128; i += 64) {
        __m512i level[4];
        for (int g = 0; g < 4; g++) {
            const int at = i + 16 * g;
            __m256i half[2];
            for (int h = 0; h < 2; h++)
                half[h] = _mm512_cvttpd_epi32(
                    _mm512_add_pd(_mm512_loadu_pd(change + at + 8 * h), lift));
            const __m512i part =
                _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
            const __m512i lot =
                _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(bits + at)));
            const __m512i old =
                _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(stored + at)));
            level[g] =
                _mm512_add_epi32(_mm512_srai_epi32(_mm512_add_epi32(part, lot), 16), old);
        }
        const __m512i sunk = _mm512_set1_epi16(1 << 11);
        const __m512i low = _mm512_sub_epi16(_mm512_packs_epi32(level[0], level[1]), sunk);
        const __m512i high = _mm512_sub_epi16(_mm512_packs_epi32(level[2], level[3]), sunk);
        const __m512i all = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high));
        _mm512_storeu_si512(stored + i, _mm512_max_epi8(all, _mm512_set1_epi8(-127)));
    }
#else
    const __m256d lift = _mm256_set1_pd(134217728.5);
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    for (int i = 0; i < 128; i += 32) {
        __m256i level[4];
        for (int g = 0; g < 4; g++) {
            const int at = i + 8 * g;
            __m128i half[2];
            for (int h = 0; h < 2; h++)
                half[h] = _mm256_cvttpd_epi32(
                    _mm256_add_pd(_mm256_loadu_pd(change + at + 4 * h), lift));
            const __m256i part =
                _mm256_inserti128_si256(_mm256_castsi128_si256(half[0]), half[1], 1);
            const __m256i lot =
                _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(bits + at)));
            const __m256i old =
                _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(stored + at)));
            level[g] =
                _mm256_add_epi32(_mm256_srai_epi32(_mm256_add_epi32(part, lot), 16), old);
        }
        const __m256i sunk = _mm256_set1_epi16(1 << 11);
        const __m256i low = _mm256_sub_epi16(_mm256_packs_epi32(level[0], level[1]), sunk);
        const __m256i high = _mm256_sub_epi16(_mm256_packs_epi32(level[2], level[3]), sunk);
        const __m256i all = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
        _mm256_storeu_si256((__m256i *)(stored + i), _mm256_max_epi8(all, _mm256_set1_epi8(-127)));
    }
#endif
}
#endif
