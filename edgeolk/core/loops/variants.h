/* The sets of instructions that the loops were compiled for (edgeolk/core/units.py), and which of them
   this processor runs. Compiled without flags of any of them. */
#ifndef EDGEOLK_VARIANTS_H
#define EDGEOLK_VARIANTS_H

#include "processor.h"
#include "simd.h"

extern const olk_simd olk_rings_scalar, olk_rings_baseline, olk_rings_neon, olk_rings_v3,
    olk_rings_v4;

static const olk_simd *const olk_variants[] = {
    &olk_rings_scalar,
#ifdef OLK_HAS_BASELINE
    &olk_rings_baseline,
#endif
#ifdef OLK_HAS_NEON
    &olk_rings_neon,
#endif
#ifdef OLK_HAS_V3
    &olk_rings_v3,
#endif
#ifdef OLK_HAS_V4
    &olk_rings_v4,
#endif
};

enum { OLK_N_VARIANTS = (int)(sizeof(olk_variants) / sizeof(olk_variants[0])) };

/* Whether this processor can run variant i. */
static inline int olk_variant_runs(int i)
{
    return olk_processor_runs(olk_variants[i]->name);
}

#endif
