/* Kernel rows: the hot loops of the library.

   Design. A score is f(x) = sum_i alpha_i k(s_i, x) over a ring stored feature-major
   (sv[d][stride]: one contiguous row per feature), so the products with all support vectors
   accumulate in parallel lanes: no horizontal sums, and one vector instruction serves 4 to 16
   support vectors. A row takes two steps: products (squared distance, inner product, L1 distance),
   then one elementwise transform. A tile of up to eight vectors of support vectors goes through all
   features with its sums in registers; only after the transform are the values widened to double
   and weighted. The code is compiled once per instruction set (ring_unit.h) and selected once at
   import (ring_variants.h); this header has the types and the sizes of tiles. Rejected:
   target_clones (cannot be forced from outside, silently falls back) and -ffast-math (breaks the
   promised order of sums). */
#pragma once

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "krls_auto_types.h"
#include "port.h"
#include "scaler_compact.h"
#include "storage.h"

/* -- Kernels and the table of functions -- */

/* OLK_DISTANCE is not a kernel: its row is the squared distances. */
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
   kernel values, and `products` the products before the transform; `coef` may be NULL (the sum is
   then 0). All three are arrays of type `dtype`, OLK_F32 or OLK_F64. Rows of sv are read up to the
   next multiple of 16 slots (8 for float64): beyond the last row, at most 64 bytes of what follows
   in the block. x is double for float64, else float. norms[i], if not NULL, is |s_i|^2 as
   olk_norm_fn computes it, in the type of x, read as far as a row of sv: squared distances of rows
   near the origin (ring_table.h) are computed from these and from inner products. */
typedef double (*olk_row_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                             const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n,
                             ptrdiff_t d, const void *x, int dtype, const void *coef, void *row,
                             void *products);
/* Outputs of the kernel values of several rows: unless coef is NULL, f[i * columns + c], the sums
   of row i with `columns` columns of coefficients at a pitch of `stride`; unless `values` is NULL,
   the values themselves, those of row i from number i * values_pitch on. Of type `dtype`. */
typedef struct {
    int dtype;
    const void *coef;
    ptrdiff_t columns, stride;
    double *f;
    void *values;
    ptrdiff_t values_pitch;
} olk_row_outputs;
/* The same for `count` rows at a pitch of `pitch` numbers: bit for bit olk_row_fn one by one, and
   for several columns the sums of `weigh` over its row. At most OLK_SUMS_OF_BLOCK / (2
   OLK_MAX_BATCH_ROWS) columns (ring_table.h). */
typedef void (*olk_rows_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                            const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n,
                            ptrdiff_t d, const void *x, ptrdiff_t pitch, ptrdiff_t count,
                            const olk_row_outputs *wanted);
/* sum_i coef[i] values[i] over n kernel values stored by olk_rows_fn, and their copy in `row`; coef
   and row are of type `dtype` and may be NULL. Bit for bit the result of olk_row_fn. */
typedef double (*olk_cached_row_fn)(const void *values, ptrdiff_t n, int dtype, const void *coef,
                                    void *row);
/* The same for an example given by its non-zeros, `count` indices and values; norms[i] is |s_i|^2,
   or sum_j |s_ij| for the Laplacian kernel, in the type of the values, read as far as a row of
   sv. */
typedef double (*olk_sparse_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                const int32_t *index, const void *values, int dtype,
                                const void *coef, void *row);
/* |s|^2 of one vector of a ring, or sum_j |s_j| for the Laplacian kernel, rounded as the rows of
   this variant are, so that the distance of a vector from itself is 0. */
typedef double (*olk_norm_fn)(const olk_kernel *kernel, const void *sv, ptrdiff_t stride,
                              ptrdiff_t d);
/* k(a, b) of two contiguous vectors of the type of x. */
typedef double (*olk_pair_fn)(const olk_kernel *kernel, const void *a, const void *b, ptrdiff_t d);

/* Sums of a Gaussian process: words of a block, part of the file format (core/state.pxd). */
typedef struct {
    double error, weight, scale; /* scale: of the stored matrix of the posterior */
} olk_evidence;

