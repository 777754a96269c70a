/* What is done to all the coefficients of a ring; included by by_real.h. */

/* |coef_i| <= most, each on its own. */
static void OLK_FN(olk_clamp)(void *coefficients, ptrdiff_t n, double bound)
{
    OLK_R *coef = coefficients;
    const OLK_R most = (OLK_R)bound;
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L) {
        const OLK_V above = OLK_VMAX_F64(OLK_ALL(-(double)most), OLK_AT(coef, i));
        OLK_PUT(coef, i, -OLK_VMAX_F64(OLK_ALL(-(double)most), -above));
    }
    for (; i < n; i++)
        coef[i] = coef[i] > most ? most : coef[i] < -most ? -most : coef[i];
}

/* coef_i *= factor. */
static void OLK_FN(olk_scale)(void *coefficients, ptrdiff_t n, double factor)
{
    OLK_R *restrict coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L)
        OLK_PUT(coef, i, OLK_AT(coef, i) * factor);
    for (; i < n; i++)
        coef[i] = (OLK_R)((double)coef[i] * factor);
}

/* coef_i /= min(1, c w_i), all w_i > 0: the survivors of sampling with these probabilities. */
static void OLK_FN(olk_divide_by_probability)(void *coefficients, const double *restrict w,
                                              ptrdiff_t n, double c)
{
    OLK_R *restrict coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L) {
        const OLK_V stay = c * OLK_WIDE_AT(w, i), old = OLK_AT(coef, i);
        OLK_PUT(coef, i, OLK_PICK(OLK_MASK(OLK_BITS, stay < 1.0), old / stay, old));
    }
    for (; i < n; i++)
        if (c * w[i] < 1.0)
            coef[i] = (OLK_R)((double)coef[i] / (c * w[i]));
}

/* A running sum brought up to date: sum_i += coef_i (weight - start_i), start_i <- weight. */
static void OLK_FN(olk_settle)(const void *coefficients, double weight, double *restrict start,
                               double *restrict sum, ptrdiff_t n)
{
    const OLK_R *coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L) {
        const OLK_V gained = OLK_AT(coef, i) * (weight - OLK_WIDE_AT(start, i));
        OLK_NAME(olk_put_f64)(sum + i, OLK_WIDE_AT(sum, i) + gained);
        OLK_NAME(olk_put_f64)(start + i, OLK_ALL(weight));
    }
    for (; i < n; i++) {
        sum[i] += (double)coef[i] * (weight - start[i]);
        start[i] = weight;
    }
}

/* size_i <- |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL; the least of them. */
static double OLK_FN(olk_sizes)(const void *coefficients, const double *diagonal, ptrdiff_t n,
                                double *restrict size)
{
    const OLK_R *coef = coefficients;
    OLK_V low = OLK_ALL(INFINITY);
    double least = INFINITY;
    ptrdiff_t i = 0;
    for (; i + OLK_L <= n; i += OLK_L) {
        OLK_V here = OLK_NAME(olk_size_f64)(OLK_AT(coef, i));
        if (diagonal)
            for (ptrdiff_t k = 0; k < OLK_L; k++)
                OLK_LANE(here, k) *= sqrt(diagonal[i + k]);
        OLK_NAME(olk_put_f64)(size + i, here);
        low = OLK_PICK(OLK_MASK(OLK_BITS, here < low), here, low);
    }
    for (; i < n; i++) {
        size[i] = fabs((double)coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        least = size[i] < least ? size[i] : least;
    }
    for (ptrdiff_t k = 0; k < OLK_L; k++)
        least = OLK_LANE(low, k) < least ? OLK_LANE(low, k) : least;
    return least;
}

/* The largest |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. */
static double OLK_FN(olk_max_abs)(const void *coefficients, const double *diagonal, ptrdiff_t n)
{
    const OLK_R *coef = coefficients;
    OLK_V most[2] = {OLK_ALL(0.0), OLK_ALL(0.0)};
    double largest = 0.0;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            OLK_V size = OLK_NAME(olk_size_f64)(OLK_AT(coef, i + g * OLK_L));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_L; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[i + g * OLK_L + k]);
            most[g] = OLK_PICK(OLK_MASK(OLK_BITS, size > most[g]), size, most[g]);
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        largest = size > largest ? size : largest;
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++)
            largest = OLK_LANE(most[g], k) > largest ? OLK_LANE(most[g], k) : largest;
    return largest;
}

/* squares[i] = sum over the columns c of coef[c * stride + i]^2, in the order of the columns, for
   `vectors` vectors of them: side by side, as each sum waits for its last. */
static OLK_ALWAYS void OLK_FN(olk_squares_part)(const int vectors, const OLK_R *coef,
                                                ptrdiff_t stride, ptrdiff_t columns,
                                                double *restrict squares)
{
    OLK_V sum[8];
    for (int g = 0; g < vectors; g++)
        sum[g] = OLK_ALL(0.0);
    for (ptrdiff_t c = 0; c < columns; c++)
        for (int g = 0; g < vectors; g++) {
            const OLK_V a = OLK_AT(coef, c * stride + g * OLK_L);
            sum[g] += a * a;
        }
    for (int g = 0; g < vectors; g++)
        memcpy(squares + g * OLK_L, &sum[g], sizeof sum[g]);
}

/* The same for n of them. */
static void OLK_FN(olk_squares)(const void *coefficients, ptrdiff_t stride, ptrdiff_t n,
                                ptrdiff_t columns, double *restrict squares)
{
    const OLK_R *coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + 8 * OLK_L <= n; i += 8 * OLK_L)
        OLK_FN(olk_squares_part)(8, coef + i, stride, columns, squares + i);
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        OLK_FN(olk_squares_part)(2, coef + i, stride, columns, squares + i);
    for (; i < n; i++) {
        squares[i] = 0.0;
        for (ptrdiff_t c = 0; c < columns; c++)
            squares[i] += (double)coef[c * stride + i] * (double)coef[c * stride + i];
    }
}
