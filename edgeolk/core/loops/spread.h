/* The features of a row alone, for weights that lie elsewhere, for one type computed in and one
   instruction set; included by structured_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_STORED), OLK_TYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_BY_ROW(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))

/* to[k] <- norm cos, to[D + k] <- norm sin of frequency k; `wide`: doubles, else floats. */
static void OLK_FN(olk_spread)(const olk_sorf *p, const olk_sorf_row *row, double norm, int wide,
                               void *to)
{
    OLK_ALIGNED(64) OLK_T v[1][64], tail[1][64], feature[128], scale[64 + OLK_SORF_WIDTHS];
    OLK_BY_TYPE(olk_signs) first, second;
    const int small = OLK_BY_ROW(olk_small)(p, row, 1);
    uint64_t generator = p->signs;
    if (!row->index)
        OLK_BY_ROW(olk_tails)(p, row->values, 1, tail);
    OLK_FN(olk_scales)(p, 0, scale);
    for (ptrdiff_t b = 0; 64 * b < p->D; b++) {
        const ptrdiff_t lines = OLK_FN(olk_lines)(p, b);
        OLK_FN(olk_block)(p, &generator, row, (const OLK_T(*)[64])tail, v, &first, &second);
        OLK_BY_TYPE(olk_features)(v[0], scale + 64 * b % p->widths[0], small, 1, feature);
        if (wide) {
            double *cosine = (double *)to + 64 * b, *sine = cosine + p->D;
            for (ptrdiff_t k = 0; k < lines; k++) {
                cosine[k] = norm * (double)feature[2 * k];
                sine[k] = norm * (double)feature[2 * k + 1];
            }
        } else {
            float *cosine = (float *)to + 64 * b, *sine = cosine + p->D;
            for (ptrdiff_t k = 0; k < lines; k++) {
                cosine[k] = (float)(norm * (double)feature[2 * k]);
                sine[k] = (float)(norm * (double)feature[2 * k + 1]);
            }
        }
    }
}

#undef OLK_BY_ROW
#undef OLK_BY_TYPE
#undef OLK_FN
