/* The gradient that relevance climbs by, for one storage type and one type computed in; included by
   structured_isa.h. */

/* h <- the gradient of the blended score by the angles of a block, from weights not yet changed.
   Returns the unit of h. */
static inline OLK_REAL
OLK_NAME(OLK_CAT(OLK_CAT(olk_gradient, OLK_STORED), OLK_TYPE))(
    const olk_sorf *p, const olk_sorf_slope *slope, int32_t g, const OLK_S *w, const OLK_S *a,
    const OLK_F *feature, ptrdiff_t lines, const OLK_T *scale, OLK_T *h)
{
    const ptrdiff_t K = p->classes;
    const OLK_T E = (OLK_T)slope->share.E[g], alpha = (OLK_T)slope->share.alpha[g];
    const OLK_T size = (OLK_T)(1.0 / (p->kappa * p->size[g]));
    OLK_ALIGNED(64) OLK_T part[128];
    if (lines < 64)
        memset(h, 0, 64 * sizeof *h);
    if (K == 1)
        for (ptrdiff_t i = 0; i < 2 * lines; i++)
            part[i] = E * (OLK_T)a[i] + alpha * ((OLK_T)w[i] - (OLK_T)a[i]);
    else
        for (ptrdiff_t i = 0; i < 2 * lines; i++) {
            const ptrdiff_t row = 2 * (i / 2 * K) + i % 2;
            const ptrdiff_t at = row + 2 * slope->y, off = row + 2 * slope->against;
            part[i] = E * (OLK_T)a[at] + alpha * ((OLK_T)w[at] - (OLK_T)a[at]);
            part[i] -= E * (OLK_T)a[off] + alpha * ((OLK_T)w[off] - (OLK_T)a[off]);
        }
    for (ptrdiff_t k = 0; k < lines; k++)
        h[k] = (part[2 * k + 1] * feature[2 * k] - part[2 * k] * feature[2 * k + 1]) * size *
               scale[k];
    return 1;
}
