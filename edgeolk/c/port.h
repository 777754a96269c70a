/* What compilers and instruction sets differ in: attributes beyond C11, vector types, and the set
   that a unit is compiled for. Needs nothing; every other header needs it. */
#pragma once

/* -- Attributes --
   What C11 has no word for. */

#if defined(__GNUC__)
#define OLK_INLINE inline __attribute__((always_inline))
/* No warning where a header's function is unused; each compiler has its own way to say so. */
#ifdef __clang__
#define OLK_NOINLINE inline __attribute__((noinline))
#else
#define OLK_NOINLINE __attribute__((noinline, unused))
#ifdef OLK_BOARD /* every call has the same constants: the one body is made for them */
#define OLK_NOCLONE OLK_NOINLINE
#else
#define OLK_NOCLONE                                                                                \
    __attribute__((noinline, noclone, unused)) /* one body, no clone for constant arguments */
#endif
#endif
#define OLK_COLD __attribute__((noinline, cold))
#define OLK_HIDDEN __attribute__((visibility("hidden")))
#else
#ifdef _MSC_VER
#define OLK_INLINE __forceinline
#define OLK_NOINLINE __declspec(noinline)
#else
#define OLK_INLINE inline
#define OLK_NOINLINE
#endif
#define OLK_COLD OLK_NOINLINE
#define OLK_HIDDEN
#endif
#ifndef OLK_NOCLONE
#define OLK_NOCLONE OLK_NOINLINE
#endif

/* A function that boards do not copy into its callers, which would be larger. */
#ifdef OLK_BOARD
#define OLK_OUTSIDE OLK_NOINLINE
#else
#define OLK_OUTSIDE inline
#endif

/* A short function whose copies would be long where a register has 8 bits: arithmetic of 64 bits and
   of floats. */
#ifdef __AVR__
#define OLK_SHORT OLK_NOINLINE
#else
#define OLK_SHORT inline
#endif

/* Tables belong to the file that includes them; where several exported models form one program, the
   linker keeps one copy of each, if it drops unused sections (--gc-sections). */
#if defined(OLK_SHARED_TABLES) && defined(__GNUC__) && defined(__ELF__)
#define OLK_TABLE __attribute__((weak)) const
#else
#define OLK_TABLE static const
#endif

/* The type of single numbers outside the loops: readings, options, averages, labels, scores. Doubles
   hold those of every learner. A program for one learner whose numbers are all floats defines
   OLK_NARROW and has no arithmetic in double, which small cores emulate. */
#ifdef OLK_NARROW
typedef float olk_scalar;
#else
typedef double olk_scalar;
#endif

/* Alignment of arrays that vectors are loaded from; C99 has neither the keyword nor vectors. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define OLK_ALIGNED(bytes) _Alignas(bytes)
#else
#define OLK_ALIGNED(bytes)
#endif

/* GCC and Clang have vector types. */
#if defined(__GNUC__) && !defined(OLK_SCALAR_ONLY)
#define OLK_VECTORS 1
#endif

/* Intrinsics of x86-64 under the names that the units use. */
#if defined(OLK_VECTORS) && defined(__x86_64__) &&                                                 \
    (defined(__clang__) ? __clang_major__ >= 18 : __GNUC__ >= 12)
#define OLK_X86 1
#endif

/* -- The instruction set --
   The instruction set that a unit is compiled for, as named in edgeolk/core/units.py. OLK_BYTES:
   bytes of a vector; 0: numbers one by one, in plain C. OLK_FUSED: whether a*b+c is rounded once;
   fixed per set, not left to the compiler, so that two builds of a set agree to the bit.
   OLK_OF_SET: names that a unit exports. OLK_SET: the name of the set. */

#if defined(OLK_VECTORS) && defined(OLK_SET_V4)
#define OLK_BYTES 64
#define OLK_OF_SET(name) name##_v4
#define OLK_SET "v4"
#elif defined(OLK_VECTORS) && defined(OLK_SET_V3)
#define OLK_BYTES 32
#define OLK_OF_SET(name) name##_v3
#define OLK_SET "v3"
#elif defined(OLK_VECTORS) && defined(OLK_SET_NEON)
#define OLK_BYTES 16
#define OLK_OF_SET(name) name##_neon
#define OLK_SET "neon"
#elif defined(OLK_VECTORS) && defined(OLK_SET_BASELINE)
#define OLK_BYTES 16
#define OLK_OF_SET(name) name##_baseline
#define OLK_SET "baseline"
#else
#define OLK_BYTES 0
#define OLK_OF_SET(name) name##_scalar
#define OLK_SET "scalar"
#endif

#if OLK_BYTES > 16 || (OLK_BYTES && !defined(OLK_SET_NEON) &&                                      \
                       (defined(__ARM_FEATURE_FMA) || defined(__FMA__)))
#define OLK_FUSED 1
#else
#define OLK_FUSED 0
#endif

#if OLK_BYTES && defined(OLK_X86)
#include <immintrin.h>
#elif OLK_BYTES && defined(__aarch64__)
#include <arm_neon.h>
#endif

/* a b + c, rounded once where the set fuses. */
static OLK_INLINE float olk_madd_f32(float a, float b, float c)
{
#if OLK_FUSED
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

static OLK_INLINE double olk_madd_f64(double a, double b, double c)
{
#if OLK_FUSED
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}
