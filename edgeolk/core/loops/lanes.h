/* Vectors of one instruction set: OLK_BYTES wide, as the compiler's own vector types, so that all
   but a fused multiply-add and a half-precision load is plain arithmetic in C. Included by
   isa.h.

   Loads and stores go through types of the alignment of one number: a score may start at any slot. */

/* In two steps: GCC 14 for AArch64 takes no argument whose type gets size and alignment at once. */
#define OLK_VECTOR(name, type, bytes)                                                              \
    typedef type OLK_NAME(OLK_CAT(name, whole)) __attribute__((vector_size(bytes), may_alias));    \
    typedef OLK_NAME(OLK_CAT(name, whole)) OLK_NAME(name) __attribute__((aligned(sizeof(type))))

OLK_VECTOR(olk_v_f32, float, OLK_BYTES);
OLK_VECTOR(olk_v_f64, double, OLK_BYTES);
OLK_VECTOR(olk_bits_f32, int32_t, OLK_BYTES);
OLK_VECTOR(olk_bits_f64, int64_t, OLK_BYTES);
/* The same without a sign, for sums and shifts that may run over. */
OLK_VECTOR(olk_words_f32, uint32_t, OLK_BYTES);
OLK_VECTOR(olk_words_f64, uint64_t, OLK_BYTES);
/* As many halves or levels as a vector of floats has lanes, and as many floats as one of doubles. */
OLK_VECTOR(olk_half_row, uint16_t, OLK_BYTES / 2);
OLK_VECTOR(olk_level_row, int8_t, OLK_BYTES / 4);
OLK_VECTOR(olk_narrow_row, float, OLK_BYTES / 2);
#undef OLK_VECTOR

/* A lane of a vector; all bits of the lanes where a condition holds; the lanes of one or the other. */
#define OLK_LANE(v, k) (v)[k]
#define OLK_LANE_OF OLK_LANE
#define OLK_MASK(type, condition) ((type)(condition))
#define OLK_CHOOSE(v, bits, mask, yes, no)                                                         \
    ((v)(((bits)(yes) & (mask)) | ((bits)(no) & ~(mask))))

#define OLK_REINTERPRETED(name, to, from)                                                          \
    static inline OLK_NAME(to) OLK_NAME(name)(OLK_NAME(from) v)                                    \
    {                                                                                              \
        return (OLK_NAME(to))v;                                                                    \
    }
OLK_REINTERPRETED(olk_words_of_f32, olk_words_f32, olk_v_f32)
OLK_REINTERPRETED(olk_words_of_f64, olk_words_f64, olk_v_f64)
OLK_REINTERPRETED(olk_of_words_f32, olk_v_f32, olk_words_f32)
OLK_REINTERPRETED(olk_of_words_f64, olk_v_f64, olk_words_f64)
#undef OLK_REINTERPRETED

/* a b + c, rounded once where the instruction set fuses, on numbers and on vectors. */
#if !OLK_FUSED
#define OLK_MADD_F32(a, b, c) ((a) * (b) + (c))
#define OLK_MADD_F64(a, b, c) ((a) * (b) + (c))
#define OLK_VMADD_F32 OLK_MADD_F32
#define OLK_VMADD_F64 OLK_MADD_F64
#else
#define OLK_MADD_F32(a, b, c) __builtin_fmaf((a), (b), (c))
#define OLK_MADD_F64(a, b, c) __builtin_fma((a), (b), (c))
#if defined(OLK_X86) && OLK_BYTES == 64
#define OLK_VMADD_F32(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f32))_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define OLK_VMADD_F64(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f64))_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined(OLK_X86) && OLK_BYTES == 32
#define OLK_VMADD_F32(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f32))_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define OLK_VMADD_F64(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f64))_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#elif defined(__aarch64__)
#define OLK_VMADD_F32(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f32))vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#define OLK_VMADD_F64(a, b, c)                                                                     \
    ((OLK_NAME(olk_v_f64))vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#else
static inline OLK_NAME(olk_v_f32) OLK_NAME(olk_fuse_f32)(OLK_NAME(olk_v_f32) a,
                                                         OLK_NAME(olk_v_f32) b,
                                                         OLK_NAME(olk_v_f32) c)
{
    for (size_t i = 0; i < OLK_BYTES / sizeof(float); i++)
        c[i] = OLK_MADD_F32(a[i], b[i], c[i]);
    return c;
}
static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_fuse_f64)(OLK_NAME(olk_v_f64) a,
                                                         OLK_NAME(olk_v_f64) b,
                                                         OLK_NAME(olk_v_f64) c)
{
    for (size_t i = 0; i < OLK_BYTES / sizeof(double); i++)
        c[i] = OLK_MADD_F64(a[i], b[i], c[i]);
    return c;
}
#define OLK_VMADD_F32 OLK_NAME(olk_fuse_f32)
#define OLK_VMADD_F64 OLK_NAME(olk_fuse_f64)
#endif
#endif

