/* Rows for an example given by its non-zeros, for one storage type and one instruction set; included
   by ring_loops.h. A distance is taken from stored norms, |x|^2 + |s|^2 - 2 x.s (clamped at 0), or for
   the L1 distance sum |s_j| + sum over non-zeros of |x_j - s_j| - |s_j|: only the non-zeros' rows
   of the ring are read. Good where most numbers are exact zeros; far from the origin the row read in
   full keeps digits that this one loses. */

/* One tile of what the products are made from; constants as in rows.h. */
static OLK_ALWAYS void
OLK_FN(olk_sparse_products)(const int product, const int vectors, const OLK_S *restrict sv,
                            const OLK_T *restrict norms, OLK_T own, ptrdiff_t stride,
                            ptrdiff_t count, const int32_t *restrict index,
                            const OLK_T *restrict x, OLK_T *restrict tile)
{
    OLK_V acc[OLK_MOST];
    for (int v = 0; v < vectors; v++)
        acc[v] = (OLK_V){0};
    for (ptrdiff_t k = 0; k < count; k++) {
        const OLK_V xj = x[k] - (OLK_V){0};
        const OLK_S *restrict line = sv + index[k] * stride;
        for (int v = 0; v < vectors; v++) {
            const OLK_V s = OLK_FN(olk_load)(line + v * OLK_LANES);
            if (product == OLK_ABSOLUTE)
                acc[v] += OLK_BY_TYPE(olk_size)(xj - s) - OLK_BY_TYPE(olk_size)(s);
            else
                acc[v] = OLK_VMADD(xj, s, acc[v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        if (product == OLK_SQUARE)
            acc[v] = OLK_BY_TYPE(olk_distance)(own - (OLK_V){0}, norms + v * OLK_LANES, acc[v]);
        else if (product == OLK_ABSOLUTE)
            acc[v] = OLK_BY_TYPE(olk_above_zero)(OLK_BY_TYPE(olk_load)(norms + v * OLK_LANES) +
                                                 acc[v]);
        *(OLK_V *)(tile + v * OLK_LANES) = acc[v];
    }
}

static double OLK_FN(olk_sparse)(const olk_kernel *kernel, const void *sv, const void *norms,
                                 ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                 const int32_t *index, const void *query, int real,
                                 const void *coef, void *row)
{
    const OLK_T *x = query;
    OLK_ALIGNED(64) OLK_T tile[OLK_MOST * OLK_LANES];
    OLK_ALIGNED(64) double lane[8] = {0.0};
    OLK_T own = 0;
    for (ptrdiff_t k = 0; k < count; k++)
        own = OLK_MADD(x[k], x[k], own);
    for (ptrdiff_t start = 0; start < n; start += OLK_MOST * OLK_LANES) {
        const OLK_S *slots = (const OLK_S *)sv + start;
        const OLK_T *norm = (const OLK_T *)norms + start;
        const ptrdiff_t w = n - start < OLK_MOST * OLK_LANES ? n - start : OLK_MOST * OLK_LANES;
        const int vectors = (int)((w + OLK_LANES - 1) / OLK_LANES);
        if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_sparse_products), OLK_SQUARE, slots, norm, own,
                           stride, count, index, x, tile);
        else if (kernel->kind == OLK_LAPLACIAN)
            OLK_EACH_COUNT(vectors, OLK_FN(olk_sparse_products), OLK_ABSOLUTE, slots, norm, own,
                           stride, count, index, x, tile);
        else
            OLK_EACH_COUNT(vectors, OLK_FN(olk_sparse_products), OLK_INNER, slots, norm, own,
                           stride, count, index, x, tile);
        OLK_BY_TYPE(olk_finish)(kernel, tile, vectors, w, real, coef, row, start, lane);
    }
    return OLK_NAME(olk_total)(lane);
}

static double OLK_FN(olk_norm)(const olk_kernel *kernel, const void *vectors, ptrdiff_t stride,
                               ptrdiff_t d)
{
    const OLK_S *sv = vectors;
    OLK_V total = {0};
    for (ptrdiff_t j = 0; j < d; j++) {
        const OLK_V s = OLK_FN(olk_load)(sv + j * stride);
        if (kernel->kind == OLK_LAPLACIAN)
            total += OLK_BY_TYPE(olk_size)(s);
        else
            total = OLK_VMADD(s, s, total);
    }
    return (double)OLK_LANE(total, 0);
}
