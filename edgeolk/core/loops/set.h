/* The instruction set that a unit is compiled for, as named in edgeolk/core/units.py. OLK_BYTES:
   bytes of a vector; 0: numbers one by one, in plain C. OLK_FUSED: whether a*b+c is rounded once;
   fixed per set, not left to the compiler, so that two builds of a set agree to the bit.
   OLK_OF_SET: names that a unit exports. OLK_SET: the name of the set. */
#pragma once

#include "compiler.h"

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
