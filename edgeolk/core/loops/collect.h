/* A tile of kernel values kept in, and weighted by, arrays of one type; included by kernel.h for each
   of reals.h. */

#define OLK_RN(name) OLK_FN(OLK_CAT(name, OLK_REAL))

/* out[i] <- tile[i], i < w. */
static OLK_INLINE void OLK_RN(olk_keep)(const OLK_T *restrict tile, ptrdiff_t w,
                                                  OLK_R *restrict out)
{
    for (ptrdiff_t i = 0; i < w; i++)
        out[i] = (OLK_R)tile[i];
}

/* The first w values of `rows` tiles, a constant, that are `apart`, weighted into the eight running sums
   of each. Sums of several wait less for each other, and a coefficient is widened once for all. */
static OLK_ALWAYS void OLK_RN(olk_weigh_tiles)(const int rows, const OLK_T *restrict tile,
                                               ptrdiff_t apart, ptrdiff_t w,
                                               const OLK_R *restrict coef, double (*restrict lane)[8])
{
    typedef OLK_NAME(olk_v_f64) wide;
    enum { L = OLK_LANES_OF(double), SUMS = 8 / L };
    wide sum[OLK_WEIGHED][SUMS];
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < SUMS; k++)
            sum[r][k] = ((const wide *)lane[r])[k];
    ptrdiff_t i = 0;
    for (; i + 8 <= w; i += 8)
        for (int k = 0; k < SUMS; k++) {
            const wide a = OLK_NAME(OLK_CAT(olk_widen, OLK_REAL))(coef + i + k * L);
            for (int r = 0; r < rows; r++)
                sum[r][k] =
                    OLK_VMADD_F64(a, OLK_FN(olk_widen)(tile + r * apart + i + k * L), sum[r][k]);
        }
#if defined(OLK_X86) && OLK_BYTES == 64
    if (i < w) {
        const wide a = OLK_NAME(OLK_CAT(olk_widen_first, OLK_REAL))(coef + i, w - i);
        for (int r = 0; r < rows; r++)
            sum[r][0] = OLK_NAME(olk_madd_first)(
                a, OLK_FN(olk_widen_first)(tile + r * apart + i, w - i), sum[r][0], w - i);
        i = w;
    }
#endif
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < SUMS; k++)
            ((wide *)lane[r])[k] = sum[r][k];
        for (int k = 0; i + k < w; k++)
            lane[r][k] = OLK_MADD_F64((double)coef[i + k], (double)tile[r * apart + i + k],
                                      lane[r][k]);
    }
}

/* The same with one tile. */
static OLK_INLINE void OLK_RN(olk_weigh_tile)(const OLK_T *restrict tile, ptrdiff_t w,
                                              const OLK_R *restrict coef, double *restrict lane)
{
    OLK_RN(olk_weigh_tiles)(1, tile, 0, w, coef, (double (*)[8])lane);
}

#undef OLK_RN
