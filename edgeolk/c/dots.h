/* Dot products, sums over columns of coefficients and multiples of vectors, for the types of a unit
   of the ring (ring_unit.h): the ground of kernels.h, ring.h and linalg.h. */
#pragma once

#include <float.h>

#include "coefficients.h"
#include "ring_table.h"
#include "vectors.h"

/* -- Types of a unit --
   OLK_NUMBER_BITS for the type that rows are computed in, OLK_COEF_BITS for that of coefficients,
   kernel rows and products. A unit has one of each, so that names need not say which. */

/* Selects the variant for the type computed in. */
#if OLK_NUMBER_BITS == 64
#define OLK_NUMBER(f32, f64) f64
#else
#define OLK_NUMBER(f32, f64) f32
#endif

typedef OLK_NUMBER(float, double) olk_number;
typedef OLK_NUMBER(olk_f32s, olk_f64s) olk_numbers;
typedef OLK_NUMBER(olk_u32s, olk_u64s) olk_words;
enum { OLK_LANES = sizeof(olk_numbers) / sizeof(olk_number) };
enum { OLK_NUMBER_DTYPE = OLK_NUMBER(OLK_F32, OLK_F64) };

enum { OLK_COEF_DTYPE = OLK_COEF_BITS == 64 ? OLK_F64 : OLK_F32 };

static OLK_INLINE olk_numbers olk_splat(olk_number number)
{
    return OLK_NUMBER(olk_splat_f32, olk_splat_f64)(number);
}

static OLK_INLINE olk_number olk_madd(olk_number a, olk_number b, olk_number c)
{
    return OLK_NUMBER(olk_madd_f32, olk_madd_f64)(a, b, c);
}

static OLK_INLINE olk_numbers olk_madds(olk_numbers a, olk_numbers b, olk_numbers c)
{
    return OLK_NUMBER(olk_madd_f32s, olk_madd_f64s)(a, b, c);
}

static OLK_INLINE olk_numbers olk_max_numbers(olk_numbers a, olk_numbers b)
{
    return OLK_NUMBER(olk_max_f32s, olk_max_f64s)(a, b);
}

static OLK_INLINE olk_number olk_abs_number(olk_number v)
{
    return OLK_NUMBER(olk_fabsf, olk_fabs)(v);
}

static OLK_INLINE olk_numbers olk_abs_numbers(olk_numbers v)
{
    return OLK_NUMBER(olk_abs_f32s, olk_abs_f64s)(v);
}

static OLK_INLINE olk_numbers olk_load_numbers(const olk_number *p)
{
    return *(const olk_numbers *)p;
}

static OLK_INLINE void olk_store_numbers(olk_number *p, olk_numbers v)
{
    *(olk_numbers *)p = v;
}

/* The address of number i of a stored array; `storage` is a constant here and below. */
static OLK_INLINE const void *olk_stored_at(const int storage, const void *base, ptrdiff_t i)
{
    return (const char *)base + i * olk_stored_bytes(storage);
}

/* Stored numbers as they are computed with, before scale and offset. */
static OLK_INLINE olk_numbers olk_load(const int storage, const void *p)
{
#if OLK_NUMBER_BITS == 64
    (void)storage;
    return olk_load_f64s(p);
#else
    if (storage == OLK_I8)
        return olk_load_i8s(p);
    if (storage == OLK_F16)
        return olk_load_f16s(p);
    return olk_load_f32s(p);
#endif
}

static OLK_INLINE olk_number olk_load_one(const int storage, const void *p)
{
#if OLK_NUMBER_BITS == 64
    (void)storage;
    return *(const double *)p;
#else
    if (storage == OLK_I8)
        return (float)*(const int8_t *)p;
    if (storage == OLK_F16)
        return olk_half_to_float(*(const uint16_t *)p);
    return *(const float *)p;
#endif
}

/* Numbers of feature j times its scale, if any, for distances: with int8, offset[j] is subtracted
   from x_j (olk_minus_offset), so that the loop needs only the scaled level. Inner products need
   scale and offset (olk_load_full). */
static OLK_INLINE olk_numbers olk_load_scaled(const int storage, const void *p, ptrdiff_t j,
                                              const olk_quantizer *quantizer)
{
    if (olk_is_quantized(storage))
        return olk_load(storage, p) * (olk_number)quantizer->scale[j];
    return olk_load(storage, p);
}

