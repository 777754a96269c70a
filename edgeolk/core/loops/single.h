/* Single precision: what the loops over structured features compute in, and the instructions for
   it. double.h says the same of doubles, whole.h of whole numbers. Included more than once: a unit for
   int8 has it beside doubles, under the names of single_names.h. */

#include "approximations.h"

/* Of single numbers, of entries of a transform, of features, of their sums. */
typedef float olk_real, olk_entry, olk_wave, olk_sum;
typedef uint32_t olk_word; /* as many bits */
static const olk_word olk_sign = UINT32_C(1) << 31;
/* Larger angles are reduced by range_reduction.h. */
static const float olk_largest_angle = 512.0f;

static OLK_ALWAYS float olk_size_of(float x)
{
    return OLK_FABSF(x);
}

/* a b + c, rounded once where the set of instructions fuses. */
static OLK_ALWAYS float olk_fma(float a, float b, float c)
{
#if OLK_FUSED
    return olk_madd_f32(a, b, c);
#else
    return a * b + c;
#endif
}

/* Cosine and sine of an angle but for whole quarter turns, within 1e-7 below olk_largest_angle; the
   last bits of the result count these. */
static OLK_ALWAYS olk_word olk_quarter(float angle, float *cosine, float *sine)
{
    const float *s = olk_sine_f32, *c = olk_cosine_f32;
    const float shifted = olk_fma(angle, OLK_TURNS_F32, OLK_MAGIC_F32), n = shifted - OLK_MAGIC_F32;
    float r = olk_fma(n, -OLK_QUARTER_1_F32, angle);
    r = olk_fma(n, -OLK_QUARTER_2_F32, r);
    r = olk_fma(n, -OLK_QUARTER_3_F32, r);
    const float z = r * r;
    const float of_s = olk_fma(olk_fma(s[0], z, s[1]), z, s[2]);
    const float of_c = olk_fma(olk_fma(c[0], z, c[1]), z, c[2]);
    olk_word quarters;
    *sine = olk_fma(of_s * z, r, r);
    *cosine = olk_fma(of_c * z, z, olk_fma(z, -0.5f, 1.0f));
    memcpy(&quarters, &shifted, sizeof quarters);
    return quarters;
}

#if OLK_BYTES
typedef olk_f32s olk_reals;
typedef olk_u32s olk_words;

static OLK_ALWAYS olk_reals olk_fma_lanes(olk_reals a, olk_reals b, olk_reals c)
{
    return olk_madd_f32s(a, b, c);
}
#endif
/* Lanes i ^ h of a vector beside its lanes i. */
#if OLK_BYTES && defined(__clang__) /* which takes constants alone */
static OLK_ALWAYS olk_reals olk_swapped(olk_reals v, const int h)
{
#if OLK_BYTES == 16
    if (h == 1)
        return OLK_SWAPPED_4(v, 1);
    return OLK_SWAPPED_4(v, 2);
#elif OLK_BYTES == 32
    if (h == 1)
        return OLK_SWAPPED_8(v, 1);
    if (h == 2)
        return OLK_SWAPPED_8(v, 2);
    return OLK_SWAPPED_8(v, 4);
#else
    if (h == 1)
        return OLK_SWAPPED_16(v, 1);
    if (h == 2)
        return OLK_SWAPPED_16(v, 2);
    if (h == 4)
        return OLK_SWAPPED_16(v, 4);
    return OLK_SWAPPED_16(v, 8);
#endif
}
#endif
#if OLK_BYTES > 16
/* Stored weights, a vector of them. */
static OLK_ALWAYS olk_reals olk_weights_at(const olk_stored *p)
{
    return OLK_LEVELS ? olk_load_i8s((const int8_t *)p) : *(const olk_reals *)p;
}

/* Two numbers over and over. */
static OLK_ALWAYS olk_reals olk_pairs_of(const float *p)
{
    const __m128d pair = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)p));
#if OLK_BYTES == 64
    return (olk_reals)_mm512_castpd_ps(_mm512_broadcastsd_pd(pair));
#else
    return (olk_reals)_mm256_castpd_ps(_mm256_broadcastsd_pd(pair));
#endif
}
#endif
#ifdef OLK_MASKED
/* Lanes negated where a bit is set. */
static OLK_ALWAYS olk_reals olk_flip_lanes(olk_reals v, uint64_t bits)
{
    return (olk_reals)_mm512_mask_xor_epi32((__m512i)v, (__mmask16)bits, (__m512i)v,
                                            _mm512_set1_epi32(INT32_MIN));
}
#endif

#include "floats.h"
