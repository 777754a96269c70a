/* The sets of instructions that the learner on structured features was compiled for, in the order of
   variants.h. */
#ifndef EDGEOLK_STRUCTURED_VARIANTS_H
#define EDGEOLK_STRUCTURED_VARIANTS_H

#include "sorf_types.h"

extern const olk_sorf_functions olk_sorf_scalar, olk_sorf_baseline, olk_sorf_neon, olk_sorf_v3,
    olk_sorf_v4;

static const olk_sorf_functions *const olk_sorf_variants[] = {
    &olk_sorf_scalar,
#ifdef OLK_HAS_BASELINE
    &olk_sorf_baseline,
#endif
#ifdef OLK_HAS_NEON
    &olk_sorf_neon,
#endif
#ifdef OLK_HAS_V3
    &olk_sorf_v3,
#endif
#ifdef OLK_HAS_V4
    &olk_sorf_v4,
#endif
};

#endif
