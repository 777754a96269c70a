/* Kernel rows: the hot loops of the library.

   Design. A score is f(x) = sum_i alpha_i k(s_i, x) over a ring stored feature-major (sv[d][stride]:
   one contiguous row per feature), so the products with all support vectors accumulate side by side:
   no horizontal sums, and one vector instruction serves 4 to 16 support vectors. A row is made of two
   halves: products (squared distance, inner product, L1 distance), then one elementwise transform.
   A tile of up to eight vectors of support vectors goes through all features with its sums in
   registers; only after the transform are the values widened to double and weighted.
   The code is compiled once per instruction set and chosen once at import. Rejected: target_clones
   (cannot be forced from outside, silently falls back) and -ffast-math (reorders what we promise). */
#ifndef EDGEOLK_SIMD_H
#define EDGEOLK_SIMD_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "storage.h"

/* OLK_DISTANCE is no kernel: its row is the squared distances themselves. */
enum { OLK_DISTANCE = 0 };
enum { OLK_GAUSSIAN = 1, OLK_LAPLACIAN = 2, OLK_POLYNOMIAL = 3, OLK_LINEAR = 4, OLK_SIGMOID = 5 };

/* Parameters of one kernel, as stored in a model block (fixed width, no padding). */
typedef struct {
    int32_t kind;
    int32_t degree; /* polynomial */
    double gamma;   /* Gaussian, Laplacian: k = exp(-gamma * distance) */
    double scale;   /* polynomial, sigmoid: scale * <x, s> + offset */
    double offset;
} olk_kernel;

/* Returns sum_i coef[i] k(s_i, x) over i < n, summed in double. `row`, if not NULL, receives the n
   kernel values, and `products` what they were made from; `coef` may be NULL (the sum is then 0).
   The three are arrays of the type `real`, OLK_F32 or OLK_F64. Rows of sv are read up to the next
   multiple of 16 slots (8 for float64): beyond the last row, at most 64 bytes of whatever follows in
   the block. x is double for float64, else float. */
typedef double (*olk_row_fn)(const olk_kernel *kernel, const void *sv, const olk_quantum *quantum,
                             ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d, const void *x, int real,
                             const void *coef, void *row, void *products);
/* The same for an example given by its non-zeros, `count` indices and values; norms[i] is |s_i|^2, or
   sum_j |s_ij| for the Laplacian kernel, in the type of the values. */
typedef double (*olk_sparse_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                const int32_t *index, const void *values, int real,
                                const void *coef, void *row);
/* k(a, b) of two contiguous vectors of the type of x. */
typedef double (*olk_pair_fn)(const olk_kernel *kernel, const void *a, const void *b, ptrdiff_t d);

/* One instruction set's functions, described where they are defined (vectors.h, coefficients.h,
   searches.h, merge.h, angles.h, linalg.h). Rows and pairs by storage type. Those with an index of
   OLK_REALS by the type of coefficients, kernel rows and products, their `void` arrays; the others in
   double. */
enum { OLK_REALS = OLK_F64 + 1 };
typedef struct {
    const char *name;
    olk_row_fn row[OLK_N_STORAGE + 1];
    olk_sparse_fn sparse[OLK_N_STORAGE + 1]; /* NULL for int8: its zero is no level */
    olk_pair_fn pair[OLK_N_STORAGE + 1];
    double (*dot[OLK_REALS])(const void *a, const void *b, ptrdiff_t n);
    void (*weigh[OLK_REALS])(const void *row, const void *coef, ptrdiff_t stride, ptrdiff_t n,
                             ptrdiff_t columns, double *f);
    void (*axpy[OLK_REALS])(void *y, double w, const void *x, ptrdiff_t n);
    void (*clamp[OLK_REALS])(void *coef, ptrdiff_t n, double most);
    void (*divide_by_probability[OLK_REALS])(void *coef, const double *w, ptrdiff_t n, double c);
    double (*max_abs[OLK_REALS])(const void *coef, const double *diagonal, ptrdiff_t n);
    ptrdiff_t (*argmin[OLK_REALS])(const void *v, ptrdiff_t n);
    ptrdiff_t (*argmin_abs[OLK_REALS])(const void *coef, const double *diagonal,
                                       const int64_t *arrival, ptrdiff_t n);
    ptrdiff_t (*argmin_line_residual[OLK_REALS])(const void *coef, const double *diagonal,
                                                 const void *row, double k_tt, ptrdiff_t n,
                                                 double *least);
    ptrdiff_t (*argmin_plane_residual[OLK_REALS])(const void *coef, const double *diagonal,
                                                  const void *row, double k_tt,
                                                  const int64_t *near, const double *near_k,
                                                  double singular, ptrdiff_t n, double *least);
    void (*merge[OLK_REALS])(double b, double gamma, ptrdiff_t iters, const void *coef,
                             const void *distance, ptrdiff_t n, double *height, double *loss);
    void (*cos_sin[OLK_REALS])(void *row, ptrdiff_t n, double norm);
    double (*sum_uncertain)(const double *w, ptrdiff_t n, double c, ptrdiff_t *certain);
    void (*matrix_vector)(const double *a, ptrdiff_t stride, ptrdiff_t m, ptrdiff_t n,
                          const double *x, double *y);
    void (*rotate)(double *low, double *high, double c, double s, ptrdiff_t n);
    void (*symmetric_product)(const double *a, ptrdiff_t n, const double *x, double *y);
    double (*solve_inverse_factor)(const double *m, ptrdiff_t n, const double *x, double *y);
    void (*rank_two_update)(double *a, ptrdiff_t n, double p, const double *u, double q,
                            const double *c);
    void (*solve_lower)(const double *l, double *b, ptrdiff_t n);
    void (*solve_lower_transposed)(const double *l, double *b, ptrdiff_t n);
    int (*cholesky)(double *a, ptrdiff_t n);
    int (*invert)(double *a, ptrdiff_t n, double *work);
} olk_simd;

