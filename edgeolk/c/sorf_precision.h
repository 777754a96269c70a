/* Floating point as the type of the loops over structured features: entries of transforms, features,
   sums; fixed_point.h is the counterpart for cores without a floating-point unit. Nothing is fused in
   single precision, so that every processor gives the same bits; in double, each instruction set
   states whether it fuses (vectors.h). */
#pragma once

#include "mathf.h"
#include "sorf_form.h"
#if OLK_BYTES
#include "vectors.h"
#endif

/* Entries of a transform, features, sums of products. */
typedef olk_real olk_entry, olk_sorf_feature, olk_sum;

#ifndef OLK_SORF_FLOAT64
typedef uint32_t olk_word; /* as many bits */
static const olk_word olk_sign = UINT32_C(1) << 31;
/* Larger angles are reduced by integer arithmetic. */
static const float olk_max_angle = 512.0f;

/* Cosine and sine of an angle reduced by full quarter turns, within 1e-7; the low bits of the
   result count the quarter turns. Products with 8 bits of pi / 2 and with a half are exact: a
   multiply-add has the same bits. */
static OLK_INLINE void olk_cos_sin_near_zero(float r, float *cosine, float *sine)
{
    const float *s = olk_sine_f32, *c = olk_cosine_f32;
    const float z = r * r;
    const float of_s = (s[0] * z + s[1]) * z + s[2];
    const float of_c = (c[0] * z + c[1]) * z + c[2];
    *sine = of_s * z * r + r;
    *cosine = of_c * z * z + olk_madd_f32(z, -0.5f, 1.0f);
}

/* Below olk_max_angle. */
static OLK_INLINE olk_word olk_reduced_cos_sin(float angle, float *cosine, float *sine)
{
    const float shifted = angle * OLK_TURNS_F32 + OLK_MAGIC_F32;
    const float n = shifted - OLK_MAGIC_F32;
    const float part = olk_madd_f32(n, -OLK_QUARTER_1_F32, angle);
    olk_cos_sin_near_zero(n * -OLK_QUARTER_2_F32 + part, cosine, sine);
    olk_word quarters;
    memcpy(&quarters, &shifted, sizeof quarters);
    return quarters;
}

/* Cosine and sine of an angle of any size; 1 and 0 if it is not finite. */
static inline void olk_any_cos_sin(float angle, float *cosine, float *sine)
{
    olk_word quarters;
    float c, s;
    if (olk_fabsf(angle) < olk_max_angle) {
        quarters = olk_reduced_cos_sin(angle, &c, &s);
    } else if (olk_fabsf(angle) <= FLT_MAX) {
        float r;
        quarters = olk_reduced_f32(angle, &r);
        olk_cos_sin_near_zero(r, &c, &s);
    } else {
        *cosine = 1.0f;
        *sine = 0.0f;
        return;
    }
    const float along = quarters & 1 ? s : c, across = quarters & 1 ? c : s;
    *cosine = (quarters + 1) & 2 ? -along : along;
    *sine = quarters & 2 ? -across : across;
}

#if OLK_BYTES
typedef olk_f32s olk_real_vec;
typedef olk_u32s olk_words;

/* a b + c, rounded twice. */
static OLK_INLINE olk_real_vec olk_fma_lanes(olk_real_vec a, olk_real_vec b, olk_real_vec c)
{
    return a * b + c;
}

/* a + b c where c is 1 or -1: the same bits however it is computed. */
static OLK_INLINE olk_real_vec olk_add_signed(olk_real_vec a, olk_real_vec b, olk_real_vec c)
{
    return olk_madd_f32s(b, c, a);
}
#endif
#if OLK_BYTES > 16
/* Stored weights, a vector of them. */
static OLK_INLINE olk_real_vec olk_weights_at(const olk_stored *p)
{
    return OLK_QUANTIZED ? olk_load_i8s((const int8_t *)p) : *(const olk_real_vec *)p;
}

/* Two numbers repeated. */
static OLK_INLINE olk_real_vec olk_pairs_of(const float *p)
{
    const __m128d pair = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)p));
#if OLK_BYTES == 64
    return (olk_real_vec)_mm512_castpd_ps(_mm512_broadcastsd_pd(pair));
#else
    return (olk_real_vec)_mm256_castpd_ps(_mm256_broadcastsd_pd(pair));
#endif
}
#endif
#ifdef OLK_MASKED
/* Lanes negated where the word has its highest bit: one instruction. */
static OLK_INLINE olk_real_vec olk_negate_lanes(olk_real_vec v, olk_words word)
{
    return (olk_real_vec)_mm512_ternarylogic_epi32((__m512i)v, (__m512i)word,
                                                   _mm512_set1_epi32(INT32_MIN), 0x78);
}

