/* Kernel rows against long double, for every storage, kernel and real type. Arrays end where they are
   documented to be read to: a ring with its last row's padding, everything else with its last number. */
#include "check.h"

enum { STRIDE = 112, DIMENSIONS = 10 };

/* A ring of n vectors as stored, what is read back of it, and the padded length it is read to. */
typedef struct {
    void *sv;
    double read[DIMENSIONS][STRIDE];
    float scale[DIMENSIONS], offset[DIMENSIONS];
    olk_quantum quantum;
} ring;

static size_t item(int storage)
{
    static const size_t sizes[] = {0, sizeof(float), sizeof(double), 2, 1};
    return sizes[storage];
}

static void fill(ring *made, uint64_t *rng, int storage, ptrdiff_t n, ptrdiff_t d)
{
    const ptrdiff_t multiple = storage == OLK_F64 ? 8 : 16;
    const ptrdiff_t reach = (n + multiple - 1) / multiple * multiple;
    const ptrdiff_t length = d > 0 ? (d - 1) * STRIDE + reach : 0;
    made->quantum = (olk_quantum){made->scale, made->offset};
    made->sv = array(length, item(storage));
    memset(made->sv, 0x3c, (size_t)length * item(storage));
    for (ptrdiff_t j = 0; j < d; j++) {
        made->scale[j] = 0.01f;
        made->offset[j] = (float)in_range(rng, -0.5, 0.5);
        for (ptrdiff_t i = 0; i < n; i++) {
            olk_store(storage, made->sv, j * STRIDE + i, j, in_range(rng, -1.0, 1.0),
                      &made->quantum);
            made->read[j][i] =
                olk_fetch(storage, made->sv, j * STRIDE + i, j, &made->quantum);
        }
    }
}

static long double product(const olk_kernel *kernel, const ring *of, ptrdiff_t i, const void *x,
                           int type, ptrdiff_t d)
{
    long double sum = 0.0L;
    for (ptrdiff_t j = 0; j < d; j++) {
        const long double a = of->read[j][i], b = number(type, x, j);
        if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
            sum += (a - b) * (a - b);
        else
            sum += kernel->kind == OLK_LAPLACIAN ? fabsl(a - b) : a * b;
    }
    return sum;
}

static long double value(const olk_kernel *kernel, long double of)
{
    switch (kernel->kind) {
    case OLK_GAUSSIAN:
    case OLK_LAPLACIAN: return expl(-kernel->gamma * of);
    case OLK_POLYNOMIAL: return powl(kernel->scale * of + kernel->offset, kernel->degree);
    case OLK_SIGMOID: return tanhl(kernel->scale * of + kernel->offset);
    default: return of;
    }
}

static void one_row(const olk_simd *simd, uint64_t *rng, int storage, int kind, ptrdiff_t n,
                    ptrdiff_t d)
{
    const olk_kernel kernel = {kind, 3, 0.7, 0.4, 0.3};
    const int type = storage == OLK_F64 ? OLK_F64 : OLK_F32;
    const double bound = type == OLK_F64 ? 1e-14 : 4e-6;
    double *query = draws(rng, d, -1.0, 1.0), *weights = draws(rng, n, -1.0, 1.0);
    void *x = as_real(type, query, d);
    ring made;
    fill(&made, rng, storage, n, d);
    double *exact = doubles(n);
    EACH_REAL (real) {
        void *coef = as_real(real, weights, n), *row = array(n, size_of_real(real));
        void *products = array(n, size_of_real(real));
        const double narrow = real == OLK_F32 ? 2.4e-7 : 0.0;
        long double sum = 0.0L;
        const double f = simd->row[storage](&kernel, made.sv, NULL, &made.quantum, STRIDE, n, d, x,
                                            real, coef, row, products);
        for (ptrdiff_t i = 0; i < n; i++) {
            const long double of = product(&kernel, &made, i, x, type, d), k = value(&kernel, of);
            CHECK(fabsl(number(real, products, i) - of) <= bound + narrow * 20.0,
                  "product %td of %td, kind %d, storage %d, d = %td", i, n, kind, storage, d);
            CHECK(fabsl(number(real, row, i) - k) <= 10.0 * (bound + narrow),
                  "value %td of %td, kind %d, storage %d, d = %td", i, n, kind, storage, d);
            /* Of either type the row is the same numbers, rounded once. */
            if (real == OLK_F32)
                exact[i] = number(real, row, i);
            else
                CHECK(exact[i] == (double)(float)number(real, row, i), "float32 row, %td", i);
            sum += k * number(real, coef, i);
        }
        CHECK(fabsl(f - sum) <= 10.0 * bound * (double)(n + 1), "sum of %td, kind %d", n, kind);
        /* Asked for nothing else, and of a row kept in full, it is the same sum to the bit. */
        const double alone = simd->row[storage](&kernel, made.sv, NULL, &made.quantum, STRIDE, n, d,
                                                x, real, coef, NULL, NULL);
        CHECK(alone == f, "sum alone of %td, kind %d, storage %d", n, kind, storage);
        double again = 0.0;
        simd->weigh[real](row, coef, n, n, 1, &again);
        if (real == OLK_F64 || (type == OLK_F32 && kind != OLK_POLYNOMIAL && kind != OLK_SIGMOID))
            CHECK(again == f, "column of %td, kind %d, storage %d", n, kind, storage);
        CHECK(simd->row[storage](&kernel, made.sv, NULL, &made.quantum, STRIDE, n, d, x, real, NULL,
                                 row, NULL) == 0.0, "no weights, no sum");
        free(coef), free(row), free(products);
    }
    free(made.sv), free(query), free(weights), free(x), free(exact);
}

/* k(a, b) of contiguous vectors. */
static void one_pair(const olk_simd *simd, uint64_t *rng, int storage, int kind, ptrdiff_t d)
{
    const olk_kernel kernel = {kind, 2, 0.7, 0.4, 0.3};
    const int type = storage == OLK_F64 ? OLK_F64 : OLK_F32;
    double *left = draws(rng, d, -1.0, 1.0), *right = draws(rng, d, -1.0, 1.0);
    void *a = as_real(type, left, d), *b = as_real(type, right, d);
    ring made;
    for (ptrdiff_t j = 0; j < d; j++)
        made.read[j][0] = number(type, a, j);
    const long double want = value(&kernel, product(&kernel, &made, 0, b, type, d));
    const double found = simd->pair[storage](&kernel, a, b, d);
    CHECK(fabsl(found - want) <= (type == OLK_F64 ? 1e-14 : 1e-5), "pair, kind %d", kind);
    free(left), free(right), free(a), free(b);
}

void check_rows(const olk_simd *simd)
{
    uint64_t rng;
    olk_pcg32_seed(&rng, 11);
    for (int storage = OLK_F32; storage < OLK_STORAGES; storage++)
        for (int kind = OLK_DISTANCE; kind <= OLK_SIGMOID; kind++) {
            for (ptrdiff_t n = 0; n <= 100; n++)
                one_row(simd, &rng, storage, kind, n, n % DIMENSIONS);
            for (ptrdiff_t d = 0; d < DIMENSIONS; d++)
                one_pair(simd, &rng, storage, kind, d);
        }
}
