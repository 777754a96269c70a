/* Cosines and sines against long double, with the errors they are documented to have. */
#include "check.h"

/* The documented error, and the rounding of the result to the type of the row. */
static double allowed(int real, double documented)
{
    return documented + (real == OLK_F32 ? ldexp(1.0, -25) : 0.0);
}

static void row_of(const olk_simd *simd, int real, const double *angle, ptrdiff_t n, double error)
{
    double *both = doubles(2 * n);
    for (ptrdiff_t i = 0; i < 2 * n; i++)
        both[i] = i < n ? angle[i] : -7.0;
    void *row = as_real(real, both, 2 * n);
    simd->cos_sin[real](row, n, 1.0);
    for (ptrdiff_t i = 0; i < n; i++) {
        const long double t = rounded(real, angle[i]);
        const double c = (double)fabsl(number(real, row, i) - cosl(t));
        const double s = (double)fabsl(number(real, row, n + i) - sinl(t));
        CHECK(c <= allowed(real, error), "cos(%a) is %g off", (double)t, c);
        CHECK(s <= allowed(real, error), "sin(%a) is %g off", (double)t, s);
    }
    free(row);
    free(both);
}

static void small_angles(const olk_simd *simd, int real)
{
    enum { COUNT = 30000 };
    uint64_t rng;
    olk_pcg32_seed(&rng, 8);
    double *angle = doubles(COUNT);
    for (ptrdiff_t i = 0; i < COUNT; i++) {
        /* Near whole quarter turns, where the digits that are left matter, and everywhere else. */
        const double quarters = (double)olk_uniform_index(&rng, 600000) - 300000.0;
        angle[i] = i % 2 ? quarters * 1.57079632679489661923 + in_range(&rng, -1e-9, 1e-9)
                         : in_range(&rng, -1.0, 1.0) * pow(10.0, (double)(i % 14) - 8.0);
    }
    row_of(simd, real, angle, COUNT, 3e-16);
    free(angle);
}

static void every_length(const olk_simd *simd, int real)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 9);
    for (ptrdiff_t n = 0; n <= 40; n++) {
        double *angle = draws(&rng, n, -20.0, 20.0);
        row_of(simd, real, angle, n, 3e-16);
        if (n) {
            angle[n / 2] = 1e12; /* one large angle sends the row to the C library */
            row_of(simd, real, angle, n, 3e-16);
        }
        free(angle);
    }
}

static void ends_and_norm(const olk_simd *simd, int real)
{
    const double ends[] = {INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 3; k++) {
        const double both[6] = {0.5, ends[k], 0.0, 0.0, 0.0, 0.0};
        void *row = as_real(real, both, 6);
        simd->cos_sin[real](row, 3, 0.25);
        CHECK(isnan(number(real, row, 1)) && isnan(number(real, row, 4)), "of %g", ends[k]);
        CHECK(fabs(number(real, row, 0) - 0.25 * cos(0.5)) < 1e-8, "beside %g", ends[k]);
        CHECK(number(real, row, 2) == 0.25 && number(real, row, 5) == 0.0, "of 0");
        free(row);
    }
}

void check_angles(const olk_simd *simd)
{
    EACH_REAL (real) {
        small_angles(simd, real);
        every_length(simd, real);
        ends_and_norm(simd, real);
    }
}
