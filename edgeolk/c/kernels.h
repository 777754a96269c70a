/* Kernel values: the elementwise half of a kernel, the weighted sum, a pair, and the kernel row of
   one example with all support vectors. ring_table.h has the design; exported learners that only
   score include this header and no more of the ring's. */
#pragma once

#include "dots.h"

/* -- Values, weighted sums, pairs -- */

/* For exp: the smallest exponent whose result does not round to 0, and the polynomial's degree. */
static const olk_number OLK_MIN_EXPONENT = OLK_NUMBER(-104.0f, -745.2);
enum { OLK_EXP_DEGREE = OLK_NUMBER(6, 10), OLK_MANTISSA = OLK_NUMBER(23, 52) };

/* p 2^n / OLK_LIFT, n = shifted - OLK_MAGIC, rounded once. By one instruction where it exists, with
   olk_exp_term without the lift; else n is added to the exponent of p, which the lift keeps normal
   until the multiplication that removes it. */
#if defined(OLK_X86) && OLK_BYTES == 64
static OLK_INLINE olk_numbers olk_exp_term(int k)
{
    return olk_splat(OLK_NUMBER(olk_exp_polynomial_f32, olk_exp_polynomial_f64)[k] *
                     (olk_number)(1.0 / OLK_LIFT));
}

static OLK_INLINE olk_numbers olk_times_power_of_2(olk_numbers p, olk_numbers shifted)
{
    return OLK_NUMBER(olk_scale_by_power_f32s, olk_scale_by_power_f64s)(
        p, shifted - OLK_NUMBER(OLK_MAGIC_F32, OLK_MAGIC_F64));
}
#else
static OLK_INLINE olk_numbers olk_exp_term(int k)
{
    return olk_splat(OLK_NUMBER(olk_exp_polynomial_f32, olk_exp_polynomial_f64)[k]);
}

static OLK_INLINE olk_numbers olk_times_power_of_2(olk_numbers p, olk_numbers shifted)
{
    const olk_words n = OLK_NUMBER(olk_words_of_f32s, olk_words_of_f64s)(shifted) << OLK_MANTISSA;
    const olk_words bits = OLK_NUMBER(olk_words_of_f32s, olk_words_of_f64s)(p) + n;
    return OLK_NUMBER(olk_f32s_of_words, olk_f64s_of_words)(bits) * (olk_number)(1.0 / OLK_LIFT);
}
#endif

/* x <- exp(x), x <= 0, for up to OLK_EXP_VECTORS vectors. It is 0 below OLK_MIN_EXPONENT, where the
   exponential rounds to 0, and for NaN (from the difference of two infinite norms). n = round(x /
   ln 2) goes into the exponent, a polynomial with p(0) = 1 computes the rest. The vectors are
   interleaved, since each is a chain of dependent operations. */
static OLK_INLINE void olk_exp(const int vectors, olk_numbers *x)
{
    const olk_number magic = OLK_NUMBER(OLK_MAGIC_F32, OLK_MAGIC_F64);
    const olk_numbers log2_e = olk_splat(OLK_NUMBER(OLK_LOG2_E_F32, OLK_LOG2_E_F64));
    const olk_numbers high = olk_splat(-OLK_NUMBER(OLK_LN2_HIGH_F32, OLK_LN2_HIGH_F64));
    const olk_numbers low = olk_splat(-(OLK_NUMBER(OLK_LN2_LOW_F32, OLK_LN2_LOW_F64)));
    olk_numbers shifted[OLK_EXP_VECTORS], r[OLK_EXP_VECTORS], p[OLK_EXP_VECTORS];
    for (int v = 0; v < vectors; v++)
        x[v] = olk_max_numbers(x[v], olk_splat(OLK_MIN_EXPONENT));
    for (int v = 0; v < vectors; v++)
        shifted[v] = olk_madds(x[v], log2_e, olk_splat(magic));
    for (int v = 0; v < vectors; v++)
        r[v] = olk_madds(shifted[v] - magic, high, x[v]);
    for (int v = 0; v < vectors; v++)
        r[v] = olk_madds(shifted[v] - magic, low, r[v]);
    for (int v = 0; v < vectors; v++)
        p[v] = olk_exp_term(OLK_EXP_DEGREE);
    for (int k = OLK_EXP_DEGREE - 1; k >= 0; k--)
        for (int v = 0; v < vectors; v++)
            p[v] = olk_madds(p[v], r[v], olk_exp_term(k));
    for (int v = 0; v < vectors; v++)
        x[v] = olk_times_power_of_2(p[v], shifted[v]);
}