/* The larger of two, lane by lane; b where a is no number. */
#if defined(OLK_X86) && OLK_BYTES == 64
#define OLK_VMAX_F32(a, b) ((OLK_NAME(olk_v_f32))_mm512_max_ps((__m512)(a), (__m512)(b)))
#define OLK_VMAX_F64(a, b) ((OLK_NAME(olk_v_f64))_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif defined(OLK_X86) && OLK_BYTES == 32
#define OLK_VMAX_F32(a, b) ((OLK_NAME(olk_v_f32))_mm256_max_ps((__m256)(a), (__m256)(b)))
#define OLK_VMAX_F64(a, b) ((OLK_NAME(olk_v_f64))_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#elif defined(OLK_X86)
#define OLK_VMAX_F32(a, b) ((OLK_NAME(olk_v_f32))_mm_max_ps((__m128)(a), (__m128)(b)))
#define OLK_VMAX_F64(a, b) ((OLK_NAME(olk_v_f64))_mm_max_pd((__m128d)(a), (__m128d)(b)))
#else
#define OLK_VMAX_F32(a, b)                                                                         \
    OLK_CHOOSE(OLK_NAME(olk_v_f32), OLK_NAME(olk_bits_f32),                                        \
               OLK_MASK(OLK_NAME(olk_bits_f32), (a) > (b)), a, b)
#define OLK_VMAX_F64(a, b)                                                                         \
    OLK_CHOOSE(OLK_NAME(olk_v_f64), OLK_NAME(olk_bits_f64),                                        \
               OLK_MASK(OLK_NAME(olk_bits_f64), (a) > (b)), a, b)
#endif

#if defined(OLK_X86) && OLK_BYTES == 64
/* p 2^n, n whole numbers, rounded once. */
static inline OLK_NAME(olk_v_f32) OLK_NAME(olk_scale_by_power_f32)(OLK_NAME(olk_v_f32) p,
                                                                   OLK_NAME(olk_v_f32) n)
{
    return (OLK_NAME(olk_v_f32))_mm512_scalef_ps((__m512)p, (__m512)n);
}

static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_scale_by_power_f64)(OLK_NAME(olk_v_f64) p,
                                                                   OLK_NAME(olk_v_f64) n)
{
    return (OLK_NAME(olk_v_f64))_mm512_scalef_pd((__m512d)p, (__m512d)n);
}
#endif

/* A vector of stored numbers as they are computed with, from wherever it starts. */
static inline OLK_NAME(olk_v_f32) OLK_NAME(olk_load_f32)(const float *p)
{
    return *(const OLK_NAME(olk_v_f32) *)p;
}

static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_load_f64)(const double *p)
{
    return *(const OLK_NAME(olk_v_f64) *)p;
}

/* Narrow stored numbers as whole numbers in the lanes of floats. */
static inline OLK_NAME(olk_bits_f32) OLK_NAME(olk_widen_i8)(const int8_t *p)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    return (OLK_NAME(olk_bits_f32))_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (OLK_NAME(olk_bits_f32))_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
#elif defined(OLK_X86)
    const __m128i four = _mm_loadu_si32(p), twice = _mm_unpacklo_epi8(four, four);
    return (OLK_NAME(olk_bits_f32))_mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24);
#else
    return __builtin_convertvector(*(const OLK_NAME(olk_level_row) *)p, OLK_NAME(olk_bits_f32));
#endif
}

static inline OLK_NAME(olk_v_f32) OLK_NAME(olk_load_i8)(const int8_t *p)
{
    return __builtin_convertvector(OLK_NAME(olk_widen_i8)(p), OLK_NAME(olk_v_f32));
}

