/* Kernel rows of an example given by its non-zeros. Distances use stored norms, |x|^2 + |s|^2 - 2
   x.s (clamped at 0), or for the L1 distance sum |s_j| + sum over non-zeros of |x_j - s_j| - |s_j|:
   only the non-zeros' rows of the ring are read. Good if most numbers are exact zeros; far from the
   origin the dense row keeps digits that this one loses. */
#pragma once

#include "kernel_values.h"

/* One tile of products; constants as in kernel_row.h. */
static OLK_INLINE void olk_sparse_products(const int product, const int vectors, const int storage,
                                           const void *restrict sv,
                                           const olk_number *restrict norms, olk_number norm_x,
                                           ptrdiff_t stride, ptrdiff_t count,
                                           const int32_t *restrict index,
                                           const olk_number *restrict x, olk_number *restrict tile)
{
    olk_numbers acc[OLK_MAX_VECTORS];
    for (int v = 0; v < vectors; v++)
        acc[v] = olk_splat(0);
    for (ptrdiff_t k = 0; k < count; k++) {
        const olk_numbers xj = olk_splat(x[k]);
        const void *restrict line = olk_stored_at(storage, sv, index[k] * stride);
        for (int v = 0; v < vectors; v++) {
            const olk_numbers s = olk_load(storage, olk_stored_at(storage, line, v * OLK_LANES));
            if (product == OLK_ABSOLUTE)
                acc[v] += olk_abs_numbers(xj - s) - olk_abs_numbers(s);
            else
                acc[v] = olk_madds(xj, s, acc[v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        const olk_number *const norm = norms + v * OLK_LANES;
        if (product == OLK_SQUARE)
            acc[v] = olk_distance(olk_splat(norm_x), norm, acc[v]);
        else if (product == OLK_ABSOLUTE)
            acc[v] = olk_max_numbers(olk_splat(0), olk_load_numbers(norm) + acc[v]);
        olk_store_numbers(tile + v * OLK_LANES, acc[v]);
    }
}

/* olk_sparse_fn for a storage type, a constant. */
static OLK_INLINE double olk_sparse_of(const int storage, const olk_kernel *kernel, const void *sv,
                                       const void *norms, ptrdiff_t stride, ptrdiff_t n,
                                       ptrdiff_t count, const int32_t *index, const void *query,
                                       int dtype, const void *coef, void *row)
{
    const olk_number *x = query;
    OLK_ALIGNED(64) olk_number tile[OLK_MAX_VECTORS * OLK_LANES];
    OLK_ALIGNED(64) double lane[8] = {0.0};
    olk_number norm_x = 0;
    for (ptrdiff_t k = 0; k < count; k++)
        norm_x = olk_madd(x[k], x[k], norm_x);
    for (ptrdiff_t start = 0; start < n; start += OLK_MAX_VECTORS * OLK_LANES) {
        const void *slots = olk_stored_at(storage, sv, start);
        const olk_number *norm = (const olk_number *)norms + start;
        const ptrdiff_t w =
            n - start < OLK_MAX_VECTORS * OLK_LANES ? n - start : OLK_MAX_VECTORS * OLK_LANES;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        if (olk_is_squared(kernel))
            OLK_EACH_COUNT(vectors, olk_sparse_products, OLK_SQUARE, storage, slots, norm, norm_x,
                           stride, count, index, x, tile);
        else if (kernel->kind == OLK_LAPLACIAN)
            OLK_EACH_COUNT(vectors, olk_sparse_products, OLK_ABSOLUTE, storage, slots, norm, norm_x,
                           stride, count, index, x, tile);
        else
            OLK_EACH_COUNT(vectors, olk_sparse_products, OLK_INNER, storage, slots, norm, norm_x,
                           stride, count, index, x, tile);
        olk_finish(kernel, tile, vectors, w, dtype, coef, row, start, lane);
    }
    return olk_total(lane);
}

/* olk_norm_fn for a storage type, a constant. */
static OLK_INLINE double olk_norm_of(const int storage, const olk_kernel *kernel,
                                     const void *vectors, ptrdiff_t stride, ptrdiff_t d)
{
    olk_numbers total = olk_splat(0);
    for (ptrdiff_t j = 0; j < d; j++) {
        const olk_numbers s = olk_load(storage, olk_stored_at(storage, vectors, j * stride));
        if (kernel->kind == OLK_LAPLACIAN)
            total += olk_abs_numbers(s);
        else
            total = olk_madds(s, s, total);
    }
    return (double)OLK_LANE(total, 0);
}

#define OLK_SPARSE_FUNCTIONS(sparse, norm, storage)                                                \
    static double sparse(const olk_kernel *kernel, const void *sv, const void *norms,              \
                         ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count, const int32_t *index,     \
                         const void *x, int dtype, const void *coef, void *row)                    \
    {                                                                                              \
        return olk_sparse_of(storage, kernel, sv, norms, stride, n, count, index, x, dtype, coef,  \
                             row);                                                                 \
    }                                                                                              \
    static double norm(const olk_kernel *kernel, const void *sv, ptrdiff_t stride, ptrdiff_t d)    \
    {                                                                                              \
        return olk_norm_of(storage, kernel, sv, stride, d);                                        \
    }
#if OLK_NUMBER_BITS == 64
OLK_SPARSE_FUNCTIONS(olk_sparse_f64, olk_norm_f64, OLK_F64)
#else
OLK_SPARSE_FUNCTIONS(olk_sparse_f32, olk_norm_f32, OLK_F32)
OLK_SPARSE_FUNCTIONS(olk_sparse_f16, olk_norm_f16, OLK_F16)
#endif
#undef OLK_SPARSE_FUNCTIONS
