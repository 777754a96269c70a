/* From rows to the 64 lines of a block (a count sketch where d > 64) and back, for one type of rows
   and one computed in; included by structured_isa.h. The words of a block are drawn in order: those
   of the d signs here, then four for the signs between the transforms. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_TYPE), OLK_INTYPE))
#define OLK_BY_TYPE(name) OLK_NAME(OLK_CAT(name, OLK_TYPE))

/* The last, incomplete 64 of each of m dense rows, filled up with zeros. */
static OLK_APART void OLK_FN(olk_tails)(const olk_sorf *p, const OLK_IN *x, ptrdiff_t m,
                                     OLK_T (*tail)[64])
{
    const ptrdiff_t from = (p->d - 1) & ~(ptrdiff_t)63;
    const int32_t grid = OLK_GRID(p);
    for (ptrdiff_t r = 0; r < m; r++) {
        memset(tail[r], 0, sizeof tail[r]);
        for (ptrdiff_t i = from; i < p->d; i++)
            tail[r][i - from] = OLK_ON_GRID(x[r * p->d + i], grid);
    }
}

/* Whether no angle of m dense rows or a sparse one can be too large for olk_phases: a fold is at most
   as long as the sum of |x_j|, and each transform makes it 8 times as long. Whole numbers wrap. */
static OLK_APART int OLK_FN(olk_small)(const olk_sorf *p, const olk_sorf_row *row, ptrdiff_t m)
{
#if !OLK_WHOLE
    const ptrdiff_t count = row->index ? row->count : p->d;
    double widest = 0.0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            widest = p->omega[g][i] > widest ? p->omega[g][i] : widest;
    for (ptrdiff_t r = 0; r < m; r++) {
        const OLK_IN *x = (const OLK_IN *)row->values + r * p->d;
        OLK_T lane[4] = {0};
        ptrdiff_t k = 0;
        for (; k + 4 <= count; k += 4)
            for (int i = 0; i < 4; i++)
                lane[i] += OLK_ABS((OLK_T)x[k + i]);
        for (; k < count; k++)
            lane[0] += OLK_ABS((OLK_T)x[k]);
        /* A tenth above, for the rounding of all these sums. */
        const OLK_T sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
        if (!((double)sum * widest * (512.0 * 1.1) < OLK_LARGE))
            return 0;
    }
#else
    (void)p, (void)row, (void)m;
#endif
    return 1;
}

/* m dense rows: v_j = sum of s_i x_i over i mod 64 = j, i ascending. */
static OLK_APART void OLK_FN(olk_fold)(const olk_sorf *p, uint64_t *generator, const OLK_IN *x,
                                    ptrdiff_t m, const OLK_T (*tail)[64], OLK_T (*v)[64])
{
    OLK_ALIGNED(64) OLK_U flip[64];
    const int32_t grid = OLK_GRID(p);
    for (ptrdiff_t start = 0; start < p->d; start += 64) {
        const int whole = start + 64 <= p->d;
        OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        if (start + 32 < p->d)
            OLK_BY_TYPE(olk_flips)(olk_pcg_next(generator, OLK_PCG_SIGNS), flip + 32);
        else
            memset(flip + 32, 0, 32 * sizeof *flip);
        for (ptrdiff_t r = 0; r < m; r++) {
            const OLK_IN *restrict in = x + r * p->d + start;
            const OLK_T *restrict end = tail[r];
            OLK_T *restrict to = v[r];
            /* 0 + x, not x: the sign of a zero is that of a sum. */
            if (start == 0 && whole)
                for (int i = 0; i < 64; i++)
                    to[i] = (OLK_T)0 + OLK_BY_TYPE(olk_flipped)(OLK_ON_GRID(in[i], grid), flip[i]);
            else if (start == 0)
                for (int i = 0; i < 64; i++)
                    to[i] = (OLK_T)0 + OLK_BY_TYPE(olk_flipped)(end[i], flip[i]);
            else if (whole)
                for (int i = 0; i < 64; i++)
                    to[i] += OLK_BY_TYPE(olk_flipped)(OLK_ON_GRID(in[i], grid), flip[i]);
            else
                for (int i = 0; i < 64; i++)
                    to[i] += OLK_BY_TYPE(olk_flipped)(end[i], flip[i]);
        }
    }
}

/* A row by its non-zeros, indices ascending: words without any are jumped over. */
static OLK_APART void OLK_FN(olk_fold_sparse)(const olk_sorf *p, uint64_t *generator,
                                           const OLK_IN *value, const int32_t *index,
                                           ptrdiff_t count, OLK_T *v)
{
    const ptrdiff_t words = (p->d + 31) / 32;
    const int32_t grid = OLK_GRID(p);
    ptrdiff_t at = 0;
    uint32_t word = 0;
    memset(v, 0, 64 * sizeof *v);
    for (ptrdiff_t k = 0; k < count; k++) {
        const int32_t i = index[k];
        if (i / 32 >= at) {
            olk_pcg_skip(generator, OLK_PCG_SIGNS, (uint64_t)(i / 32 - at));
            word = olk_pcg_next(generator, OLK_PCG_SIGNS);
            at = i / 32 + 1;
        }
        const OLK_T reading = OLK_ON_GRID(value[k], grid);
        v[i % 64] += (word >> (i % 32) & 1) ? -reading : reading;
    }
    olk_pcg_skip(generator, OLK_PCG_SIGNS, (uint64_t)(words - at));
}

/* q_k += s_i unit h_(i mod 64) for every number of a row: the transpose of the fold. */
static OLK_APART void OLK_FN(olk_unfold)(const olk_sorf *p, uint64_t generator,
                                      const olk_sorf_row *row, const OLK_T *h,
                                      OLK_REAL unit, OLK_IN *q)
{
    ptrdiff_t at = 0;
    uint32_t word = 0;
    for (ptrdiff_t start = 0; !row->index && start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        const OLK_T *restrict from = h + start % 64;
        OLK_IN *restrict to = q + start;
        OLK_ALIGNED(64) OLK_U flip[32];
        OLK_BY_TYPE(olk_flips)(olk_pcg_next(&generator, OLK_PCG_SIGNS), flip);
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = (OLK_IN)((OLK_REAL)to[i] +
                             OLK_OFF_GRID(OLK_BY_TYPE(olk_flipped)(from[i], flip[i]), unit));
    }
    for (ptrdiff_t k = 0; row->index && k < row->count; k++) {
        const ptrdiff_t i = row->index[k];
        if (i / 32 >= at) {
            olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(i / 32 - at));
            word = olk_pcg_next(&generator, OLK_PCG_SIGNS);
            at = i / 32 + 1;
        }
        const OLK_REAL part = OLK_OFF_GRID(h[i % 64], unit);
        q[k] = (OLK_IN)((OLK_REAL)q[k] + ((word >> (i % 32) & 1) ? -part : part));
    }
}

#undef OLK_BY_TYPE
#undef OLK_FN