#define OLK_CAT_(a, b) a##_##b
#define OLK_CAT(a, b) OLK_CAT_(a, b)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define OLK_X86_VARIANTS 1
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Rows of a matrix taken at once against one vector: eight accumulators, eight sums a row. */
#define OLK_ROWS (OLK_BYTES / 8)

/* What a tile computes; constants in the loops. */
enum { OLK_SQUARE, OLK_ABSOLUTE, OLK_INNER };

/* Vectors of a tile, at most: all 16 registers of the plainer instruction sets hold 8 sums, the
   operands and what is in flight. */
#define OLK_MOST 8

/* f(product, vectors, ...) with `vectors` a constant in each case. */
#define OLK_EACH_COUNT(vectors, f, product, ...)                                                   \
    do {                                                                                           \
        switch (vectors) {                                                                         \
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
   3e-16, below the rounding of the numbers they are computed in. */
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

/* FUSED says whether a*b+c is one rounding: a fact of the instruction set, stated, not left to the
   compiler, so that two builds of one variant agree to the bit. */
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

#ifdef OLK_X86_VARIANTS
#define OLK_FUSED 1
#define OLK_BYTES 32
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define OLK_ISA v3
#include "isa.h"
#undef OLK_ISA
#undef OLK_BYTES
#pragma GCC pop_options
#define OLK_BYTES 64
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#define OLK_ISA v4
#include "isa.h"
#undef OLK_ISA
#undef OLK_BYTES
#pragma GCC pop_options
#endif

#define OLK_BY_REAL(name, isa) {NULL, olk_##name##_f32_##isa, olk_##name##_f64_##isa}
#define OLK_VARIANT(isa)                                                                           \
    {                                                                                              \
        .name = #isa,                                                                              \
        .row = {NULL, olk_row_f32_##isa, olk_row_f64_##isa, olk_row_f16_##isa, olk_row_i8_##isa},  \
        .sparse = {NULL, olk_sparse_f32_##isa, olk_sparse_f64_##isa, olk_sparse_f16_##isa, NULL},  \
        .pair = {NULL, olk_pair_f32_##isa, olk_pair_f64_##isa, olk_pair_f32_##isa,                 \
                 olk_pair_f32_##isa},                                                              \
        .dot = OLK_BY_REAL(dot, isa),                                                              \
        .weigh = OLK_BY_REAL(weigh, isa),                                                          \
        .axpy = OLK_BY_REAL(axpy, isa),                                                            \
        .clamp = OLK_BY_REAL(clamp, isa),                                                          \
        .divide_by_probability = OLK_BY_REAL(divide_by_probability, isa),                          \
        .max_abs = OLK_BY_REAL(max_abs, isa),                                                      \
        .argmin = OLK_BY_REAL(argmin, isa),                                                        \
        .argmin_abs = OLK_BY_REAL(argmin_abs, isa),                                                \
        .argmin_line_residual = OLK_BY_REAL(argmin_line_residual, isa),                            \
        .argmin_plane_residual = OLK_BY_REAL(argmin_plane_residual, isa),                          \
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
    OLK_VARIANT(baseline),
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
    if (i == 1)
        return __builtin_cpu_supports("x86-64-v3");
    if (i == 2)
        return __builtin_cpu_supports("x86-64-v4");
#endif
    return i == 0;
}

#endif
