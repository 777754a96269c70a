/* Sums and powers for one instruction set; included by isa.h. */

/* Eight running sums added in a fixed order: the same bits whatever the vector width. */
static inline double OLK_NAME(olk_total)(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

#if defined(OLK_X86) && OLK_BYTES == 64
/* The same of two times eight sums that lie in registers. */
static inline void OLK_NAME(olk_two_totals)(OLK_NAME(olk_v_f64) one, OLK_NAME(olk_v_f64) other,
                                            double *out)
{
    const __m256d a = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)one),
                                    _mm512_extractf64x4_pd((__m512d)one, 1));
    const __m256d b = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)other),
                                    _mm512_extractf64x4_pd((__m512d)other, 1));
    const __m256d pairs = _mm256_hadd_pd(a, b);
    _mm_storeu_pd(out, _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)));
}
#endif

/* base^degree for a small whole degree, by squaring; the loop is outside the lanes. */
static inline void OLK_NAME(olk_power)(double *v, ptrdiff_t n, int32_t degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double base = v[i], result = 1.0;
        for (int32_t e = degree; e > 0; e >>= 1) {
            if (e & 1)
                result *= base;
            base *= base;
        }
        v[i] = result;
    }
}
