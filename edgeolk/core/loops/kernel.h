/* The elementwise half of a kernel, the weighted sum, and single pairs, for one type computed in;
   included by isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_V OLK_NAME(OLK_CAT(olk_v, OLK_TYPE))
#define OLK_WORDS OLK_NAME(OLK_CAT(olk_words, OLK_TYPE))
#define OLK_ALL(number) ((number) - (OLK_V){0})

/* p 2^n / OLK_LIFT, n = shifted - OLK_MAGIC, rounded once. By the instruction for it, where there is
   one, OLK_TERM(k) being without the lift; else n is added to the exponent of p, which the lift keeps
   normal until the product that takes it off. */
#if defined(OLK_X86) && OLK_BYTES == 64
#define OLK_TERM(k) OLK_ALL(OLK_EXP_POLYNOMIAL[k] * (OLK_T)(1.0 / OLK_LIFT))
static inline OLK_V OLK_FN(olk_by_power)(OLK_V p, OLK_V shifted)
{
    return OLK_FN(olk_scale_by_power)(p, shifted - OLK_MAGIC);
}
#else
#define OLK_TERM(k) OLK_ALL(OLK_EXP_POLYNOMIAL[k])
static inline OLK_V OLK_FN(olk_by_power)(OLK_V p, OLK_V shifted)
{
    const OLK_WORDS bits =
        OLK_FN(olk_words_of)(p) + (OLK_FN(olk_words_of)(shifted) << OLK_MANTISSA);
    return OLK_FN(olk_of_words)(bits) * (OLK_T)(1.0 / OLK_LIFT);
}
#endif

/* x <- exp(x), x <= 0, up to OLK_ABREAST vectors. From OLK_LEAST_EXPONENT down, where the exponential
   rounds to 0, and where x is no number (from the difference of two infinite norms) it is 0.
   n = round(x / ln 2) goes into the exponent, a polynomial with p(0) = 1 serves the rest. The vectors
   go side by side, a chain of dependent steps each: one after the other they would fill the
   processor's queues and wait. */
static OLK_ALWAYS void OLK_FN(olk_exp)(const int vectors, OLK_V *x)
{
    OLK_V shifted[OLK_ABREAST], r[OLK_ABREAST], p[OLK_ABREAST];
    for (int v = 0; v < vectors; v++)
        x[v] = OLK_VMAX(x[v], OLK_ALL(OLK_LEAST_EXPONENT));
    for (int v = 0; v < vectors; v++)
        shifted[v] = OLK_VMADD(x[v], OLK_ALL(OLK_LOG2_E), OLK_ALL(OLK_MAGIC));
    for (int v = 0; v < vectors; v++)
        r[v] = OLK_VMADD(shifted[v] - OLK_MAGIC, OLK_ALL(-OLK_LN2_HIGH), x[v]);
    for (int v = 0; v < vectors; v++)
        r[v] = OLK_VMADD(shifted[v] - OLK_MAGIC, OLK_ALL(-OLK_LN2_LOW), r[v]);
    for (int v = 0; v < vectors; v++)
        p[v] = OLK_TERM(OLK_EXP_DEGREE);
    for (int k = OLK_EXP_DEGREE - 1; k >= 0; k--)
        for (int v = 0; v < vectors; v++)
            p[v] = OLK_VMADD(p[v], r[v], OLK_TERM(k));
    for (int v = 0; v < vectors; v++)
        x[v] = OLK_FN(olk_by_power)(p[v], shifted[v]);
}

/* gamma as computed with: finite, so that k(x, x) = 1 whatever it is. */
static inline OLK_T OLK_FN(olk_gamma)(const olk_kernel *kernel)
{
    return kernel->gamma < OLK_GREATEST ? (OLK_T)kernel->gamma : OLK_GREATEST;
}

/* tile <- exp(-gamma tile). */
static OLK_ALWAYS void
OLK_FN(olk_exp_part)(const int vectors, OLK_T *restrict tile, OLK_T gamma)
{
    OLK_V x[OLK_ABREAST];
    for (int v = 0; v < vectors; v++)
        x[v] = OLK_FN(olk_load)(tile + v * OLK_LANES) * -gamma;
    OLK_FN(olk_exp)(vectors, x);
    for (int v = 0; v < vectors; v++)
        *(OLK_V *)(tile + v * OLK_LANES) = x[v];
}

