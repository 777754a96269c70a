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
    memset(h, 0, 64 * sizeof *h);
    for (ptrdiff_t k = 0; k < lines; k++) {
        OLK_T part[2];
        for (int i = 0; i < 2; i++) {
            const ptrdiff_t at = 2 * (k * K + slope->y) + i, off = 2 * (k * K + slope->against) + i;
            part[i] = E * (OLK_T)a[at] + alpha * ((OLK_T)w[at] - (OLK_T)a[at]);
            if (K > 1)
                part[i] -= E * (OLK_T)a[off] + alpha * ((OLK_T)w[off] - (OLK_T)a[off]);
        }
        h[k] = (part[1] * feature[2 * k] - part[0] * feature[2 * k + 1]) * size * scale[k];
    }
    return 1;
}