/* gamma limited to a finite number, so that k(x, x) = 1 always. */
static inline olk_number olk_finite_gamma(const olk_kernel *kernel)
{
    const olk_number limit = OLK_NUMBER(FLT_MAX, DBL_MAX);
    return kernel->gamma < (double)limit ? (olk_number)kernel->gamma : limit;
}

/* tile <- exp(-gamma tile). */
static OLK_INLINE void olk_exp_part(const int vectors, olk_number *restrict tile, olk_number gamma)
{
    olk_numbers x[OLK_EXP_VECTORS];
    for (int v = 0; v < vectors; v++)
        x[v] = olk_load_numbers(tile + v * OLK_LANES) * -gamma;
    olk_exp(vectors, x);
    for (int v = 0; v < vectors; v++)
        olk_store_numbers(tile + v * OLK_LANES, x[v]);
}

/* The same for any number of vectors. */
static inline void olk_exp_tile(const olk_kernel *kernel, olk_number *restrict tile, int vectors)
{
    const olk_number gamma = olk_finite_gamma(kernel);
    int v = 0;
    for (; v + OLK_EXP_VECTORS <= vectors; v += OLK_EXP_VECTORS)
        olk_exp_part(OLK_EXP_VECTORS, tile + v * OLK_LANES, gamma);
    for (; v + 4 <= vectors; v += 4)
        olk_exp_part(4, tile + v * OLK_LANES, gamma);
    if (v + 2 <= vectors) {
        olk_exp_part(2, tile + v * OLK_LANES, gamma);
        v += 2;
    }
    if (v < vectors)
        olk_exp_part(1, tile + v * OLK_LANES, gamma);
}

/* |x - s|^2 from the squared norms and x.s; 0 where rounding would make it negative. It is 0 for
   equal vectors, whose norms and product are the same sums. */
static OLK_INLINE olk_numbers olk_distance(olk_numbers norm_x, const olk_number *restrict norms,
                                           olk_numbers inner)
{
    return olk_max_numbers(olk_splat(0), (norm_x + olk_load_numbers(norms)) - (inner + inner));
}

/* Whether kernel values from such distances are precise enough, norm_x = |x|^2: ring_table.h. */
static inline int olk_is_precise(const olk_kernel *kernel, olk_number norm_x)
{
    return kernel->gamma * (double)norm_x <= OLK_NUMBER(OLK_NEAR_F32, OLK_NEAR_F64);
}

/* v^degree for a small integer degree, by squaring. */
static inline void olk_power(double *v, ptrdiff_t n, int32_t degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double base = v[i], result = 1.0;
        for (int32_t e = degree; e > 0; e >>= 1) {
            if (e & 1)
                result *= base;
            base *= base;
        }
        v[i] = result;
    }
}

/* Products -> values of the kernels without an exponential, in double. */
static OLK_INLINE void olk_other_tile(const olk_kernel *kernel, const olk_number *restrict tile,
                                      ptrdiff_t w, double *restrict values)
{
    if (kernel->kind == OLK_LINEAR || kernel->kind == OLK_DISTANCE) {
        for (ptrdiff_t i = 0; i < w; i++)
            values[i] = (double)tile[i];
        return;
    }
    for (ptrdiff_t i = 0; i < w; i++)
        values[i] = kernel->scale * (double)tile[i] + kernel->offset;
    if (kernel->kind == OLK_POLYNOMIAL)
        olk_power(values, w, kernel->degree);
#ifndef OLK_NO_LIBM
    else
        for (ptrdiff_t i = 0; i < w; i++)
            values[i] = tanh(values[i]);
#endif
}

/* Adds the first w values of `rows` tiles (a constant) at a pitch of `pitch`, weighted, to the
   eight running sums of each. Several rows at once hide the latency of additions, and a coefficient
   is widened once for all. `value_dtype` and `dtype` are constants: the types of values and of
   coefficients. */
