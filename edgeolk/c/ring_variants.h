/* The instruction sets that the loops are compiled for (edgeolk/core/units.py), and which of them
   this processor runs. Compiled without flags for any of them. */
#pragma once

#include "processor.h"
#include "ring_table.h"

/* The units of each set (ring_unit.h): each fills in its functions. */
typedef void olk_filler(olk_simd *to);
olk_filler olk_fill_single_scalar, olk_fill_single_baseline, olk_fill_single_neon;
olk_filler olk_fill_double_scalar, olk_fill_double_baseline, olk_fill_double_neon;
olk_filler olk_fill_single_v3, olk_fill_single_v4, olk_fill_double_v3, olk_fill_double_v4;

typedef struct {
    const char *name;
    olk_filler *of_single, *of_double;
} olk_variant;

static const olk_variant olk_variants[] = {
    {"scalar", olk_fill_single_scalar, olk_fill_double_scalar},
#ifdef OLK_HAS_BASELINE
    {"baseline", olk_fill_single_baseline, olk_fill_double_baseline},
#endif
#ifdef OLK_HAS_NEON
    {"neon", olk_fill_single_neon, olk_fill_double_neon},
#endif
#ifdef OLK_HAS_V3
    {"v3", olk_fill_single_v3, olk_fill_double_v3},
#endif
#ifdef OLK_HAS_V4
    {"v4", olk_fill_single_v4, olk_fill_double_v4},
#endif
};

enum { OLK_N_VARIANTS = (int)(sizeof(olk_variants) / sizeof(olk_variants[0])) };

/* Whether this processor can run variant i. */
static inline int olk_variant_runs(int i)
{
    return olk_processor_runs(olk_variants[i].name);
}

/* Fills a zeroed table with the functions of variant i. */
static inline void olk_load_variant(int i, olk_simd *to)
{
    olk_variants[i].of_single(to);
    olk_variants[i].of_double(to);
}
