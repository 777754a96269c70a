/* The loops of structured features as a shared library, for shim.py. */
#ifdef SHIM_NARROW /* int8 alone */
#include "sorf_types.h"
extern const olk_sorf_ops olk_sorf_int8_scalar;
static const olk_sorf_ops *const olk_sorf_variants[][3] = {{&olk_sorf_int8_scalar}};
#else
#include "sorf_variants.h"
#endif

#include "random.h"
#include "processor.h"

enum { VARIANTS = (int)(sizeof olk_sorf_variants / sizeof *olk_sorf_variants) };

const char *shim_name(int variant)
{
    return variant < VARIANTS ? olk_sorf_variants[variant][0]->name : NULL;
}

int shim_runs(int variant)
{
    return variant < VARIANTS && olk_processor_runs(shim_name(variant));
}

/* Sizes of the structs, so that the other side can see whether it has the same ones. */
void shim_sizes(size_t *sizes)
{
    sizes[0] = sizeof(olk_sorf);
    sizes[1] = sizeof(olk_sorf_state);
}

uint64_t shim_seeded(uint64_t seed, int signs)
{
    return olk_pcg_seed(seed, signs ? OLK_PCG_SIGNS : OLK_PCG_DRAWS);
}

double shim_step(int variant, int storage, const olk_sorf *p, const olk_sorf_state *s,
                 const void *row, double y, double weight)
{
    const olk_sorf_ops *f = olk_sorf_variants[variant][storage];
    if (p->task == OLK_SORF_NOVELTY)
        return f->learn_novelty(p, s, row);
    return f->learn(p, s, row, y, weight);
}

/* n rows, `bytes` apart, in order. */
void shim_steps(int variant, int storage, const olk_sorf *p, const olk_sorf_state *s,
                const char *rows, size_t bytes, ptrdiff_t n, const double *y, double *out)
{
    for (ptrdiff_t i = 0; i < n; i++)
        out[i] = shim_step(variant, storage, p, s, rows + (size_t)i * bytes, y ? y[i] : 0.0, 1.0);
}

void shim_scores(int variant, int storage, const olk_sorf *p, const olk_sorf_state *s,
                 const void *rows, ptrdiff_t m, double *out)
{
    olk_sorf_variants[variant][storage]->scores(p, s, rows, m, out);
}
