/* Products and rows for one storage type and one instruction set; included by isa.h. The names that it
   makes for them are undone by rows_end.h. */

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
   by side, OLK_NORMED: |x|^2 + norms[i] - 2 x.s_i, |x|^2 left in `own`. Both `vectors` and `product`
   are constants where this is used: the accumulators stay in registers, and one product is left of
   the four. */
static OLK_ALWAYS void
OLK_FN(olk_products)(const int product, const int vectors, const OLK_S *restrict sv,
                     const OLK_T *restrict norms, const olk_quantum *quantum, ptrdiff_t stride,
                     ptrdiff_t d, const OLK_T *restrict x, OLK_T *restrict tile, OLK_T *own)
{
    OLK_V acc[OLK_MOST], square = {0};
    (void)quantum;
    for (int v = 0; v < vectors; v++)
        acc[v] = (OLK_V){0};
    for (ptrdiff_t j = 0; j < d; j++) {
        const OLK_V xj = (OLK_IS_INNER(product) ? x[j] : OLK_LESS(j)) - (OLK_V){0};
        const OLK_S *restrict line = sv + j * stride;
#if OLK_BYTES == 16
        /* Narrow loads reach too short a way ahead by themselves. */
        for (int at = 0; at < vectors * (int)(OLK_LANES * sizeof(OLK_S)); at += 64)
            __builtin_prefetch((const char *)(line + 4 * stride) + at);
#endif
        if (product == OLK_NORMED)
            square = OLK_VMADD(xj, xj, square);
        for (int v = 0; v < vectors; v++) {
            const OLK_S *restrict s = line + v * OLK_LANES;
            if (OLK_IS_INNER(product)) {
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
    for (int v = 0; v < vectors; v++) {
        if (product == OLK_NORMED)
            acc[v] = OLK_BY_TYPE(olk_distance)(square, norms + v * OLK_LANES, acc[v]);
        *(OLK_V *)(tile + v * OLK_LANES) = acc[v];
    }
    if (product == OLK_NORMED)
        *own = OLK_LANE(square, 0);
}

static OLK_APART double OLK_FN(olk_row)(const olk_kernel *kernel, const void *sv, const void *norms,
                                        const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n,
                                        ptrdiff_t d, const void *query, int real, const void *coef,
                                        void *row, void *products)
{
    OLK_ALIGNED(64) OLK_T tile[OLK_MOST * OLK_LANES];
    OLK_ALIGNED(64) double lane[8] = {0.0};
    const int squared = OLK_IS_SQUARED(kernel);
    int normed = OLK_KEEPS_NORMS && squared && norms;
    OLK_T own = 0;
    for (ptrdiff_t start = 0; start < n; start += OLK_MOST * OLK_LANES) {
        const OLK_S *slots = (const OLK_S *)sv + start;
        const ptrdiff_t w = n - start < OLK_MOST * OLK_LANES ? n - start : OLK_MOST * OLK_LANES;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        if (normed) {
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_NORMED, slots,
                           (const OLK_T *)norms + start, quantum, stride, d, query, tile, &own);
            normed = OLK_BY_TYPE(olk_near)(kernel, own);
        }
        if (squared && !normed)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_SQUARE, slots, NULL, quantum, stride,
                           d, query, tile, NULL);
        else if (kernel->kind == OLK_LAPLACIAN)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_ABSOLUTE, slots, NULL, quantum,
                           stride, d, query, tile, NULL);
        else if (!squared)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_products), OLK_INNER, slots, NULL, quantum, stride,
                           d, query, tile, NULL);
        if (products)
            OLK_BY_TYPE(olk_collect)(tile, w, real, NULL, products, start, NULL);
        OLK_BY_TYPE(olk_finish_here)(kernel, tile, vectors, w, real, coef, row, start, lane);
    }
    return OLK_NAME(olk_total)(lane);
}
