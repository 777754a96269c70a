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

/* Running sums brought up to date, sizes with and without a diagonal, squares summed over
   columns. */
static void sums(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n)
{
    const ptrdiff_t columns = n % 4 + 1, stride = n + 5;
    double *a = draws(rng, columns * stride, -1.0, 1.0), *diagonal = draws(rng, n, 0.1, 4.0);
    double *start = draws(rng, n, 0.0, 2.0), *sum = draws(rng, n, -1.0, 1.0);
    double *was = doubles(n), *from = doubles(n), *size = doubles(n), *squares = doubles(n);
    void *coef = as_real(real, a, (columns - 1) * stride + n);
    memcpy(was, sum, (size_t)n * sizeof *was);
    memcpy(from, start, (size_t)n * sizeof *from);
    simd->flush_average[real](coef, 2.5, start, sum, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        const double want = was[i] + number(real, coef, i) * (2.5 - from[i]);
        CHECK(sum[i] == want && start[i] == 2.5, "settled %td of %td", i, n);
    }
    for (int with = 0; with < 2; with++) {
        double least = INFINITY;
        const double found = simd->sizes[real](coef, with ? diagonal : NULL, n, size);
        for (ptrdiff_t i = 0; i < n; i++) {
            const double want = fabs(number(real, coef, i)) * (with ? sqrt(diagonal[i]) : 1.0);
            least = want < least ? want : least;
            CHECK(size[i] == want, "size %td of %td", i, n);
        }
        CHECK(found == least, "the least of %td sizes is %g, not %g", n, least, found);
    }
    simd->squares[real](coef, stride, n, columns, squares);
    for (ptrdiff_t i = 0; i < n; i++) {
        double want = 0.0;
        for (ptrdiff_t c = 0; c < columns; c++)
            want += number(real, coef, c * stride + i) * number(real, coef, c * stride + i);
        CHECK(fabs(squares[i] - want) <= 1e-15, "squares %td of %td", i, n);
    }
    free(a), free(diagonal), free(start), free(sum), free(was), free(from), free(size);
    free(squares), free(coef);
}

/* Kernel values that were kept in one type, weighted by coefficients of another. */
static void kept(const olk_simd *simd, uint64_t *rng, int type, int real, ptrdiff_t n)
{
    const ptrdiff_t columns = n % 11 + 1, stride = n + 3;
    double *a = draws(rng, n, -1.0, 1.0), *many = draws(rng, columns * stride, -1.0, 1.0), f[11];
    void *values = as_real(type, a, n), *row = array(n, size_of_real(real));
    void *coef = as_real(real, many, (columns - 1) * stride + n);
    const double one = simd->cached_row[type](values, n, real, coef, row);
    simd->weigh_values[real](type, values, coef, stride, n, columns, f);
    for (ptrdiff_t c = 0; c < columns; c++) {
        long double sum = 0.0L;
        for (ptrdiff_t i = 0; i < n; i++)
            sum += (long double)number(type, values, i) * number(real, coef, c * stride + i);
        CHECK(fabsl(f[c] - sum) <= 1e-15 * (double)(n + 1), "column %td of %td values", c, n);
        CHECK(c > 0 || fabsl(one - sum) <= 1e-15 * (double)(n + 1), "the sum of %td values", n);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        CHECK(number(real, row, i) == rounded(real, number(type, values, i)), "value %td", i);
    free(a), free(many), free(values), free(row), free(coef);
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
            sums(simd, &rng, real, n);
            EACH_REAL (type)
                kept(simd, &rng, type, real, n);
        }
        sum_uncertain(simd, &rng, n);
    }
}
