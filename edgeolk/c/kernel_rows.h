/* Kernel rows of several examples in one pass over the ring, of several examples with one slot, and
   of a sparse example; the bits are those of kernels.h. For ring_unit.h. */
#pragma once

#include "kernels.h"

/* -- One slot with several rows --
   Kernel values of several rows with one slot of the ring: they update the rows computed ahead
   after a learning step has changed a slot.

   A row's product is a separate sum, in the order of kernels.h; a vector computes the
   exponentials of several rows. */

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

/* -- The ring with several rows --
   Kernel rows of several examples in one pass over the ring.

   OLK_BATCH_ROWS rows against OLK_TILE_VECTORS vectors of support vectors fill the registers with
   sums. A block of rows goes over the ring panel by panel; a panel is copied while it is first
   used, so that it stays contiguous in the nearest cache, and numbers stored narrow are widened
   once per block. Every number is computed in the order of kernels.h: its bits are the same. */

/* Features `first` to first + depth - 1 of the ring from a slot on, and the panel that holds, or
   receives, their widened numbers. */
typedef struct {
    const void *sv;
    ptrdiff_t stride;
    const olk_quantizer *quantizer;
    olk_number *panel;
    ptrdiff_t first, depth;
} olk_slice;

/* The products of OLK_BATCH_ROWS rows with vectors v0 to v0 + vectors - 1 of a slice, added to
   tiles at a pitch of OLK_WIDTH. */
static OLK_INLINE void olk_tile(const int product, const int way, const int vectors,
                                const int storage, const olk_slice *slice, int v0,
                                const olk_number *const *rows, olk_number *restrict tile)
{
    olk_numbers acc[OLK_BATCH_ROWS][OLK_TILE_VECTORS];
    const olk_number *at[OLK_BATCH_ROWS];
    const olk_quantizer *const quantizer = slice->quantizer;
    const ptrdiff_t first = slice->first, depth = slice->depth, stride = slice->stride;
    const void *restrict line = olk_stored_at(storage, slice->sv, first * stride + v0 * OLK_LANES);
    olk_number *restrict copy = way == OLK_RING ? NULL : slice->panel + v0 * OLK_LANES;
    tile += v0 * OLK_LANES;
    for (int r = 0; r < OLK_BATCH_ROWS; r++) {
        at[r] = rows[r];
        for (int v = 0; v < vectors; v++)
            acc[r][v] =
                first == 0 ? olk_splat(0) : olk_load_numbers(tile + r * OLK_WIDTH + v * OLK_LANES);
    }
    for (ptrdiff_t j = first; j < first + depth; j++, line = olk_stored_at(storage, line, stride)) {
        olk_numbers s[OLK_TILE_VECTORS];
        for (int v = 0; v < vectors; v++) {
            const void *here = olk_stored_at(storage, line, v * OLK_LANES);
            if (way == OLK_PANEL)
                s[v] = olk_load_numbers(copy + v * OLK_LANES);
            else if (olk_is_inner(product))
                s[v] = olk_load_full(storage, here, j, quantizer);
            else
                s[v] = olk_load_scaled(storage, here, j, quantizer);
            if (way == OLK_COPIED)
                olk_store_numbers(copy + v * OLK_LANES, s[v]);
        }
        if (way != OLK_RING)
            copy += OLK_WIDTH;
        for (int r = 0; r < OLK_BATCH_ROWS; r++) {
            const olk_number *restrict x = at[r];
            const olk_numbers xj = olk_splat(
                olk_is_inner(product) ? x[j] : olk_minus_offset(storage, x, j, quantizer));
            for (int v = 0; v < vectors; v++) {
                if (olk_is_inner(product)) {
                    acc[r][v] = olk_madds(xj, s[v], acc[r][v]);
                } else {
                    const olk_numbers difference = xj - s[v];
                    if (product == OLK_SQUARE)
                        acc[r][v] = olk_madds(difference, difference, acc[r][v]);
                    else
                        acc[r][v] += olk_abs_numbers(difference);
                }
            }
        }
    }
    for (int r = 0; r < OLK_BATCH_ROWS; r++)
        for (int v = 0; v < vectors; v++)
            olk_store_numbers(tile + r * OLK_WIDTH + v * OLK_LANES, acc[r][v]);
}

