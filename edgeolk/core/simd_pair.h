/* The elementwise half of a kernel, and single pairs, for one type computed in; included by
   simd_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))

#define OLK_TERM_SQUARE(a, u, v)                                                                   \
    do {                                                                                           \
        const OLK_T t_ = (u) - (v);                                                                \
        (a) = OLK_MADD(t_, t_, (a));                                                               \
    } while (0)
#define OLK_TERM_INNER(a, u, v) (a) = OLK_MADD((u), (v), (a))
#define OLK_TERM_ABS(a, u, v) (a) += OLK_ABS((u) - (v))

/* Kernel values of W products, widened to double. */
static inline void OLK_FN(olk_transform)(const olk_kernel *kernel, const OLK_T *restrict acc,
                                         ptrdiff_t w, double *restrict out)
{
    if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_LAPLACIAN) {
        const OLK_T gamma = (OLK_T)kernel->gamma;
        for (ptrdiff_t i = 0; i < w; i++)
            out[i] = OLK_NAME(OLK_CAT(olk_exp, OLK_TYPE))(-gamma * acc[i]);
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

static double OLK_FN(olk_pair)(const olk_kernel *kernel, const void *va, const void *vb,
                               ptrdiff_t d)
{
    const OLK_T *a = va, *b = vb;
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

#undef OLK_FN
#undef OLK_TERM_SQUARE
#undef OLK_TERM_INNER
#undef OLK_TERM_ABS