/* The same for any number of vectors. */
static inline void OLK_FN(olk_exp_tile)(const olk_kernel *kernel, OLK_T *restrict tile, int vectors)
{
    const OLK_T gamma = OLK_FN(olk_gamma)(kernel);
    int v = 0;
    for (; v + OLK_ABREAST <= vectors; v += OLK_ABREAST)
        OLK_FN(olk_exp_part)(OLK_ABREAST, tile + v * OLK_LANES, gamma);
    for (; v + 4 <= vectors; v += 4)
        OLK_FN(olk_exp_part)(4, tile + v * OLK_LANES, gamma);
    if (v + 2 <= vectors) {
        OLK_FN(olk_exp_part)(2, tile + v * OLK_LANES, gamma);
        v += 2;
    }
    if (v < vectors)
        OLK_FN(olk_exp_part)(1, tile + v * OLK_LANES, gamma);
}

/* |v|, and v where it is not negative (no number stays none). */
static inline OLK_V OLK_FN(olk_size)(OLK_V v)
{
    return OLK_FN(olk_of_words)(OLK_FN(olk_words_of)(v) & ~OLK_FN(olk_words_of)(OLK_ALL(-0.0f)));
}

static inline OLK_V OLK_FN(olk_above_zero)(OLK_V v)
{
    return OLK_VMAX(OLK_ALL(0), v);
}

/* |x - s|^2 from the squared lengths and x.s; 0 where rounding would make it negative. Of two equal
   vectors it is 0: their lengths and the product are the same additions. */
static inline OLK_V OLK_FN(olk_distance)(OLK_V own, const OLK_T *restrict norms, OLK_V inner)
{
    return OLK_FN(olk_above_zero)((own + OLK_FN(olk_load)(norms)) - (inner + inner));
}

/* Whether a kernel value from such a distance keeps its digits, own = |x|^2: tiles.h. */
static inline int OLK_FN(olk_near)(const olk_kernel *kernel, OLK_T own)
{
    return kernel->gamma * (double)own <= OLK_NEAR;
}

/* Products -> values of the kernels without an exponential, in double. */
static inline void OLK_FN(olk_other_tile)(const olk_kernel *kernel, const OLK_T *restrict tile,
                                          ptrdiff_t w, double *restrict values)
{
    if (kernel->kind == OLK_LINEAR || kernel->kind == OLK_DISTANCE) {
        for (ptrdiff_t i = 0; i < w; i++)
            values[i] = tile[i];
        return;
    }
    for (ptrdiff_t i = 0; i < w; i++)
        values[i] = kernel->scale * (double)tile[i] + kernel->offset;
    if (kernel->kind == OLK_POLYNOMIAL)
        OLK_NAME(olk_power)(values, w, kernel->degree);
#ifndef OLK_NO_LIBM
    else
        for (ptrdiff_t i = 0; i < w; i++)
            values[i] = tanh(values[i]);
#endif
}

#define OLK_BY "collect.h"
#include "reals.h"

