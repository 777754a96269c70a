/* Pass 2: the changes of a row (docs/sorf.md, section 5, step 5). */
#pragma once

#include "along.h"
#include "stores.h"
#include "unfold.h"

/* Plan of pass 2: the change of each group, and the direction of relevance's gradient. */
typedef struct {
    double tau[OLK_SORF_GROUPS];
    int live[OLK_SORF_GROUPS];
    ptrdiff_t rival[OLK_SORF_GROUPS]; /* columns: plus at y, minus at the rival */
    int follows; /* relevance follows the gradient along this slope */
    olk_sorf_slope slope;
} olk_change_plan;

/* A number for each line of a block. */
typedef struct {
    OLK_ALIGNED(64) olk_entry of[64];
} olk_line_values;

/* Adds a block's part of the gradient of each input to q, back through transforms and sketch.
   `generator`: the state before the block's words. */
static OLK_NOCLONE void olk_add_direction(const olk_sorf *p, const olk_sorf_state *s,
                                          const olk_sorf_row *x, const olk_change_plan *plan,
                                          int32_t g, ptrdiff_t b, uint64_t generator,
                                          const olk_frequency_scales *scales,
                                          const olk_sorf_feature *feature, olk_input *q)
{
    OLK_WORK(olk_line_values, back, s, OLK_AT_GRADIENT);
    olk_entry *const h = back->of;
    olk_signs first, second;
    const ptrdiff_t lines = olk_lines(p, b), from = 128 * b * p->classes;
    const olk_stored *w = (const olk_stored *)s->w + from, *a = (const olk_stored *)s->a + from;
    const uint64_t start = generator;
    const olk_compute_t unit =
        olk_gradient(p, &plan->slope, g, w, a, feature, lines, scales, b - p->first[g], h);
    olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)((p->d + 31) / 32));
    olk_draw_signs(&generator, &first);
    olk_draw_signs(&generator, &second);
    olk_hadamard(h, &second, &first);
    olk_sketch_transposed(p, start, x, h, unit, q);
}

/* Pass 2, from the cache; the rest is computed again. Returns the derivative of the score with
   respect to the shared log scale, if relevance follows that (section 7e). Without `learn` weights
   stay. */
static OLK_NOCLONE double olk_second_pass(const olk_sorf *p, const olk_sorf_state *s,
                                          const olk_sorf_row *x, const olk_change_plan *plan,
                                          const olk_row_cache *cache, int learn)
{
    OLK_WORK(olk_line_values, line_copy, s, OLK_AT_LINE); /* features may overlay their lines */
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    const ptrdiff_t K = p->classes, words = (p->d + 31) / 32;
    uint64_t generator = p->signs;
    const int shared = plan->follows && p->relevance == OLK_RELEVANCE_SHARED;
    const int per_input = plan->follows && !shared;
    const ptrdiff_t known = shared && cache->lines < cache->blocks ? cache->lines : cache->blocks;
    const int recompute = known < p->first[p->groups];
    olk_input *q = per_input ? (olk_input *)s->inputs + p->d : NULL;
    double gradient = 0.0;
    const int small_angles = recompute && olk_angles_are_small(p, x, 1);
    ptrdiff_t drawn = 0; /* blocks whose words were drawn */
    if (recompute && !x->index)
        olk_tails(p, x->values, 1, &tail);
    if (per_input)
        memset(q, 0, (size_t)(x->index ? x->count : p->d) * sizeof *q);
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_compute_t tau = (olk_compute_t)plan->tau[g];
        const ptrdiff_t rival = plan->rival[g];
        if (!plan->live[g])
            continue;
        if (recompute || plan->follows)
            olk_group_scales(p, g, &scales);
        for (ptrdiff_t b = p->first[g]; b < p->first[g + 1]; b++) {
            const ptrdiff_t lines = olk_lines(p, b), from = 128 * b * K;
            olk_stored *w = (olk_stored *)s->w + from;
            olk_sorf_feature *feature = block->feature;
            const olk_entry *line = b < cache->lines ? cache->line + 64 * b : line_copy->of;
            if (b >= known || per_input) {
                olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)((words + 4) * (b - drawn)));
                drawn = b + 1;
            }
            const uint64_t start = generator;
            if (b >= known)
                olk_transform_block(p, &generator, x, &tail, block, &first, &second);
            if (b >= known && shared)
                memcpy(line_copy->of, olk_lines_of(block), sizeof line_copy->of);
            if (b >= cache->blocks) {
                olk_features(olk_lines_of(block), &scales, b - p->first[g], small_angles, 1,
                             block->feature);
            } else if (lines == 64) {
                feature = cache->feature + 128 * b;
            } else {
                memset(block->feature, 0, sizeof block->feature);
                memcpy(block->feature, cache->feature + 128 * b,
                       2 * (size_t)lines * sizeof *feature);
            }
            if (shared)
                gradient +=
                    olk_scale_gradient(p, &plan->slope, g, w, (const olk_stored *)s->a + from,
                                       feature, line, lines, &scales, b - p->first[g]);
            if (per_input)
                olk_add_direction(p, s, x, plan, g, b, start, &scales, feature, q);
            if (per_input && b < known)
                olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words + 4));
            if (!learn)
                continue;
            if (K == 1)
                olk_learn(w, feature, tau, 2 * lines, s->rounding);
            else if (plan->slope.y < rival)
                olk_learn_two(w, feature, tau, lines, K, plan->slope.y, rival, s->rounding);
            else
                olk_learn_two(w, feature, -tau, lines, K, rival, plan->slope.y, s->rounding);
        }
    }
    return gradient;
}
