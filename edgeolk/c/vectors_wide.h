/* Vectors as the compiler's vector types, so that nearly everything is plain arithmetic in C. They
   have the alignment of one number, for unaligned loads. Included by vectors.h; no exported learner
   needs it. */
#pragma once

/* Vectors as the compiler's vector types, so that nearly everything is plain arithmetic in C. They
   have the alignment of one number, for unaligned loads. */

/* In two steps: GCC 14 for AArch64 rejects arguments whose type gets size and alignment at once. */
#define OLK_VECTOR(name, type, bytes)                                                              \
    typedef type name##_aligned __attribute__((vector_size(bytes), may_alias));                    \
    typedef name##_aligned name __attribute__((aligned(sizeof(type))))

OLK_VECTOR(olk_f32s, float, OLK_BYTES);
OLK_VECTOR(olk_f64s, double, OLK_BYTES);
OLK_VECTOR(olk_i32s, int32_t, OLK_BYTES);
OLK_VECTOR(olk_i64s, int64_t, OLK_BYTES);
OLK_VECTOR(olk_u32s, uint32_t, OLK_BYTES);
OLK_VECTOR(olk_u64s, uint64_t, OLK_BYTES);
/* As many halves or levels as a vector of floats has lanes, and as many floats as one of
   doubles. */
OLK_VECTOR(olk_half_row, uint16_t, OLK_BYTES / 2);
OLK_VECTOR(olk_level_row, int8_t, OLK_BYTES / 4);
OLK_VECTOR(olk_narrow_row, float, OLK_BYTES / 2);
#undef OLK_VECTOR

/* A lane of a vector, to read or set; all bits set in lanes where a comparison is true. */
#define OLK_LANE(v, k) (v)[k]
#define OLK_MASK_F64S(comparison) ((olk_i64s)(comparison))

static OLK_INLINE olk_f32s olk_select_f32s(olk_i32s mask, olk_f32s yes, olk_f32s no)
{
    return (olk_f32s)(((olk_i32s)yes & mask) | ((olk_i32s)no & ~mask));
}

static OLK_INLINE olk_f64s olk_select_f64s(olk_i64s mask, olk_f64s yes, olk_f64s no)
{
    return (olk_f64s)(((olk_i64s)yes & mask) | ((olk_i64s)no & ~mask));
}

/* a b + c, rounded once where the set fuses. */
static OLK_INLINE olk_f32s olk_madd_f32s(olk_f32s a, olk_f32s b, olk_f32s c)
{
#if !OLK_FUSED
    return a * b + c;
#elif defined(OLK_X86) && OLK_BYTES == 64
    return (olk_f32s)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (olk_f32s)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (olk_f32s)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (size_t i = 0; i < OLK_BYTES / sizeof(float); i++)
        c[i] = olk_madd_f32(a[i], b[i], c[i]);
    return c;
#endif
}

static OLK_INLINE olk_f64s olk_madd_f64s(olk_f64s a, olk_f64s b, olk_f64s c)
{
#if !OLK_FUSED
    return a * b + c;
#elif defined(OLK_X86) && OLK_BYTES == 64
    return (olk_f64s)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (olk_f64s)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (olk_f64s)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    for (size_t i = 0; i < OLK_BYTES / sizeof(double); i++)
        c[i] = olk_madd_f64(a[i], b[i], c[i]);
    return c;
#endif
}

#ifdef __clang__ /* its shuffles take only constants; GCC's take a vector */
/* Lane i ^ h in the place of lane i; h is a power of two below the number of lanes. */
static OLK_INLINE olk_f32s olk_swapped_f32s(olk_f32s v, const int h)
{
#if OLK_BYTES == 16
    if (h == 1)
        return __builtin_shufflevector(v, v, 1, 0, 3, 2);
    return __builtin_shufflevector(v, v, 2, 3, 0, 1);
#elif OLK_BYTES == 32
    if (h == 1)
        return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    if (h == 2)
        return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
#else
    if (h == 1)
        return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    if (h == 2)
        return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    if (h == 4)
        return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
#endif

/* The larger of two, lane by lane; b where a is NaN. */
static OLK_INLINE olk_f32s olk_max_f32s(olk_f32s a, olk_f32s b)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    return (olk_f32s)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (olk_f32s)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(OLK_X86)
    return (olk_f32s)_mm_max_ps((__m128)a, (__m128)b);
#else
    return olk_select_f32s((olk_i32s)(a > b), a, b);
#endif
}

