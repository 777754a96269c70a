/* The units of the learner on structured features by instruction set, in the order of
   ring_variants.h, and by type of weights: int8, float32, float64. */
#pragma once

#include "sorf_types.h"

extern const olk_sorf_ops olk_sorf_int8_scalar, olk_sorf_float32_scalar, olk_sorf_float64_scalar,
    olk_sorf_int8_baseline, olk_sorf_float32_baseline, olk_sorf_float64_baseline,
    olk_sorf_int8_neon, olk_sorf_float32_neon, olk_sorf_float64_neon, olk_sorf_int8_v3,
    olk_sorf_float32_v3, olk_sorf_float64_v3, olk_sorf_int8_v4, olk_sorf_float32_v4,
    olk_sorf_float64_v4;

static const olk_sorf_ops *const olk_sorf_variants[][3] = {
    {&olk_sorf_int8_scalar, &olk_sorf_float32_scalar, &olk_sorf_float64_scalar},
#ifdef OLK_HAS_BASELINE
    {&olk_sorf_int8_baseline, &olk_sorf_float32_baseline, &olk_sorf_float64_baseline},
#endif
#ifdef OLK_HAS_NEON
    {&olk_sorf_int8_neon, &olk_sorf_float32_neon, &olk_sorf_float64_neon},
#endif
#ifdef OLK_HAS_V3
    {&olk_sorf_int8_v3, &olk_sorf_float32_v3, &olk_sorf_float64_v3},
#endif
#ifdef OLK_HAS_V4
    {&olk_sorf_int8_v4, &olk_sorf_float32_v4, &olk_sorf_float64_v4},
#endif
};
