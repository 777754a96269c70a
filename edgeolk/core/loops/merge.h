/* Merging support vectors. */
#pragma once

#include "kernel_values.h"

/* share e^(-L (1-h)^2) + (1 - share) e^(-L h^2) for two vectors of pairs, and both exponentials. */
static OLK_INLINE void olk_merged(const olk_f64s *share, const olk_f64s *spread, const olk_f64s *h,
                                  olk_f64s *weight, olk_f64s *exponential)
{
    for (int g = 0; g < 2; g++) {
        exponential[g] = -spread[g] * (1.0 - h[g]) * (1.0 - h[g]);
        exponential[2 + g] = -spread[g] * h[g] * h[g];
    }
    olk_exp(4, exponential);
    for (int g = 0; g < 2; g++)
        weight[g] = share[g] * exponential[g] + (1.0 - share[g]) * exponential[2 + g];
}

/* Merging a support vector of coefficient b with each of n others (Wang, Crammer & Vucetic 2012):
   height[i] maximises the merged weight over [0, 1/2], which contains the global maximum if |b| is
   the smaller, by `iters` golden sections; loss[i] is what merging then loses of ||f||^2, infinite
   where coef[i] and b differ in sign. A section keeps the better of its two points for the next
   one. `dtype` is the type of coefficients and distances. */
static void olk_merge(int dtype, double b, double gamma, ptrdiff_t iters, const void *coefficients,
                      const void *distances, ptrdiff_t n, double *height, double *loss)
{
    const double golden = 0.6180339887498949;
    for (ptrdiff_t i = 0; i < n; i += 2 * OLK_LANES_F64) {
        olk_f64s other[2], share[2], spread[2], low[2], high[2], p[2], q[2], at_p[2], at_q[2];
        olk_f64s t[2], at_t[2], exponential[4];
        const ptrdiff_t w = n - i < 2 * OLK_LANES_F64 ? n - i : 2 * OLK_LANES_F64;
        for (int g = 0; g < 2; g++)
            other[g] = spread[g] = olk_splat_f64(0.0);
        for (ptrdiff_t k = 0; k < w; k++) {
            OLK_LANE(other[k / OLK_LANES_F64], k % OLK_LANES_F64) =
                olk_get(dtype, coefficients, i + k);
            OLK_LANE(spread[k / OLK_LANES_F64], k % OLK_LANES_F64) =
                gamma * olk_get(dtype, distances, i + k);
        }
        for (int g = 0; g < 2; g++) {
            const olk_i64s same = OLK_MASK_F64S(other[g] * b > 0.0);
            other[g] = olk_select_f64s(same, other[g], olk_splat_f64(0.0));
            share[g] = b / (b + other[g]);
            low[g] = olk_splat_f64(0.0);
            high[g] = olk_splat_f64(0.5);
            p[g] = high[g] - golden * (high[g] - low[g]);
            q[g] = low[g] + golden * (high[g] - low[g]);
        }
        olk_merged(share, spread, p, at_p, exponential);
        olk_merged(share, spread, q, at_q, exponential);
        for (ptrdiff_t round = 0; round < iters; round++) {
            olk_i64s left[2];
            for (int g = 0; g < 2; g++) {
                left[g] = OLK_MASK_F64S(at_p[g] >= at_q[g]);
                high[g] = olk_select_f64s(left[g], q[g], high[g]);
                low[g] = olk_select_f64s(left[g], low[g], p[g]);
                t[g] = olk_select_f64s(left[g], high[g] - golden * (high[g] - low[g]),
                                       low[g] + golden * (high[g] - low[g]));
            }
            olk_merged(share, spread, t, at_t, exponential);
            for (int g = 0; g < 2; g++) {
                const olk_f64s new_p = olk_select_f64s(left[g], t[g], q[g]);
                q[g] = olk_select_f64s(left[g], p[g], t[g]);
                p[g] = new_p;
                const olk_f64s at_new = olk_select_f64s(left[g], at_t[g], at_q[g]);
                at_q[g] = olk_select_f64s(left[g], at_p[g], at_t[g]);
                at_p[g] = at_new;
            }
        }
        for (int g = 0; g < 2; g++)
            t[g] = 0.5 * (low[g] + high[g]);
        olk_merged(share, spread, t, at_t, exponential);
        olk_f64s overlap[4] = {-spread[0], -spread[1], olk_splat_f64(0.0), olk_splat_f64(0.0)};
        olk_exp(4, overlap);
        for (ptrdiff_t k = 0; k < w; k++) {
            const int g = (int)(k / OLK_LANES_F64);
            const ptrdiff_t lane = k % OLK_LANES_F64;
            const double c = OLK_LANE(other[g], lane);
            const double z =
                b * OLK_LANE(exponential[g], lane) + c * OLK_LANE(exponential[2 + g], lane);
            height[i + k] = OLK_LANE(t[g], lane);
            const double both = b * b + c * c + 2.0 * b * c * OLK_LANE(overlap[g], lane);
            loss[i + k] = c == 0.0 ? INFINITY : both - z * z;
        }
    }
}
