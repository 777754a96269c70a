/* Dot products, sums over columns of coefficients, multiples of vectors; included by by_real.h. */

/* out[r] = <row[r], x>, `rows` of them, a constant up to OLK_ROWS. */
static OLK_ALWAYS void
OLK_FN(olk_dots)(const int rows, const OLK_R *const *row, const OLK_R *x, ptrdiff_t n, double *out)
{
    OLK_V sum[OLK_ROWS * OLK_SUMS];
    OLK_ALIGNED(64) double lane[8];
    ptrdiff_t i = 0;
    for (int k = 0; k < rows * OLK_SUMS; k++)
        sum[k] = (OLK_V){0};
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            const OLK_V at = OLK_AT(x, i + k * OLK_L);
            for (int r = 0; r < rows; r++)
                sum[r * OLK_SUMS + k] =
                    OLK_VMADD_F64(OLK_AT(row[r], i + k * OLK_L), at, sum[r * OLK_SUMS + k]);
        }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < OLK_SUMS; k++)
            ((OLK_V *)lane)[k] = sum[r * OLK_SUMS + k];
        for (ptrdiff_t j = i; j < n; j++)
            lane[j - i] = OLK_MADD_F64((double)row[r][j], (double)x[j], lane[j - i]);
        out[r] = OLK_NAME(olk_total)(lane);
    }
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
static OLK_APART void OLK_FN(olk_weigh)(const void *row, const void *coef, ptrdiff_t stride, ptrdiff_t n,
                              ptrdiff_t columns, double *f)
{
    const OLK_R *column[OLK_ROWS];
    for (ptrdiff_t c = 0; c < columns;) {
        const ptrdiff_t left = columns - c;
        const int rows = left >= OLK_ROWS ? OLK_ROWS : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (int r = 0; r < rows; r++)
            column[r] = (const OLK_R *)coef + (c + r) * stride;
        if (rows == OLK_ROWS)
            OLK_FN(olk_dots)(OLK_ROWS, column, row, n, f + c);
        else if (rows == 4)
            OLK_FN(olk_dots)(4, column, row, n, f + c);
        else if (rows == 2)
            OLK_FN(olk_dots)(2, column, row, n, f + c);
        else
            OLK_FN(olk_dots)(1, column, row, n, f + c);
        c += rows;
    }
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