/* A Gaussian process on a ring (gaussian_process.h): options, limits, where its numbers are, and the
   row of a step. `work` and `work2` have the type of coefficients in whitened coordinates, else
   they are double. */
typedef struct {
    double forgetting, noise, jitter;
    int32_t whitened, by_divergence; /* 0 or 1; by_divergence: who leaves, as in SOGP */
    /* of coefficients; of matrices; of the common scale; below every pivot of an inverse */
    double max_coefficient, max_entry, max_scale, min_pivot;
    ptrdiff_t budget, n; /* n: vectors before the row is learned */
    void *coef;          /* over the common scale */
    double *scale;
    olk_evidence *evidence;
    void *gram, *posterior, *mean;
    void *row; /* the kernel row, overwritten */
    void *work, *work2, *work3;
    /* of the row: its target, its score; what was found out about it, and the slot it enters */
    double y, f, self_kernel, distance, variance;
    ptrdiff_t slot;
} olk_process;

/* The largest entry of matrices during learning, in the root of a sum of squares: far below what
   files may hold (ring_holds.h). `wide`: double, else float; `normalised`: k(x, x) = 1. */
static inline double olk_max_entry(int wide, int normalised)
{
    return !wide ? 1e18 : normalised ? 1e60 : 1e150;
}

/* What every pivot of the inverse of a Gram matrix is above: (K^-1)_ii is at least 1 / K_ii, far
   above this. `added`: to the diagonal. */
static inline double olk_lowest_pivot(int normalised, double added)
{
    return normalised ? 1e-3 / (1.0 + added) : 0.0;
}

/* The next ridge to try where a Gram matrix, with k(x, x) of one vector, has no inverse. */
static inline double olk_raised_ridge(double ridge, double self_kernel)
{
    const double share = 1e-14 * self_kernel, least = share > 1e-300 ? share : 1e-300;
    return 10.0 * ridge > least ? 10.0 * ridge : least;
}

/* The functions of one instruction set, described where they are defined (dots.h, ring.h,
   ring.h, ring.h, ring.h, linalg.h, linalg.h, gaussian_process.h, krls_auto.h,
   scaler_compact.h). Rows and pairs are indexed
   by storage type. Functions indexed by OLK_DTYPES take `void` arrays of that type of coefficients,
   kernel rows and products; the others are in double. */