/* The same with all the vectors of a slice. */
static OLK_INLINE void olk_tiles(const int product, const int way, const int storage, int vectors,
                                 const olk_slice *slice, const olk_number *const *rows,
                                 olk_number *restrict tile)
{
    int v = 0;
    for (; v + OLK_TILE_VECTORS <= vectors; v += OLK_TILE_VECTORS)
        olk_tile(product, way, OLK_TILE_VECTORS, storage, slice, v, rows, tile);
    for (; v < vectors; v++)
        olk_tile(product, way, 1, storage, slice, v, rows, tile);
}

/* Rows of a batch: those near the origin first, both groups padded to a multiple of OLK_BATCH_ROWS
   by repeating their last row. */
typedef struct {
    const olk_number *row[OLK_BLOCK + OLK_BATCH_ROWS];
    olk_number norm_x[OLK_BLOCK + OLK_BATCH_ROWS];
    ptrdiff_t to[OLK_BLOCK + OLK_BATCH_ROWS]; /* index of the row, -1 for padding */
    ptrdiff_t precise, n;
} olk_batch;

/* norm_x[r] <- |row r|^2 as olk_products computes it, 0 <= r < count. */
static OLK_NOINLINE void olk_lengths(const olk_number *restrict rows, ptrdiff_t pitch,
                                     ptrdiff_t count, ptrdiff_t d, olk_number *restrict norm_x)
{
    for (ptrdiff_t i = 0; i < count; i += OLK_BATCH_ROWS) {
        const olk_number *at[OLK_BATCH_ROWS];
        olk_number sum[OLK_BATCH_ROWS] = {0};
        for (int r = 0; r < OLK_BATCH_ROWS; r++)
            at[r] = rows + (i + r < count ? i + r : count - 1) * pitch;
        for (ptrdiff_t j = 0; j < d; j++)
            for (int r = 0; r < OLK_BATCH_ROWS; r++)
                sum[r] = olk_madd(at[r][j], at[r][j], sum[r]);
        for (int r = 0; r < OLK_BATCH_ROWS && i + r < count; r++)
            norm_x[i + r] = sum[r];
    }
}

static void olk_make_batch(const olk_kernel *kernel, int normed, const olk_number *rows,
                           ptrdiff_t pitch, ptrdiff_t count, ptrdiff_t d, olk_batch *batch)
{
    olk_number norm_x[OLK_BLOCK] = {0};
    batch->n = batch->precise = 0;
    if (normed)
        olk_lengths(rows, pitch, count, d, norm_x);
    for (int precise = normed; precise >= 0; precise--) {
        for (ptrdiff_t r = 0; r < count; r++)
            if ((normed && olk_is_precise(kernel, norm_x[r])) == precise) {
                batch->row[batch->n] = rows + r * pitch;
                batch->norm_x[batch->n] = norm_x[r];
                batch->to[batch->n++] = r;
            }
        for (; batch->n % OLK_BATCH_ROWS; batch->n++) {
            batch->row[batch->n] = batch->row[batch->n - 1];
            batch->norm_x[batch->n] = batch->norm_x[batch->n - 1];
            batch->to[batch->n] = -1;
        }
        if (precise)
            batch->precise = batch->n;
    }
}

/* The products of a batch with a slice. */
static OLK_INLINE void olk_batch_products(const int product, const int storage, int vectors,
                                          const olk_slice *slice, const olk_batch *batch,
                                          ptrdiff_t start, ptrdiff_t end, olk_number *restrict tile)
{
    for (ptrdiff_t r = start; r < end; r += OLK_BATCH_ROWS) {
        const olk_number *const *rows = batch->row + r;
        olk_number *to = tile + r * OLK_WIDTH;
        if (r > 0)
            olk_tiles(product, OLK_PANEL, storage, vectors, slice, rows, to);
        else if (slice->panel)
            olk_tiles(product, OLK_COPIED, storage, vectors, slice, rows, to);
        else
            olk_tiles(product, OLK_RING, storage, vectors, slice, rows, to);
    }
}

