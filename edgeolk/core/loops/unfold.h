/* The transpose of the sketch (fold.h), from the 64 lines of a block back to a row, for the
   gradient of relevance (docs/sorf.md, section 7c). */
#pragma once

#ifndef OLK_SORF_FIXED
static OLK_ALWAYS olk_real olk_off_grid(olk_entry v, olk_real unit)
{
    (void)unit;
    return v;
}
#endif

/* q_k += s_i unit h_(i mod 64) for every number of a row. */
static OLK_ALONE void olk_unfold(const olk_sorf *p, uint64_t generator, const olk_sorf_row *row,
                                 const olk_entry *h, olk_real unit, olk_input *q)
{
    ptrdiff_t next_word = 0;
    uint32_t word = 0;
    for (ptrdiff_t start = 0; !row->index && start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        const olk_entry *restrict from = h + start % 64;
        olk_input *restrict to = q + start;
#ifdef OLK_SORF_PLAIN
        uint32_t signs = olk_pcg_next(&generator, OLK_PCG_SIGNS);
        for (ptrdiff_t i = 0; i < n; i++, signs >>= 1) {
            const olk_entry part = olk_flipped(from[i], (signs & 1) ? olk_sign : 0);
            to[i] = (olk_input)((olk_real)to[i] + olk_off_grid(part, unit));
        }
#else
        OLK_ALIGNED(64) olk_word flip[32];
        olk_flips(olk_pcg_next(&generator, OLK_PCG_SIGNS), flip);
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = (olk_input)((olk_real)to[i] + olk_off_grid(olk_flipped(from[i], flip[i]),
                                                               unit));
#endif
    }
    for (ptrdiff_t k = 0; row->index && k < row->count; k++) {
        const ptrdiff_t i = row->index[k];
        if (i / 32 >= next_word) {
            olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(i / 32 - next_word));
            word = olk_pcg_next(&generator, OLK_PCG_SIGNS);
            next_word = i / 32 + 1;
        }
        const olk_real part = olk_off_grid(h[i % 64], unit);
        q[k] = (olk_input)((olk_real)q[k] + ((word >> (i % 32) & 1) ? -part : part));
    }
}
