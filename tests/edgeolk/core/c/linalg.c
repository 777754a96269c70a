/* Linear algebra in double against sums in long double; arrays end where the matrix does. */
#include "check.h"

static double *copy(const double *from, ptrdiff_t n)
{
    double *made = doubles(n);
    memcpy(made, from, (size_t)n * sizeof(double));
    return made;
}

static double entry(const double *packed, ptrdiff_t i, ptrdiff_t j)
{
    return i >= j ? packed[i * (i + 1) / 2 + j] : packed[j * (j + 1) / 2 + i];
}

/* A = B B' / n + ridge I, packed: positive definite. */
static double *definite(uint64_t *rng, ptrdiff_t n, double ridge)
{
    double *b = draws(rng, n * n, -1.0, 1.0), *a = doubles(n * (n + 1) / 2);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            double sum = i == j ? ridge : 0.0;
            for (ptrdiff_t k = 0; k < n; k++)
                sum += b[i * n + k] * b[j * n + k] / (double)n;
            a[i * (i + 1) / 2 + j] = sum;
        }
    free(b);
    return a;
}

static void products(const olk_simd *simd, uint64_t *rng, ptrdiff_t n)
{
    const ptrdiff_t packed = n * (n + 1) / 2, stride = n + 2, rows = n / 2 + 1;
    double *a = draws(rng, packed, -1.0, 1.0), *x = draws(rng, n, -1.0, 1.0), *y = doubles(n);
    double *m = draws(rng, (rows - 1) * stride + n, -1.0, 1.0), *z = doubles(rows);
    const double bound = 1e-15 * (double)(n + 1);
    simd->symmetric_product(a, n, x, y);
    for (ptrdiff_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (ptrdiff_t j = 0; j < n; j++)
            sum += (long double)entry(a, i, j) * x[j];
        CHECK(fabsl(y[i] - sum) <= bound, "symmetric, n = %td, row %td", n, i);
    }
    simd->matrix_vector(m, stride, rows, n, x, z);
    for (ptrdiff_t i = 0; i < rows; i++) {
        long double sum = 0.0L;
        for (ptrdiff_t j = 0; j < n; j++)
            sum += (long double)m[i * stride + j] * x[j];
        CHECK(fabsl(z[i] - sum) <= bound, "matrix, n = %td, row %td", n, i);
    }
    /* Several vectors: each as it comes out alone, and nothing between them is written. */
    for (ptrdiff_t count = 1; count <= 9; count += 2) {
        const ptrdiff_t apart = n + 3, pitch = rows + 2;
        double *many = draws(rng, count * apart, -1.0, 1.0), *out = doubles(count * pitch);
        double *alone = doubles(rows);
        for (ptrdiff_t i = 0; i < count * pitch; i++)
            out[i] = 7.0;
        simd->matrix_vectors(m, stride, rows, n, many, apart, count, out, pitch);
        for (ptrdiff_t v = 0; v < count; v++) {
            simd->matrix_vector(m, stride, rows, n, many + v * apart, alone);
            for (ptrdiff_t i = 0; i < pitch; i++)
                CHECK(out[v * pitch + i] == (i < rows ? alone[i] : 7.0),
                      "vector %td of %td, row %td, n = %td", v, count, i, n);
        }
        free(many), free(out), free(alone);
    }
    double *before = copy(a, packed);
    simd->rank_two_update(a, n, 0.3, x, 0.7, y);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            const long double want =
                entry(before, i, j) + 0.3L * x[i] * x[j] - 0.7L * y[i] * y[j];
            CHECK(fabsl(entry(a, i, j) - want) <= bound * (double)(n + 1), "rank two, n = %td", n);
        }
    free(before);
    before = copy(x, n);
    double *with = draws(rng, n, -1.0, 1.0), *high = copy(with, n);
    simd->rotate(x, high, 0.6, 0.8, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        CHECK(fabs(x[i] - (0.6 * before[i] - 0.8 * with[i])) <= 1e-15, "rotation, low %td", i);
        CHECK(fabs(high[i] - (0.8 * before[i] + 0.6 * with[i])) <= 1e-15, "rotation, high %td", i);
    }
    free(a), free(x), free(y), free(m), free(z), free(before), free(with), free(high);
}

