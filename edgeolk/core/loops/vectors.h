/* Dot products, sums over columns of coefficients, multiples of vectors; included by by_real.h. */

/* Numbers of an array of doubles or of floats, in double: a vector, the first few of one, one. */
#define OLK_EITHER(doubles, name, array, ...)                                                      \
    ((doubles) ? OLK_NAME(name##_f64)((const double *)(array) + __VA_ARGS__)                       \
               : OLK_NAME(name##_f32)((const float *)(array) + __VA_ARGS__))

/* out[r] = <row[r], x>, `rows` of them, a constant up to OLK_COLUMNS; x is of doubles or of floats, a
   constant too. */
static OLK_ALWAYS void
OLK_FN(olk_dots_with)(const int doubles, const int rows, const OLK_R *const *row, const void *x,
                      ptrdiff_t n, double *out)
{
    OLK_V sum[OLK_COLUMNS * OLK_SUMS];
    OLK_ALIGNED(64) double lane[8];
    ptrdiff_t i = 0;
    for (int k = 0; k < rows * OLK_SUMS; k++)
        sum[k] = (OLK_V){0};
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const OLK_V at = OLK_EITHER(doubles, olk_widen, x, i + k * OLK_L);
            for (int r = 0; r < rows; r++)
                sum[r * OLK_SUMS + k] =
                    OLK_VMADD_F64(OLK_AT(row[r], i + k * OLK_L), at, sum[r * OLK_SUMS + k]);
        }
#if defined(OLK_X86) && OLK_BYTES == 64
    /* One register a sum: it need not be taken apart. */
    if (i < n) {
        const OLK_V at = OLK_EITHER(doubles, olk_widen_first, x, i, n - i);
        for (int r = 0; r < rows; r++)
            sum[r] = OLK_NAME(olk_madd_first)(OLK_FN(olk_widen_first)(row[r] + i, n - i), at,
                                              sum[r], n - i);
    }
    for (int r = 0; r + 2 <= rows; r += 2)
        OLK_NAME(olk_two_totals)(sum[r], sum[r + 1], out + r);
    if (rows % 2) {
        OLK_NAME(olk_two_totals)(sum[rows - 1], sum[rows - 1], lane);
        out[rows - 1] = lane[0];
    }
#else
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < OLK_SUMS; k++)
            ((OLK_V *)lane)[k] = sum[r * OLK_SUMS + k];
        for (ptrdiff_t j = i; j < n; j++)
            lane[j - i] = OLK_MADD_F64((double)row[r][j],
                                       doubles ? ((const double *)x)[j]
                                               : (double)((const float *)x)[j],
                                       lane[j - i]);
        out[r] = OLK_NAME(olk_total)(lane);
    }
#endif
}

/* The same with x of the rows' own type. */
static OLK_ALWAYS void
OLK_FN(olk_dots)(const int rows, const OLK_R *const *row, const OLK_R *x, ptrdiff_t n, double *out)
{
    OLK_FN(olk_dots_with)(sizeof(OLK_R) == sizeof(double), rows, row, x, n, out);
}

static OLK_APART double OLK_FN(olk_dot)(const void *a, const void *b, ptrdiff_t n)
{
    const OLK_R *row = a;
    double out;
    OLK_FN(olk_dots)(1, &row, b, n, &out);
    return out;
}

/* f[c] = sum_i coef[c * stride + i] row[i] for each of the columns c: in the order in which a kernel
   row is summed, so that a row kept in full gives the same bits. Several columns at a time: one by one
   each sum would wait for the last. */
static OLK_ALWAYS void
OLK_FN(olk_weigh_with)(const int doubles, const void *row, const void *coef, ptrdiff_t stride,
                       ptrdiff_t n, ptrdiff_t columns, double *f)
{
    const OLK_R *column[OLK_COLUMNS], *at = coef;
    for (ptrdiff_t c = 0; c < columns;) {
        const int rows = columns - c < OLK_COLUMNS ? (int)(columns - c) : OLK_COLUMNS;
        for (int r = 0; r < rows; r++, at += stride)
            column[r] = at;
        switch (rows) {
#define OLK_CASE(count)                                                                            \
    case count:                                                                                    \
        OLK_FN(olk_dots_with)(doubles, count, column, row, n, f + c);                              \
        break;
            OLK_CASE(1) OLK_CASE(2)
#if OLK_BYTES >= 32
            OLK_CASE(3) OLK_CASE(4)
#endif
#if OLK_BYTES == 64
            OLK_CASE(5) OLK_CASE(6) OLK_CASE(7) OLK_CASE(8)
            OLK_CASE(9) OLK_CASE(10) OLK_CASE(11) OLK_CASE(12)
#endif
#undef OLK_CASE
        }
        c += rows;
    }
}

