/* Merging support vectors; included by by_real.h. */

/* share e^(-L (1-h)^2) + (1 - share) e^(-L h^2) for two vectors; the exponentials to far and near. */
static OLK_ALWAYS void
OLK_FN(olk_merged)(const OLK_V *share, const OLK_V *spread, const OLK_V *h, OLK_V *weight,
                     OLK_V *exponential)
{
    for (int g = 0; g < 2; g++) {
        exponential[g] = -spread[g] * (1.0 - h[g]) * (1.0 - h[g]);
        exponential[2 + g] = -spread[g] * h[g] * h[g];
    }
    OLK_NAME(olk_exp_f64)(4, exponential);
    for (int g = 0; g < 2; g++)
        weight[g] = share[g] * exponential[g] + (1.0 - share[g]) * exponential[2 + g];
}

/* Merging a support vector of coefficient b with each of n others (Wang, Crammer & Vucetic 2012):
   height[i] maximises the merged weight over [0, 1/2], by `iters` golden sections, where the global
   maximum lies if |b| is the smaller; loss[i] is what merging then loses of ||f||^2, infinite where
   coef[i] has not b's sign. A section keeps the better of its two points for the next one. */
static void OLK_FN(olk_merge)(double b, double gamma, ptrdiff_t iters, const void *coefficients,
                              const void *distances, ptrdiff_t n, double *height, double *loss)
{
    const OLK_R *coef = coefficients, *distance = distances;
    const double golden = 0.6180339887498949;
    for (ptrdiff_t i = 0; i < n; i += 2 * OLK_L) {
        OLK_V other[2], share[2], spread[2], low[2], high[2], p[2], q[2], at_p[2], at_q[2];
        OLK_V t[2], at_t[2], exponential[4];
        const ptrdiff_t w = n - i < 2 * OLK_L ? n - i : 2 * OLK_L;
        for (int g = 0; g < 2; g++)
            other[g] = spread[g] = OLK_ALL(0.0);
        for (ptrdiff_t k = 0; k < w; k++) {
            OLK_LANE(other[k / OLK_L], k % OLK_L) = coef[i + k];
            OLK_LANE(spread[k / OLK_L], k % OLK_L) = gamma * distance[i + k];
        }
        for (int g = 0; g < 2; g++) {
            const OLK_BITS same = OLK_MASK(OLK_BITS, other[g] * b > 0.0);
            other[g] = OLK_PICK(same, other[g], OLK_ALL(0.0));
            share[g] = b / (b + other[g]);
            low[g] = OLK_ALL(0.0);
            high[g] = OLK_ALL(0.5);
            p[g] = high[g] - golden * (high[g] - low[g]);
            q[g] = low[g] + golden * (high[g] - low[g]);
        }
        OLK_FN(olk_merged)(share, spread, p, at_p, exponential);
        OLK_FN(olk_merged)(share, spread, q, at_q, exponential);
        for (ptrdiff_t round = 0; round < iters; round++) {
            OLK_BITS left[2];
            for (int g = 0; g < 2; g++) {
                left[g] = OLK_MASK(OLK_BITS, at_p[g] >= at_q[g]);
                high[g] = OLK_PICK(left[g], q[g], high[g]);
                low[g] = OLK_PICK(left[g], low[g], p[g]);
                t[g] = OLK_PICK(left[g], high[g] - golden * (high[g] - low[g]),
                                low[g] + golden * (high[g] - low[g]));
            }
            OLK_FN(olk_merged)(share, spread, t, at_t, exponential);
            for (int g = 0; g < 2; g++) {
                const OLK_V new_p = OLK_PICK(left[g], t[g], q[g]);
                q[g] = OLK_PICK(left[g], p[g], t[g]);
                p[g] = new_p;
                const OLK_V at_new = OLK_PICK(left[g], at_t[g], at_q[g]);
                at_q[g] = OLK_PICK(left[g], at_p[g], at_t[g]);
                at_p[g] = at_new;
            }
        }
        for (int g = 0; g < 2; g++)
            t[g] = 0.5 * (low[g] + high[g]);
        OLK_FN(olk_merged)(share, spread, t, at_t, exponential);
        OLK_V apart[4] = {-spread[0], -spread[1], OLK_ALL(0.0), OLK_ALL(0.0)};
        OLK_NAME(olk_exp_f64)(4, apart);
        for (ptrdiff_t k = 0; k < w; k++) {
            const int g = (int)(k / OLK_L);
            const ptrdiff_t lane = k % OLK_L;
            const double c = OLK_LANE(other[g], lane);
            const double z =
                b * OLK_LANE(exponential[g], lane) + c * OLK_LANE(exponential[2 + g], lane);
            height[i + k] = OLK_LANE(t[g], lane);
            const double both = b * b + c * c + 2.0 * b * c * OLK_LANE(apart[g], lane);
            loss[i + k] = c == 0.0 ? INFINITY : both - z * z;
        }
    }
}