static void factors(const olk_simd *simd, uint64_t *rng, ptrdiff_t n)
{
    const ptrdiff_t packed = n * (n + 1) / 2;
    double *a = definite(rng, n, 0.5), *l = copy(a, packed), *inverse = copy(a, packed);
    double *work = doubles(n), *b = draws(rng, n, -1.0, 1.0), *x = copy(b, n), *y = doubles(n);
    CHECK(simd->cholesky(l, n), "a definite matrix of %td has a factor", n);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            long double sum = 0.0L;
            for (ptrdiff_t k = 0; k <= j; k++)
                sum += (long double)entry(l, i, k) * entry(l, j, k);
            CHECK(fabsl(sum - entry(a, i, j)) <= 1e-14, "L L' of %td at %td, %td", n, i, j);
        }
    CHECK(simd->invert(inverse, n, work), "a definite matrix of %td has an inverse", n);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (ptrdiff_t k = 0; k < n; k++)
                sum += (long double)entry(inverse, i, k) * entry(a, k, j);
            CHECK(fabsl(sum - (i == j)) <= 1e-13, "inverse of %td at %td, %td", n, i, j);
        }
    simd->solve_lower(l, x, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (ptrdiff_t k = 0; k <= i; k++)
            sum += (long double)entry(l, i, k) * x[k];
        CHECK(fabsl(sum - b[i]) <= 1e-14, "L x = b of %td at %td", n, i);
    }
    simd->solve_lower_transposed(l, x, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (ptrdiff_t k = 0; k < n; k++)
            sum += (long double)entry(a, i, k) * x[k];
        CHECK(fabsl(sum - b[i]) <= 1e-13, "A x = b of %td at %td", n, i);
    }
    /* M = L^-1 by its columns; then M'M b is A^-1 b once more. */
    double *m = doubles(packed), *unit = doubles(n);
    for (ptrdiff_t j = 0; j < n; j++) {
        memset(unit, 0, (size_t)n * sizeof(double));
        unit[j] = 1.0;
        simd->solve_lower(l, unit, n);
        for (ptrdiff_t i = j; i < n; i++)
            m[i * (i + 1) / 2 + j] = unit[i];
    }
    long double quadratic = 0.0L;
    for (ptrdiff_t i = 0; i < n; i++)
        quadratic += (long double)b[i] * x[i];
    const double found = simd->solve_inverse_factor(m, n, b, y);
    CHECK(fabsl(found - quadratic) <= 1e-13, "b'A^-1 b of %td", n);
    for (ptrdiff_t i = 0; i < n; i++)
        CHECK(fabs(y[i] - x[i]) <= 1e-13, "A^-1 b of %td at %td", n, i);
    free(a), free(l), free(inverse), free(work), free(b), free(x), free(y), free(m), free(unit);
}

/* One pivot is bad, wherever it is: 0, negative, infinite or no number. */
static void refusals(const olk_simd *simd, uint64_t *rng, ptrdiff_t n)
{
    const double bad[] = {0.0, -1.0, INFINITY, -INFINITY, NAN};
    const ptrdiff_t packed = n * (n + 1) / 2;
    double *work = doubles(n);
    for (ptrdiff_t at = 0; at < n; at++)
        for (int k = 0; k < 5; k++) {
            double *a = definite(rng, n, 0.5), *twin;
            a[at * (at + 1) / 2 + at] = bad[k];
            twin = copy(a, packed);
            CHECK(!simd->cholesky(a, n), "pivot %td of %td is %g", at, n, bad[k]);
            CHECK(!simd->invert(twin, n, work), "pivot %td of %td is %g", at, n, bad[k]);
            free(a), free(twin);
        }
    if (n > 1) { /* the last row is the first again */
        double *a = definite(rng, n, 0.5), *row = a + packed - n;
        for (ptrdiff_t j = 0; j < n; j++)
            row[j] = entry(a, j, 0);
        row[n - 1] = a[0];
        CHECK(!simd->cholesky(a, n), "two rows of %td are the same", n);
        free(a);
    }
    free(work);
}

void check_linalg(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 3);
    for (ptrdiff_t n = 0; n <= 35; n++) {
        products(simd, &rng, n);
        factors(simd, &rng, n);
        if (n <= 18)
            refusals(simd, &rng, n);
    }
}
