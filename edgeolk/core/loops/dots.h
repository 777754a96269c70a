/* Dot products, sums over columns of coefficients, multiples of vectors. */
#pragma once

#include "number.h"
#include "simd.h"
#include "tiles.h"

/* out[r] = <row[r], x>, `rows` of them, a constant up to OLK_COLUMNS; x is of the type `real`, a
   constant too. */
static OLK_ALWAYS void olk_dots_with(const int real, const int rows, const olk_real *const *row,
                                     const void *x, ptrdiff_t n, double *out)
{
    olk_f64s sum[OLK_COLUMNS * OLK_SUMS];
    OLK_ALIGNED(64) double lane[8];
    ptrdiff_t i = 0;
    for (int k = 0; k < rows * OLK_SUMS; k++)
        sum[k] = olk_splat_f64(0.0);
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const olk_f64s at = olk_widen(real, x, i + k * OLK_LANES_F64);
            for (int r = 0; r < rows; r++)
                sum[r * OLK_SUMS + k] = olk_madd_f64s(
                    olk_widen(OLK_REAL, row[r], i + k * OLK_LANES_F64), at, sum[r * OLK_SUMS + k]);
        }
#if defined(OLK_X86) && OLK_BYTES == 64
    /* One register a sum: it need not be taken apart. */
    if (i < n) {
        const olk_f64s at = olk_widen_first(real, x, i, n - i);
        for (int r = 0; r < rows; r++)
            sum[r] = olk_madd_first(olk_widen_first(OLK_REAL, row[r], i, n - i), at, sum[r], n - i);
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
            lane[j - i] = olk_madd_f64((double)row[r][j], olk_get(real, x, j), lane[j - i]);
        out[r] = olk_total(lane);
    }
#endif
}

/* The same with x of the rows' own type. */
static OLK_ALWAYS void olk_dots(const int rows, const olk_real *const *row, const olk_real *x,
                                ptrdiff_t n, double *out)
{
    olk_dots_with(OLK_REAL, rows, row, x, n, out);
}

static OLK_APART double olk_dot(const void *a, const void *b, ptrdiff_t n)
{
    const olk_real *row = a;
    double out;
    olk_dots(1, &row, b, n, &out);
    return out;
}

/* f[c] = sum_i coef[c * stride + i] row[i] for each of the columns c: in the order in which a
   kernel row is summed, so that a row kept in full gives the same bits. Several columns at a time:
   one by one each sum would wait for the last. */
static OLK_ALWAYS void olk_weigh_with(const int real, const void *row, const void *coef,
                                      ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns, double *f)
{
    const olk_real *column[OLK_COLUMNS], *at = coef;
    for (ptrdiff_t c = 0; c < columns;) {
        const int rows = columns - c < OLK_COLUMNS ? (int)(columns - c) : OLK_COLUMNS;
        for (int r = 0; r < rows; r++, at += stride)
            column[r] = at;
        switch (rows) {
#define OLK_CASE(count)                                                                            \
    case count: olk_dots_with(real, count, column, row, n, f + c); break;
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

static OLK_APART void olk_weigh(const void *row, const void *coef, ptrdiff_t stride, ptrdiff_t n,
                                ptrdiff_t columns, double *f)
{
    olk_weigh_with(OLK_REAL, row, coef, stride, n, columns, f);
}

/* The same of kernel values kept as they were computed, of the type `real`. */
static OLK_APART void olk_weigh_values(int real, const void *values, const void *coef,
                                       ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns, double *f)
{
    if (real == OLK_REAL)
        olk_weigh(values, coef, stride, n, columns, f);
    else
        olk_weigh_with(sizeof(olk_real) == sizeof(double) ? OLK_F32 : OLK_F64, values, coef, stride,
                       n, columns, f);
}

/* lane[c] += the sums of part of a row, n numbers, a multiple of eight, with column c, c < columns;
   all of the type `real`; both are constants. */
static OLK_ALWAYS void olk_add(const int real, const int columns, const void *row, const void *coef,
                               ptrdiff_t first, ptrdiff_t stride, ptrdiff_t n, double (*lane)[8])
{
    olk_f64s sum[4 * OLK_SUMS];
    for (int k = 0; k < columns * OLK_SUMS; k++)
        sum[k] = olk_load_f64s(lane[k / OLK_SUMS] + k % OLK_SUMS * OLK_LANES_F64);
    for (ptrdiff_t i = 0; i < n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const ptrdiff_t from = i + k * OLK_LANES_F64;
            const olk_f64s at = olk_widen(real, row, from);
            for (int c = 0; c < columns; c++)
                sum[c * OLK_SUMS + k] = olk_madd_f64s(
                    olk_widen(real, coef, first + c * stride + from), at, sum[c * OLK_SUMS + k]);
        }
    for (int k = 0; k < columns * OLK_SUMS; k++)
        olk_store_f64s(lane[k / OLK_SUMS] + k % OLK_SUMS * OLK_LANES_F64, sum[k]);
}

/* The eight sums of each column go on with a part of a row: olk_weigh in parts, each but the last a
   multiple of eight. */
static OLK_ALWAYS void olk_weigh_part(const int real, const void *row, const void *coef,
                                      ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                      double (*lane)[8])
{
    const ptrdiff_t whole = n / 8 * 8;
    ptrdiff_t c = 0;
    for (; c + 4 <= columns; c += 4)
        olk_add(real, 4, row, coef, c * stride, stride, whole, lane + c);
    for (; c + 2 <= columns; c += 2)
        olk_add(real, 2, row, coef, c * stride, stride, whole, lane + c);
    if (c < columns)
        olk_add(real, 1, row, coef, c * stride, stride, whole, lane + c);
    for (c = 0; c < columns; c++)
        for (ptrdiff_t i = whole; i < n; i++)
            lane[c][i - whole] = olk_madd_f64(olk_get(real, coef, c * stride + i),
                                              olk_get(real, row, i), lane[c][i - whole]);
}

static OLK_APART void olk_weigh_part_f32(const void *row, const void *coef, ptrdiff_t stride,
                                         ptrdiff_t n, ptrdiff_t columns, double (*lane)[8])
{
    olk_weigh_part(OLK_F32, row, coef, stride, n, columns, lane);
}

static OLK_APART void olk_weigh_part_f64(const void *row, const void *coef, ptrdiff_t stride,
                                         ptrdiff_t n, ptrdiff_t columns, double (*lane)[8])
{
    olk_weigh_part(OLK_F64, row, coef, stride, n, columns, lane);
}

/* y += w x. */
static OLK_APART void olk_axpy(void *vy, double w, const void *vx, ptrdiff_t n)
{
    olk_real *restrict y = vy;
    const olk_real *restrict x = vx;
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = (olk_real)olk_madd_f64(w, (double)x[j], (double)y[j]);
}
