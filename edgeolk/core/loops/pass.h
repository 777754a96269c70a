/* One pass over the features of a row, for one storage type, one type computed in and one
   instruction set; included by structured_isa.h. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_STORED), OLK_TYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))
#define OLK_BY_ROW(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))
#define OLK_WIDE (64 / (int)sizeof(OLK_T))
/* The most blocks that are transformed before their features are made: of a row, or of rows. */
#define OLK_AT_ONCE (OLK_SORF_ROWS + OLK_SORF_BLOCKS - 1)
#ifdef OLK_MANY
#undef OLK_AT_ONCE
#define OLK_AT_ONCE (OLK_MANY > OLK_SORF_ROWS ? OLK_MANY : OLK_SORF_ROWS + 1)
#endif

/* The first `period` of n entries over and over, `period` at most 16; n is above 32. */
static inline void OLK_FN(olk_repeat)(OLK_T *entry, int period, int n)
{
    for (int j = period; j < 16 + period; j++)
        entry[j] = entry[j - period];
    for (int j = 16 + period; j < n; j += 16) {
        const int at = j < n - 16 ? j : n - 16;
        memcpy(entry + at, entry + at % period, 16 * sizeof *entry);
    }
}

/* A group's widths, over and over: block b of it begins at entry 64 b mod widths. */
static OLK_APART void OLK_FN(olk_scales)(const olk_sorf *p, int32_t g, OLK_T *scale)
{
    const int32_t grid = OLK_GRID(p), widths = p->widths[g];
    for (int32_t i = 0; i < widths; i++)
        scale[i] = OLK_PACE(p->omega[g][i], grid);
    OLK_FN(olk_repeat)(scale, widths, 64 + OLK_SORF_WIDTHS);
}

/* Frequencies of block b that there are. */
static inline ptrdiff_t OLK_FN(olk_lines)(const olk_sorf *p, ptrdiff_t b)
{
    return p->D - 64 * b < 64 ? p->D - 64 * b : 64;
}

/* The next block of m rows: folded, the signs between its transforms. */
static OLK_APART void OLK_FN(olk_folded)(const olk_sorf *p, uint64_t *generator,
                                         const olk_sorf_row *row, ptrdiff_t m,
                                         const OLK_T (*tail)[64], OLK_T (*v)[64],
                                         OLK_BY_TYPE(olk_signs) *first,
                                         OLK_BY_TYPE(olk_signs) *second)
{
    if (row->index)
        OLK_BY_ROW(olk_fold_sparse)(p, generator, row->values, row->index, row->count, v[0]);
    else
        OLK_BY_ROW(olk_fold)(p, generator, row->values, m, tail, v);
    OLK_BY_TYPE(olk_draw_signs)(generator, first);
    OLK_BY_TYPE(olk_draw_signs)(generator, second);
}

/* The same of one row, transformed. */
static inline void OLK_FN(olk_block)(const olk_sorf *p, uint64_t *generator,
                                     const olk_sorf_row *row, const OLK_T (*tail)[64],
                                     OLK_T (*v)[64], OLK_BY_TYPE(olk_signs) *first,
                                     OLK_BY_TYPE(olk_signs) *second)
{
    OLK_FN(olk_folded)(p, generator, row, 1, tail, v, first, second);
    OLK_BY_TYPE(olk_mix)(v[0], first, second);
}

/* The next of `left` blocks transformed: of one row as many as go side by side, or two; of m rows
   one. Returns how many. */
static inline ptrdiff_t OLK_FN(olk_blocks)(const olk_sorf *p, uint64_t *generator,
                                           const olk_sorf_row *row, ptrdiff_t m, ptrdiff_t left,
                                           const OLK_T (*tail)[64], OLK_T (*v)[64])
{
    OLK_BY_TYPE(olk_signs) first[OLK_SORF_BLOCKS], second[OLK_SORF_BLOCKS];
    const ptrdiff_t blocks = m == 1 && left >= OLK_SORF_BLOCKS ? OLK_SORF_BLOCKS : 1;
    ptrdiff_t r = 0;
#ifdef OLK_MANY
    /* A lane in eight may stay empty: that still costs less. */
    if (m == 1 && !row->index && left >= OLK_MANY - OLK_MANY / 8) {
        const ptrdiff_t some = left < OLK_MANY ? left : OLK_MANY;
        OLK_BY_ROW(olk_abreast)(p, generator, row->values, some, v);
        return some;
    }
#endif
    for (ptrdiff_t i = 0; i < blocks; i++)
        OLK_FN(olk_folded)(p, generator, row, m, tail, v + i, first + i, second + i);
    for (; r + 2 <= m * blocks; r += 2)
        OLK_BY_TYPE(olk_mix_two)(v[r], first, second, m == 1);
    if (r < m * blocks)
        OLK_BY_TYPE(olk_mix)(v[r], first, second);
    return blocks;
}

/* fw and fa [rows][groups][columns] of m dense rows, m <= OLK_SORF_ROWS, or of one sparse row.
   `keep` takes the features [..][2] of one row, those of its first `kept` blocks. With one column fw
   or fa may be NULL.
   Returns 0 where an angle is too large for OLK_T, unless it `must` do: then by the C library. */
static OLK_APART int OLK_FN(olk_pass)(const olk_sorf *p, const olk_sorf_state *s, const olk_sorf_row *row,
                            ptrdiff_t m, int must, OLK_F *keep, ptrdiff_t kept, double *fw,
                            double *fa)
{
    OLK_ALIGNED(64) OLK_T v[OLK_AT_ONCE][64], tail[OLK_SORF_ROWS][64];
    OLK_ALIGNED(64) OLK_T scale[64 + OLK_SORF_WIDTHS];
    OLK_ALIGNED(64) OLK_F own[128];
    OLK_ALIGNED(64) OLK_SUM lane[OLK_SORF_ROWS][2][OLK_WIDE];
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
        const ptrdiff_t end = p->first[g + 1];
        for (ptrdiff_t b = p->first[g], now; b < end; b += now) {
            now = OLK_FN(olk_blocks)(p, &generator, row, m, end - b, (const OLK_T(*)[64])tail, v);
            for (ptrdiff_t i = 0; i < m * now; i++) {
                const ptrdiff_t at = m == 1 ? b + i : b, r = m == 1 ? 0 : i;
                const ptrdiff_t lines = OLK_FN(olk_lines)(p, at), from = 128 * at * K;
                const OLK_T *turned = scale + 64 * (at - p->first[g]) % p->widths[g];
                const OLK_S *w = (const OLK_S *)s->w + from, *a = (const OLK_S *)s->a + from;
                OLK_F *feature = at < kept && lines == 64 ? keep + 128 * at : own;
                if (!OLK_BY_TYPE(olk_features)(v[i], turned, small, must, feature))
                    return 0;
                if (at < kept && lines < 64)
                    memcpy(keep + 128 * at, own, 2 * (size_t)lines * sizeof *own);
                if (K > 1) {
                    const ptrdiff_t to = (r * p->groups + g) * K;
                    OLK_FN(olk_gather_columns)(feature, w, lines, K, size, fw + to);
                    OLK_FN(olk_gather_columns)(feature, a, lines, K, size, fa + to);
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

#undef OLK_AT_ONCE
#undef OLK_WIDE
#undef OLK_BY_ROW
#undef OLK_BY_TYPE
#undef OLK_FN
