/* The loops themselves: the only unit that compiles them. CHECK_NATIVE makes two variants instead of
   all: the plain one, and one in the widest vectors of the processor compiled for. */
#ifdef CHECK_NATIVE
#define OLK_SCALAR_ONLY
#endif
#include "check.h"

#ifdef CHECK_NATIVE
#include "variants.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define OLK_X86_VARIANTS 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#if defined(__AVX512F__)
#define OLK_BYTES 64
#elif defined(__AVX2__)
#define OLK_BYTES 32
#else
#define OLK_BYTES 16
#endif
#if defined(__ARM_FEATURE_FMA) || defined(__FMA__)
#define OLK_FUSED 1
#else
#define OLK_FUSED 0
#endif
#define OLK_ISA native
#include "isa.h"

const olk_simd *variant(int i)
{
    static const olk_simd native = OLK_VARIANT(native);
    return i == 0 ? &olk_variants[0] : i == 1 ? &native : NULL;
}
#else
#include "variants.h"

const olk_simd *variant(int i)
{
    for (int k = 0; k < OLK_N_VARIANTS; k++)
        if (olk_variant_runs(k) && i-- == 0)
            return &olk_variants[k];
    return NULL;
}
#endif
