/* What is done to arrays of coefficients, against long double. */
#include "check.h"

static void vectors(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n)
{
    const ptrdiff_t columns = n % 11, stride = n + 3;
    double *a = draws(rng, n, -1.0, 1.0), *b = draws(rng, n, -1.0, 1.0), f[11];
    double *many = draws(rng, columns * stride, -1.0, 1.0);
    /* The last column ends with its last number. */
    void *x = as_real(real, a, n), *y = as_real(real, b, n);
    void *coef = as_real(real, many, columns ? (columns - 1) * stride + n : 0);
    long double sum = 0.0L;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += (long double)number(real, x, i) * number(real, y, i);
    CHECK(fabsl(simd->dot[real](x, y, n) - sum) <= 1e-16 * (double)(n + 1), "dot of %td", n);
    simd->weigh[real](x, coef, stride, n, columns, f);
    for (ptrdiff_t c = 0; c < columns; c++) {
        const char *column = (const char *)coef + (size_t)(c * stride) * size_of_real(real);
        CHECK(f[c] == simd->dot[real](column, x, n), "column %td of %td", c, columns);
    }
    simd->axpy[real](y, 0.3, x, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        const double want = rounded(real, rounded(real, b[i]) + 0.3 * number(real, x, i));
        const double unit = real == OLK_F32 ? 1.2e-7 : 2.3e-16;
        CHECK(fabs(number(real, y, i) - want) <= unit, "axpy of %td at %td", n, i);
    }
    free(a), free(b), free(many), free(x), free(y), free(coef);
}

static void bounds(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n)
{
    double *a = draws(rng, n, -1.0, 1.0), *w = draws(rng, n, 0.1, 2.0);
    void *coef = as_real(real, a, n), *survivors = as_real(real, a, n);
    const double most = 0.4, c = 0.9;
    simd->clamp[real](coef, n, most);
    simd->divide_by_probability[real](survivors, w, n, c);
    for (ptrdiff_t i = 0; i < n; i++) {
        const double was = rounded(real, a[i]), bound = rounded(real, most);
        const double p = c * w[i] < 1.0 ? c * w[i] : 1.0;
        const double kept = was > bound ? bound : was < -bound ? -bound : was;
        CHECK(number(real, coef, i) == kept, "clamp of %td at %td", n, i);
        CHECK(number(real, survivors, i) == rounded(real, was / p), "survivor %td of %td", i, n);
    }
    free(a), free(w), free(coef), free(survivors);
}

static void sum_uncertain(const olk_simd *simd, uint64_t *rng, ptrdiff_t n)
{
    double *w = draws(rng, n, 0.0, 1.0);
    for (double c = 0.0; c < 20.0; c = 3.0 * c + 0.5) {
        ptrdiff_t certain = -1, beyond = 0;
        long double sum = 0.0L;
        for (ptrdiff_t i = 0; i < n; i++) {
            if (c * w[i] > 1.0)
                beyond++;
            else
                sum += w[i];
        }
        const double found = simd->sum_uncertain(w, n, c, &certain);
        CHECK(certain == beyond, "%td certain, not %td, n = %td", certain, beyond, n);
        CHECK(fabsl(found - sum) <= 1e-16 * (double)(n * n + 1), "sum of %td", n);
    }
    free(w);
}

void check_coefficients(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 7);
    for (ptrdiff_t n = 0; n <= 70; n++) {
        EACH_REAL (real) {
            vectors(simd, &rng, real, n);
            bounds(simd, &rng, real, n);
        }
        sum_uncertain(simd, &rng, n);
    }
}