/* The first w values of a tile: kept in row from `start` on, weighted by coef from there on. */
static OLK_ALWAYS void
OLK_FN(olk_collect)(const OLK_T *restrict tile, ptrdiff_t w, int real, const void *coef, void *row,
                    ptrdiff_t start, double *restrict lane)
{
    switch (real) {
#define OLK_CASE(number, name, type, ...)                                                          \
    case number:                                                                                   \
        if (row)                                                                                   \
            OLK_FN(olk_keep_##name)(tile, w, (type *)row + start);                                 \
        if (coef)                                                                                  \
            OLK_FN(olk_weigh_tile_##name)(tile, w, (const type *)coef + start, lane);              \
        break;
        OLK_EACH_REAL(OLK_CASE, )
#undef OLK_CASE
    default:
        break;
    }
}

static OLK_APART void OLK_FN(olk_collect_apart)(const OLK_T *restrict tile, ptrdiff_t w, int real,
                                                const void *coef, void *row, double *restrict lane)
{
    OLK_FN(olk_collect)(tile, w, real, coef, row, 0, lane);
}

/* Numbers of a tile, at most: of one row, or of several with a panel. */
#define OLK_MOST_NUMBERS                                                                           \
    ((size_t)(OLK_MOST * OLK_LANES) > OLK_PANEL_BYTES / sizeof(OLK_T)                              \
         ? (size_t)(OLK_MOST * OLK_LANES)                                                          \
         : OLK_PANEL_BYTES / sizeof(OLK_T))

/* One tile of products, of which w are asked for: kernel values, kept and weighted. Part of the loop
   over a row's tiles; the other loops call it. */
static OLK_ALWAYS void OLK_FN(olk_finish_here)(const olk_kernel *kernel, OLK_T *restrict tile, int vectors,
                                      ptrdiff_t w, int real, const void *coef, void *row,
                                      ptrdiff_t start, double *lane)
{
    if (OLK_IS_EXPONENTIAL(kernel)) {
        OLK_FN(olk_exp_tile)(kernel, tile, vectors);
        OLK_FN(olk_collect)(tile, w, real, coef, row, start, lane);
        return;
    }
    double values[OLK_MOST_NUMBERS];
    OLK_FN(olk_other_tile)(kernel, tile, w, values);
    OLK_NAME(olk_collect_f64)(values, w, real, coef, row, start, lane);
}

static OLK_APART void OLK_FN(olk_finish)(const olk_kernel *kernel, OLK_T *restrict tile,
                                         int vectors, ptrdiff_t w, int real, const void *coef,
                                         void *row, ptrdiff_t start, double *lane)
{
    OLK_FN(olk_finish_here)(kernel, tile, vectors, w, real, coef, row, start, lane);
}

/* The sum of a kernel row over values that were kept as they were computed, and their copy in `row`;
   as olk_row makes them, to the last bit. */
static OLK_APART double OLK_FN(olk_recall)(const void *values, ptrdiff_t n, int real,
                                           const void *coef, void *row)
{
    OLK_ALIGNED(64) double lane[8] = {0.0};
    OLK_FN(olk_collect)(values, n, real, coef, row, 0, lane);
    return OLK_NAME(olk_total)(lane);
}

static OLK_APART double OLK_FN(olk_pair)(const olk_kernel *kernel, const void *va, const void *vb,
                               ptrdiff_t d)
{
    const OLK_T *a = va, *b = vb;
    OLK_T lane[8] = {0}, tile[OLK_LANES] = {0};
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
#define OLK_PAIR_SQUARE(c, u, v)                                                                   \
    do {                                                                                           \
        const OLK_T t_ = (u) - (v);                                                                \
        (c) = OLK_MADD(t_, t_, (c));                                                               \
    } while (0)
#define OLK_PAIR_INNER(c, u, v) (c) = OLK_MADD((u), (v), (c))
#define OLK_PAIR_ABS(c, u, v) (c) += OLK_ABS((u) - (v))
    if (kernel->kind == OLK_GAUSSIAN || kernel->kind == OLK_DISTANCE)
        OLK_PAIR_LOOP(OLK_PAIR_SQUARE);
    else if (kernel->kind == OLK_LAPLACIAN)
        OLK_PAIR_LOOP(OLK_PAIR_ABS);
    else
        OLK_PAIR_LOOP(OLK_PAIR_INNER);
#undef OLK_PAIR_LOOP
#undef OLK_PAIR_SQUARE
#undef OLK_PAIR_INNER
#undef OLK_PAIR_ABS
    tile[0] = ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
              ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    OLK_FN(olk_finish)(kernel, tile, 1, 1, OLK_F64, NULL, &value, 0, NULL);
    return value;
}

#undef OLK_MOST_NUMBERS
#undef OLK_TERM
#undef OLK_ALL
#undef OLK_WORDS
#undef OLK_V
#undef OLK_FN