static OLK_INLINE void olk_weigh_tiles(const int value_dtype, const int dtype, const int rows,
                                       const void *restrict tile, ptrdiff_t pitch, ptrdiff_t w,
                                       const void *restrict coef, double (*restrict lane)[8])
{
    olk_f64s sum[OLK_WEIGHTED_ROWS][OLK_SUMS];
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < OLK_SUMS; k++)
            sum[r][k] = olk_load_f64s(lane[r] + k * OLK_LANES_F64);
    ptrdiff_t i = 0;
    for (; i + 8 <= w; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const ptrdiff_t at = i + k * OLK_LANES_F64;
            const olk_f64s a = olk_widen(dtype, coef, at);
            for (int r = 0; r < rows; r++)
                sum[r][k] =
                    olk_madd_f64s(a, olk_widen(value_dtype, tile, r * pitch + at), sum[r][k]);
        }
#if defined(OLK_X86) && OLK_BYTES == 64
    if (i < w) {
        const olk_f64s a = olk_widen_first(dtype, coef, i, w - i);
        for (int r = 0; r < rows; r++)
            sum[r][0] = olk_madd_first(a, olk_widen_first(value_dtype, tile, r * pitch + i, w - i),
                                       sum[r][0], w - i);
        i = w;
    }
#endif
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < OLK_SUMS; k++)
            olk_store_f64s(lane[r] + k * OLK_LANES_F64, sum[r][k]);
        for (int k = 0; i + k < w; k++)
            lane[r][k] = olk_madd_f64(olk_get(dtype, coef, i + k),
                                      olk_get(value_dtype, tile, r * pitch + i + k), lane[r][k]);
    }
}

/* out[i] <- tile[i], i < w. */
static OLK_INLINE void olk_copy_values(const int value_dtype, const int dtype,
                                       const void *restrict tile, ptrdiff_t w, void *restrict out)
{
    for (ptrdiff_t i = 0; i < w; i++)
        olk_put(dtype, out, i, olk_get(value_dtype, tile, i));
}

/* Copies the first w values of a tile to row, from `start` on, and weights them by coef from there
   on. `value_dtype` and `dtype` are constants. */
static OLK_INLINE void olk_collect_as(const int value_dtype, const int dtype,
                                      const void *restrict tile, ptrdiff_t w, const void *coef,
                                      void *row, ptrdiff_t start, double *restrict lane)
{
    if (row)
        olk_copy_values(value_dtype, dtype, tile, w, (char *)row + start * olk_dtype_bytes(dtype));
    if (coef)
        olk_weigh_tiles(value_dtype, dtype, 1, tile, 0, w,
                        (const char *)coef + start * olk_dtype_bytes(dtype), (double (*)[8])lane);
}

/* Not inlined: it would take registers from the loops over tiles. */
static OLK_NOINLINE void olk_collect_f32(const void *restrict tile, ptrdiff_t w, const void *coef,
                                         void *row, ptrdiff_t start, double *restrict lane)
{
    olk_collect_as(OLK_NUMBER_DTYPE, OLK_F32, tile, w, coef, row, start, lane);
}

static OLK_NOINLINE void olk_collect_doubles_f32(const double *restrict values, ptrdiff_t w,
                                                 const void *coef, void *row, ptrdiff_t start,
                                                 double *restrict lane)
{
    olk_collect_as(OLK_F64, OLK_F32, values, w, coef, row, start, lane);
}

static OLK_INLINE void olk_collect(const int value_dtype, const void *restrict tile, ptrdiff_t w,
                                   int dtype, const void *coef, void *row, ptrdiff_t start,
                                   double *restrict lane)
{
    if (dtype == OLK_F64)
        olk_collect_as(value_dtype, OLK_F64, tile, w, coef, row, start, lane);
    else if (value_dtype == OLK_NUMBER_DTYPE)
        olk_collect_f32(tile, w, coef, row, start, lane);
    else
        olk_collect_doubles_f32(tile, w, coef, row, start, lane);
}

static OLK_NOINLINE void olk_collect_noinline(const olk_number *restrict tile, ptrdiff_t w,
                                              int dtype, const void *coef, void *row,
                                              double *restrict lane)
{
    olk_collect(OLK_NUMBER_DTYPE, tile, w, dtype, coef, row, 0, lane);
}