static OLK_INLINE void olk_slice_products(const int storage, const olk_kernel *kernel, int vectors,
                                          const olk_slice *slice, const olk_batch *batch,
                                          olk_number *restrict tile)
{
    if (kernel->kind == OLK_LAPLACIAN) {
        olk_batch_products(OLK_ABSOLUTE, storage, vectors, slice, batch, 0, batch->n, tile);
    } else if (!olk_is_squared(kernel)) {
        olk_batch_products(OLK_INNER, storage, vectors, slice, batch, 0, batch->n, tile);
    } else {
        olk_batch_products(OLK_NORMED, storage, vectors, slice, batch, 0,
                           olk_has_norms(storage) ? batch->precise : 0, tile);
        olk_batch_products(OLK_SQUARE, storage, vectors, slice, batch, batch->precise, batch->n,
                           tile);
    }
}

/* Distances of the rows near the origin from their products with a panel. */
static OLK_INLINE void olk_distances(const olk_batch *batch, const olk_number *norms, int vectors,
                                     olk_number *restrict tile)
{
    for (ptrdiff_t r = 0; r < batch->precise; r++)
        for (int v = 0; v < vectors; v++) {
            olk_number *const at = tile + r * OLK_WIDTH + v * OLK_LANES;
            olk_store_numbers(at, olk_distance(olk_splat(batch->norm_x[r]), norms + v * OLK_LANES,
                                               olk_load_numbers(at)));
        }
}

/* Products of a batch with a panel -> exponentials, several rows at once. */
static OLK_NOINLINE void olk_exp_batch(const olk_kernel *kernel, const olk_batch *batch,
                                       int vectors, olk_number *restrict tile)
{
    if (vectors == OLK_WIDTH / OLK_LANES) {
        olk_exp_tile(kernel, tile, (int)batch->n * vectors);
        return;
    }
    for (ptrdiff_t r = 0; r < batch->n; r++)
        olk_exp_tile(kernel, tile + r * OLK_WIDTH, vectors);
}

/* Copies w numbers of the type they were computed in, usually a full panel. */
static OLK_INLINE void olk_copy(const olk_number *restrict tile, ptrdiff_t w,
                                olk_number *restrict row)
{
    if (w == OLK_WIDTH)
        memcpy(row, tile, OLK_WIDTH * sizeof *row);
    else
        memcpy(row, tile, (size_t)w * sizeof *row);
}

/* Writes the outputs of one row from its first w products with a panel, or their exponentials. */
static OLK_INLINE void olk_finish_row(const olk_kernel *kernel, olk_number *restrict tile,
                                      int vectors, ptrdiff_t w, const olk_row_outputs *outputs,
                                      ptrdiff_t i, ptrdiff_t start, double (*lane)[8])
{
    double row_values[OLK_WIDTH];
    const ptrdiff_t bytes = olk_dtype_bytes(outputs->dtype);
    const char *coef = outputs->coef ? (const char *)outputs->coef + start * bytes : NULL;
    char *row = outputs->values
                    ? (char *)outputs->values + (i * outputs->values_pitch + start) * bytes
                    : NULL;
    const int multi_column = coef && outputs->columns > 1;
    if (multi_column)
        row = (char *)row_values;
    if (!olk_is_exponential(kernel))
        olk_finish(kernel, tile, vectors, w, outputs->dtype, multi_column ? NULL : coef, row, 0,
                   lane[0]);
    else if (!coef && outputs->dtype == OLK_NUMBER_DTYPE)
        olk_copy(tile, w, (olk_number *)row);
    else
        olk_collect_noinline(tile, w, outputs->dtype, multi_column ? NULL : coef, row, lane[0]);
    if (!multi_column)
        return;
    if (outputs->dtype == OLK_F64)
        olk_weigh_part_f64(row_values, coef, outputs->stride, w, outputs->columns, lane);
    else
        olk_weigh_part_f32(row_values, coef, outputs->stride, w, outputs->columns, lane);
}