/* Cosine and sine from those of an angle reduced by so many quarter turns: an odd number swaps the
   two, the first with the other sign; half a turn negates both. */
static OLK_INLINE void olk_turn_lanes(olk_words quarter, olk_real_vec c, olk_real_vec s,
                                      olk_real_vec *cosine, olk_real_vec *sine)
{
    const __mmask16 odd = _mm512_test_epi32_mask((__m512i)quarter, _mm512_set1_epi32(1));
    const __m512i a = (__m512i)olk_negate_lanes(c, quarter << 30);
    const __m512i b = (__m512i)olk_negate_lanes(s, quarter << 30);
    *cosine =
        (olk_real_vec)_mm512_mask_xor_epi32(a, odd, b, _mm512_set1_epi32(INT32_MIN));
    *sine = (olk_real_vec)_mm512_mask_mov_epi32(b, odd, a);
}

/* Lanes negated where a bit is set. */
static OLK_INLINE olk_real_vec olk_flip_lanes(olk_real_vec v, uint64_t bits)
{
    return (olk_real_vec)_mm512_mask_xor_epi32((__m512i)v, (__mmask16)bits, (__m512i)v,
                                               _mm512_set1_epi32(INT32_MIN));
}
#endif
#else
typedef uint64_t olk_word;
static const olk_word olk_sign = UINT64_C(1) << 63;
static const double olk_max_angle = 1e6;

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

/* Cosine and sine of an angle of any size; 1 and 0 if it is not finite. */
static inline void olk_any_cos_sin(double angle, double *cosine, double *sine)
{
    *cosine = 1.0;
    *sine = 0.0;
    if (olk_fabs(angle) <= DBL_MAX)
        olk_cos_sin(angle, cosine, sine);
}

#if OLK_BYTES
typedef olk_f64s olk_real_vec;
typedef olk_u64s olk_words;

/* a b + c, rounded once where the set fuses. */
static OLK_INLINE olk_real_vec olk_fma_lanes(olk_real_vec a, olk_real_vec b, olk_real_vec c)
{
    return olk_madd_f64s(a, b, c);
}

/* a + b c where c is 1 or -1: the same bits however it is computed. */
static OLK_INLINE olk_real_vec olk_add_signed(olk_real_vec a, olk_real_vec b, olk_real_vec c)
{
    return olk_madd_f64s(b, c, a);
}
#endif
#if OLK_BYTES > 16
static OLK_INLINE olk_real_vec olk_weights_at(const olk_stored *p)
{
    return *(const olk_real_vec *)p;
}

static OLK_INLINE olk_real_vec olk_pairs_of(const double *p)
{
#if OLK_BYTES == 64
    return (olk_real_vec)_mm512_broadcast_f64x2(_mm_loadu_pd(p));
#else
    return (olk_real_vec)_mm256_broadcast_pd((const __m128d *)p);
#endif
}
#endif
#ifdef OLK_MASKED
static OLK_INLINE olk_real_vec olk_negate_lanes(olk_real_vec v, olk_words word)
{
    return (olk_real_vec)_mm512_ternarylogic_epi64((__m512i)v, (__m512i)word,
                                                   _mm512_set1_epi64(INT64_MIN), 0x78);
}

static OLK_INLINE void olk_turn_lanes(olk_words quarter, olk_real_vec c, olk_real_vec s,
                                      olk_real_vec *cosine, olk_real_vec *sine)
{
    const __mmask8 odd = _mm512_test_epi64_mask((__m512i)quarter, _mm512_set1_epi64(1));
    const __m512i a = (__m512i)olk_negate_lanes(c, quarter << 62);
    const __m512i b = (__m512i)olk_negate_lanes(s, quarter << 62);
    *cosine =
        (olk_real_vec)_mm512_mask_xor_epi64(a, odd, b, _mm512_set1_epi64(INT64_MIN));
    *sine = (olk_real_vec)_mm512_mask_mov_epi64(b, odd, a);
}

static OLK_INLINE olk_real_vec olk_flip_lanes(olk_real_vec v, uint64_t bits)
{
    return (olk_real_vec)_mm512_mask_xor_epi64((__m512i)v, (__mmask8)bits, (__m512i)v,
                                               _mm512_set1_epi64(INT64_MIN));
}
#endif
#endif

/* The grid that rows are rounded to: floating point has no grid. */
static inline int32_t olk_grid(const olk_sorf *p, const olk_sorf_state *s)
{
    (void)p, (void)s;
    return 0;
}

static OLK_INLINE olk_input olk_on_grid(olk_input x, int32_t grid)
{
    (void)grid;
    return x;
}

static inline olk_real olk_frequency_on_grid(olk_scalar omega, int32_t grid)
{
    (void)grid;
    return (olk_real)omega;
}
