/* One instruction set's copy of the structured features and their learner; included by structured.h
   with OLK_NAME, OLK_FUSED and OLK_BYTES set (0 bytes: plain C99). */

#if OLK_FUSED
#define OLK_MADD_F32(a, b, c) __builtin_fmaf((a), (b), (c))
#define OLK_MADD_F64(a, b, c) __builtin_fma((a), (b), (c))
#if OLK_BYTES == 64
#define OLK_VMADD_F32(a, b, c) (vector)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define OLK_VMADD_F64(a, b, c) (vector)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif OLK_BYTES == 32
#define OLK_VMADD_F32(a, b, c) (vector)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define OLK_VMADD_F64(a, b, c) (vector)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined(__aarch64__)
#define OLK_VMADD_F32(a, b, c)                                                                     \
    (vector)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define OLK_VMADD_F64(a, b, c)                                                                     \
    (vector)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define OLK_VMADD_F32(a, b, c) (vector)_mm_fmadd_ps((__m128)(a), (__m128)(b), (__m128)(c))
#define OLK_VMADD_F64(a, b, c) (vector)_mm_fmadd_pd((__m128d)(a), (__m128d)(b), (__m128d)(c))
#endif
#else
#define OLK_MADD_F32(a, b, c) ((a) * (b) + (c))
#define OLK_MADD_F64(a, b, c) ((a) * (b) + (c))
#define OLK_VMADD_F32 OLK_MADD_F32
#define OLK_VMADD_F64 OLK_MADD_F64
#endif
/* Levels as numbers, a vector of them. */
#if OLK_BYTES == 64
#define OLK_FROM_LEVELS_F32(p)                                                                     \
    _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(p))))
#define OLK_FROM_LEVELS_F64(p)                                                                     \
    _mm512_cvtepi64_pd(_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)(p))))
/* Two numbers over and over. */
#define OLK_PAIR_F32(p)                                                                            \
    _mm512_castpd_ps(                                                                              \
        _mm512_broadcastsd_pd(_mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(p)))))
#define OLK_PAIR_F64(p) _mm512_broadcast_f64x2(_mm_loadu_pd(p))
/* Lanes of a vector negated where a bit is set. */
#ifndef __clang__
#define OLK_FLIP_F32(v, bits)                                                                      \
    _mm512_mask_xor_epi32((__m512i)(v), (__mmask16)(bits), (__m512i)(v),                           \
                          _mm512_set1_epi32(INT32_MIN))
#define OLK_FLIP_F64(v, bits)                                                                      \
    _mm512_mask_xor_epi64((__m512i)(v), (__mmask8)(bits), (__m512i)(v),                            \
                          _mm512_set1_epi64(INT64_MIN))
#endif
#elif OLK_BYTES == 32
#define OLK_FROM_LEVELS_F32(p)                                                                     \
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p))))
#define OLK_FROM_LEVELS_F64(p) _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_loadu_si32(p)))
#define OLK_PAIR_F32(p)                                                                            \
    _mm256_castpd_ps(                                                                              \
        _mm256_broadcastsd_pd(_mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(p)))))
#define OLK_PAIR_F64(p) _mm256_broadcast_pd((const __m128d *)(p))
#endif
#include "draws.h"
#include "rounding.h"

/* Whole numbers. */
#ifdef OLK_SORF_FIXED
#define OLK_T uint32_t
#define OLK_TYPE q15
#define OLK_U olk_u_q15
#define OLK_SIGN UINT32_MAX
#define OLK_IN float
#define OLK_INTYPE f32
#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_LEVELS 1
#define OLK_FAST_TYPE q15
#define OLK_EXACT float
#define OLK_EXACT_TYPE q15
#define OLK_TWO_TYPES 0
#include "fixed.h"
#include "walsh.h"
#include "fixed_features.h"
#include "fold.h"
#include "abreast.h"
#include "levels.h"
#include "pass.h"
#include "sorf.h"

