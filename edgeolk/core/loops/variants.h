/* The loops compiled once per instruction set. One unit of a program includes this, for all of it is
   static; the others see the table through simd.h. */
#ifndef EDGEOLK_VARIANTS_H
#define EDGEOLK_VARIANTS_H

#include "simd.h"
#include "tiles.h"

#if defined(OLK_X86_VARIANTS)
#include <immintrin.h>
#elif defined(OLK_VECTORS) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(OLK_NEON_VARIANT)
#include <sys/auxv.h>
#endif

/* Numbers one by one, in plain C11. FUSED says whether a*b+c is one rounding: a fact of the
   instruction set, stated, not left to the compiler, so that two builds of one variant agree to the
   bit. */
#define OLK_FUSED 0
#define OLK_BYTES 0
OLK_BEGIN_SMALL
#define OLK_ISA scalar
#include "isa.h"
#undef OLK_ISA
OLK_END_SMALL
#undef OLK_BYTES
#undef OLK_FUSED

#ifdef OLK_VECTORS
#if defined(__ARM_FEATURE_FMA) || defined(__FMA__)
#define OLK_FUSED 1
#else
#define OLK_FUSED 0
#endif
#define OLK_BYTES 16
#define OLK_ISA baseline
#include "isa.h"
#undef OLK_ISA
#undef OLK_BYTES
#undef OLK_FUSED
#endif

#ifdef OLK_NEON_VARIANT
#define OLK_FUSED 0
#define OLK_BYTES 16
#define OLK_FLUSHES
OLK_BEGIN_NEON
#define OLK_ISA neon
#include "isa.h"
#undef OLK_ISA
OLK_END
#undef OLK_FLUSHES
#undef OLK_BYTES
#undef OLK_FUSED
#endif

#ifdef OLK_X86_VARIANTS
#define OLK_FUSED 1
#define OLK_BYTES 32
OLK_BEGIN_V3
#define OLK_ISA v3
#include "isa.h"
#undef OLK_ISA
#undef OLK_BYTES
OLK_END
#define OLK_BYTES 64
OLK_BEGIN_V4
#define OLK_ISA v4
#include "isa.h"
#undef OLK_ISA
#undef OLK_BYTES
#undef OLK_FUSED
OLK_END
#endif

#define OLK_ENTRY(number, real, type, function, isa) [number] = olk_##function##_##real##_##isa,
#define OLK_BY_REAL(function, isa)                                                                 \
    {                                                                                              \
        OLK_EACH_REAL(OLK_ENTRY, function, isa)                                                    \
    }
/* By storage type: the function of that type, the same where it keeps zeros, that of the type it
   computes in. */
#define OLK_OF_STORED(number, name, type, computes, zero, function, isa)                           \
    [number] = olk_##function##_##name##_##isa,
#define OLK_OF_KEPT(number, name, type, computes, zero, function, isa)                             \
    [number] = OLK_IF_##zero(olk_##function##_##name##_##isa),
#define OLK_IF_KEPT(function) function
#define OLK_IF_SHIFTED(function) NULL
#define OLK_OF_COMPUTED(number, name, type, computes, zero, function, isa)                         \
    [number] = olk_##function##_##computes##_##isa,
#define OLK_BY_STORAGE(entry, function, isa)                                                       \
    {                                                                                              \
        OLK_EACH_STORAGE(entry, function, isa)                                                     \
    }
#define OLK_VARIANT(isa)                                                                           \
    {                                                                                              \
        .name = #isa,                                                                              \
        .row = OLK_BY_STORAGE(OLK_OF_STORED, row, isa),                                            \
        .rows = OLK_BY_STORAGE(OLK_OF_STORED, rows, isa),                                          \
        .sparse = OLK_BY_STORAGE(OLK_OF_KEPT, sparse, isa),                                        \
        .norm = OLK_BY_STORAGE(OLK_OF_KEPT, norm, isa),                                            \
        .pair = OLK_BY_STORAGE(OLK_OF_COMPUTED, pair, isa),                                        \
        .recall = OLK_BY_REAL(recall, isa),                                                        \
        .dot = OLK_BY_REAL(dot, isa),                                                              \
        .weigh = OLK_BY_REAL(weigh, isa),                                                          \
        .weigh_values = OLK_BY_REAL(weigh_values, isa),                                            \
        .axpy = OLK_BY_REAL(axpy, isa),                                                            \
        .scale = OLK_BY_REAL(scale, isa),                                                          \
        .clamp = OLK_BY_REAL(clamp, isa),                                                          \
        .divide_by_probability = OLK_BY_REAL(divide_by_probability, isa),                          \
        .settle = OLK_BY_REAL(settle, isa),                                                        \
        .sizes = OLK_BY_REAL(sizes, isa),                                                          \
        .max_abs = OLK_BY_REAL(max_abs, isa),                                                      \
        .argmin = OLK_BY_REAL(argmin, isa),                                                        \
        .argmin_abs = OLK_BY_REAL(argmin_abs, isa),                                                \
        .argmin_line_residual = OLK_BY_REAL(argmin_line_residual, isa),                            \
        .argmin_plane_residual = OLK_BY_REAL(argmin_plane_residual, isa),                          \
        .argmin_line_weight = OLK_BY_REAL(argmin_line_weight, isa),                                \
        .argmin_plane_weight = OLK_BY_REAL(argmin_plane_weight, isa),                              \
        .squares = OLK_BY_REAL(squares, isa),                                                      \
        .merge = OLK_BY_REAL(merge, isa),                                                          \
        .cos_sin = OLK_BY_REAL(cos_sin, isa),                                                      \
        .sum_uncertain = olk_sum_uncertain_##isa,                                                  \
        .leaver = olk_leaver_##isa,                                                                \
        .matrix_vector = olk_matrix_vector_##isa,                                                  \
        .matrix_vectors = olk_matrix_vectors_##isa,                                                \
        .rotate = olk_rotate_##isa,                                                                \
        .symmetric_product = olk_symmetric_product_##isa,                                          \
        .solve_inverse_factor = olk_solve_inverse_factor_##isa,                                    \
        .rank_two_update = olk_rank_two_update_##isa,                                              \
        .solve_lower = olk_solve_lower_##isa,                                                      \
        .solve_lower_transposed = olk_solve_lower_transposed_##isa,                                \
        .cholesky = olk_cholesky_##isa,                                                            \
        .invert = olk_invert_##isa,                                                                \
    }
static const olk_simd olk_variants[] = {
    OLK_VARIANT(scalar),
#ifdef OLK_VECTORS
    OLK_VARIANT(baseline),
#endif
#ifdef OLK_NEON_VARIANT
    OLK_VARIANT(neon),
#endif
#ifdef OLK_X86_VARIANTS
    OLK_VARIANT(v3),
    OLK_VARIANT(v4),
#endif
};

enum { OLK_N_VARIANTS = (int)(sizeof(olk_variants) / sizeof(olk_variants[0])) };

/* Whether this processor can run variant i. */
static inline int olk_variant_runs(int i)
{
#ifdef OLK_X86_VARIANTS
    __builtin_cpu_init();
    if (i == 2)
        return __builtin_cpu_supports("x86-64-v3");
    if (i == 3)
        return __builtin_cpu_supports("x86-64-v4");
#elif defined(OLK_NEON_VARIANT)
    enum { HAS_NEON = 1 << 12 }; /* of the kernel's HWCAP on 32-bit ARM */
    if (i == 2)
        return (getauxval(AT_HWCAP) & HAS_NEON) != 0;
#endif
    return i <= 1;
}

#endif
