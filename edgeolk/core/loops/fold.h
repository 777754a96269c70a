/* From a row to the 64 lines of a block, a count sketch where d > 64 (docs/sorf.md, section 3, step
   1); included by scoring.h. The random words of a block are drawn in order: first those of the d
   signs here, then four for the signs between the transforms. */

/* The last, incomplete 64 numbers of a dense row, padded with zeros; plain C does not pad. */
typedef struct {
    OLK_ALIGNED(64) olk_entry line[OLK_TAIL_SIZE];
} olk_tail;

static OLK_NOCLONE void olk_tails(const olk_sorf *p, const olk_input *x, ptrdiff_t m,
                                  olk_tail *tail)
{
#ifdef OLK_SORF_PLAIN
    (void)p, (void)x, (void)m, (void)tail;
#else
    const ptrdiff_t from = (p->d - 1) & ~(ptrdiff_t)63;
    const int32_t grid = olk_grid(p);
    for (ptrdiff_t r = 0; r < m; r++) {
        memset(tail[r].line, 0, sizeof tail[r].line);
        for (ptrdiff_t i = from; i < p->d; i++)
            tail[r].line[i - from] = (olk_entry)olk_on_grid(x[r * p->d + i], grid);
    }
#endif
}

/* Whether no angle of m dense rows or of a sparse one can be too large for olk_phases: a sketch is
   at most as long as the sum of |x_j|, and each transform makes it 8 times longer. Fixed point
   wraps around, so any angle will do. */
static OLK_NOCLONE int olk_angles_are_small(const olk_sorf *p, const olk_sorf_row *row, ptrdiff_t m)
{
#ifndef OLK_SORF_FIXED
    const ptrdiff_t count = row->index ? row->count : p->d;
    double widest = 0.0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            widest = p->omega[g][i] > widest ? p->omega[g][i] : widest;
    for (ptrdiff_t r = 0; r < m; r++) {
        const olk_input *x = (const olk_input *)row->values + r * p->d;
        olk_entry lane[4] = {0};
        ptrdiff_t k = 0;
        for (; k + 4 <= count; k += 4)
            for (int i = 0; i < 4; i++)
                lane[i] += olk_abs_entry((olk_entry)x[k + i]);
        for (; k < count; k++)
            lane[0] += olk_abs_entry((olk_entry)x[k]);
        /* A tenth more, for the rounding of these sums. */
        const olk_entry sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
        if (!((double)sum * widest * (512.0 * 1.1) < (double)olk_max_angle))
            return 0;
    }
#else
    (void)p, (void)row, (void)m;
#endif
    return 1;
}

/* For m dense rows: v_j = sum of s_i x_i over i mod 64 = j, i ascending. */
#ifdef OLK_SORF_PLAIN
static OLK_NOCLONE void olk_sketch(const olk_sorf *p, uint64_t *generator, const olk_input *x,
                                   ptrdiff_t m, const olk_tail *tail, olk_entry (*v)[64])
{
    const int32_t grid = olk_grid(p);
    (void)m, (void)tail;
    memset(v[0], 0, sizeof v[0]);
    for (ptrdiff_t start = 0; start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        olk_entry *to = v[0] + start % 64;
        uint32_t word = olk_pcg_next(generator, OLK_PCG_SIGNS);
        for (ptrdiff_t i = 0; i < n; i++, word >>= 1)
            to[i] += olk_negated(olk_on_grid(x[start + i], grid), (word & 1) ? olk_sign : 0);
    }
}
#else
static OLK_NOCLONE void olk_sketch(const olk_sorf *p, uint64_t *generator, const olk_input *x,
                                   ptrdiff_t m, const olk_tail *tail, olk_entry (*v)[64])
{
    OLK_ALIGNED(64) olk_word flip[64];
    const int32_t grid = olk_grid(p);
    if (m == 1 && p->d <= 64) {
        /* At most 64 inputs, as most sensors have: the row is its tail. */
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(p->d > 32 ? olk_pcg_next(generator, OLK_PCG_SIGNS) : 0, flip + 32);
        for (int i = 0; i < 64; i++)
            v[0][i] = (olk_entry)0 + olk_negated(tail[0].line[i], flip[i]);
        return;
    }
    for (ptrdiff_t start = 0; start < p->d; start += 64) {
        const int full = start + 64 <= p->d;
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(start + 32 < p->d ? olk_pcg_next(generator, OLK_PCG_SIGNS) : 0, flip + 32);
        for (ptrdiff_t r = 0; r < m; r++) {
            const olk_input *restrict in = x + r * p->d + start;
            const olk_entry *restrict end = tail[r].line;
            olk_entry *restrict to = v[r];
            /* 0 + x, not x: -0 becomes 0, as in a sum. */
            if (start == 0 && full)
                for (int i = 0; i < 64; i++)
                    to[i] = (olk_entry)0 + olk_negated(olk_on_grid(in[i], grid), flip[i]);
            else if (start == 0)
                for (int i = 0; i < 64; i++)
                    to[i] = (olk_entry)0 + olk_negated(end[i], flip[i]);
            else if (full)
                for (int i = 0; i < 64; i++)
                    to[i] += olk_negated(olk_on_grid(in[i], grid), flip[i]);
            else
                for (int i = 0; i < 64; i++)
                    to[i] += olk_negated(end[i], flip[i]);
        }
    }
}
#endif

/* A sparse row, indices ascending: words without non-zeros are skipped. */
static OLK_NOCLONE void olk_sketch_sparse(const olk_sorf *p, uint64_t *generator,
                                          const olk_input *value, const int32_t *index,
                                          ptrdiff_t count, olk_entry *v)
{
    const ptrdiff_t words = (p->d + 31) / 32;
    const int32_t grid = olk_grid(p);
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
        const olk_entry reading = (olk_entry)olk_on_grid(value[k], grid);
        v[i % 64] += (word >> (i % 32) & 1) ? -reading : reading;
    }
    olk_pcg_skip(generator, OLK_PCG_SIGNS, (uint64_t)(words - at));
}