typedef struct {
    const char *name;
    olk_row_fn row[OLK_STORAGES];
    olk_rows_fn rows[OLK_STORAGES];
    olk_sparse_fn sparse[OLK_STORAGES]; /* NULL for int8, where 0 may not be a level */
    olk_norm_fn norm[OLK_STORAGES];     /* NULL for int8 too */
    olk_pair_fn pair[OLK_STORAGES];
    olk_cached_row_fn cached_row[OLK_DTYPES]; /* by the type of the values */
    double (*dot[OLK_DTYPES])(const void *a, const void *b, ptrdiff_t n);
    void (*weigh[OLK_DTYPES])(const void *row, const void *coef, ptrdiff_t stride, ptrdiff_t n,
                              ptrdiff_t columns, double *f);
    void (*weigh_values[OLK_DTYPES])(int dtype, const void *values, const void *coef,
                                     ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns, double *f);
    void (*axpy[OLK_DTYPES])(void *y, double w, const void *x, ptrdiff_t n);
    void (*scale[OLK_DTYPES])(void *coef, ptrdiff_t n, double factor);
    void (*clamp[OLK_DTYPES])(void *coef, ptrdiff_t n, double limit);
    void (*divide_by_probability[OLK_DTYPES])(void *coef, const double *w, ptrdiff_t n, double c);
    void (*flush_average[OLK_DTYPES])(const void *coef, double weight, double *start, double *sum,
                                      ptrdiff_t n);
    double (*sizes[OLK_DTYPES])(const void *coef, const double *diagonal, ptrdiff_t n,
                                double *size);
    double (*max_abs[OLK_DTYPES])(const void *coef, const double *diagonal, ptrdiff_t n);
    ptrdiff_t (*argmin[OLK_DTYPES])(const void *v, ptrdiff_t n);
    ptrdiff_t (*argmin_abs[OLK_DTYPES])(const void *coef, const double *diagonal,
                                        const int64_t *arrival, ptrdiff_t n);
    ptrdiff_t (*argmin_line[OLK_DTYPES])(const void *coef, const double *weight,
                                         const double *diagonal, const void *row, double k_tt,
                                         ptrdiff_t n, double *smallest);
    ptrdiff_t (*argmin_plane[OLK_DTYPES])(const void *coef, const double *weight,
                                          const double *diagonal, const void *row, double k_tt,
                                          const int64_t *near, const double *near_k,
                                          double singular, ptrdiff_t n, double *smallest);
    void (*squares[OLK_DTYPES])(const void *coef, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                double *squares);
    void (*cos_sin[OLK_DTYPES])(void *row, ptrdiff_t n, double norm);
    void (*merge)(int dtype, double b, double gamma, ptrdiff_t iters, const void *coef,
                  const void *distance, ptrdiff_t n, double *height, double *loss);
    double (*sum_uncertain)(const double *w, ptrdiff_t n, double c, ptrdiff_t *certain);
    ptrdiff_t (*sample_evicted)(const double *w, ptrdiff_t n, double c, double u);
    void (*matrix_vector)(const double *a, ptrdiff_t stride, ptrdiff_t m, ptrdiff_t n,
                          const double *x, double *y);
    void (*matrix_vectors)(const double *a, ptrdiff_t stride, ptrdiff_t m, ptrdiff_t n,
                           const double *x, ptrdiff_t x_pitch, ptrdiff_t count, double *y,
                           ptrdiff_t pitch);
    void (*rotate)(double *low, double *high, double c, double s, ptrdiff_t n);
    void (*symmetric_product)(const double *a, ptrdiff_t n, const double *x, double *y);
    double (*solve_inverse_factor)(const double *m, ptrdiff_t n, const double *x, double *y);
    void (*rank_two_update)(double *a, ptrdiff_t n, double p, const double *u, double q,
                            const double *c);
    void (*solve_lower)(const double *l, double *b, ptrdiff_t n);
    void (*solve_lower_transposed)(const double *l, double *b, ptrdiff_t n);
    int (*cholesky)(double *a, ptrdiff_t n);
    int (*invert)(double *a, ptrdiff_t n, double *work);
    int (*process_outside[OLK_DTYPES])(olk_process *g);
    ptrdiff_t (*process_victim[OLK_DTYPES])(const olk_process *g);
    ptrdiff_t (*process_learn[OLK_DTYPES])(olk_process *g);
    double (*process_variance[OLK_DTYPES])(const olk_process *g);
    int (*process_is_sound[OLK_DTYPES])(const olk_process *g);
    void (*auto_begin[OLK_DTYPES])(olk_untuned *t);
    int (*auto_accepts[OLK_DTYPES])(const olk_untuned *t, const void *x);
    int (*auto_takes[OLK_DTYPES])(const olk_untuned *t, double y);
    double (*auto_learn[OLK_DTYPES])(olk_untuned *t, const void *x, double y);
    double (*auto_answer[OLK_DTYPES])(olk_untuned *t, const void *x);
    double (*auto_variance[OLK_DTYPES])(olk_untuned *t, const void *x);
    double (*auto_ask[OLK_DTYPES])(olk_untuned *t, const void *x);
    double (*auto_tell[OLK_DTYPES])(olk_untuned *t, double y);
    void (*auto_forget[OLK_DTYPES])(const olk_untuned *t);
    olk_learn_readings_fn learn_readings;
} olk_simd;

/* -- Tile sizes -- */

/* Rows of a matrix taken at once against one vector: eight accumulators, eight sums a row. */
enum { OLK_ROWS = (OLK_BYTES ? OLK_BYTES / 8 : 2) };
/* Columns of coefficients taken at once against a kernel row: more where there are more
   registers. */
