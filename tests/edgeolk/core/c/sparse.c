/* Rows from the non-zeros against the dense rows; nothing but the non-zeros' rows of a ring is read. */
#include "check.h"
#include "nonzeros.h"

enum { STRIDE = 80, DIMENSIONS = 6 };

static void one_row(const olk_simd *simd, uint64_t *rng, int storage, int kind, ptrdiff_t n)
{
    const olk_kernel kernel = {kind, 2, 0.7, 0.4, 0.3};
    const int type = storage == OLK_F64 ? OLK_F64 : OLK_F32;
    const ptrdiff_t multiple = storage == OLK_F64 ? 8 : 16;
    const ptrdiff_t reach = (n + multiple - 1) / multiple * multiple;
    const size_t item = storage == OLK_F16 ? 2 : size_of_real(storage);
    void *sv = array((DIMENSIONS - 1) * STRIDE + reach, item);
    double norms[STRIDE] = {0.0}, query[DIMENSIONS], dense[STRIDE];
    memset(sv, 0, (size_t)((DIMENSIONS - 1) * STRIDE + reach) * item);
    for (ptrdiff_t j = 0; j < DIMENSIONS; j++) {
        query[j] = j % 3 == 1 ? in_range(rng, -1.0, 1.0) : 0.0;
        for (ptrdiff_t i = 0; i < n; i++) {
            olk_store(storage, sv, j * STRIDE + i, j, in_range(rng, -1.0, 1.0), NULL);
            const double v = olk_fetch(storage, sv, j * STRIDE + i, j, NULL);
            norms[i] += kind == OLK_LAPLACIAN ? fabs(v) : v * v;
        }
    }
    double *weights = draws(rng, n, -1.0, 1.0);
    void *x = as_real(type, query, DIMENSIONS), *of = as_real(type, norms, reach);
    int32_t *index = array(DIMENSIONS, sizeof(int32_t));
    void *values = array(DIMENSIONS, size_of_real(type));
    const ptrdiff_t count = olk_nonzeros(type, x, DIMENSIONS, index, values);
    CHECK(count == 2 && index[0] == 1 && index[1] == 4, "%td non-zeros", count);
    EACH_REAL (real) {
        void *coef = as_real(real, weights, n), *row = array(n, size_of_real(real));
        const double want = simd->row[storage](&kernel, sv, NULL, NULL, STRIDE, n, DIMENSIONS, x,
                                               OLK_F64, NULL, dense, NULL);
        const double f = simd->sparse[storage](&kernel, sv, of, STRIDE, n, count, index, values,
                                               real, coef, row);
        long double sum = 0.0L;
        for (ptrdiff_t i = 0; i < n; i++) {
            CHECK(fabs(number(real, row, i) - dense[i]) <= (storage == OLK_F64 && real == OLK_F64
                                                                ? 1e-13 : 1e-5),
                  "value %td of %td, kind %d, storage %d", i, n, kind, storage);
            sum += (long double)dense[i] * number(real, coef, i);
        }
        CHECK(want == 0.0 && fabsl(f - sum) <= (storage == OLK_F64 ? 1e-12 : 1e-4),
              "sum of %td, kind %d, storage %d", n, kind, storage);
        CHECK(simd->sparse[storage](&kernel, sv, of, STRIDE, n, count, index, values, real, coef,
                                    NULL) == f, "sum alone of %td, kind %d", n, kind);
        free(coef), free(row);
    }
    free(sv), free(weights), free(x), free(of), free(index), free(values);
}

/* Wherever the non-zeros are in rows of any length, also those that are no numbers. */
static void nonzeros(uint64_t *rng)
{
    for (ptrdiff_t d = 0; d <= 200; d++) {
        double *x = doubles(d);
        for (ptrdiff_t j = 0; j < d; j++)
            x[j] = olk_bernoulli(rng, 0.3) ? in_range(rng, -1.0, 1.0) : j % 2 ? 0.0 : -0.0;
        if (d > 3)
            x[d / 2] = NAN;
        float *narrow = as_real(OLK_F32, x, d), *f32 = array(d, sizeof(float));
        double *f64 = doubles(d);
        int32_t *index = array(d, sizeof(int32_t)), *twin = array(d, sizeof(int32_t));
        const ptrdiff_t count = olk_nonzeros(OLK_F64, x, d, index, f64);
        CHECK(count == olk_nonzeros(OLK_F32, narrow, d, twin, f32), "d = %td", d);
        ptrdiff_t k = 0;
        for (ptrdiff_t j = 0; j < d; j++)
            if (x[j] != 0.0) {
                CHECK(k < count && index[k] == j && twin[k] == j, "d = %td, at %td", d, j);
                k++;
            }
        CHECK(k == count, "d = %td: %td", d, count);
        free(x), free(narrow), free(f32), free(f64), free(index), free(twin);
    }
}

void check_sparse(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 12);
    for (int storage = OLK_F32; storage <= OLK_F16; storage++)
        for (int kind = OLK_DISTANCE; kind <= OLK_SIGMOID; kind++)
            for (ptrdiff_t n = 0; n <= 72; n++)
                one_row(simd, &rng, storage, kind, n);
    nonzeros(&rng);
}