static OLK_INLINE olk_numbers olk_load_full(const int storage, const void *p, ptrdiff_t j,
                                            const olk_quantizer *quantizer)
{
    if (olk_is_quantized(storage))
        return olk_load_scaled(storage, p, j, quantizer) + (olk_number)quantizer->offset[j];
    return olk_load(storage, p);
}

static OLK_INLINE olk_number olk_minus_offset(const int storage, const olk_number *x, ptrdiff_t j,
                                              const olk_quantizer *quantizer)
{
    return olk_is_quantized(storage) ? x[j] - (olk_number)quantizer->offset[j] : x[j];
}

/* -- Products -- */

/* out[r] = <row[r], x> for `rows` rows, a constant up to OLK_COLUMNS; x is of type `dtype`, also a
   constant. */
static OLK_INLINE void olk_dots_with(const int dtype, const int rows, const olk_coef_t *const *row,
                                     const void *x, ptrdiff_t n, double *out)
{
    olk_f64s sum[OLK_COLUMNS * OLK_SUMS];
    OLK_ALIGNED(64) double lane[8];
    ptrdiff_t i = 0;
    for (int k = 0; k < rows * OLK_SUMS; k++)
        sum[k] = olk_splat_f64(0.0);
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const olk_f64s x_here = olk_widen(dtype, x, i + k * OLK_LANES_F64);
            for (int r = 0; r < rows; r++)
                sum[r * OLK_SUMS + k] =
                    olk_madd_f64s(olk_widen(OLK_COEF_DTYPE, row[r], i + k * OLK_LANES_F64), x_here,
                                  sum[r * OLK_SUMS + k]);
        }
#if defined(OLK_X86) && OLK_BYTES == 64
    /* A sum is one register: no need to spill it to memory. */
    if (i < n) {
        const olk_f64s x_here = olk_widen_first(dtype, x, i, n - i);
        for (int r = 0; r < rows; r++)
            sum[r] = olk_madd_first(olk_widen_first(OLK_COEF_DTYPE, row[r], i, n - i), x_here,
                                    sum[r], n - i);
    }
    for (int r = 0; r + 2 <= rows; r += 2)
        olk_two_totals(sum[r], sum[r + 1], out + r);
    if (rows % 2) {
        olk_two_totals(sum[rows - 1], sum[rows - 1], lane);
        out[rows - 1] = lane[0];
    }
#else
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < OLK_SUMS; k++)
            ((olk_f64s *)lane)[k] = sum[r * OLK_SUMS + k];
        for (ptrdiff_t j = i; j < n; j++)
            lane[j - i] = olk_madd_f64((double)row[r][j], olk_get(dtype, x, j), lane[j - i]);
        out[r] = olk_total(lane);
    }
#endif
}

/* The same with x of the type of the rows. */
static OLK_INLINE void olk_dots(const int rows, const olk_coef_t *const *row, const olk_coef_t *x,
                                ptrdiff_t n, double *out)
{
    olk_dots_with(OLK_COEF_DTYPE, rows, row, x, n, out);
}

static OLK_NOINLINE double olk_dot(const void *a, const void *b, ptrdiff_t n)
{
    const olk_coef_t *row = a;
    double out;
    olk_dots(1, &row, b, n, &out);
    return out;
}

/* f[c] = sum_i coef[c * stride + i] row[i] for each column c, in the order in which a kernel row is
   summed, so that a stored row gives the same bits. Several columns at a time: a single sum would
   wait for its previous addition. */
static OLK_INLINE void olk_weigh_with(const int dtype, const void *row, const void *coef,
                                      ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns, double *f)
{
    const olk_coef_t *column[OLK_COLUMNS], *x_here = coef;
    for (ptrdiff_t c = 0; c < columns;) {
        const int rows = columns - c < OLK_COLUMNS ? (int)(columns - c) : OLK_COLUMNS;
        for (int r = 0; r < rows; r++, x_here += stride)
            column[r] = x_here;
        switch (rows) {
#define OLK_CASE(count)                                                                            \
    case count:                                                                                    \
        olk_dots_with(dtype, count, column, row, n, f + c);                                        \
        break;
            OLK_CASE(1)
            OLK_CASE(2)
#if OLK_BYTES >= 32
                OLK_CASE(3) OLK_CASE(4)
#endif
#if OLK_BYTES == 64
                    OLK_CASE(5) OLK_CASE(6) OLK_CASE(7) OLK_CASE(8) OLK_CASE(9) OLK_CASE(10)
                        OLK_CASE(11) OLK_CASE(12)
#endif
#undef OLK_CASE
        }
        c += rows;
    }
}

