/* A unit of the learner on structured features: its functions and the table that exports them, for
   the type of weights and the instruction set that it is compiled for. */
#pragma once

#include "port.h"

#if OLK_BYTES > 16 && defined(OLK_SORF_INT8)
#include "sorf_levels.h"
#endif

#include "forecast.h"
#include "storage.h"

#ifndef OLK_SORF_INT8
/* -- Features alone --
   The features of a row without weights, for a model that keeps its own (docs/sorf.md, section
   3). */
/* to[k] <- norm cos, to[D + k] <- norm sin of frequency k; `wide`: doubles, else floats. */
static void olk_sorf_features(const olk_sorf *p, const void *row, double norm, int wide,
                              void *to)
{
    olk_block block;
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const int small_angles = olk_angles_are_small(p, NULL, row, 1),
              dtype = wide ? OLK_F64 : OLK_F32;
    uint64_t generator = p->signs;
    olk_tails(p, NULL, row, 1, &tail);
    olk_group_scales(p, NULL, 0, &scales);
    for (ptrdiff_t b = 0; 64 * b < p->D; b++) {
        olk_transform_block(p, NULL, &generator, row, &tail, &block, &first, &second);
        olk_features(olk_lines_of(&block), &scales, b, small_angles, block.feature);
        for (ptrdiff_t k = 0; k < olk_lines(p, b); k++) {
            olk_put(dtype, to, 64 * b + k, norm * (double)block.feature[2 * k]);
            olk_put(dtype, to, p->D + 64 * b + k, norm * (double)block.feature[2 * k + 1]);
        }
    }
}
#endif

#ifdef OLK_SORF_INT8
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_int8)
#elif defined(OLK_SORF_FLOAT32)
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_float32)
#else
#define OLK_SORF_TABLE OLK_OF_SET(olk_sorf_float64)
#endif

extern const olk_sorf_ops OLK_SORF_TABLE;
const olk_sorf_ops OLK_SORF_TABLE = {
    OLK_SET,
    olk_sorf_learn,
    olk_sorf_learn_novelty,
    olk_sorf_learn_in_time,
    olk_accept_rows,
    olk_restart_rows,
    olk_sorf_scores,
#ifdef OLK_SORF_INT8
    NULL,
#else
    olk_sorf_features,
#endif
    olk_sorf_memory_share,
    olk_forecast_predict,
    olk_forecast_ask,
    olk_forecast_tell,
    olk_forecast_restart,
    olk_forecast_begin,
    sizeof(olk_input) == 4 ? OLK_MAX_SINGLE_TARGET : OLK_MAX_DOUBLE_TARGET,
};
