/* Searches against plain loops: ties, infinities, what is no number, and every length about the
   vectors of each variant. */
#include "check.h"

enum { LONGEST = 40, ROUNDS = 60 };

/* Few different numbers: many ties. */
static double *from_few(uint64_t *rng, ptrdiff_t n, int wild)
{
    static const double few[] = {0.5, 0.25, 1.0, -0.5, 0.0, INFINITY, -INFINITY, NAN};
    double *made = doubles(n);
    for (ptrdiff_t i = 0; i < n; i++)
        made[i] = few[olk_uniform_index(rng, wild ? 8 : 5)];
    return made;
}

static double above_zero(double v)
{
    return v < 0.0 ? 0.0 : v;
}

/* The first index of the least value below infinity, -1 without one. */
static ptrdiff_t first_least(const double *value, ptrdiff_t n, double *least)
{
    ptrdiff_t best = -1;
    *least = INFINITY;
    for (ptrdiff_t i = 0; i < n; i++)
        if (value[i] < *least) {
            *least = value[i];
            best = i;
        }
    return best;
}

static void argmin(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n, int wild)
{
    double *value = from_few(rng, n, wild), least;
    void *v = as_real(real, value, n);
    const ptrdiff_t expected = first_least(value, n, &least), found = simd->argmin[real](v, n);
    CHECK(found == expected, "%td, not %td, n = %td, real %d", found, expected, n, real);
    free(value), free(v);
}

static void argmin_abs(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n)
{
    double *coef = from_few(rng, n, 0), *own = from_few(rng, n, 0);
    int64_t *arrival = array(n, sizeof(int64_t));
    void *c = as_real(real, coef, n);
    const int64_t turn = olk_uniform_index(rng, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        arrival[i] = (7 * i + turn) % n * 3 + INT64_C(5000000000);
        own[i] = fabs(own[i]);
    }
    if (n % 7 == 0) /* 7 is no step through all of these */
        for (ptrdiff_t i = 0; i < n; i++)
            arrival[i] = (i + turn) % n;
    for (int with = 0; with < 2; with++) {
        ptrdiff_t expected = 0;
        double least = INFINITY, most = 0.0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double size = fabs(coef[i]) * (with ? sqrt(own[i]) : 1.0);
            if (size < least || (size == least && arrival[i] < arrival[expected])) {
                least = size;
                expected = i;
            }
            most = size > most ? size : most;
        }
        const ptrdiff_t found = simd->argmin_abs[real](c, with ? own : NULL, arrival, n);
        CHECK(found == expected, "%td, not %td, n = %td, real %d", found, expected, n, real);
        CHECK(simd->max_abs[real](c, with ? own : NULL, n) == most, "n = %td, real %d", n, real);
    }
    free(coef), free(own), free(arrival), free(c);
}

/* Without a number to choose by, any slot will do, but a slot it is. */
static void argmin_abs_of_nothing(const olk_simd *simd, int real, ptrdiff_t n)
{
    double *coef = doubles(n);
    int64_t *arrival = array(n, sizeof(int64_t));
    for (ptrdiff_t i = 0; i < n; i++) {
        coef[i] = NAN;
        arrival[i] = n - i;
    }
    void *c = as_real(real, coef, n);
    const ptrdiff_t found = simd->argmin_abs[real](c, NULL, arrival, n);
    CHECK(found >= 0 && found < n, "%td of %td", found, n);
    free(coef), free(arrival), free(c);
}

static double line(double coef, double own, double k_it, double k_tt)
{
    return coef * coef * above_zero(own - k_it * k_it / k_tt);
}

static void residuals(const olk_simd *simd, uint64_t *rng, int real, ptrdiff_t n, int wild)
{
    const double k_tt = 1.25, singular = 1e-3;
    double *coef = from_few(rng, n, wild), *row = from_few(rng, n, wild), *own = doubles(n);
    double *near_k = draws(rng, n, -1.0, 1.0), *value = doubles(n), least, got;
    int64_t *near = array(n, sizeof(int64_t));
    void *c = as_real(real, coef, n), *r = as_real(real, row, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        own[i] = in_range(rng, 0.2, 2.0);
        near[i] = olk_uniform_index(rng, 4) ? olk_uniform_index(rng, n) : -1;
    }
    for (int with = 0; with < 2; with++) {
        const double *diagonal = with ? own : NULL;
        for (ptrdiff_t i = 0; i < n; i++)
            value[i] = line(coef[i], with ? own[i] : 1.0, row[i], k_tt);
        ptrdiff_t expected = first_least(value, n, &least);
        ptrdiff_t found = simd->argmin_line[real](c, NULL, diagonal, r, k_tt, n, &got);
        CHECK(found == expected && got == least, "line: %td, not %td, n = %td", found, expected, n);
        for (ptrdiff_t i = 0; i < n; i++) {
            const double o = with ? own[i] : 1.0, k_it = row[i], k_in = near_k[i];
            const double k_nn = near[i] < 0 ? 0.0 : with ? own[near[i]] : 1.0;
            const double k_nt = near[i] < 0 ? 0.0 : row[near[i]];
            const double det = k_nn * k_tt - k_nt * k_nt;
            if (!(det > singular * k_tt * k_nn))
                continue;
            const double share_n = (k_in * k_tt - k_nt * k_it) / det;
            const double share_t = (k_nn * k_it - k_nt * k_in) / det;
            value[i] = coef[i] * coef[i] * above_zero(o - share_n * k_in - share_t * k_it);
        }
        expected = first_least(value, n, &least);
        found = simd->argmin_plane[real](c, NULL, diagonal, r, k_tt, near, near_k, singular, n, &got);
        CHECK(found == expected && got == least, "plane: %td, not %td, n = %td", found, expected,
              n);
    }
    free(coef), free(row), free(own), free(near_k), free(value), free(near), free(c), free(r);
}

void check_searches(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 6);
    EACH_REAL (real)
        for (ptrdiff_t n = 0; n <= LONGEST; n++)
            for (int round = 0; round < ROUNDS; round++) {
                argmin(simd, &rng, real, n, round % 2);
                residuals(simd, &rng, real, n, round % 2);
                if (n > 0) {
                    argmin_abs(simd, &rng, real, n);
                    argmin_abs_of_nothing(simd, real, n);
                }
            }
}
