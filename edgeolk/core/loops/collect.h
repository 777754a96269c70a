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

/* The first w values of a tile weighted into the eight running sums. */
static OLK_INLINE void OLK_RN(olk_weigh_tile)(const OLK_T *restrict tile, ptrdiff_t w,
                                                        const OLK_R *restrict coef,
                                                        double *restrict lane)
{
    typedef OLK_NAME(olk_v_f64) wide;
    enum { L = OLK_LANES_OF(double), SUMS = 8 / L };
    wide sum[SUMS];
    for (int k = 0; k < SUMS; k++)
        sum[k] = ((const wide *)lane)[k];
    ptrdiff_t i = 0;
    for (; i + 8 <= w; i += 8)
        for (int k = 0; k < SUMS; k++)
            sum[k] = OLK_VMADD_F64(OLK_NAME(OLK_CAT(olk_widen, OLK_REAL))(coef + i + k * L),
                                   OLK_FN(olk_widen)(tile + i + k * L), sum[k]);
    for (int k = 0; k < SUMS; k++)
        ((wide *)lane)[k] = sum[k];
    for (int k = 0; i < w; i++, k++)
        lane[k] = OLK_MADD_F64((double)coef[i], (double)tile[i], lane[k]);
}

#undef OLK_RN