static OLK_NOINLINE void olk_weigh(const void *row, const void *coef, ptrdiff_t stride, ptrdiff_t n,
                                   ptrdiff_t columns, double *f)
{
    olk_weigh_with(OLK_COEF_DTYPE, row, coef, stride, n, columns, f);
}

/* The same for stored kernel values of type `dtype`. */
static OLK_NOINLINE void olk_weigh_values(int dtype, const void *values, const void *coef,
                                          ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                          double *f)
{
    if (dtype == OLK_COEF_DTYPE)
        olk_weigh(values, coef, stride, n, columns, f);
    else
        olk_weigh_with(sizeof(olk_coef_t) == sizeof(double) ? OLK_F32 : OLK_F64, values, coef,
                       stride, n, columns, f);
}

/* lane[c] += the sums of n numbers of a row, a multiple of eight, with column c, c < columns; all
   of type `dtype`; `dtype` and `columns` are constants. */
static OLK_INLINE void olk_add_weighted(const int dtype, const int columns, const void *row,
                                        const void *coef, ptrdiff_t first, ptrdiff_t stride,
                                        ptrdiff_t n, double (*lane)[8])
{
    olk_f64s sum[4 * OLK_SUMS];
    for (int k = 0; k < columns * OLK_SUMS; k++)
        sum[k] = olk_load_f64s(lane[k / OLK_SUMS] + k % OLK_SUMS * OLK_LANES_F64);
    for (ptrdiff_t i = 0; i < n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const ptrdiff_t from = i + k * OLK_LANES_F64;
            const olk_f64s x_here = olk_widen(dtype, row, from);
            for (int c = 0; c < columns; c++)
                sum[c * OLK_SUMS + k] =
                    olk_madd_f64s(olk_widen(dtype, coef, first + c * stride + from), x_here,
                                  sum[c * OLK_SUMS + k]);
        }
    for (int k = 0; k < columns * OLK_SUMS; k++)
        olk_store_f64s(lane[k / OLK_SUMS] + k % OLK_SUMS * OLK_LANES_F64, sum[k]);
}

/* olk_weigh in parts: continues the eight sums of each column; each part but the last is a multiple
   of eight. */
static OLK_INLINE void olk_weigh_part(const int dtype, const void *row, const void *coef,
                                      ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                      double (*lane)[8])
{
    const ptrdiff_t n_vector = n / 8 * 8;
    ptrdiff_t c = 0;
    for (; c + 4 <= columns; c += 4)
        olk_add_weighted(dtype, 4, row, coef, c * stride, stride, n_vector, lane + c);
    for (; c + 2 <= columns; c += 2)
        olk_add_weighted(dtype, 2, row, coef, c * stride, stride, n_vector, lane + c);
    if (c < columns)
        olk_add_weighted(dtype, 1, row, coef, c * stride, stride, n_vector, lane + c);
    for (c = 0; c < columns; c++)
        for (ptrdiff_t i = n_vector; i < n; i++)
            lane[c][i - n_vector] = olk_madd_f64(olk_get(dtype, coef, c * stride + i),
                                                 olk_get(dtype, row, i), lane[c][i - n_vector]);
}

static OLK_NOINLINE void olk_weigh_part_f32(const void *row, const void *coef, ptrdiff_t stride,
                                            ptrdiff_t n, ptrdiff_t columns, double (*lane)[8])
{
    olk_weigh_part(OLK_F32, row, coef, stride, n, columns, lane);
}

static OLK_NOINLINE void olk_weigh_part_f64(const void *row, const void *coef, ptrdiff_t stride,
                                            ptrdiff_t n, ptrdiff_t columns, double (*lane)[8])
{
    olk_weigh_part(OLK_F64, row, coef, stride, n, columns, lane);
}

/* y += w x. */
static OLK_NOINLINE void olk_axpy(void *vy, double w, const void *vx, ptrdiff_t n)
{
    olk_coef_t *restrict y = vy;
    const olk_coef_t *restrict x = vx;
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = (olk_coef_t)olk_madd_f64(w, (double)x[j], (double)y[j]);
}
