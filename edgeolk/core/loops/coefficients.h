/* What is done to all the coefficients of a ring. */
#pragma once

#include "number.h"
#include "simd.h"

/* |coef_i| <= most, each on its own. */
static void olk_clamp(void *coefficients, ptrdiff_t n, double bound)
{
    olk_real *coef = coefficients;
    const olk_real most = (olk_real)bound;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = coef[i] > most ? most : coef[i] < -most ? -most : coef[i];
}

/* coef_i *= factor. */
static void olk_scale(void *coefficients, ptrdiff_t n, double factor)
{
    olk_real *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = (olk_real)((double)coef[i] * factor);
}

/* coef_i /= min(1, c w_i), all w_i > 0: the survivors of sampling with these probabilities. */
static void olk_divide_by_probability(void *coefficients, const double *restrict w, ptrdiff_t n,
                                      double c)
{
    olk_real *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double stay = c * w[i], old = (double)coef[i];
        coef[i] = (olk_real)(stay < 1.0 ? old / stay : old);
    }
}

/* A running sum brought up to date: sum_i += coef_i (weight - start_i), start_i <- weight. */
static void olk_settle(const void *coefficients, double weight, double *restrict start,
                       double *restrict sum, ptrdiff_t n)
{
    const olk_real *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        sum[i] += (double)coef[i] * (weight - start[i]);
        start[i] = weight;
    }
}

/* size_i <- |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL; the least of
 * them. */
static double olk_sizes(const void *coefficients, const double *diagonal, ptrdiff_t n,
                        double *restrict size)
{
    const olk_real *coef = coefficients;
    olk_f64s low = olk_splat_f64(INFINITY);
    double least = INFINITY;
    ptrdiff_t i = 0;
    for (; i + OLK_LANES_F64 <= n; i += OLK_LANES_F64) {
        olk_f64s here = olk_abs_f64s(olk_widen(OLK_REAL, coef, i));
        if (diagonal)
            for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                OLK_LANE(here, k) *= sqrt(diagonal[i + k]);
        olk_store_f64s(size + i, here);
        low = olk_select_f64s(OLK_MASK_F64S(here < low), here, low);
    }
    for (; i < n; i++) {
        size[i] = fabs((double)coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        least = size[i] < least ? size[i] : least;
    }
    for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
        least = OLK_LANE(low, k) < least ? OLK_LANE(low, k) : least;
    return least;
}

/* The largest |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. */
static double olk_max_abs(const void *coefficients, const double *diagonal, ptrdiff_t n)
{
    const olk_real *coef = coefficients;
    olk_f64s most[2] = {olk_splat_f64(0.0), olk_splat_f64(0.0)};
    double largest = 0.0;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            olk_f64s size = olk_abs_f64s(olk_widen(OLK_REAL, coef, i + g * OLK_LANES_F64));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[i + g * OLK_LANES_F64 + k]);
            most[g] = olk_select_f64s(OLK_MASK_F64S(size > most[g]), size, most[g]);
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        largest = size > largest ? size : largest;
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
            largest = OLK_LANE(most[g], k) > largest ? OLK_LANE(most[g], k) : largest;
    return largest;
}

/* squares[i] = sum over the columns c of coef[c * stride + i]^2, in the order of the columns, for
   `vectors` vectors of them: side by side, as each sum waits for its last. */
static OLK_ALWAYS void olk_squares_part(const int vectors, const olk_real *coef, ptrdiff_t stride,
                                        ptrdiff_t columns, double *restrict squares)
{
    olk_f64s sum[8];
    for (int g = 0; g < vectors; g++)
        sum[g] = olk_splat_f64(0.0);
    for (ptrdiff_t c = 0; c < columns; c++)
        for (int g = 0; g < vectors; g++) {
            const olk_f64s a = olk_widen(OLK_REAL, coef, c * stride + g * OLK_LANES_F64);
            sum[g] += a * a;
        }
    for (int g = 0; g < vectors; g++)
        memcpy(squares + g * OLK_LANES_F64, &sum[g], sizeof sum[g]);
}

/* The same for n of them. */
static void olk_squares(const void *coefficients, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                        double *restrict squares)
{
    const olk_real *coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + 8 * OLK_LANES_F64 <= n; i += 8 * OLK_LANES_F64)
        olk_squares_part(8, coef + i, stride, columns, squares + i);
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        olk_squares_part(2, coef + i, stride, columns, squares + i);
    for (; i < n; i++) {
        squares[i] = 0.0;
        for (ptrdiff_t c = 0; c < columns; c++)
            squares[i] += (double)coef[c * stride + i] * (double)coef[c * stride + i];
    }
}
