/* Rows by norms and products, and rows together: against long double, and to the bit against the
   rows one by one and those from the non-zeros. */
#include "check.h"
#include "sparse.h"

/* More columns take fewer rows at a time. */
enum { STRIDE = 176, DIMENSIONS = 80, ROWS = 50, COLUMNS = 25 };

/* A ring of n vectors, rows of which some lie far from the origin and some are support vectors. */
typedef struct {
    int storage, type;
    ptrdiff_t n, d;
    void *sv, *norms, *x;
    float scale[DIMENSIONS], offset[DIMENSIONS];
    olk_quantizer quantizer;
} model;

static size_t item(int storage)
{
    static const size_t sizes[] = {0, sizeof(float), sizeof(double), 2, 1};
    return sizes[storage];
}

static model made_of(const olk_simd *simd, const olk_kernel *kernel, uint64_t *rng, int storage,
                     ptrdiff_t n, ptrdiff_t d)
{
    model m = {.storage = storage, .type = storage == OLK_F64 ? OLK_F64 : OLK_F32, .n = n, .d = d};
    /* A norm is made of whole vectors: up to 64 bytes beyond the last row are read. */
    const ptrdiff_t length = d * STRIDE + 64;
    m.sv = array(length, item(storage));
    memset(m.sv, 0, (size_t)length * item(storage));
    for (ptrdiff_t j = 0; j < d; j++) {
        m.scale[j] = 0.01f;
        m.offset[j] = (float)in_range(rng, -0.5, 0.5);
    }
    m.quantizer = (olk_quantizer){m.scale, m.offset};
    double *norms = doubles(STRIDE), *x = doubles(ROWS * d);
    memset(norms, 0, STRIDE * sizeof(double));
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < d; j++)
            olk_store(storage, m.sv, j * STRIDE + i, j, in_range(rng, -1.0, 1.0), &m.quantizer);
    for (ptrdiff_t i = 0; i < n && storage != OLK_I8; i++)
        norms[i] = simd->norm[storage](kernel, (char *)m.sv + (size_t)i * item(storage), STRIDE, d);
    for (ptrdiff_t r = 0; r < ROWS; r++)
        for (ptrdiff_t j = 0; j < d; j++)
            x[r * d + j] = r % 4 == 3 && n > 0
                               ? olk_fetch(storage, m.sv, j * STRIDE + r % n, j, &m.quantizer)
                               : in_range(rng, -1.0, 1.0) * (r % 7 == 5 ? 1e5 : 1.0);
    m.norms = as_real(m.type, norms, STRIDE);
    m.x = as_real(m.type, x, ROWS * d);
    free(norms), free(x);
    return m;
}

static void discard(model *m)
{
    free(m->sv), free(m->norms), free(m->x);
}

static const void *row_of(const model *m, ptrdiff_t r)
{
    return (const char *)m->x + (size_t)(r * m->d) * size_of_real(m->type);
}

/* One row by norms: within the bound of ring_table.h; k(s, s) = 1; the bits of the sparse row; by
   differences where it lies far. */
static void by_norms(const olk_simd *simd, const olk_kernel *kernel, const model *m)
{
    const double unit = m->type == OLK_F64 ? 0x1p-53 : 0x1p-24;
    const double near = m->type == OLK_F64 ? 0x1p20 : 64.0;
    int32_t *index = array(m->d, sizeof(int32_t));
    void *values = array(m->d, size_of_real(m->type));
    double *row = doubles(m->n), *plain = doubles(m->n), *sparse = doubles(m->n);
    for (ptrdiff_t r = 0; r < ROWS; r++) {
        const void *x = row_of(m, r);
        long double own = 0.0L;
        for (ptrdiff_t j = 0; j < m->d; j++)
            own += (long double)number(m->type, x, j) * number(m->type, x, j);
        simd->row[m->storage](kernel, m->sv, m->norms, &m->quantizer, STRIDE, m->n, m->d, x,
                              OLK_F64, NULL, row, NULL);
        simd->row[m->storage](kernel, m->sv, NULL, &m->quantizer, STRIDE, m->n, m->d, x, OLK_F64,
                              NULL, plain, NULL);
        const ptrdiff_t count = olk_nonzeros(m->type, x, m->d, index, values);
        simd->sparse[m->storage](kernel, m->sv, m->norms, STRIDE, m->n, count, index, values,
                                 OLK_F64, NULL, sparse);
        for (ptrdiff_t i = 0; i < m->n; i++) {
            long double d2 = 0.0L, s2 = 0.0L;
            for (ptrdiff_t j = 0; j < m->d; j++) {
                const long double s =
                    olk_fetch(m->storage, m->sv, j * STRIDE + i, j, &m->quantizer);
                const long double t = number(m->type, x, j) - s;
                d2 += t * t;
                s2 += s * s;
            }
            if (kernel->gamma * own > near) {
                CHECK(row[i] == plain[i], "row %td is far: value %td", r, i);
                continue;
            }
            const long double reach = sqrtl(own) + sqrtl(s2);
            const long double k = expl(-kernel->gamma * d2);
            const long double bound = kernel->gamma * (m->d + 3) * unit * reach * reach + 8.0 * unit;
            CHECK(fabsl(row[i] - k) <= bound, "value %td of row %td, storage %d: %g, %g", i, r,
                  m->storage, row[i], (double)k);
            CHECK(row[i] == sparse[i], "value %td of row %td from its non-zeros", i, r);
            CHECK(d2 != 0.0L || row[i] == 1.0, "k(s, s) is %.17g", row[i]);
        }
    }
    free(index), free(values), free(row), free(plain), free(sparse);
}

