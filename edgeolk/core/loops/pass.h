/* One pass over the features of a row, for one storage type, one type computed in and one
   instruction set; included by structured_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_STORED), OLK_TYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_BY_ROW(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))
#define OLK_WIDE (64 / (int)sizeof(OLK_T))

/* A group's widths, over and over: block b of it begins at entry 64 b mod widths. */
static OLK_APART void OLK_FN(olk_scales)(const olk_sorf *p, int32_t g, OLK_T *scale)
{
    for (int32_t i = 0; i < p->widths[g]; i++) {
        const OLK_T omega = (OLK_T)p->omega[g][i];
        for (int32_t j = i; j < 64 + OLK_SORF_WIDTHS; j += p->widths[g])
            scale[j] = omega;
    }
}

/* Frequencies of block b that there are. */
static inline ptrdiff_t OLK_FN(olk_lines)(const olk_sorf *p, ptrdiff_t b)
{
    return p->D - 64 * b < 64 ? p->D - 64 * b : 64;
}

/* The signs between the transforms of a block. */
static inline void OLK_FN(olk_turns)(uint64_t *generator, OLK_U *first, OLK_U *second)
{
    OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), first);
    OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), first + 32);
    OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), second);
    OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), second + 32);
}

/* The next block: rows folded, the signs between its transforms. */
static OLK_APART void OLK_FN(olk_block)(const olk_sorf *p, uint64_t *generator,
                                     const olk_sorf_row *row, ptrdiff_t m,
                                     const OLK_T (*tail)[64], OLK_T (*v)[64], OLK_U *first,
                                     OLK_U *second)
{
    if (row->index)
        OLK_BY_ROW(olk_fold_sparse)(p, generator, row->values, row->index, row->count, v[0]);
    else
        OLK_BY_ROW(olk_fold)(p, generator, row->values, m, tail, v);
    OLK_FN(olk_turns)(generator, first, second);
}

/* Whether no angle of m dense rows or a sparse one can be too large for olk_phases: a fold is at most
   as long as the sum of |x_j|, and each transform makes it 8 times as long. */
static OLK_APART int OLK_FN(olk_small)(const olk_sorf *p, const olk_sorf_row *row, ptrdiff_t m)
{
    const ptrdiff_t count = row->index ? row->count : p->d;
    double widest = 0.0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            widest = p->omega[g][i] > widest ? p->omega[g][i] : widest;
    for (ptrdiff_t r = 0; r < m; r++) {
        const OLK_IN *x = (const OLK_IN *)row->values + r * p->d;
        double lane[4] = {0.0};
        ptrdiff_t k = 0;
        for (; k + 4 <= count; k += 4)
            for (int i = 0; i < 4; i++)
                lane[i] += OLK_FABS((double)x[k + i]);
        for (; k < count; k++)
            lane[0] += OLK_FABS((double)x[k]);
        if (!(((lane[0] + lane[1]) + (lane[2] + lane[3])) * widest * (512.0 * 1.01) < OLK_LARGE))
            return 0;
    }
    return 1;
}

/* Features of a folded row; `small`: of olk_small. Returns 0 where its angles are too large, unless it
   has to do. */
static inline int OLK_FN(olk_features)(OLK_T *v, const OLK_U *first, const OLK_U *second,
                                       const OLK_T *scale, int small, int must, OLK_T *feature)
{
    OLK_BY_TYPE(olk_mix)(v, first, second);
    if (small || !OLK_BY_TYPE(olk_large)(v, scale))
        OLK_BY_TYPE(olk_phases)(v, scale, feature);
    else if (must)
        OLK_BY_TYPE(olk_phases_slowly)(v, scale, feature);
    else
        return 0;
    return 1;
}

/* fw and fa [rows][groups][columns] of m dense rows, m <= OLK_SORF_ROWS, or of one sparse row.
   `keep` takes the features [..][2] of one row, those of its first `kept` blocks. With one column fw
   or fa may be NULL.
   Returns 0 where an angle is too large for OLK_T, unless it `must` do: then by the C library. */
static OLK_APART int OLK_FN(olk_pass)(const olk_sorf *p, const olk_sorf_state *s, const olk_sorf_row *row,
                            ptrdiff_t m, int must, OLK_T *keep, ptrdiff_t kept, double *fw,
                            double *fa)
{
    OLK_ALIGNED(64) OLK_T v[OLK_SORF_ROWS][64], tail[OLK_SORF_ROWS][64], own[128];
    OLK_ALIGNED(64) OLK_T lane[OLK_SORF_ROWS][2][OLK_WIDE], scale[64 + OLK_SORF_WIDTHS];
    OLK_ALIGNED(64) OLK_U first[64], second[64];
    const ptrdiff_t K = p->classes;
    const int small = OLK_FN(olk_small)(p, row, m);
    uint64_t generator = p->signs;
    if (!row->index)
        OLK_BY_ROW(olk_tails)(p, row->values, m, tail);
    for (int32_t g = 0; g < p->groups; g++) {
        const double size = 1.0 / (p->kappa * p->size[g]);
        OLK_FN(olk_scales)(p, g, scale);
        for (ptrdiff_t r = 0; r < m; r++)
            memset(lane[r], 0, sizeof lane[r]);
        if (K > 1)
            for (ptrdiff_t r = 0; r < m; r++) {
                memset(fa + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fa);
                memset(fw + (r * p->groups + g) * K, 0, (size_t)K * sizeof *fw);
            }
        for (ptrdiff_t b = p->first[g]; b < p->first[g + 1]; b++) {
            const ptrdiff_t lines = OLK_FN(olk_lines)(p, b), from = 128 * b * K;
            const OLK_T *turned = scale + 64 * (b - p->first[g]) % p->widths[g];
            const OLK_S *w = (const OLK_S *)s->w + from, *a = (const OLK_S *)s->a + from;
            OLK_FN(olk_block)(p, &generator, row, m, (const OLK_T(*)[64])tail, v, first, second);
            for (ptrdiff_t r = 0; r < m; r++) {
                OLK_T *feature = b < kept && lines == 64 ? keep + 128 * b : own;
                if (!OLK_FN(olk_features)(v[r], first, second, turned, small, must,
                                          feature))
                    return 0;
                if (b < kept && lines < 64)
                    memcpy(keep + 128 * b, own, 2 * (size_t)lines * sizeof *own);
                if (K > 1) {
                    const ptrdiff_t at = (r * p->groups + g) * K;
                    OLK_FN(olk_gather_columns)(feature, w, lines, K, size, fw + at);
                    OLK_FN(olk_gather_columns)(feature, a, lines, K, size, fa + at);
                } else {
                    if (fw)
                        OLK_FN(olk_gather)(feature, w, 2 * lines, lane[r][0]);
                    if (fa)
                        OLK_FN(olk_gather)(feature, a, 2 * lines, lane[r][1]);
                }
            }
        }
        for (ptrdiff_t r = 0; K == 1 && r < m; r++) {
            if (fw)
                fw[r * p->groups + g] = size * OLK_FN(olk_gathered)(lane[r][0]);
            if (fa)
                fa[r * p->groups + g] = size * OLK_FN(olk_gathered)(lane[r][1]);
        }
    }
    return 1;
}

#undef OLK_WIDE
#undef OLK_BY_ROW
#undef OLK_BY_TYPE
#undef OLK_FN
