/* Single precision as compute type of the loops over structured features; double.h and whole.h are
   the counterparts for double and fixed point. A unit for int8 has both float and double, the
   former under the names of single_names.h. */

#include "approximations.h"

/* Types of single numbers, of entries of a transform, of features, of their sums. */
typedef float olk_compute_t, olk_entry, olk_sorf_feature, olk_sum;
typedef uint32_t olk_word; /* as many bits */
static const olk_word olk_sign = UINT32_C(1) << 31;
/* range_reduction.h reduces larger angles. */
static const float olk_max_angle = 512.0f;

static OLK_INLINE float olk_abs_entry(float x)
{
    return olk_fabsf(x);
}

/* Cosine and sine of an angle reduced by full quarter turns, within 1e-7 below olk_max_angle;
   the low bits of the result count the quarter turns. */
static OLK_INLINE olk_word olk_reduced_cos_sin(float angle, float *cosine, float *sine)
{
    const float *s = olk_sine_f32, *c = olk_cosine_f32;
    const float shifted = olk_madd_f32(angle, OLK_TURNS_F32, OLK_MAGIC_F32);
    const float n = shifted - OLK_MAGIC_F32;
    float r = olk_madd_f32(n, -OLK_QUARTER_1_F32, angle);
    r = olk_madd_f32(n, -OLK_QUARTER_2_F32, r);
    r = olk_madd_f32(n, -OLK_QUARTER_3_F32, r);
    const float z = r * r;
    const float of_s = olk_madd_f32(olk_madd_f32(s[0], z, s[1]), z, s[2]);
    const float of_c = olk_madd_f32(olk_madd_f32(c[0], z, c[1]), z, c[2]);
    olk_word quarters;
    *sine = olk_madd_f32(of_s * z, r, r);
    *cosine = olk_madd_f32(of_c * z, z, olk_madd_f32(z, -0.5f, 1.0f));
    memcpy(&quarters, &shifted, sizeof quarters);
    return quarters;
}

#if OLK_BYTES
typedef olk_f32s olk_compute_vec;
typedef olk_u32s olk_words;

static OLK_INLINE olk_compute_vec olk_fma_lanes(olk_compute_vec a, olk_compute_vec b,
                                                olk_compute_vec c)
{
    return olk_madd_f32s(a, b, c);
}
#endif
#if OLK_BYTES > 16
/* Stored weights, a vector of them. */
static OLK_INLINE olk_compute_vec olk_weights_at(const olk_stored *p)
{
    return OLK_QUANTIZED ? olk_load_i8s((const int8_t *)p) : *(const olk_compute_vec *)p;
}

/* Two numbers repeated. */
static OLK_INLINE olk_compute_vec olk_pairs_of(const float *p)
{
    const __m128d pair = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)p));
#if OLK_BYTES == 64
    return (olk_compute_vec)_mm512_castpd_ps(_mm512_broadcastsd_pd(pair));
#else
    return (olk_compute_vec)_mm256_castpd_ps(_mm256_broadcastsd_pd(pair));
#endif
}
#endif
#ifdef OLK_MASKED
/* Lanes negated where a bit is set. */
static OLK_INLINE olk_compute_vec olk_flip_lanes(olk_compute_vec v, uint64_t bits)
{
    return (olk_compute_vec)_mm512_mask_xor_epi32((__m512i)v, (__mmask16)bits, (__m512i)v,
                                                  _mm512_set1_epi32(INT32_MIN));
}
#endif

#include "floats.h"
