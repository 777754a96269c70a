/* The decomposition of symmetric matrices: A v = value v, vectors orthonormal, also where values
   coincide. */
#include "eigen.h"

#include "check.h"

enum { RANDOM, DIAGONAL, ZERO, ONES, IDENTITY, GRAM, HUGE_SCALE, TINY_SCALE, KINDS };

static double filled(int kind, uint64_t *rng, ptrdiff_t i, ptrdiff_t j, ptrdiff_t n)
{
    const double t = (double)(i - j) / (double)n;
    switch (kind) {
    case DIAGONAL: return i == j ? in_range(rng, -1.0, 1.0) : 0.0;
    case ZERO: return 0.0;
    case ONES: return 1.0;
    case IDENTITY: return i == j;
    case GRAM: return exp(-4.0 * t * t); /* eigenvalues that fall below rounding */
    case HUGE_SCALE: return 1e150 * in_range(rng, -1.0, 1.0);
    case TINY_SCALE: return 1e-150 * in_range(rng, -1.0, 1.0);
    default: return in_range(rng, -1.0, 1.0);
    }
}

static void decompose(const olk_simd *simd, uint64_t *rng, int kind, ptrdiff_t n)
{
    double *a = doubles(n * n), *v = doubles(n * n), *values = doubles(n), *work = doubles(n);
    double size = 0.0;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            a[i * n + j] = a[j * n + i] = filled(kind, rng, i, j, n);
            size = fabs(a[i * n + j]) > size ? fabs(a[i * n + j]) : size;
        }
    memcpy(v, a, (size_t)(n * n) * sizeof(double));
    olk_symmetric_eigen(simd, v, values, work, n);
    const double bound = 1e-14 * (double)n;
    for (ptrdiff_t p = 0; p < n; p++) {
        for (ptrdiff_t i = 0; i < n; i++) {
            long double sum = 0.0L;
            for (ptrdiff_t j = 0; j < n; j++)
                sum += (long double)a[i * n + j] * v[p * n + j];
            CHECK(fabsl(sum - (long double)values[p] * v[p * n + i]) <= bound * size,
                  "A v of vector %td, kind %d, n = %td", p, kind, n);
        }
        for (ptrdiff_t q = 0; q <= p; q++) {
            long double sum = 0.0L;
            for (ptrdiff_t j = 0; j < n; j++)
                sum += (long double)v[p * n + j] * v[q * n + j];
            CHECK(fabsl(sum - (p == q)) <= bound, "%td . %td, kind %d, n = %td", p, q, kind, n);
        }
    }
    free(a), free(v), free(values), free(work);
}

void check_eigen(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 4);
    for (int kind = 0; kind < KINDS; kind++)
        for (ptrdiff_t n = 1; n <= 34; n += n < 20 ? 1 : 7)
            decompose(simd, &rng, kind, n);
}
