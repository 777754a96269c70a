/* Products and rows for one storage type and one instruction set; included by isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_STORED))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_V OLK_BY_TYPE(olk_v)

/* With int8, offset[j] is taken from x_j, so that only the scaled level is left in the loop. An
   inner product instead adds x_j offset[j] to every lane: the level times x_j needs both. */
#if OLK_SHIFTED
#define OLK_LESS(j) (x[j] - quantum->offset[j])
#define OLK_LOAD(p, j) (OLK_FN(olk_load)(p) * quantum->scale[j])
#define OLK_FULL(p, j) (OLK_LOAD(p, j) + quantum->offset[j])
#else
#define OLK_LESS(j) (x[j])
#define OLK_LOAD(p, j) OLK_FN(olk_load)(p)
#define OLK_FULL(p, j) OLK_FN(olk_load)(p)
#endif

/* One tile of products: tile[i] = sum_j g(x_j, sv[j][i]), `vectors` vectors of support vectors side
   by side. Both `vectors` and `product` are constants where this is used: the accumulators stay in
   registers, and one product is left of the three. */
static OLK_ALWAYS void
OLK_FN(olk_products)(const int product, const int vectors, const OLK_S *restrict sv,
                     const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d,
                     const OLK_T *restrict x, OLK_T *restrict tile)
{
    OLK_V acc[OLK_MOST];
    (void)quantum;
    for (int v = 0; v < vectors; v++)
        acc[v] = (OLK_V){0};
    for (ptrdiff_t j = 0; j < d; j++) {
        const OLK_V xj = (product == OLK_INNER ? x[j] : OLK_LESS(j)) - (OLK_V){0};
        const OLK_S *restrict line = sv + j * stride;
#if OLK_BYTES == 16
        /* Narrow loads reach too short a way ahead by themselves. */
        for (int at = 0; at < vectors * (int)(OLK_LANES * sizeof(OLK_S)); at += 64)
            __builtin_prefetch((const char *)(line + 4 * stride) + at);
#endif
        for (int v = 0; v < vectors; v++) {
            const OLK_S *restrict s = line + v * OLK_LANES;
            if (product == OLK_INNER) {
                acc[v] = OLK_VMADD(xj, OLK_FULL(s, j), acc[v]);
            } else {
                const OLK_V less = xj - OLK_LOAD(s, j);
                if (product == OLK_SQUARE)
                    acc[v] = OLK_VMADD(less, less, acc[v]);
                else
                    acc[v] += OLK_BY_TYPE(olk_size)(less);
            }
        }
    }
    for (int v = 0; v < vectors; v++)
        *(OLK_V *)(tile + v * OLK_LANES) = acc[v];
}

static OLK_APART double OLK_FN(olk_row)(const olk_kernel *kernel, const void *sv, const olk_quantum *quantum,
                              ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d, const void *query,
                              int real, const void *coef, void *row, void *products)
{
    OLK_ALIGNED(64) OLK_T tile[OLK_MOST * OLK_LANES];
    OLK_ALIGNED(64) double lane[8] = {0.0};
    for (ptrdiff_t start = 0; start < n; start += OLK_MOST * OLK_LANES) {
        const OLK_S *slots = (const OLK_S *)sv + start;
        const ptrdiff_t w = n - start < OLK_MOST * OLK_LANES ? n - start : OLK_MOST * OLK_LANES;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_SQUARE, slots, quantum, stride, d,
                           query, tile);
        else if (kernel->kind == OLK_LAPLACIAN)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_ABSOLUTE, slots, quantum, stride, d,
                           query, tile);
        else
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_INNER, slots, quantum, stride, d,
                           query, tile);
        if (products)
            OLK_BY_TYPE(olk_collect)(tile, w, real, NULL, products, start, NULL);
        OLK_BY_TYPE(olk_finish)(kernel, tile, vectors, w, real, coef, row, start, lane);
    }
    return OLK_NAME(olk_total)(lane);
}

#ifndef OLK_ROWS_ALONE
/* The same for OLK_TOGETHER rows of x, `pitch` apart: what is read of the ring serves them all. Each
   sum is made in the order of olk_products, so that its bits are the same. */
