/* One pass over the features of a row, for one storage type, one type computed in and one
   instruction set; included by structured_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_STORED), OLK_TYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_BY_ROW(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))
#define OLK_WIDE (64 / (int)sizeof(OLK_T))

/* A group's widths, over and over: block b of it begins at entry 64 b mod widths. */
static OLK_APART void OLK_FN(olk_scales)(const olk_sorf *p, int32_t g, OLK_T *scale)
{
    const int32_t grid = OLK_GRID(p), widths = p->widths[g];
    for (int32_t i = 0; i < widths; i++)
        scale[i] = OLK_PACE(p->omega[g][i], grid);
    for (int32_t j = widths; j < 64 + OLK_SORF_WIDTHS; j++)
        scale[j] = scale[j - widths];
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

/* fw and fa [rows][groups][columns] of m dense rows, m <= OLK_SORF_ROWS, or of one sparse row.
   `keep` takes the features [..][2] of one row, those of its first `kept` blocks. With one column fw
   or fa may be NULL.
   Returns 0 where an angle is too large for OLK_T, unless it `must` do: then by the C library. */
static OLK_APART int OLK_FN(olk_pass)(const olk_sorf *p, const olk_sorf_state *s, const olk_sorf_row *row,
                            ptrdiff_t m, int must, OLK_F *keep, ptrdiff_t kept, double *fw,
                            double *fa)
{
    OLK_ALIGNED(64) OLK_T v[OLK_SORF_ROWS][64], tail[OLK_SORF_ROWS][64];
    OLK_ALIGNED(64) OLK_T scale[64 + OLK_SORF_WIDTHS];
    OLK_ALIGNED(64) OLK_F own[128];
    OLK_ALIGNED(64) OLK_SUM lane[OLK_SORF_ROWS][2][OLK_WIDE];
    OLK_ALIGNED(64) OLK_U first[64], second[64];
    const int small = OLK_BY_ROW(olk_small)(p, row, m);
    const ptrdiff_t K = p->classes;
    uint64_t generator = p->signs;
    if (!row->index)
        OLK_BY_ROW(olk_tails)(p, row->values, m, tail);
    for (int32_t g = 0; g < p->groups; g++) {
        const double size = 1.0 / (p->kappa * p->size[g] * OLK_ONE);
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
                OLK_F *feature = b < kept && lines == 64 ? keep + 128 * b : own;
                if (!OLK_BY_TYPE(olk_features)(v[r], first, second, turned, small, must,
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
