/* The features of a row alone, for weights that lie elsewhere (docs/sorf.md, section 3). */
#ifndef EDGEOLK_FEATURES_ALONE_H
#define EDGEOLK_FEATURES_ALONE_H

/* to[k] <- norm cos, to[D + k] <- norm sin of frequency k; `wide`: doubles, else floats. */
static void olk_sorf_features(const olk_sorf *p, const olk_sorf_row *row, double norm, int wide,
                              void *to)
{
    OLK_ALIGNED(64) olk_entry v[1][64], tail[1][64], feature[128], scale[64 + OLK_SORF_WIDTHS];
    olk_signs first, second;
    const int small = olk_small(p, row, 1);
    uint64_t generator = p->signs;
    if (!row->index)
        olk_tails(p, row->values, 1, tail);
    olk_scales(p, 0, scale);
    for (ptrdiff_t b = 0; 64 * b < p->D; b++) {
        const ptrdiff_t lines = olk_lines(p, b);
        olk_transformed(p, &generator, row, (const olk_entry(*)[64])tail, v, &first, &second);
        olk_features(v[0], scale + 64 * b % p->widths[0], small, 1, feature);
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

#endif