static OLK_ALWAYS void
OLK_FN(olk_products_together)(const int product, const int vectors, const OLK_S *restrict sv,
                              const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d,
                              const OLK_T *restrict rows, ptrdiff_t pitch, OLK_T *restrict tile)
{
    OLK_V acc[OLK_TOGETHER][OLK_BESIDE];
    (void)quantum;
    for (int r = 0; r < OLK_TOGETHER; r++)
        for (int v = 0; v < vectors; v++)
            acc[r][v] = (OLK_V){0};
    for (ptrdiff_t j = 0; j < d; j++) {
        const OLK_S *restrict line = sv + j * stride;
        OLK_V s[OLK_BESIDE];
        for (int v = 0; v < vectors; v++)
            s[v] = product == OLK_INNER ? OLK_FULL(line + v * OLK_LANES, j)
                                        : OLK_LOAD(line + v * OLK_LANES, j);
        for (int r = 0; r < OLK_TOGETHER; r++) {
            const OLK_T *restrict x = rows + r * pitch;
            const OLK_V xj = (product == OLK_INNER ? x[j] : OLK_LESS(j)) - (OLK_V){0};
            for (int v = 0; v < vectors; v++) {
                if (product == OLK_INNER) {
                    acc[r][v] = OLK_VMADD(xj, s[v], acc[r][v]);
                } else {
                    const OLK_V less = xj - s[v];
                    if (product == OLK_SQUARE)
                        acc[r][v] = OLK_VMADD(less, less, acc[r][v]);
                    else
                        acc[r][v] += OLK_BY_TYPE(olk_size)(less);
                }
            }
        }
    }
    for (int r = 0; r < OLK_TOGETHER; r++)
        for (int v = 0; v < vectors; v++)
            *(OLK_V *)(tile + (r * OLK_MOST + v) * OLK_LANES) = acc[r][v];
}

static OLK_ALWAYS void
OLK_FN(olk_rows_tile)(const int product, int beside, const OLK_S *restrict sv,
                      const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t d,
                      const OLK_T *restrict rows, ptrdiff_t pitch, OLK_T *restrict tile)
{
    if (beside == 1)
        OLK_FN(olk_products_together)(product, 1, sv, quantum, stride, d, rows, pitch, tile);
    else
        OLK_FN(olk_products_together)(product, OLK_BESIDE, sv, quantum, stride, d, rows, pitch,
                                      tile);
}

/* f[i] = sum_k coef[k] k(s_k, rows[i]) for `count` rows, `pitch` apart; bit for bit olk_row's sums. */
static void OLK_FN(olk_rows)(const olk_kernel *kernel, const void *sv, const olk_quantum *quantum,
                             ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d, const void *queries,
                             ptrdiff_t pitch, ptrdiff_t count, int real, const void *coef,
                             double *f, void *values, ptrdiff_t apart)
{
    enum { WIDTH = OLK_MOST * (int)OLK_LANES };
    OLK_ALIGNED(64) OLK_T tile[OLK_TOGETHER * WIDTH];
    const OLK_T *rows = queries;
    const ptrdiff_t step = apart * olk_real_bytes(real);
    char *to = values;
    ptrdiff_t i = 0;
    for (; i + OLK_TOGETHER <= count; i += OLK_TOGETHER, rows += OLK_TOGETHER * pitch) {
        OLK_ALIGNED(64) double lane[OLK_TOGETHER][8] = {{0.0}};
        for (ptrdiff_t start = 0; start < n; start += WIDTH) {
            const OLK_S *slots = (const OLK_S *)sv + start;
            const ptrdiff_t w = n - start < WIDTH ? n - start : WIDTH;
            const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
            for (int v = 0; v < vectors;) {
                const OLK_S *at = slots + v * OLK_LANES;
                OLK_T *part = tile + v * OLK_LANES;
                const int beside = vectors - v >= OLK_BESIDE ? OLK_BESIDE : 1;
                if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
                    OLK_FN(olk_rows_tile)(OLK_SQUARE, beside, at, quantum, stride, d, rows, pitch,
                                          part);
                else if (kernel->kind == OLK_LAPLACIAN)
                    OLK_FN(olk_rows_tile)(OLK_ABSOLUTE, beside, at, quantum, stride, d, rows,
                                          pitch, part);
                else
                    OLK_FN(olk_rows_tile)(OLK_INNER, beside, at, quantum, stride, d, rows, pitch,
                                          part);
                v += beside;
            }
            for (int r = 0; r < OLK_TOGETHER; r++)
                OLK_BY_TYPE(olk_finish)(kernel, tile + r * WIDTH, vectors, w, real, coef,
                                        to ? to + (i + r) * step : NULL, start, lane[r]);
        }
        for (int r = 0; coef && r < OLK_TOGETHER; r++)
            f[i + r] = OLK_NAME(olk_total)(lane[r]);
    }
    for (; i < count; i++, rows += pitch) {
        const double sum = OLK_FN(olk_row)(kernel, sv, quantum, stride, n, d, rows, real, coef,
                                           to ? to + i * step : NULL, NULL);
        if (coef)
            f[i] = sum;
    }
}
#endif

#undef OLK_LESS
#undef OLK_LOAD
#undef OLK_FULL
#undef OLK_V
#undef OLK_BY_TYPE
#undef OLK_FN
