/* Which of the loops, that are linked, this machine runs. */
#include "check.h"
#include "ring_variants.h"

const olk_simd *variant(int i)
{
    static olk_simd tables[OLK_N_VARIANTS];
    for (int k = 0; k < OLK_N_VARIANTS; k++)
        if (olk_variant_runs(k) && i-- == 0) {
            olk_load_variant(k, &tables[k]);
            return &tables[k];
        }
    return NULL;
}
