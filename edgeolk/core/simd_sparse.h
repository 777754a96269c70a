/* Rows for an example given by its non-zeros, for one storage type and one instruction set; included
   by simd_isa.h. A distance is taken from stored norms, |x|^2 + |s|^2 - 2 x.s (clamped at 0), or for
   the L1 distance sum |s_j| + sum over non-zeros of |x_j - s_j| - |s_j|: only the non-zeros' rows
   of the ring are read. Good where most numbers are exact zeros; far from the origin the dense row
   keeps digits that this one loses. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_STORED))
#define OLK_TRANSFORM OLK_NAME(OLK_CAT(olk_transform, OLK_TYPE))

#define OLK_TERM_INNER(a, u, v) (a) = OLK_MADD((u), (v), (a))
#define OLK_TERM_ABS(a, u, v) (a) += OLK_ABS((u) - (v)) - OLK_ABS(v)

#define OLK_SPARSE_PRODUCT(NAME, W, TERM)                                                          \
    static inline void OLK_FN(OLK_CAT(NAME, W))(const OLK_S *restrict sv, ptrdiff_t stride,        \
                                                ptrdiff_t count, const int32_t *restrict index,    \
                                                const OLK_T *restrict x, OLK_T *restrict acc)      \
    {                                                                                              \
        for (ptrdiff_t i = 0; i < W; i++)                                                          \
            acc[i] = 0;                                                                            \
        ptrdiff_t k = 0;                                                                           \
        for (; k + 4 <= count; k += 4) {                                                           \
            const OLK_T x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];                    \
            const OLK_S *restrict r0 = sv + index[k] * stride;                                     \
            const OLK_S *restrict r1 = sv + index[k + 1] * stride;                                 \
            const OLK_S *restrict r2 = sv + index[k + 2] * stride;                                 \
            const OLK_S *restrict r3 = sv + index[k + 3] * stride;                                 \
            for (ptrdiff_t i = 0; i < W; i++) {                                                    \
                OLK_T a = acc[i];                                                                  \
                TERM(a, x0, OLK_LOAD(r0[i], 0));                                                   \
                TERM(a, x1, OLK_LOAD(r1[i], 0));                                                   \
                TERM(a, x2, OLK_LOAD(r2[i], 0));                                                   \
                TERM(a, x3, OLK_LOAD(r3[i], 0));                                                   \
                acc[i] = a;                                                                        \
            }                                                                                      \
        }                                                                                          \
        for (; k < count; k++) {                                                                   \
            const OLK_S *restrict r0 = sv + index[k] * stride;                                     \
            for (ptrdiff_t i = 0; i < W; i++)                                                      \
                TERM(acc[i], x[k], OLK_LOAD(r0[i], 0));                                            \
        }                                                                                          \
    }

OLK_SPARSE_PRODUCT(olk_sparse_inner, OLK_TILE, OLK_TERM_INNER)
OLK_SPARSE_PRODUCT(olk_sparse_abs, OLK_TILE, OLK_TERM_ABS)
OLK_SPARSE_PRODUCT(olk_sparse_inner, OLK_TAIL, OLK_TERM_INNER)
OLK_SPARSE_PRODUCT(olk_sparse_abs, OLK_TAIL, OLK_TERM_ABS)

#define OLK_SPARSE_TILE(W)                                                                         \
    do {                                                                                           \
        OLK_T acc[W];                                                                              \
        double values[W];                                                                          \
        const OLK_S *tile = (const OLK_S *)sv + start;                                             \
        const OLK_T *norm = (const OLK_T *)norms + start;                                          \
        if (kernel->kind == OLK_LAPLACIAN) {                                                       \
            OLK_FN(OLK_CAT(olk_sparse_abs, W))(tile, stride, count, index, x, acc);                \
            for (ptrdiff_t i = 0; i < W; i++)                                                      \
                acc[i] = norm[i] + acc[i] > 0 ? norm[i] + acc[i] : 0;                              \
        } else {                                                                                   \
            OLK_FN(OLK_CAT(olk_sparse_inner, W))(tile, stride, count, index, x, acc);              \
            if (kernel->kind == OLK_GAUSSIAN)                                                      \
                for (ptrdiff_t i = 0; i < W; i++) {                                                \
                    const OLK_T d2 = (own + norm[i]) - 2 * acc[i];                                 \
                    acc[i] = d2 > 0 ? d2 : 0;                                                      \
                }                                                                                  \
        }                                                                                          \
        OLK_TRANSFORM(kernel, acc, W, values);                                                     \
        const ptrdiff_t w = n - start < W ? n - start : W;                                         \
        OLK_NAME(olk_collect)(values, w, start, coef, row, lane);                                  \
        start += W;                                                                                \
    } while (0)

static double OLK_FN(olk_sparse)(const olk_kernel *kernel, const void *sv, const void *norms,
                                 ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                 const int32_t *index, const void *query, const double *coef,
                                 double *row)
{
    const OLK_T *x = query;
    double lane[8] = {0.0};
    ptrdiff_t start = 0;
    OLK_T own = 0;
    for (ptrdiff_t k = 0; k < count; k++)
        own = OLK_MADD(x[k], x[k], own);
    while (start + OLK_TILE <= n)
        OLK_SPARSE_TILE(OLK_TILE);
    while (start < n)
        OLK_SPARSE_TILE(OLK_TAIL);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

#undef OLK_SPARSE_TILE
#undef OLK_SPARSE_PRODUCT
#undef OLK_TERM_INNER
#undef OLK_TERM_ABS
#undef OLK_TRANSFORM
#undef OLK_FN
