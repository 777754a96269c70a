/* The k-th largest against a sorted copy. */
#include "check.h"
#include "random.h"

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void check_selection(const olk_simd *simd)
{
    static const double few[] = {-INFINITY, -1.0, 0.0, 0.0, 2.0, INFINITY};
    uint64_t rng;
    (void)simd;
    olk_pcg32_seed(&rng, 5);
    for (int round = 0; round < 3000; round++) {
        const ptrdiff_t n = 1 + olk_uniform_index(&rng, 40), k = 1 + olk_uniform_index(&rng, n);
        double *v = draws(&rng, n, -1.0, 1.0), *sorted = doubles(n);
        for (ptrdiff_t i = 0; i < n && round % 2; i++)
            v[i] = few[olk_uniform_index(&rng, 6)];
        memcpy(sorted, v, (size_t)n * sizeof(double));
        qsort(sorted, (size_t)n, sizeof(double), falling);
        const double found = olk_kth_largest(v, n, k);
        CHECK(found == sorted[k - 1], "%td of %td: %g", k, n, found);
        qsort(v, (size_t)n, sizeof(double), falling);
        CHECK(!memcmp(v, sorted, (size_t)n * sizeof(double)) || round % 2, "not reordered");
        /* What is no number has no place, but the search stays within the array and ends. */
        for (ptrdiff_t i = 0; i < n; i++)
            v[i] = olk_uniform_index(&rng, 2) ? NAN : v[i];
        olk_kth_largest(v, n, k);
        free(v);
        free(sorted);
    }
}