static inline OLK_NAME(olk_v_f32) OLK_NAME(olk_load_f16)(const uint16_t *p)
{
#if defined(OLK_X86) && OLK_BYTES == 64
    return (OLK_NAME(olk_v_f32))_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(OLK_X86) && OLK_BYTES == 32
    return (OLK_NAME(olk_v_f32))_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#elif defined(__aarch64__)
    return (OLK_NAME(olk_v_f32))vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#else
    /* olk_half_to_float, lane by lane. */
#ifdef OLK_X86
    const OLK_NAME(olk_bits_f32) h = (OLK_NAME(olk_bits_f32))_mm_unpacklo_epi16(
        _mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
#else
    const OLK_NAME(olk_bits_f32) h =
        __builtin_convertvector(*(const OLK_NAME(olk_half_row) *)p, OLK_NAME(olk_bits_f32));
#endif
#ifdef OLK_FLUSHES
    /* Halves below 2^-14 are denormal in the scale of the others, and would be taken for zero. */
    const OLK_NAME(olk_v_f32) size =
        OLK_CHOOSE(OLK_NAME(olk_v_f32), OLK_NAME(olk_bits_f32), (h & 0x7c00) == 0,
                   __builtin_convertvector(h & 0x3ff, OLK_NAME(olk_v_f32)) * 0x1p-24f,
                   (OLK_NAME(olk_v_f32))((h & 0x7fff) << 13) * 0x1p112f);
#else
    const OLK_NAME(olk_v_f32) size = (OLK_NAME(olk_v_f32))((h & 0x7fff) << 13) * 0x1p112f;
#endif
    return (OLK_NAME(olk_v_f32))((OLK_NAME(olk_words_f32))size |
                                 (OLK_NAME(olk_words_f32))(h & 0x8000) << 16);
#endif
}

/* Numbers computed with, in double. */
static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_widen_f32)(const float *p)
{
#if defined(OLK_X86) && OLK_BYTES == 16
    return (OLK_NAME(olk_v_f64))_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)p)));
#elif defined(OLK_X86) && OLK_BYTES == 64
    /* The compiler's own conversion is by halves, put together again. */
    return (OLK_NAME(olk_v_f64))_mm512_cvtps_pd(_mm256_loadu_ps(p));
#else
    return __builtin_convertvector(*(const OLK_NAME(olk_narrow_row) *)p, OLK_NAME(olk_v_f64));
#endif
}

static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_widen_f64)(const double *p)
{
    return OLK_NAME(olk_load_f64)(p);
}

#if defined(OLK_X86) && OLK_BYTES == 64
/* The first `count` numbers, fewer than eight, in double; and a b + c in their lanes, c in the others. */
static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_widen_first_f32)(const float *p, ptrdiff_t count)
{
    return (OLK_NAME(olk_v_f64))_mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)~(~0u << count), p));
}

static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_widen_first_f64)(const double *p, ptrdiff_t count)
{
    return (OLK_NAME(olk_v_f64))_mm512_maskz_loadu_pd((__mmask8)~(~0u << count), p);
}

static inline OLK_NAME(olk_v_f64) OLK_NAME(olk_madd_first)(OLK_NAME(olk_v_f64) a,
                                                           OLK_NAME(olk_v_f64) b,
                                                           OLK_NAME(olk_v_f64) c, ptrdiff_t count)
{
    return (OLK_NAME(olk_v_f64))_mm512_mask3_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c,
                                                      (__mmask8)~(~0u << count));
}
#endif

/* The reverse: doubles kept in the type of an array. */
static inline void OLK_NAME(olk_put_f32)(float *p, OLK_NAME(olk_v_f64) v)
{
#if defined(OLK_X86) && OLK_BYTES == 16
    _mm_storel_epi64((__m128i *)p, _mm_castps_si128(_mm_cvtpd_ps((__m128d)v)));
#else
    *(OLK_NAME(olk_narrow_row) *)p = __builtin_convertvector(v, OLK_NAME(olk_narrow_row));
#endif
}

static inline void OLK_NAME(olk_put_f64)(double *p, OLK_NAME(olk_v_f64) v)
{
    *(OLK_NAME(olk_v_f64) *)p = v;
}