/* The same for a batch whose exponentials only need weighting by one column of coefficients of type
   `dtype`, a constant. */
static OLK_INLINE void olk_weigh_batch_of(const int dtype, const olk_batch *batch, ptrdiff_t w,
                                          const olk_row_outputs *outputs, ptrdiff_t start,
                                          const olk_number *restrict tile, double (*lane)[8])
{
    const char *coef = (const char *)outputs->coef + start * olk_dtype_bytes(dtype);
    for (ptrdiff_t r = 0; r < batch->n; r += OLK_WEIGHTED_ROWS)
        olk_weigh_tiles(OLK_NUMBER_DTYPE, dtype, OLK_WEIGHTED_ROWS, tile + r * OLK_WIDTH, OLK_WIDTH,
                        w, coef, lane + r);
}

static OLK_NOINLINE void olk_weigh_batch(const olk_batch *batch, ptrdiff_t w,
                                         const olk_row_outputs *outputs, ptrdiff_t start,
                                         const olk_number *restrict tile, double (*lane)[8])
{
    if (outputs->dtype == OLK_F64)
        olk_weigh_batch_of(OLK_F64, batch, w, outputs, start, tile, lane);
    else
        olk_weigh_batch_of(OLK_F32, batch, w, outputs, start, tile, lane);
}

/* A batch's rows against the full ring; i is the first row. */
static OLK_INLINE void olk_over_ring(const int storage, const olk_kernel *kernel, const void *sv,
                                     const olk_number *norms, const olk_quantizer *quantizer,
                                     ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d,
                                     const olk_batch *batch, ptrdiff_t i,
                                     const olk_row_outputs *outputs)
{
    OLK_ALIGNED(64) olk_number tile[(OLK_BLOCK + OLK_BATCH_ROWS) * OLK_WIDTH];
    OLK_ALIGNED(64) olk_number panel[OLK_DEPTH * OLK_WIDTH];
    OLK_ALIGNED(64) double lane[OLK_SUMS_OF_BLOCK][8];
    const ptrdiff_t columns = outputs->columns;
    const int weighted_only =
        olk_is_exponential(kernel) && outputs->coef && columns == 1 && !outputs->values;
    memset(lane, 0, (size_t)(batch->n * columns) * sizeof lane[0]);
    for (ptrdiff_t start = 0; start < n; start += OLK_WIDTH) {
        const ptrdiff_t w = n - start < OLK_WIDTH ? n - start : OLK_WIDTH;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        /* One group of rows would never read the panel again. */
        olk_slice slice = {olk_stored_at(storage, sv, start), stride, quantizer, NULL, 0, d};
        if (batch->n > OLK_BATCH_ROWS) {
            slice.panel = panel;
            slice.depth = OLK_DEPTH;
        }
        for (; slice.first < d; slice.first += slice.depth) {
            if (slice.depth > d - slice.first)
                slice.depth = d - slice.first;
            olk_slice_products(storage, kernel, vectors, &slice, batch, tile);
        }
        olk_distances(batch, norms ? norms + start : NULL, vectors, tile);
        if (olk_is_exponential(kernel))
            olk_exp_batch(kernel, batch, vectors, tile);
        if (weighted_only)
            olk_weigh_batch(batch, w, outputs, start, tile, lane);
        for (ptrdiff_t r = 0; !weighted_only && r < batch->n; r++)
            if (batch->to[r] >= 0)
                olk_finish_row(kernel, tile + r * OLK_WIDTH, vectors, w, outputs, i + batch->to[r],
                               start, lane + r * columns);
    }
    for (ptrdiff_t r = 0; outputs->coef && r < batch->n; r++)
        for (ptrdiff_t c = 0; batch->to[r] >= 0 && c < columns; c++)
            outputs->f[(i + batch->to[r]) * columns + c] = olk_total(lane[r * columns + c]);
}