enum { OLK_COLUMNS = (OLK_BYTES == 64 ? 12 : OLK_ROWS) };

/* What a tile computes; constants in the loops. */
enum { OLK_SQUARE, OLK_ABSOLUTE, OLK_INNER, OLK_NORMED };
static OLK_INLINE int olk_is_inner(const int product)
{
    return product == OLK_INNER || product == OLK_NORMED;
}

static OLK_INLINE int olk_is_squared(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE;
}

static OLK_INLINE int olk_is_exponential(const olk_kernel *kernel)
{
    return kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_LAPLACIAN;
}

/* Whether norms are stored, for squared distances; not with a quantized storage type. */
static inline int olk_has_norms(int storage)
{
    return !olk_is_quantized(storage);
}

/* A squared distance from norms and an inner product of d numbers has an error of up to (d + 3)
   2^-24 (|x| + |s|)^2, in double 2^-53: more than a sum of d squared differences if the vectors are
   long and close to each other. gamma |x|^2 up to these limits keeps the Gaussian's absolute error
   below 260 (d + 3) 2^-24, and 5e-10 (d + 3) in double, in the worst case, where no roundings
   cancel; rows farther from the origin use differences. */
static const double OLK_NEAR_F32 = 64.0, OLK_NEAR_F64 = 0x1p20;

/* Maximum vectors of a tile: 8 sums, the operands and temporaries fill the 16 registers of the
   simpler instruction sets. */
enum { OLK_MAX_VECTORS = 8 };

/* Rows of a batch tile, and its vectors of support vectors: their sums, the vectors and temporaries
   fill the registers, 32 with AVX-512 and NEON, 16 elsewhere. Below: rows of a block and their
   running sums, at most, and a panel of the ring, all on the stack. */
#ifdef __aarch64__
enum { OLK_32_REGISTERS = 1 };
#else
enum { OLK_32_REGISTERS = OLK_BYTES == 64 };
#endif
enum { OLK_MAX_BATCH_ROWS = 6 };
enum { OLK_BATCH_ROWS = (OLK_32_REGISTERS || OLK_BYTES == 32 ? OLK_MAX_BATCH_ROWS : 3) };
enum { OLK_TILE_VECTORS = (OLK_32_REGISTERS ? 4 : 2) };
/* Rows whose kernel values are weighted at once. */
enum { OLK_WEIGHTED_ROWS = (OLK_BYTES ? OLK_BATCH_ROWS : 1) };
/* Vectors of exponentials computed at once. */
enum { OLK_EXP_VECTORS = (OLK_32_REGISTERS ? 8 : 4) };
/* Source of a tile's numbers: the ring, the ring with a copy into the panel, the panel. */
enum { OLK_RING, OLK_COPIED, OLK_PANEL };
enum { OLK_BLOCK = 24, OLK_SUMS_OF_BLOCK = 320, OLK_PANEL_BYTES = 256, OLK_DEPTH = 64 };

/* f(product, vectors, ...) with `vectors` a constant in each case. Without vectors, always
   OLK_MAX_VECTORS numbers at a time: rows are padded to as many. */
#define OLK_EACH_COUNT(vectors, f, product, ...)                                                   \
    do {                                                                                           \
        switch (OLK_BYTES ? (vectors) : OLK_MAX_VECTORS) {                                         \
        case 1:                                                                                    \
            f(product, 1, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 2:                                                                                    \
            f(product, 2, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 3:                                                                                    \
            f(product, 3, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 4:                                                                                    \
            f(product, 4, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 5:                                                                                    \
            f(product, 5, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 6:                                                                                    \
            f(product, 6, __VA_ARGS__);                                                            \
            break;                                                                                 \
        case 7:                                                                                    \
            f(product, 7, __VA_ARGS__);                                                            \
            break;                                                                                 \
        default:                                                                                   \
            f(product, OLK_MAX_VECTORS, __VA_ARGS__);                                              \
            break;                                                                                 \
        }                                                                                          \
    } while (0)
