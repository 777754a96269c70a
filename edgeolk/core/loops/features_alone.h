/* The features of a row without weights, for a model that keeps its own (docs/sorf.md, section
   3). */
#pragma once

#include "storage.h"

/* to[k] <- norm cos, to[D + k] <- norm sin of frequency k; `wide`: doubles, else floats. */
static void olk_sorf_features(const olk_sorf *p, const olk_sorf_row *row, double norm, int wide,
                              void *to)
{
    olk_block block;
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const int small_angles = olk_angles_are_small(p, row, 1), dtype = wide ? OLK_F64 : OLK_F32;
    uint64_t generator = p->signs;
    if (!row->index)
        olk_tails(p, row->values, 1, &tail);
    olk_group_scales(p, 0, &scales);
    for (ptrdiff_t b = 0; 64 * b < p->D; b++) {
        olk_transform_block(p, &generator, row, &tail, &block, &first, &second);
        olk_features(olk_lines_of(&block), &scales, b, small_angles, 1, block.feature);
        for (ptrdiff_t k = 0; k < olk_lines(p, b); k++) {
            olk_put(dtype, to, 64 * b + k, norm * (double)block.feature[2 * k]);
            olk_put(dtype, to, p->D + 64 * b + k, norm * (double)block.feature[2 * k + 1]);
        }
    }
}