static OLK_INLINE olk_f64s olk_max_f64s(olk_f64s a, olk_f64s b)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    return (olk_f64s)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (olk_f64s)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(OLK_X86)
    return (olk_f64s)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return olk_select_f64s((olk_i64s)(a > b), a, b);
#endif
}

/* Levels as numbers, in the lanes of floats. */
static OLK_INLINE olk_f32s olk_load_i8s(const int8_t *p)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    const olk_i32s integers = (olk_i32s)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
#elif defined(OLK_X86) && OLK_BYTES == 32
    const olk_i32s integers = (olk_i32s)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
#elif defined(OLK_X86)
    const __m128i four = _mm_loadu_si32(p), twice = _mm_unpacklo_epi8(four, four);
    const olk_i32s integers = (olk_i32s)_mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24);
#else
    const olk_i32s integers = __builtin_convertvector(*(const olk_level_row *)p, olk_i32s);
#endif
    return __builtin_convertvector(integers, olk_f32s);
}

/* Halves as floats. */
static OLK_INLINE olk_f32s olk_load_f16s(const uint16_t *p)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    return (olk_f32s)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (olk_f32s)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#elif defined(__aarch64__)
    return (olk_f32s)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#else
    /* olk_half_to_float, lane by lane. */
#ifdef OLK_X86
    const olk_i32s h = (olk_i32s)_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p),
                                                    _mm_setzero_si128());
#else
    const olk_i32s h = __builtin_convertvector(*(const olk_half_row *)p, olk_i32s);
#endif
    olk_f32s size = (olk_f32s)((h & 0x7fff) << 13) * 0x1p112f;
#ifdef OLK_SET_NEON
    /* Halves below 2^-14 would be subnormal here, and this set flushes those to zero. */
    size = olk_select_f32s((h & 0x7c00) == 0,
                           __builtin_convertvector(h & 0x3ff, olk_f32s) * 0x1p-24f, size);
#endif
    return (olk_f32s)((olk_u32s)size | (olk_u32s)(h & 0x8000) << 16);
#endif
}

/* Floats in double, and doubles rounded to floats. */
static OLK_INLINE olk_f64s olk_widen_f32(const float *p)
{
#if defined(OLK_X86) && OLK_BYTES == 16
    return (olk_f64s)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)p)));
#elif defined(OLK_X86) && OLK_BYTES == 64
    /* The compiler would convert by halves and join them. */
    return (olk_f64s)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#else
    return __builtin_convertvector(*(const olk_narrow_row *)p, olk_f64s);
#endif
}

static OLK_INLINE void olk_narrow_f32(float *p, olk_f64s v)
{
#if defined(OLK_X86) && OLK_BYTES == 16
    _mm_storel_epi64((__m128i *)p, _mm_castps_si128(_mm_cvtpd_ps((__m128d)v)));
#else
    *(olk_narrow_row *)p = __builtin_convertvector(v, olk_narrow_row);
#endif
}

#if defined(OLK_X86) && OLK_BYTES == 64
/* p 2^n, n integers, rounded once. */
static OLK_INLINE olk_f32s olk_scale_by_power_f32s(olk_f32s p, olk_f32s n)
{
    return (olk_f32s)_mm512_scalef_ps((__m512)p, (__m512)n);
}

static OLK_INLINE olk_f64s olk_scale_by_power_f64s(olk_f64s p, olk_f64s n)
{
    return (olk_f64s)_mm512_scalef_pd((__m512d)p, (__m512d)n);
}

/* a b + c in the first `count` lanes, c in the others. */
static OLK_INLINE olk_f64s olk_madd_first(olk_f64s a, olk_f64s b, olk_f64s c, ptrdiff_t count)
{
    return (olk_f64s)_mm512_mask3_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c,
                                           (__mmask8)~(~0u << count));
}

/* olk_total of two times eight sums in registers. */
static OLK_INLINE void olk_two_totals(olk_f64s one, olk_f64s other, double *out)
{
    const __m256d a = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)one),
                                    _mm512_extractf64x4_pd((__m512d)one, 1));
    const __m256d b = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)other),
                                    _mm512_extractf64x4_pd((__m512d)other, 1));
    const __m256d pairs = _mm256_hadd_pd(a, b);
    _mm_storeu_pd(out, _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)));
}
#endif
