/* Products and rows for one storage type and one instruction set; included by simd_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_STORED))
#define OLK_TRANSFORM OLK_NAME(OLK_CAT(olk_transform, OLK_TYPE))

/* With int8, offset[j] is taken from x_j, so that only the scaled level is left in the loop. An
   inner product instead adds x_j offset[j] to every lane: the level times x_j needs both. */
#if OLK_SHIFTED
#define OLK_LESS(j) (x[j] - quantum->offset[j])
#define OLK_FULL(v, j) (OLK_LOAD(v, j) + quantum->offset[j])
#else
#define OLK_LESS(j) (x[j])
#define OLK_FULL(v, j) OLK_LOAD(v, j)
#endif

/* One tile of products: acc[i] = sum_j g(x_j, sv[j][i]) for W support vectors side by side.
   Four features a sweep, so that each accumulator is loaded and stored a quarter as often. */
#define OLK_PRODUCT(NAME, W, TERM, X, V)                                                           \
    static inline void OLK_FN(OLK_CAT(NAME, W))(const OLK_S *restrict sv,                          \
                                                const olk_quantum *quantum, ptrdiff_t stride,      \
                                                ptrdiff_t d, const OLK_T *restrict x,              \
                                                OLK_T *restrict acc)                               \
    {                                                                                              \
        (void)quantum;                                                                             \
        for (ptrdiff_t i = 0; i < W; i++)                                                          \
            acc[i] = 0;                                                                            \
        ptrdiff_t j = 0;                                                                           \
        for (; j + 4 <= d; j += 4) {                                                               \
            const OLK_T x0 = X(j), x1 = X(j + 1), x2 = X(j + 2), x3 = X(j + 3);                    \
            const OLK_S *restrict r0 = sv + j * stride;                                            \
            const OLK_S *restrict r1 = r0 + stride;                                                \
            const OLK_S *restrict r2 = r1 + stride;                                                \
            const OLK_S *restrict r3 = r2 + stride;                                                \
            for (ptrdiff_t i = 0; i < W; i++) {                                                    \
                OLK_T a = acc[i];                                                                  \
                TERM(a, x0, V(r0[i], j));                                                          \
                TERM(a, x1, V(r1[i], j + 1));                                                      \
                TERM(a, x2, V(r2[i], j + 2));                                                      \
                TERM(a, x3, V(r3[i], j + 3));                                                      \
                acc[i] = a;                                                                        \
            }                                                                                      \
        }                                                                                          \
        for (; j < d; j++) {                                                                       \
            const OLK_T x0 = X(j);                                                                 \
            const OLK_S *restrict r0 = sv + j * stride;                                            \
            for (ptrdiff_t i = 0; i < W; i++)                                                      \
                TERM(acc[i], x0, V(r0[i], j));                                                     \
        }                                                                                          \
    }

#define OLK_PLAIN(j) (x[j])
#define OLK_TERM_SQUARE(a, u, v)                                                                   \
    do {                                                                                           \
        const OLK_T t_ = (u) - (v);                                                                \
        (a) = OLK_MADD(t_, t_, (a));                                                               \
    } while (0)
#define OLK_TERM_INNER(a, u, v) (a) = OLK_MADD((u), (v), (a))
#define OLK_TERM_ABS(a, u, v) (a) += OLK_ABS((u) - (v))

OLK_PRODUCT(olk_square, OLK_TILE, OLK_TERM_SQUARE, OLK_LESS, OLK_LOAD)
OLK_PRODUCT(olk_inner, OLK_TILE, OLK_TERM_INNER, OLK_PLAIN, OLK_FULL)
OLK_PRODUCT(olk_abs, OLK_TILE, OLK_TERM_ABS, OLK_LESS, OLK_LOAD)
OLK_PRODUCT(olk_square, OLK_TAIL, OLK_TERM_SQUARE, OLK_LESS, OLK_LOAD)
OLK_PRODUCT(olk_inner, OLK_TAIL, OLK_TERM_INNER, OLK_PLAIN, OLK_FULL)
OLK_PRODUCT(olk_abs, OLK_TAIL, OLK_TERM_ABS, OLK_LESS, OLK_LOAD)

#define OLK_ROW_TILE(W)                                                                            \
    do {                                                                                           \
        OLK_T acc[W];                                                                              \
        double values[W];                                                                          \
        const OLK_S *tile = (const OLK_S *)sv + start;                                             \
        if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)                          \
            OLK_FN(OLK_CAT(olk_square, W))(tile, quantum, stride, d, x, acc);                      \
        else if (kernel->kind == OLK_LAPLACIAN)                                                    \
            OLK_FN(OLK_CAT(olk_abs, W))(tile, quantum, stride, d, x, acc);                         \
        else                                                                                       \
            OLK_FN(OLK_CAT(olk_inner, W))(tile, quantum, stride, d, x, acc);                       \
        OLK_TRANSFORM(kernel, acc, W, values);                                                     \
        const ptrdiff_t w = n - start < W ? n - start : W;                                         \
        OLK_NAME(olk_collect)(values, w, start, coef, row, lane);                                  \
        start += W;                                                                                \
    } while (0)

static double OLK_FN(olk_row)(const olk_kernel *kernel, const void *sv, const olk_quantum *quantum,
                              ptrdiff_t stride, ptrdiff_t n, ptrdiff_t d, const void *query,
                              const double *coef, double *row)
{
    const OLK_T *x = query;
    double lane[8] = {0.0};
    ptrdiff_t start = 0;
    while (start + OLK_TILE <= n)
        OLK_ROW_TILE(OLK_TILE);
    while (start < n)
        OLK_ROW_TILE(OLK_TAIL);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

#undef OLK_LESS
#undef OLK_FULL
#undef OLK_PLAIN
#undef OLK_TRANSFORM
#undef OLK_ROW_TILE
#undef OLK_PRODUCT
#undef OLK_TERM_SQUARE
#undef OLK_TERM_INNER
#undef OLK_TERM_ABS
#undef OLK_FN
