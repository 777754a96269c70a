/* The loops compiled once per instruction set. One unit of a program includes this, for all of it is
   static; the others see the table through simd.h. */
#ifndef EDGEOLK_VARIANTS_H
#define EDGEOLK_VARIANTS_H

#include "simd.h"

#define OLK_CAT_(a, b) a##_##b
#define OLK_CAT(a, b) OLK_CAT_(a, b)

#if defined(OLK_X86_VARIANTS)
#include <immintrin.h>
#elif defined(OLK_VECTORS) && defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Rows of a matrix taken at once against one vector: eight accumulators, eight sums a row. */
#define OLK_ROWS (OLK_BYTES ? OLK_BYTES / 8 : 2)

/* What a tile computes; constants in the loops. */
enum { OLK_SQUARE, OLK_ABSOLUTE, OLK_INNER };

/* Vectors of a tile, at most: all 16 registers of the plainer instruction sets hold 8 sums, the
   operands and what is in flight. */
#define OLK_MOST 8

/* Rows scored together, and vectors of support vectors beside each other then: their sums, the vectors
   and what is in flight fill the registers, 32 of AVX-512 and NEON, 16 elsewhere. */
#ifdef __aarch64__
#define OLK_WIDE_FILE 1
#else
#define OLK_WIDE_FILE (OLK_BYTES == 64)
#endif
#define OLK_TOGETHER (OLK_WIDE_FILE ? 6 : 4)
#define OLK_BESIDE (OLK_WIDE_FILE ? 4 : 2)

/* f(product, vectors, ...) with `vectors` a constant in each case. Numbers one by one are always
   taken OLK_MOST at a time: rows are padded to as many. */
#define OLK_EACH_COUNT(vectors, f, product, ...)                                                   \
    do {                                                                                           \
        switch (OLK_BYTES ? (vectors) : OLK_MOST) {                                                \
        case 1: f(product, 1, __VA_ARGS__); break;                                                 \
        case 2: f(product, 2, __VA_ARGS__); break;                                                 \
        case 3: f(product, 3, __VA_ARGS__); break;                                                 \
        case 4: f(product, 4, __VA_ARGS__); break;                                                 \
        case 5: f(product, 5, __VA_ARGS__); break;                                                 \
        case 6: f(product, 6, __VA_ARGS__); break;                                                 \
        case 7: f(product, 7, __VA_ARGS__); break;                                                 \
        default: f(product, OLK_MOST, __VA_ARGS__); break;                                         \
        }                                                                                          \
    } while (0)

/* exp(r) for |r| <= ln(2)/2, lifted: p(0) is exact, so that k(x, x) = 1. Relative errors 3e-9 and
   3e-16: with the rounding on the way the result is within 2 units in the last place of a float and
   within 4 of a double. */
#define OLK_LIFT 0x1p64
static const float olk_exp_polynomial_f32[] = {
    0x1p64f, 0x1p64f * 1.0000000497968269f, 0x1p64f * 0.500000043574032318f,
    0x1p64f * 0.166663648088619529f, 0x1p64f * 0.0416647733349355985f,
    0x1p64f * 0.00837905902467253242f, 0x1p64f * 0.00140614213267004718f,
};
static const double olk_exp_polynomial_f64[] = {
    0x1p64, 0x1p64 * 1.00000000000000915, 0x1p64 * 0.500000000000008387,
    0x1p64 * 0.166666666665234461, 0x1p64 * 0.0416666666655889199,
    0x1p64 * 0.00833333339605874063, 0x1p64 * 0.00138888892573971791,
    0x1p64 * 0.00019841157665135299, 0x1p64 * 0.0000248011149824355013,
    0x1p64 * 2.76451886360171513e-6, 0x1p64 * 2.77796021615499535e-7,
};

/* Numbers one by one, in plain C11. FUSED says whether a*b+c is one rounding: a fact of the
   instruction set, stated, not left to the compiler, so that two builds of one variant agree to the
   bit. */
#define OLK_FUSED 0
#define OLK_BYTES 0
#define OLK_ISA scalar
#include "isa.h"
#undef OLK_ISA
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
#define OLK_VARIANT(isa)                                                                           \
    {                                                                                              \
        .name = #isa,                                                                              \
        .row = {NULL, olk_row_f32_##isa, olk_row_f64_##isa, olk_row_f16_##isa, olk_row_i8_##isa},  \
        .rows = {NULL, olk_rows_f32_##isa, olk_rows_f64_##isa, olk_rows_f16_##isa,                 \
                 olk_rows_i8_##isa},                                                               \
        .sparse = {NULL, olk_sparse_f32_##isa, olk_sparse_f64_##isa, olk_sparse_f16_##isa, NULL},  \
        .pair = {NULL, olk_pair_f32_##isa, olk_pair_f64_##isa, olk_pair_f32_##isa,                 \
                 olk_pair_f32_##isa},                                                              \
        .recall = OLK_BY_REAL(recall, isa),                                                        \
        .dot = OLK_BY_REAL(dot, isa),                                                              \
        .weigh = OLK_BY_REAL(weigh, isa),                                                          \
        .axpy = OLK_BY_REAL(axpy, isa),                                                            \
        .scale = OLK_BY_REAL(scale, isa),                                                          \
        .clamp = OLK_BY_REAL(clamp, isa),                                                          \
        .divide_by_probability = OLK_BY_REAL(divide_by_probability, isa),                          \
        .settle = OLK_BY_REAL(settle, isa),                                                        \
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
        .matrix_vector = olk_matrix_vector_##isa,                                                  \
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
#endif
    return i <= 1;
}

#endif
