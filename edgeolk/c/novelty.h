/* The model of what is normal, of novelty in any order (docs/sorf.md, section 6b) and of anomalies of
   a stream (watch.h): the running mean of the rows' features, the kernel mean embedding (Smola,
   Gretton, Song & Scholkopf 2007). For one type of weights. */
#pragma once

#include "sorf_weights.h"

/* a_k += (kappa feature_k - a_k) / n over one block in eight, after `rows` rows; n counts eights of
   rows, limited by the window. `cached` has the features [..][2] of the first `blocks` blocks; the
   others are computed again. */
static OLK_NOCLONE void olk_update_embedding(const olk_sorf *p, const olk_sorf_state *s,
                                             const olk_input *row, uint64_t rows,
                                             const olk_sorf_feature *cached, ptrdiff_t blocks)
{
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const olk_real octets = (olk_real)(rows / OLK_OCTET + 1);
    const olk_real window = (olk_real)p->window / OLK_OCTET;
    const olk_real inverse = 1 / (octets < window ? octets : window);
    const ptrdiff_t words = (p->d + 31) / 32 + 4;
    uint64_t generator = p->signs;
    ptrdiff_t from = 0;
    int small_angles = -1; /* unknown until a block is computed again */
    for (ptrdiff_t b = (ptrdiff_t)(rows % OLK_OCTET); b < p->first[1]; b += OLK_OCTET) {
        const ptrdiff_t lines = olk_lines(p, b);
        if (b < blocks && lines == 64) {
            olk_average_block((olk_stored *)s->a + 128 * b, cached + 128 * b,
                              (olk_real)p->kappa, 128, inverse, s->rounding);
            continue;
        }
        if (small_angles < 0) {
            small_angles = olk_angles_are_small(p, s, row, 1);
            olk_tails(p, s, row, 1, &tail);
            olk_group_scales(p, s, 0, &scales);
        }
        olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words * (b - from)));
        from = b + 1;
        olk_transform_block(p, s, &generator, row, &tail, block, &first, &second);
        olk_features(olk_lines_of(block), &scales, b, small_angles, block->feature);
        olk_average_block((olk_stored *)s->a + 128 * b, block->feature, (olk_real)p->kappa,
                          2 * lines, inverse, s->rounding);
    }
}