/* Single precision. */
#elif OLK_SORF_STORES & (OLK_SORF_I8 | OLK_SORF_F32)
#define OLK_T float
#define OLK_TYPE f32
#define OLK_U olk_u_f32
#define OLK_SIGN 0x80000000u
#define OLK_ABS OLK_FABSF
#define OLK_MADD OLK_MADD_F32
#define OLK_VMADD OLK_VMADD_F32
#define OLK_FROM_LEVELS OLK_FROM_LEVELS_F32
#define OLK_TURNS 0.636619772367581343f
#define OLK_MAGIC 12582912.0f /* 1.5 * 2^23: adding it rounds to a whole number */
#define OLK_QUARTER_1 1.5703125f
#define OLK_QUARTER_2 4.837512969970703125e-4f
#define OLK_QUARTER_3 7.54978995489188216e-8f
#define OLK_LARGE 512.0f
#define OLK_FLOOR(v) ((int32_t)(v) - ((v) < (float)(int32_t)(v)))
#define OLK_LIFTED(v) (OLK_FLOOR((v) + 0.5f) + (1 << 27))
#if OLK_BYTES > 16
#define OLK_ROUND_SURELY OLK_NAME(olk_round_features)
#endif
#ifdef OLK_PAIR_F32
#define OLK_PAIR OLK_PAIR_F32
#endif
#ifdef OLK_FLIP_F32
#define OLK_FLIP OLK_FLIP_F32
#endif
#define OLK_SINE(z)                                                                                \
    OLK_MADD(OLK_MADD(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f)
#define OLK_COSINE(z)                                                                              \
    OLK_MADD(OLK_MADD(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f)
#if OLK_BYTES == 16
#define OLK_COUNTED {0, 1, 2, 3}
#define OLK_SWAPPED OLK_SWAPPED_4
#elif OLK_BYTES == 32
#define OLK_COUNTED {0, 1, 2, 3, 4, 5, 6, 7}
#define OLK_SWAPPED OLK_SWAPPED_8
#elif OLK_BYTES == 64
#define OLK_COUNTED {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define OLK_SWAPPED OLK_SWAPPED_16
#endif
#include "floats.h"
#include "walsh.h"
#include "phases.h"
#define OLK_IN float
#define OLK_INTYPE f32
#include "fold.h"
#include "abreast.h"

#if OLK_SORF_STORES & OLK_SORF_I8
#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_LEVELS 1
#include "levels.h"
#include "pass.h"
#include "gradient.h"
#ifndef OLK_SORF_SINGLE
#include "settle.h"
#else /* int8 in single precision throughout */
#define OLK_FAST_TYPE f32
#define OLK_EXACT float
#define OLK_EXACT_TYPE f32
#define OLK_TWO_TYPES 0
#include "sorf.h"
#undef OLK_FAST_TYPE
#undef OLK_EXACT
#undef OLK_EXACT_TYPE
#undef OLK_TWO_TYPES
#endif
#undef OLK_S
#undef OLK_STORED
#undef OLK_LEVELS
#endif

#if OLK_SORF_STORES & OLK_SORF_F32
#define OLK_S float
#define OLK_STORED f32
#define OLK_LEVELS 0
#include "levels.h"
#include "pass.h"
#include "gradient.h"
#ifdef OLK_SORF_TABLE
#include "spread.h"
#endif
#define OLK_FAST_TYPE f32
#define OLK_EXACT float
#define OLK_EXACT_TYPE f32
#define OLK_TWO_TYPES 0
#include "sorf.h"
#undef OLK_FAST_TYPE
#undef OLK_EXACT
#undef OLK_EXACT_TYPE
#undef OLK_TWO_TYPES
#undef OLK_S
#undef OLK_STORED
#undef OLK_LEVELS
#endif
#undef OLK_IN
#undef OLK_INTYPE
#include "structured_end.h"
#endif

/* Double precision. */
#if OLK_SORF_STORES & OLK_SORF_F64 ||                                                              \
    (OLK_SORF_STORES & OLK_SORF_I8 && !defined(OLK_SORF_SINGLE) && !defined(OLK_SORF_FIXED))
#define OLK_T double
#define OLK_TYPE f64
#define OLK_U olk_u_f64
#define OLK_SIGN (UINT64_C(1) << 63)
#define OLK_ABS OLK_FABS
#define OLK_MADD OLK_MADD_F64
#define OLK_VMADD OLK_VMADD_F64
#define OLK_FROM_LEVELS OLK_FROM_LEVELS_F64
#define OLK_TURNS 0.63661977236758134308
#define OLK_MAGIC 6755399441055744.0 /* 1.5 * 2^52 */
#define OLK_QUARTER_1 1.57079632673412561417e+00
#define OLK_QUARTER_2 6.07710050630396597660e-11
#define OLK_QUARTER_3 2.02226624879595063154e-21
#define OLK_LARGE 1e6
#define OLK_LIFTED(v) ((int32_t)((v) + 134217728.5))
#if OLK_BYTES > 16
#define OLK_ROUND_LEVELS OLK_NAME(olk_round_levels)
#endif
#ifdef OLK_PAIR_F64
#define OLK_PAIR OLK_PAIR_F64
#endif
#ifdef OLK_FLIP_F64
#define OLK_FLIP OLK_FLIP_F64
#endif
#define OLK_SINE(z)                                                                                \
    OLK_MADD(OLK_MADD(OLK_MADD(OLK_MADD(OLK_MADD(1.58969099521155010221e-10, z,                    \
                                                 -2.50507602534068634195e-08),                     \
                                        z, 2.75573137070700676789e-06),                            \
                               z, -1.98412698298579493134e-04),                                    \
                      z, 8.33333333332248946124e-03),                                              \
             z, -1.66666666666666324348e-01)
#define OLK_COSINE(z)                                                                              \
    OLK_MADD(OLK_MADD(OLK_MADD(OLK_MADD(OLK_MADD(-1.13596475577881948265e-11, z,                   \
                                                 2.08757232129817482790e-09),                      \
                                        z, -2.75573143513906633035e-07),                           \
                               z, 2.48015872894767294178e-05),                                     \
                      z, -1.38888888888741095749e-03),                                             \
             z, 4.16666666666666019037e-02)
#if OLK_BYTES == 16
#define OLK_COUNTED {0, 1}
#define OLK_SWAPPED OLK_SWAPPED_2
#elif OLK_BYTES == 32
#define OLK_COUNTED {0, 1, 2, 3}
#define OLK_SWAPPED OLK_SWAPPED_4
#elif OLK_BYTES == 64
#define OLK_COUNTED {0, 1, 2, 3, 4, 5, 6, 7}
#define OLK_SWAPPED OLK_SWAPPED_8
#endif
#include "floats.h"
#include "walsh.h"
#include "phases.h"

#if OLK_SORF_STORES & OLK_SORF_I8
#define OLK_IN float
#define OLK_INTYPE f32
#include "fold.h"
#include "abreast.h"
#define OLK_S int8_t
#define OLK_STORED i8
#define OLK_LEVELS 1
#include "levels.h"
#include "pass.h"
#include "gradient.h"
#define OLK_FAST_TYPE f32
#define OLK_EXACT double
#define OLK_EXACT_TYPE f64
#define OLK_TWO_TYPES 1
#include "sorf.h"
#undef OLK_FAST_TYPE
#undef OLK_EXACT
#undef OLK_EXACT_TYPE
#undef OLK_TWO_TYPES
#undef OLK_S
#undef OLK_STORED
#undef OLK_LEVELS
#undef OLK_IN
#undef OLK_INTYPE
#endif

#if OLK_SORF_STORES & OLK_SORF_F64
#define OLK_IN double
#define OLK_INTYPE f64
#include "fold.h"
#include "abreast.h"
#define OLK_S double
#define OLK_STORED f64
#define OLK_LEVELS 0
#include "levels.h"
#include "pass.h"
#include "gradient.h"
#ifdef OLK_SORF_TABLE
#include "spread.h"
#endif
#define OLK_FAST_TYPE f64
#define OLK_EXACT double
#define OLK_EXACT_TYPE f64
#define OLK_TWO_TYPES 0
#include "sorf.h"
#undef OLK_FAST_TYPE
#undef OLK_EXACT
#undef OLK_EXACT_TYPE
#undef OLK_TWO_TYPES
#undef OLK_S
#undef OLK_STORED
#undef OLK_LEVELS
#undef OLK_IN
#undef OLK_INTYPE
#endif
#include "structured_end.h"
#endif

#undef OLK_MADD_F32
#undef OLK_MADD_F64
#undef OLK_VMADD_F32
#undef OLK_VMADD_F64
#undef OLK_FROM_LEVELS_F32
#undef OLK_FROM_LEVELS_F64
#undef OLK_PAIR_F32
#undef OLK_PAIR_F64
#undef OLK_FLIP_F32
#undef OLK_FLIP_F64