static OLK_APART void OLK_FN(olk_weigh)(const void *row, const void *coef, ptrdiff_t stride,
                                        ptrdiff_t n, ptrdiff_t columns, double *f)
{
    OLK_FN(olk_weigh_with)(sizeof(OLK_R) == sizeof(double), row, coef, stride, n, columns, f);
}

/* The same of kernel values kept as they were computed, of the type `real`. */
static OLK_APART void OLK_FN(olk_weigh_values)(int real, const void *values, const void *coef,
                                               ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                               double *f)
{
    const int wide = sizeof(OLK_R) == sizeof(double);
    if (wide == (real == OLK_F64))
        OLK_FN(olk_weigh)(values, coef, stride, n, columns, f);
    else
        OLK_FN(olk_weigh_with)(!wide, values, coef, stride, n, columns, f);
}

/* lane[c] += the sums of part of a row, n numbers, a multiple of eight, with column c, c < columns, a
   constant. */
static OLK_ALWAYS void OLK_FN(olk_add)(const int columns, const OLK_R *row, const OLK_R *coef,
                                       ptrdiff_t stride, ptrdiff_t n, double (*lane)[8])
{
    OLK_V sum[4 * OLK_SUMS];
    for (int k = 0; k < columns * OLK_SUMS; k++)
        sum[k] = ((const OLK_V *)lane[k / OLK_SUMS])[k % OLK_SUMS];
    for (ptrdiff_t i = 0; i < n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const OLK_V at = OLK_AT(row, i + k * OLK_L);
            for (int c = 0; c < columns; c++)
                sum[c * OLK_SUMS + k] = OLK_VMADD_F64(OLK_AT(coef + c * stride, i + k * OLK_L), at,
                                                      sum[c * OLK_SUMS + k]);
        }
    for (int k = 0; k < columns * OLK_SUMS; k++)
        ((OLK_V *)lane[k / OLK_SUMS])[k % OLK_SUMS] = sum[k];
}

/* The same of fewer than eight, the last of a row. */
static OLK_APART void OLK_FN(olk_add_last)(const OLK_R *row, const OLK_R *coef, ptrdiff_t stride,
                                           ptrdiff_t n, ptrdiff_t columns, double (*lane)[8])
{
    for (ptrdiff_t c = 0; c < columns; c++)
        for (ptrdiff_t i = 0; i < n; i++)
            lane[c][i] = OLK_MADD_F64((double)coef[c * stride + i], (double)row[i], lane[c][i]);
}

/* The eight sums of each column go on with a part of a row: olk_weigh in parts, each but the last a
   multiple of eight. */
static OLK_APART void OLK_FN(olk_weigh_part)(const void *values, const void *coefficients,
                                             ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                             double (*lane)[8])
{
    const OLK_R *row = values, *coef = coefficients;
    const ptrdiff_t whole = n / 8 * 8;
    ptrdiff_t c = 0;
    for (; c + 4 <= columns; c += 4)
        OLK_FN(olk_add)(4, row, coef + c * stride, stride, whole, lane + c);
    for (; c + 2 <= columns; c += 2)
        OLK_FN(olk_add)(2, row, coef + c * stride, stride, whole, lane + c);
    if (c < columns)
        OLK_FN(olk_add)(1, row, coef + c * stride, stride, whole, lane + c);
    if (whole < n)
        OLK_FN(olk_add_last)(row + whole, coef + whole, stride, n - whole, columns, lane);
}

/* y += w x. */
static OLK_APART void OLK_FN(olk_axpy)(void *vy, double w, const void *vx, ptrdiff_t n)
{
    OLK_R *restrict y = vy;
    const OLK_R *restrict x = vx;
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = (OLK_R)OLK_MADD_F64(w, (double)x[j], (double)y[j]);
}

#undef OLK_EITHER
