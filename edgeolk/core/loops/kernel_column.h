/* Kernel values of several rows with one slot of the ring: they update the rows computed ahead
   after a learning step has changed a slot.

   A row's product is a separate sum, in the order of kernel_row.h; a vector computes the
   exponentials of several rows. */
#pragma once

#include "kernel_values.h"

/* sum[r] <- the product of row r with a slot, and norm_x[r] <- |row r|^2 with OLK_NORMED; `product`
   and `storage` are constants. */
static OLK_INLINE void olk_slot_products(const int product, const int storage,
                                         const void *restrict slot, const olk_quantizer *quantizer,
                                         ptrdiff_t stride, ptrdiff_t d, const olk_number *const *at,
                                         olk_number *restrict sum, olk_number *restrict norm_x)
{
    olk_number total[OLK_MAX_BATCH_ROWS] = {0}, square[OLK_MAX_BATCH_ROWS] = {0};
    for (ptrdiff_t j = 0; j < d; j++, slot = olk_stored_at(storage, slot, stride)) {
        olk_number s = olk_load_one(storage, slot);
        if (olk_is_quantized(storage)) {
            s = s * quantizer->scale[j];
            if (olk_is_inner(product))
                s = s + quantizer->offset[j];
        }
        for (int r = 0; r < OLK_MAX_BATCH_ROWS; r++) {
            const olk_number *restrict x = at[r];
            const olk_number difference =
                olk_is_inner(product) ? x[j] : olk_minus_offset(storage, x, j, quantizer) - s;
            if (product == OLK_NORMED)
                square[r] = olk_madd(difference, difference, square[r]);
            if (olk_is_inner(product))
                total[r] = olk_madd(difference, s, total[r]);
            else if (product == OLK_SQUARE)
                total[r] = olk_madd(difference, difference, total[r]);
            else
                total[r] += olk_abs_number(difference);
        }
    }
    for (int r = 0; r < OLK_MAX_BATCH_ROWS; r++) {
        sum[r] = total[r];
        if (product == OLK_NORMED)
            norm_x[r] = square[r];
    }
}

/* The same for any number of rows; the last one fills up the group. */
static OLK_INLINE void olk_slot_rows(const int product, const int storage, const void *slot,
                                     const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t d,
                                     const olk_number *x, ptrdiff_t pitch, ptrdiff_t count,
                                     olk_number *restrict sum, olk_number *restrict norm_x)
{
    for (ptrdiff_t i = 0; i < count; i += OLK_MAX_BATCH_ROWS) {
        const olk_number *at[OLK_MAX_BATCH_ROWS];
        for (int r = 0; r < OLK_MAX_BATCH_ROWS; r++)
            at[r] = x + (i + r < count ? i + r : count - 1) * pitch;
        olk_slot_products(product, storage, slot, quantizer, stride, d, at, sum + i, norm_x + i);
    }
}

/* Products of `count` rows, at most OLK_BLOCK, with a slot whose squared norm is `norm`. */
static OLK_INLINE void olk_slot_tile(const int storage, const olk_kernel *kernel, const void *slot,
                                     const olk_number *norm, const olk_quantizer *quantizer,
                                     ptrdiff_t stride, ptrdiff_t d, const olk_number *x,
                                     ptrdiff_t pitch, ptrdiff_t count, olk_number *restrict tile)
{
    olk_number norm_x[OLK_BLOCK + OLK_MAX_BATCH_ROWS], inner[OLK_BLOCK + OLK_MAX_BATCH_ROWS];
    int precise = 0, imprecise = 1;
    if (kernel->kind == OLK_LAPLACIAN) {
        olk_slot_rows(OLK_ABSOLUTE, storage, slot, quantizer, stride, d, x, pitch, count, tile,
                      norm_x);
        return;
    }
    if (!olk_is_squared(kernel)) {
        olk_slot_rows(OLK_INNER, storage, slot, quantizer, stride, d, x, pitch, count, tile,
                      norm_x);
        return;
    }
    if (olk_has_norms(storage) && norm) {
        olk_slot_rows(OLK_NORMED, storage, slot, quantizer, stride, d, x, pitch, count, inner,
                      norm_x);
        for (ptrdiff_t r = 0; r < count; r++)
            precise += olk_is_precise(kernel, norm_x[r]);
        imprecise = precise < count;
    }
    if (imprecise)
        olk_slot_rows(OLK_SQUARE, storage, slot, quantizer, stride, d, x, pitch, count, tile,
                      norm_x);
    for (ptrdiff_t r = 0; precise && r < count; r++)
        if (olk_is_precise(kernel, norm_x[r])) {
            const olk_number difference = (norm_x[r] + *norm) - (inner[r] + inner[r]);
            tile[r] = difference < 0 ? 0 : difference;
        }
}

/* outputs->values of `count` rows with one slot, bit for bit those of a kernel row. */
static OLK_INLINE void olk_slot(const int storage, const olk_kernel *kernel, const void *slot,
                                const void *norm, const olk_quantizer *quantizer, ptrdiff_t stride,
                                ptrdiff_t d, const olk_number *x, ptrdiff_t pitch, ptrdiff_t count,
                                const olk_row_outputs *outputs)
{
    OLK_ALIGNED(64) olk_number tile[OLK_BLOCK + 16] = {0};
    double values[OLK_BLOCK];
    for (ptrdiff_t i = 0; i < count; i += OLK_BLOCK) {
        const ptrdiff_t m = count - i < OLK_BLOCK ? count - i : OLK_BLOCK;
        olk_slot_tile(storage, kernel, slot, norm, quantizer, stride, d, x + i * pitch, pitch, m,
                      tile);
        olk_finish(kernel, tile, (int)((m + OLK_LANES - 1) / OLK_LANES), m, outputs->dtype, NULL,
                   values, 0, NULL);
        for (ptrdiff_t r = 0; r < m; r++)
            olk_put(outputs->dtype, outputs->values, (i + r) * outputs->values_pitch,
                    olk_get(outputs->dtype, values, r));
    }
}