/* Rows together, to the bit those one by one, whatever is wanted of them. */
static void together(const olk_simd *simd, const olk_kernel *kernel, const model *m, uint64_t *rng,
                     const void *norms, ptrdiff_t count, ptrdiff_t columns)
{
    double *weights = draws(rng, COLUMNS * STRIDE, -1.0, 1.0);
    double *f = doubles(ROWS * COLUMNS), want[COLUMNS];
    EACH_REAL (real) {
        void *coef = as_real(real, weights, COLUMNS * STRIDE), *row = array(m->n, size_of_real(real));
        void *values = array(ROWS * STRIDE, size_of_real(real));
        olk_row_outputs wanted = {real, coef, 1, STRIDE, f, values, STRIDE};
        simd->rows[m->storage](kernel, m->sv, norms, &m->quantizer, STRIDE, m->n, m->d, m->x, m->d,
                               count, &wanted);
        for (ptrdiff_t r = 0; r < count; r++) {
            const double sum =
                simd->row[m->storage](kernel, m->sv, norms, &m->quantizer, STRIDE, m->n, m->d,
                                      row_of(m, r), real, coef, row, NULL);
            CHECK(f[r] == sum, "row %td of %td, n = %td, d = %td, kind %d, storage %d", r, count,
                  m->n, m->d, kernel->kind, m->storage);
            for (ptrdiff_t i = 0; i < m->n; i++)
                CHECK(number(real, values, r * STRIDE + i) == number(real, row, i),
                      "value %td of row %td, storage %d", i, r, m->storage);
        }
        wanted.values = NULL;
        wanted.columns = columns;
        simd->rows[m->storage](kernel, m->sv, norms, &m->quantizer, STRIDE, m->n, m->d, m->x, m->d,
                               count, &wanted);
        for (ptrdiff_t r = 0; r < count; r++) {
            simd->row[m->storage](kernel, m->sv, norms, &m->quantizer, STRIDE, m->n, m->d,
                                  row_of(m, r), real, NULL, row, NULL);
            simd->weigh[real](row, coef, STRIDE, m->n, columns, want);
            for (ptrdiff_t c = 0; c < columns; c++)
                CHECK(f[r * columns + c] == want[c], "column %td of row %td, storage %d", c, r,
                      m->storage);
        }
        free(coef), free(row), free(values);
    }
    free(weights), free(f);
}

void check_together(const olk_simd *simd)
{
    static const ptrdiff_t sizes[] = {1, 7, 63, 64, 65, 170}, dimensions[] = {1, 9, 64, 80};
    static const ptrdiff_t counts[] = {1, 2, 5, 6, 7, 24, 25, 30, 49};
    static const ptrdiff_t several[] = {3, 12, 5, 25, 13};
    uint64_t rng;
    olk_pcg32_seed(&rng, 13);
    for (int storage = OLK_F32; storage < OLK_STORAGES; storage++)
        for (int kind = OLK_DISTANCE; kind <= OLK_SIGMOID; kind++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                const ptrdiff_t d = dimensions[(k + (size_t)kind) % 4];
                const olk_kernel kernel = {kind, 2, 0.7, 0.4, 0.3};
                model m = made_of(simd, &kernel, &rng, storage, sizes[k], d);
                m.quantizer = (olk_quantizer){m.scale, m.offset};
                if (kind == OLK_GAUSSIAN && storage != OLK_I8)
                    by_norms(simd, &kernel, &m);
                for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                    const ptrdiff_t columns = several[(c + k + (size_t)kind) % 5];
                    if ((kind == OLK_GAUSSIAN && c % 2 == k % 2) || c % 3 == k % 3)
                        together(simd, &kernel, &m, &rng, NULL, counts[c], columns);
                    if (kind == OLK_GAUSSIAN && storage != OLK_I8 && c % 2 != k % 2)
                        together(simd, &kernel, &m, &rng, m.norms, counts[c], columns);
                }
                discard(&m);
            }
}
