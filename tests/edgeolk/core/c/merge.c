/* Merging: the height found loses no more than any other, and the loss is that of its height. */
#include "check.h"

/* ||b Phi_p + c Phi_i - z Phi_h||^2 for the best z, at distance (squared) apart. */
static long double loss_at(long double b, long double c, long double spread, long double h)
{
    const long double z = b * expl(-spread * (1 - h) * (1 - h)) + c * expl(-spread * h * h);
    return b * b + c * c + 2 * b * c * expl(-spread) - z * z;
}

void check_merge(const olk_simd *simd)
{
    const double gamma = 0.7;
    uint64_t rng;
    olk_pcg32_seed(&rng, 10);
    EACH_REAL (real)
        for (ptrdiff_t n = 0; n <= 40; n++) {
            const double b = in_range(&rng, -0.2, 0.2);
            double *c = draws(&rng, n, -1.0, 1.0), *d2 = draws(&rng, n, 0.0, 6.0);
            for (ptrdiff_t i = 0; i < n; i++) /* b is the smaller of the two */
                c[i] += c[i] > 0.0 ? 0.2 : -0.2;
            if (n)
                d2[n / 2] = 0.0;
            void *coef = as_real(real, c, n), *distance = as_real(real, d2, n);
            double *height = doubles(n), *loss = doubles(n);
            simd->merge(real, b, gamma, 40, coef, distance, n, height, loss);
            for (ptrdiff_t i = 0; i < n; i++) {
                const double other = number(real, coef, i);
                const long double spread = gamma * number(real, distance, i);
                if (!(other * b > 0.0)) {
                    CHECK(loss[i] == INFINITY, "another sign: %g", loss[i]);
                    continue;
                }
                CHECK(height[i] >= 0.0 && height[i] <= 0.5, "height %g", height[i]);
                CHECK(fabsl(loss[i] - loss_at(b, other, spread, height[i])) <= 1e-14,
                      "loss %g at height %g", loss[i], height[i]);
                for (int k = 0; k <= 200; k++)
                    CHECK(loss[i] <= loss_at(b, other, spread, k / 200.0L) + 1e-12,
                          "less is lost at %g than at %g", k / 200.0, height[i]);
            }
            free(c), free(d2), free(coef), free(distance), free(height), free(loss);
        }
}