/* Numbers of a panel's line, a multiple of the eight running sums; maximum numbers of a tile,
   whether of one row or of several with a panel. */
enum { OLK_WIDTH = OLK_PANEL_BYTES / sizeof(olk_number) };
enum {
    OLK_MAX_NUMBERS = OLK_MAX_VECTORS * OLK_LANES > OLK_WIDTH ? OLK_MAX_VECTORS * OLK_LANES
                                                              : OLK_WIDTH
};

/* One tile of w products: computes the values of a kernel without an exponential, copies and
   weights them. */
static OLK_INLINE void olk_finish_other(const olk_kernel *kernel, const olk_number *restrict tile,
                                        ptrdiff_t w, int dtype, const void *coef, void *row,
                                        ptrdiff_t start, double *lane)
{
    double values[OLK_MAX_NUMBERS];
    olk_other_tile(kernel, tile, w, values);
    olk_collect(OLK_F64, values, w, dtype, coef, row, start, lane);
}

/* The same for any kernel. Inlined into the loop over a row's tiles; other loops call it. */
static OLK_INLINE void olk_finish_inline(const olk_kernel *kernel, olk_number *restrict tile,
                                         int vectors, ptrdiff_t w, int dtype, const void *coef,
                                         void *row, ptrdiff_t start, double *lane)
{
    if (olk_is_exponential(kernel)) {
        olk_exp_tile(kernel, tile, vectors);
        olk_collect(OLK_NUMBER_DTYPE, tile, w, dtype, coef, row, start, lane);
        return;
    }
    olk_finish_other(kernel, tile, w, dtype, coef, row, start, lane);
}

static OLK_NOINLINE void olk_finish(const olk_kernel *kernel, olk_number *restrict tile,
                                    int vectors, ptrdiff_t w, int dtype, const void *coef,
                                    void *row, ptrdiff_t start, double *lane)
{
    olk_finish_inline(kernel, tile, vectors, w, dtype, coef, row, start, lane);
}

/* The sum of a kernel row from stored values, and their copy in `row`, bit for bit as a kernel row
   computes them. */
static OLK_NOINLINE double olk_cached_row(const void *values, ptrdiff_t n, int dtype,
                                          const void *coef, void *row)
{
    OLK_ALIGNED(64) double lane[8] = {0.0};
    olk_collect(OLK_NUMBER_DTYPE, values, n, dtype, coef, row, 0, lane);
    return olk_total(lane);
}

/* One more term of a product (ring_table.h), a constant. */
static OLK_INLINE olk_number olk_one_term(const int product, olk_number a, olk_number b,
                                          olk_number sum)
{
    if (product == OLK_INNER)
        return olk_madd(a, b, sum);
    if (product == OLK_ABSOLUTE)
        return sum + olk_abs_number(a - b);
    return olk_madd(a - b, a - b, sum);
}

static OLK_INLINE void olk_pair_products(const int product, const olk_number *a,
                                         const olk_number *b, ptrdiff_t d, olk_number *lane)
{
    ptrdiff_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (ptrdiff_t k = 0; k < 8; k++)
            lane[k] = olk_one_term(product, a[j + k], b[j + k], lane[k]);
    for (; j < d; j++)
        lane[j & 7] = olk_one_term(product, a[j], b[j], lane[j & 7]);
}

static OLK_NOINLINE double olk_pair(const olk_kernel *kernel, const void *va, const void *vb,
                                    ptrdiff_t d)
{
    olk_number lane[8] = {0}, tile[OLK_LANES] = {0};
    double value;
    if (olk_is_squared(kernel))
        olk_pair_products(OLK_SQUARE, va, vb, d, lane);
    else if (kernel->kind == OLK_LAPLACIAN)
        olk_pair_products(OLK_ABSOLUTE, va, vb, d, lane);
    else
        olk_pair_products(OLK_INNER, va, vb, d, lane);
    tile[0] = ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
              ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    olk_finish(kernel, tile, 1, 1, OLK_F64, NULL, &value, 0, NULL);
    return value;
}

/* -- The row --
   One example with all support vectors, tile by tile. */

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