/* So few rows that padding would cost more: one by one, by the function for one row. */
static void olk_one_by_one(olk_row_fn row_fn, const olk_kernel *kernel, const void *sv,
                           const void *norms, const olk_quantizer *quantizer, ptrdiff_t stride,
                           ptrdiff_t n, ptrdiff_t d, const olk_number *rows, ptrdiff_t pitch,
                           ptrdiff_t i, ptrdiff_t count, const olk_row_outputs *outputs)
{
    for (ptrdiff_t r = 0; r < count; r++) {
        char *values = outputs->values;
        if (values)
            values += (i + r) * outputs->values_pitch * olk_dtype_bytes(outputs->dtype);
        const double sum = row_fn(kernel, sv, norms, quantizer, stride, n, d, rows + r * pitch,
                                  outputs->dtype, outputs->coef, values, NULL);
        if (outputs->coef)
            outputs->f[i + r] = sum;
    }
}

/* olk_rows_fn for a storage type, a constant, and its function for one row. */
static OLK_INLINE void olk_rows_of(const int storage, olk_row_fn row_fn, const olk_kernel *kernel,
                                   const void *sv, const void *norms,
                                   const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n,
                                   ptrdiff_t d, const void *queries, ptrdiff_t pitch,
                                   ptrdiff_t count, const olk_row_outputs *outputs)
{
    olk_batch batch;
    const int normed = olk_has_norms(storage) && norms && olk_is_squared(kernel);
    const ptrdiff_t sums = OLK_SUMS_OF_BLOCK / outputs->columns - OLK_BATCH_ROWS;
    const ptrdiff_t block_rows =
        sums < OLK_BLOCK ? sums / OLK_BATCH_ROWS * OLK_BATCH_ROWS : OLK_BLOCK;
    const olk_number *rows = queries;
    if (n == 1 && count > 1 && !outputs->coef) {
        olk_slot(storage, kernel, sv, norms, quantizer, stride, d, rows, pitch, count, outputs);
        return;
    }
    for (ptrdiff_t i = 0; i < count; i += block_rows) {
        const ptrdiff_t m = count - i < block_rows ? count - i : block_rows;
        if (3 * m <= OLK_BATCH_ROWS && outputs->columns == 1) {
            olk_one_by_one(row_fn, kernel, sv, norms, quantizer, stride, n, d, rows + i * pitch,
                           pitch, i, m, outputs);
            continue;
        }
        olk_make_batch(kernel, normed, rows + i * pitch, pitch, m, d, &batch);
        olk_over_ring(storage, kernel, sv, norms, quantizer, stride, n, d, &batch, i, outputs);
    }
}

#define OLK_ROWS_FUNCTION(name, row_fn, storage)                                                   \
    static void name(const olk_kernel *kernel, const void *sv, const void *norms,                  \
                     const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d,   \
                     const void *x, ptrdiff_t pitch, ptrdiff_t count,                              \
                     const olk_row_outputs *outputs)                                               \
    {                                                                                              \
        olk_rows_of(storage, row_fn, kernel, sv, norms, quantizer, stride, n, d, x, pitch, count,  \
                    outputs);                                                                      \
    }
#if OLK_NUMBER_BITS == 64
OLK_ROWS_FUNCTION(olk_rows_f64, olk_row_f64, OLK_F64)
#else
OLK_ROWS_FUNCTION(olk_rows_f32, olk_row_f32, OLK_F32)
OLK_ROWS_FUNCTION(olk_rows_f16, olk_row_f16, OLK_F16)
OLK_ROWS_FUNCTION(olk_rows_i8, olk_row_i8, OLK_I8)
#endif
#undef OLK_ROWS_FUNCTION

/* -- A sparse row --
   Kernel rows of an example given by its non-zeros. Distances use stored norms, |x|^2 + |s|^2 - 2
   x.s (clamped at 0), or for the L1 distance sum |s_j| + sum over non-zeros of |x_j - s_j| - |s_j|:
   only the non-zeros' rows of the ring are read. Good if most numbers are exact zeros; far from the
   origin the dense row keeps digits that this one loses. */

/* One tile of products; constants as in kernels.h. */
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
