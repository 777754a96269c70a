/* Single or double precision as compute type of the loops over structured features; fixed_point.h
   is the counterpart for cores without a floating-point unit.

   Without #pragma once: a unit for int8 includes it twice, first with OLK_IN_SINGLE and under the
   names of sorf_single.h. */

#include "mathf.h"
#if OLK_BYTES
#include "vectors.h"
#endif

#ifdef OLK_IN_SINGLE
/* Types of single numbers, of entries of a transform, of features, of their sums. */
typedef float olk_compute_t, olk_entry, olk_sorf_feature, olk_sum;
typedef uint32_t olk_word; /* as many bits */
static const olk_word olk_sign = UINT32_C(1) << 31;
/* mathf.h reduces larger angles. */
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
#else
typedef double olk_compute_t, olk_entry, olk_sorf_feature, olk_sum;
typedef uint64_t olk_word;
static const olk_word olk_sign = UINT64_C(1) << 63;
static const double olk_max_angle = 1e6;

static OLK_INLINE double olk_abs_entry(double x)
{
    return olk_fabs(x);
}

/* Within 3e-16 below olk_max_angle. */
static OLK_INLINE olk_word olk_reduced_cos_sin(double angle, double *cosine, double *sine)
{
    const double *s = olk_sine_f64, *c = olk_cosine_f64;
    const double shifted = olk_madd_f64(angle, OLK_TURNS_F64, OLK_MAGIC_F64);
    const double n = shifted - OLK_MAGIC_F64;
    double r = olk_madd_f64(n, -OLK_QUARTER_1_F64, angle);
    r = olk_madd_f64(n, -OLK_QUARTER_2_F64, r);
    r = olk_madd_f64(n, -OLK_QUARTER_3_F64, r);
    const double z = r * r;
    double of_s = olk_madd_f64(olk_madd_f64(s[0], z, s[1]), z, s[2]);
    double of_c = olk_madd_f64(olk_madd_f64(c[0], z, c[1]), z, c[2]);
    of_s = olk_madd_f64(olk_madd_f64(olk_madd_f64(of_s, z, s[3]), z, s[4]), z, s[5]);
    of_c = olk_madd_f64(olk_madd_f64(olk_madd_f64(of_c, z, c[3]), z, c[4]), z, c[5]);
    olk_word quarters;
    *sine = olk_madd_f64(of_s * z, r, r);
    *cosine = olk_madd_f64(of_c * z, z, olk_madd_f64(z, -0.5, 1.0));
    memcpy(&quarters, &shifted, sizeof quarters);
    return quarters;
}

#if OLK_BYTES
typedef olk_f64s olk_compute_vec;
typedef olk_u64s olk_words;

static OLK_INLINE olk_compute_vec olk_fma_lanes(olk_compute_vec a, olk_compute_vec b,
                                                olk_compute_vec c)
{
    return olk_madd_f64s(a, b, c);
}
#endif
#if OLK_BYTES > 16
static OLK_INLINE olk_compute_vec olk_weights_at(const olk_stored *p)
{
    if (!OLK_QUANTIZED)
        return *(const olk_compute_vec *)p;
#if OLK_BYTES == 64
    const __m128i levels = _mm_loadl_epi64((const __m128i *)p);
    return (olk_compute_vec)_mm512_cvtepi64_pd(_mm512_cvtepi8_epi64(levels));
#else
    return (olk_compute_vec)_mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_loadu_si32(p)));
#endif
}

static OLK_INLINE olk_compute_vec olk_pairs_of(const double *p)
{
#if OLK_BYTES == 64
    return (olk_compute_vec)_mm512_broadcast_f64x2(_mm_loadu_pd(p));
#else
    return (olk_compute_vec)_mm256_broadcast_pd((const __m128d *)p);
#endif
}
#endif
#ifdef OLK_MASKED
static OLK_INLINE olk_compute_vec olk_flip_lanes(olk_compute_vec v, uint64_t bits)
{
    return (olk_compute_vec)_mm512_mask_xor_epi64((__m512i)v, (__mmask8)bits, (__m512i)v,
                                                  _mm512_set1_epi64(INT64_MIN));
}
#endif
#endif

#ifndef OLK_NO_GRID
#define OLK_NO_GRID
/* The grid that rows are rounded to: floating point has no grid. */
static inline int32_t olk_grid(const olk_sorf *p)
{
    (void)p;
    return 0;
}

static OLK_INLINE olk_input olk_on_grid(olk_input x, int32_t grid)
{
    (void)grid;
    return x;
}

static inline double olk_frequency_on_grid(double omega, int32_t grid)
{
    (void)grid;
    return omega;
}
#endif
