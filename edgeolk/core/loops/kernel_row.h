/* A kernel row: one example with all support vectors, tile by tile. */
#pragma once

#include "kernel_values.h"

/* One tile of products: tile[i] = sum_j g(x_j, sv[j][i]), `vectors` vectors of support vectors side
   by side, OLK_NORMED: |x|^2 + norms[i] - 2 x.s_i, |x|^2 in `norm_x`. `storage`, `vectors` and
   `product` are constants at every call: the accumulators stay in registers, and only one of the
   four products is compiled. */
static OLK_INLINE void olk_products(const int product, const int vectors, const int storage,
                                    const void *restrict sv, const olk_number *restrict norms,
                                    const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t d,
                                    const olk_number *restrict x, olk_number *restrict tile,
                                    olk_number *norm_x)
{
    olk_numbers acc[OLK_MAX_VECTORS], square = olk_splat(0);
    for (int v = 0; v < vectors; v++)
        acc[v] = olk_splat(0);
    for (ptrdiff_t j = 0; j < d; j++) {
        const olk_numbers xj =
            olk_splat(olk_is_inner(product) ? x[j] : olk_minus_offset(storage, x, j, quantizer));
        const void *restrict line = olk_stored_at(storage, sv, j * stride);
#if OLK_BYTES == 16
        /* Narrow vectors do not make the hardware prefetch far enough ahead. */
        for (int at = 0; at < vectors * (int)(OLK_LANES * olk_stored_bytes(storage)); at += 64)
            __builtin_prefetch((const char *)olk_stored_at(storage, line, 4 * stride) + at);
#endif
        if (product == OLK_NORMED)
            square = olk_madds(xj, xj, square);
        for (int v = 0; v < vectors; v++) {
            const void *restrict s = olk_stored_at(storage, line, v * OLK_LANES);
            if (olk_is_inner(product)) {
                acc[v] = olk_madds(xj, olk_load_full(storage, s, j, quantizer), acc[v]);
            } else {
                const olk_numbers difference = xj - olk_load_scaled(storage, s, j, quantizer);
                if (product == OLK_SQUARE)
                    acc[v] = olk_madds(difference, difference, acc[v]);
                else
                    acc[v] += olk_abs_numbers(difference);
            }
        }
    }
    for (int v = 0; v < vectors; v++) {
        if (product == OLK_NORMED)
            acc[v] = olk_distance(square, norms + v * OLK_LANES, acc[v]);
        olk_store_numbers(tile + v * OLK_LANES, acc[v]);
    }
    if (product == OLK_NORMED)
        *norm_x = OLK_LANE(square, 0);
}

/* olk_row_fn for a storage type, a constant. */
static OLK_INLINE double olk_row_of(const int storage, const olk_kernel *kernel, const void *sv,
                                    const void *norms, const olk_quantizer *quantizer,
                                    ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d, const void *query,
                                    int dtype, const void *coef, void *row, void *products)
{
    OLK_ALIGNED(64) olk_number tile[OLK_MAX_VECTORS * OLK_LANES];
    OLK_ALIGNED(64) double lane[8] = {0.0};
    const int squared = olk_is_squared(kernel);
    int normed = olk_has_norms(storage) && squared && norms;
    olk_number norm_x = 0;
    for (ptrdiff_t start = 0; start < n; start += OLK_MAX_VECTORS * OLK_LANES) {
        const void *slots = olk_stored_at(storage, sv, start);
        const ptrdiff_t w =
            n - start < OLK_MAX_VECTORS * OLK_LANES ? n - start : OLK_MAX_VECTORS * OLK_LANES;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        if (normed) {
            OLK_EACH_COUNT(vectors, olk_products, OLK_NORMED, storage, slots,
                           (const olk_number *)norms + start, quantizer, stride, d, query, tile,
                           &norm_x);
            normed = olk_is_precise(kernel, norm_x);
        }
        if (squared && !normed)
            OLK_EACH_COUNT(vectors, olk_products, OLK_SQUARE, storage, slots, NULL, quantizer,
                           stride, d, query, tile, NULL);
        else if (kernel->kind == OLK_LAPLACIAN)
            OLK_EACH_COUNT(vectors, olk_products, OLK_ABSOLUTE, storage, slots, NULL, quantizer,
                           stride, d, query, tile, NULL);
        else if (!squared)
            OLK_EACH_COUNT(vectors, olk_products, OLK_INNER, storage, slots, NULL, quantizer,
                           stride, d, query, tile, NULL);
        if (products)
            olk_collect(OLK_NUMBER_DTYPE, tile, w, dtype, NULL, products, start, NULL);
        olk_finish_inline(kernel, tile, vectors, w, dtype, coef, row, start, lane);
    }
    return olk_total(lane);
}

#define OLK_ROW_FUNCTION(name, storage)                                                            \
    static OLK_NOINLINE double name(const olk_kernel *kernel, const void *sv, const void *norms,   \
                                    const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n, \
                                    ptrdiff_t d, const void *x, int dtype, const void *coef,       \
                                    void *row, void *products)                                     \
    {                                                                                              \
        return olk_row_of(storage, kernel, sv, norms, quantizer, stride, n, d, x, dtype, coef,     \
                          row, products);                                                          \
    }
#if OLK_NUMBER_BITS == 64
OLK_ROW_FUNCTION(olk_row_f64, OLK_F64)
#else
OLK_ROW_FUNCTION(olk_row_f32, OLK_F32)
OLK_ROW_FUNCTION(olk_row_f16, OLK_F16)
OLK_ROW_FUNCTION(olk_row_i8, OLK_I8)
#endif
#undef OLK_ROW_FUNCTION
