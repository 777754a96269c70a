/* exp through the Laplacian kernel of one feature: k = exp(-|s - x|), whose exponent is exact. */
#include "check.h"

enum { COUNT = 40000 };

static double worst_units(int storage, const double *at, const double *found)
{
    double worst = 0.0;
    for (ptrdiff_t i = 0; i < COUNT; i++) {
        const long double expected = expl(-(long double)at[i]);
        const int digits = storage == OLK_F64 ? 53 : 24, least = storage == OLK_F64 ? -1074 : -149;
        const int exponent = expected > 0 ? ilogbl(expected) + 1 - digits : least;
        const long double unit = ldexpl(1.0L, exponent < least ? least : exponent);
        const double off = (double)(fabsl((long double)found[i] - expected) / unit);
        worst = off > worst || isnan(off) ? off : worst;
    }
    return worst;
}

static void over_the_range(const olk_simd *simd, int storage)
{
    const olk_kernel kernel = {.kind = OLK_LAPLACIAN, .gamma = 1.0};
    const double last = storage == OLK_F64 ? 745.0 : 103.9, zero = 0.0;
    double *at = doubles(COUNT), *row = doubles(COUNT);
    for (ptrdiff_t i = 0; i < COUNT; i++)
        at[i] = rounded(storage, last * (double)i / (COUNT - 1) * (i % 3 == 1 ? 1e-3 : 1.0));
    void *sv = as_real(storage, at, COUNT);
    simd->row[storage](&kernel, sv, NULL, NULL, COUNT, COUNT, 1, &zero, OLK_F64, NULL, row, NULL);
    const double worst = worst_units(storage, at, row);
    CHECK(worst < (storage == OLK_F64 ? 4.0 : 2.0), "%g units in the last place, storage %d", worst, storage);
    CHECK(row[0] == 1.0, "exp(0) = %a", row[0]);
    CHECK(row[COUNT - 1] > 0.0 && row[COUNT - 1] < (storage == OLK_F64 ? 1e-320 : 1e-44),
          "exp(-%g) = %a", last, row[COUNT - 1]);
    free(sv);
    free(at);
    free(row);
}

/* Beyond the range, at infinity and for no number the value is 0; for every place in a vector. */
static void at_the_ends(const olk_simd *simd, int storage)
{
    const olk_kernel kernel = {.kind = OLK_LAPLACIAN, .gamma = 1.0};
    const double ends[] = {800.0, 1e30, INFINITY, NAN}, zero = 0.0;
    for (ptrdiff_t i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++) {
            double at[16] = {0.0}, row[16];
            at[i] = ends[k];
            void *sv = as_real(storage, at, 16);
            simd->row[storage](&kernel, sv, NULL, NULL, 16, 16, 1, &zero, OLK_F64, NULL, row, NULL);
            for (ptrdiff_t j = 0; j < 16; j++)
                CHECK(row[j] == (j == i ? 0.0 : 1.0), "%g at %td: %g", ends[k], i, row[j]);
            free(sv);
        }
}

/* Whatever gamma is, k(x, x) = 1. */
static void of_itself(const olk_simd *simd, int storage)
{
    const double gammas[] = {0.0, 1.0, 1e60, DBL_MAX, INFINITY}, at[3] = {0.1, -2.0, 3.0};
    void *x = as_real(storage, at, 3);
    for (int k = 0; k < 5; k++) {
        const olk_kernel gaussian = {.kind = OLK_GAUSSIAN, .gamma = gammas[k]};
        const olk_kernel laplacian = {.kind = OLK_LAPLACIAN, .gamma = gammas[k]};
        CHECK(simd->pair[storage](&gaussian, x, x, 3) == 1.0, "gamma = %g", gammas[k]);
        CHECK(simd->pair[storage](&laplacian, x, x, 3) == 1.0, "gamma = %g", gammas[k]);
    }
    free(x);
}

void check_exponentials(const olk_simd *simd)
{
    EACH_REAL (storage) {
        over_the_range(simd, storage);
        at_the_ends(simd, storage);
        of_itself(simd, storage);
    }
}
