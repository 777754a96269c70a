/* Operations on all coefficients of a ring. */
#pragma once

#include "number.h"
#include "simd.h"

/* Clamps each coef_i to [-bound, bound]. */
static void olk_clamp(void *coefficients, ptrdiff_t n, double bound)
{
    olk_coef_t *coef = coefficients;
    const olk_coef_t limit = (olk_coef_t)bound;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = coef[i] > limit ? limit : coef[i] < -limit ? -limit : coef[i];
}

/* coef_i *= factor. */
static void olk_scale(void *coefficients, ptrdiff_t n, double factor)
{
    olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = (olk_coef_t)((double)coef[i] * factor);
}

/* coef_i /= min(1, c w_i), all w_i > 0: the survivors of sampling with these probabilities. */
static void olk_divide_by_probability(void *coefficients, const double *restrict w, ptrdiff_t n,
                                      double c)
{
    olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double probability = c * w[i], old = (double)coef[i];
        coef[i] = (olk_coef_t)(probability < 1.0 ? old / probability : old);
    }
}

/* Brings the running sums of the averages up to date: sum_i += coef_i (weight - start_i),
   start_i <- weight. */
static void olk_flush_average(const void *coefficients, double weight, double *restrict start,
                              double *restrict sum, ptrdiff_t n)
{
    const olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        sum[i] += (double)coef[i] * (weight - start[i]);
        start[i] = weight;
    }
}

/* size_i <- |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. Returns the
   smallest. */
static double olk_sizes(const void *coefficients, const double *diagonal, ptrdiff_t n,
                        double *restrict size)
{
    const olk_coef_t *coef = coefficients;
    olk_f64s low = olk_splat_f64(INFINITY);
    double smallest = INFINITY;
    ptrdiff_t i = 0;
    for (; i + OLK_LANES_F64 <= n; i += OLK_LANES_F64) {
        olk_f64s sizes_here = olk_abs_f64s(olk_widen(OLK_COEF_DTYPE, coef, i));
        if (diagonal)
            for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                OLK_LANE(sizes_here, k) *= sqrt(diagonal[i + k]);
        olk_store_f64s(size + i, sizes_here);
        low = olk_select_f64s(OLK_MASK_F64S(sizes_here < low), sizes_here, low);
    }
    for (; i < n; i++) {
        size[i] = fabs((double)coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        smallest = size[i] < smallest ? size[i] : smallest;
    }
    for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
        smallest = OLK_LANE(low, k) < smallest ? OLK_LANE(low, k) : smallest;
    return smallest;
}

/* The largest |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. */
static double olk_max_abs(const void *coefficients, const double *diagonal, ptrdiff_t n)
{
    const olk_coef_t *coef = coefficients;
    olk_f64s limit[2] = {olk_splat_f64(0.0), olk_splat_f64(0.0)};
    double largest = 0.0;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            olk_f64s size = olk_abs_f64s(olk_widen(OLK_COEF_DTYPE, coef, i + g * OLK_LANES_F64));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[i + g * OLK_LANES_F64 + k]);
            limit[g] = olk_select_f64s(OLK_MASK_F64S(size > limit[g]), size, limit[g]);
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        largest = size > largest ? size : largest;
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
            largest = OLK_LANE(limit[g], k) > largest ? OLK_LANE(limit[g], k) : largest;
    return largest;
}

/* squares[i] = sum over the columns c of coef[c * stride + i]^2, in the order of the columns, for
   `vectors` vectors at once: one alone would wait for its previous addition. */
static OLK_INLINE void olk_squares_part(const int vectors, const olk_coef_t *coef, ptrdiff_t stride,
                                        ptrdiff_t columns, double *restrict squares)
{
    olk_f64s sum[8];
    for (int g = 0; g < vectors; g++)
        sum[g] = olk_splat_f64(0.0);
    for (ptrdiff_t c = 0; c < columns; c++)
        for (int g = 0; g < vectors; g++) {
            const olk_f64s a = olk_widen(OLK_COEF_DTYPE, coef, c * stride + g * OLK_LANES_F64);
            sum[g] += a * a;
        }
    for (int g = 0; g < vectors; g++)
        memcpy(squares + g * OLK_LANES_F64, &sum[g], sizeof sum[g]);
}

/* The same for n of them. */
static void olk_squares(const void *coefficients, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                        double *restrict squares)
{
    const olk_coef_t *coef = coefficients;
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
