/* Products and rows for one storage type and one instruction set; included by simd_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_SUFFIX))

/* One tile of products: acc[i] = sum_j g(x_j, sv[j][i]) for W support vectors side by side.
   Four features a sweep, so that each accumulator is loaded and stored a quarter as often. */
#define OLK_PRODUCT(NAME, W, TERM)                                                                 \
    static inline void OLK_FN(OLK_CAT(NAME, W))(const OLK_T *restrict sv, ptrdiff_t stride,        \
                                                ptrdiff_t d, const OLK_T *restrict x,              \
                                                OLK_T *restrict acc)                               \
    {                                                                                              \
        for (ptrdiff_t i = 0; i < W; i++)                                                          \
            acc[i] = 0;                                                                            \
        ptrdiff_t j = 0;                                                                           \
        for (; j + 4 <= d; j += 4) {                                                               \
            const OLK_T x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];                    \
            const OLK_T *restrict r0 = sv + j * stride;                                            \
            const OLK_T *restrict r1 = r0 + stride;                                                \
            const OLK_T *restrict r2 = r1 + stride;                                                \
            const OLK_T *restrict r3 = r2 + stride;                                                \
            for (ptrdiff_t i = 0; i < W; i++) {                                                    \
                OLK_T a = acc[i];                                                                  \
                TERM(a, x0, r0[i]);                                                                \
                TERM(a, x1, r1[i]);                                                                \
                TERM(a, x2, r2[i]);                                                                \
                TERM(a, x3, r3[i]);                                                                \
                acc[i] = a;                                                                        \
            }                                                                                      \
        }                                                                                          \
        for (; j < d; j++) {                                                                       \
            const OLK_T x0 = x[j];                                                                 \
            const OLK_T *restrict r0 = sv + j * stride;                                            \
            for (ptrdiff_t i = 0; i < W; i++)                                                      \
                TERM(acc[i], x0, r0[i]);                                                           \
        }                                                                                          \
    }

#define OLK_TERM_SQUARE(a, u, v)                                                                   \
    do {                                                                                           \
        const OLK_T t_ = (u) - (v);                                                                \
        (a) = OLK_MADD(t_, t_, (a));                                                               \
    } while (0)
#define OLK_TERM_INNER(a, u, v) (a) = OLK_MADD((u), (v), (a))
#define OLK_TERM_ABS(a, u, v) (a) += OLK_ABS((u) - (v))

OLK_PRODUCT(olk_square, OLK_TILE, OLK_TERM_SQUARE)
OLK_PRODUCT(olk_inner, OLK_TILE, OLK_TERM_INNER)
OLK_PRODUCT(olk_abs, OLK_TILE, OLK_TERM_ABS)
OLK_PRODUCT(olk_square, OLK_TAIL, OLK_TERM_SQUARE)
OLK_PRODUCT(olk_inner, OLK_TAIL, OLK_TERM_INNER)
OLK_PRODUCT(olk_abs, OLK_TAIL, OLK_TERM_ABS)

/* Kernel values of W products, widened to double. */
static inline void OLK_FN(olk_transform)(const olk_kernel *kernel, const OLK_T *restrict acc,
                                         ptrdiff_t w, double *restrict out)
{
    if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_LAPLACIAN) {
        const OLK_T gamma = (OLK_T)kernel->gamma;
        for (ptrdiff_t i = 0; i < w; i++)
            out[i] = OLK_NAME(OLK_CAT(olk_exp, OLK_SUFFIX))(-gamma * acc[i]);
    } else if (kernel->kind == OLK_LINEAR || kernel->kind == OLK_DISTANCE) {
        for (ptrdiff_t i = 0; i < w; i++)
            out[i] = acc[i];
    } else {
        for (ptrdiff_t i = 0; i < w; i++)
            out[i] = kernel->scale * (double)acc[i] + kernel->offset;
        if (kernel->kind == OLK_POLYNOMIAL)
            OLK_NAME(olk_power)(out, w, kernel->degree);
        else
            for (ptrdiff_t i = 0; i < w; i++)
                out[i] = tanh(out[i]);
    }
}

#define OLK_ROW_TILE(W)                                                                            \
    do {                                                                                           \
        OLK_T acc[W];                                                                              \
        double values[W];                                                                          \
        if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)                          \
            OLK_FN(OLK_CAT(olk_square, W))(sv + start, stride, d, x, acc);                         \
        else if (kernel->kind == OLK_LAPLACIAN)                                                    \
            OLK_FN(OLK_CAT(olk_abs, W))(sv + start, stride, d, x, acc);                            \
        else                                                                                       \
            OLK_FN(OLK_CAT(olk_inner, W))(sv + start, stride, d, x, acc);                          \
        OLK_FN(olk_transform)(kernel, acc, W, values);                                             \
        const ptrdiff_t w = n - start < W ? n - start : W;                                         \
        if (row)                                                                                   \
            memcpy(row + start, values, (size_t)w * sizeof(double));                               \
        if (coef) {                                                                                \
            if (w == W)                                                                            \
                for (ptrdiff_t i = 0; i < W; i += 8)                                               \
                    for (ptrdiff_t k = 0; k < 8; k++)                                              \
                        lane[k] = OLK_MADD_F64(coef[start + i + k], values[i + k], lane[k]);       \
            else                                                                                   \
                for (ptrdiff_t i = 0; i < w; i++)                                                  \
                    lane[i & 7] = OLK_MADD_F64(coef[start + i], values[i], lane[i & 7]);           \
        }                                                                                          \
        start += W;                                                                                \
    } while (0)

static double OLK_FN(olk_row)(const olk_kernel *kernel, const OLK_T *sv, ptrdiff_t stride,
                              ptrdiff_t n, ptrdiff_t d, const OLK_T *x, const double *coef,
                              double *row)
{
    double lane[8] = {0.0};
    ptrdiff_t start = 0;
    while (start + OLK_TILE <= n)
        OLK_ROW_TILE(OLK_TILE);
    while (start < n)
        OLK_ROW_TILE(OLK_TAIL);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

static double OLK_FN(olk_pair)(const olk_kernel *kernel, const OLK_T *a, const OLK_T *b,
                               ptrdiff_t d)
{
    OLK_T lane[8] = {0};
    double value;
#define OLK_PAIR_LOOP(TERM)                                                                        \
    do {                                                                                           \
        ptrdiff_t j = 0;                                                                           \
        for (; j + 8 <= d; j += 8)                                                                 \
            for (ptrdiff_t k = 0; k < 8; k++)                                                      \
                TERM(lane[k], a[j + k], b[j + k]);                                                 \
        for (; j < d; j++)                                                                         \
            TERM(lane[j & 7], a[j], b[j]);                                                         \
    } while (0)
    if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
        OLK_PAIR_LOOP(OLK_TERM_SQUARE);
    else if (kernel->kind == OLK_LAPLACIAN)
        OLK_PAIR_LOOP(OLK_TERM_ABS);
    else
        OLK_PAIR_LOOP(OLK_TERM_INNER);
#undef OLK_PAIR_LOOP
    OLK_T acc = ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
                ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    OLK_FN(olk_transform)(kernel, &acc, 1, &value);
    return value;
}

#undef OLK_ROW_TILE
#undef OLK_PRODUCT
#undef OLK_TERM_SQUARE
#undef OLK_TERM_INNER
#undef OLK_TERM_ABS
#undef OLK_FN
