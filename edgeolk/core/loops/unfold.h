/* The transpose of the sketch (fold.h), from the 64 lines of a block back to a row, for the
   gradient of relevance (docs/sorf.md, section 7c). */
#pragma once

#ifndef OLK_SORF_FIXED
static OLK_INLINE olk_compute_t olk_off_grid(olk_entry v, olk_compute_t unit)
{
    (void)unit;
    return v;
}
#endif

/* q_k += s_i unit h_(i mod 64) for every number of a row. */
static OLK_NOCLONE void olk_sketch_transposed(const olk_sorf *p, uint64_t generator,
                                              const olk_sorf_row *row, const olk_entry *h,
                                              olk_compute_t unit, olk_input *q)
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
            const olk_entry part = olk_negated(from[i], (signs & 1) ? olk_sign : 0);
            to[i] = (olk_input)((olk_compute_t)to[i] + olk_off_grid(part, unit));
        }
#else
        OLK_ALIGNED(64) olk_word flip[32];
        olk_flips(olk_pcg_next(&generator, OLK_PCG_SIGNS), flip);
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = (olk_input)((olk_compute_t)to[i] +
                                olk_off_grid(olk_negated(from[i], flip[i]), unit));
#endif
    }
    for (ptrdiff_t k = 0; row->index && k < row->count; k++) {
        const ptrdiff_t i = row->index[k];
        if (i / 32 >= next_word) {
            olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(i / 32 - next_word));
            word = olk_pcg_next(&generator, OLK_PCG_SIGNS);
            next_word = i / 32 + 1;
        }
        const olk_compute_t part = olk_off_grid(h[i % 64], unit);
        q[k] = (olk_input)((olk_compute_t)q[k] + ((word >> (i % 32) & 1) ? -part : part));
    }
}
