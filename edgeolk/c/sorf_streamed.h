/* Both passes of a row (docs/sorf.md, section 5) in a small stack: features are used as they are
   computed, OLK_LINES lines at a time, and not kept. In place of olk_pass and olk_second_pass in
   programs that define OLK_STREAMED: plain C, one column, no learned widths. Sums have the same order,
   so the bits are the same.

   Included by sorf_weights.h. */
#pragma once

enum { OLK_LANES = 64 / (int)sizeof(olk_entry) };

/* lane[i] += the product of number i, of n. */
static OLK_NOINLINE void olk_add_to_lanes(const olk_sorf_feature *feature, const olk_stored *stored,
                                          int n, olk_entry *lane)
{
    for (int i = 0; i < n; i++)
        lane[i] += feature[i] * (olk_entry)stored[i];
}

/* What is computed of a row: the lines of a block; of a group the sums of products with the last
   weights, and with their mean. */
typedef struct {
    olk_entry line[64];
    olk_entry lane[2][OLK_LANES];
} olk_streamed;

/* The lines of the next block of a row, transformed. Words are drawn here, not further down: products
   of 64 bits are the deepest calls of small cores. */
static OLK_NOINLINE void olk_next_lines(const olk_sorf *p, const olk_sorf_state *s,
                                        uint64_t *generator, const olk_input *x,
                                        olk_entry (*v)[64])
{
    olk_signs signs[2];
    olk_sketch(p, s, generator, x, 1, NULL, v);
    for (int i = 0; i < 2; i++) {
        const uint32_t low = olk_pcg_next(generator, OLK_PCG_SIGNS);
        signs[i] = low | (uint64_t)olk_pcg_next(generator, OLK_PCG_SIGNS) << 32;
    }
    olk_hadamard(*v, p->d, signs, signs + 1);
}

/* A row's scores fw and fa [groups]; or, with a plan, changes of the last weights. */
static OLK_NOINLINE void olk_stream(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_input *x, const olk_change_plan *plan,
                                    olk_real *fw, olk_real *fa)
{
    OLK_WORK(olk_streamed, work, s, OLK_AT_BLOCK);
    olk_sorf_feature feature[2 * OLK_LINES];
    olk_frequency_scales scales;
    uint64_t generator = p->signs;
    const int small_angles = olk_angles_are_small(p, s, x, 1);
    for (int32_t g = 0; g < p->groups; g++) {
        int at = 0;
        if (olk_is_linear_group(p, g)) /* linear_group.h */
            continue;
        if (p->groups > 1 && plan && !plan->live[g]) {
            const ptrdiff_t words = (p->d + 31) / 32 + 4;
            olk_pcg_skip(&generator, OLK_PCG_SIGNS,
                         (uint64_t)(words * (p->first[g + 1] - p->first[g])));
            continue;
        }
        memset(work->lane, 0, sizeof work->lane);
        olk_group_scales(p, s, g, &scales);
        for (ptrdiff_t b = p->first[g]; b < p->first[g + 1]; b++) {
            const int used = (int)olk_lines(p, b);
            olk_next_lines(p, s, &generator, x, &work->line);
            for (int j = 0; j < used; j += OLK_LINES) {
                const int n = 2 * (used - j < OLK_LINES ? used - j : OLK_LINES);
                olk_stored *const w = (olk_stored *)s->w + 128 * b + 2 * j;
                olk_some_features(work->line + j, &scales, at, small_angles, feature);
                for (int i = 0; i < OLK_LINES; i++)
                    at = olk_next_index(scales.widths, at);
                if (plan) {
                    olk_learn(w, feature, plan->tau[g], n, s->rounding);
                } else {
                    const olk_stored *const a = (const olk_stored *)s->a + 128 * b + 2 * j;
                    olk_add_to_lanes(feature, w, n, work->lane[0] + 2 * j % OLK_LANES);
                    olk_add_to_lanes(feature, a, n, work->lane[1] + 2 * j % OLK_LANES);
                }
            }
        }
        if (!plan) {
            const olk_real size = olk_inverse_size(p, g);
            fw[g] = size * olk_sum_of(work->lane[0]);
            fa[g] = size * olk_sum_of(work->lane[1]);
        }
    }
}

/* In place of those of sorf_scores.h and sorf_weights.h. */
static inline void olk_pass(const olk_sorf *p, const olk_sorf_state *s, const olk_input *row,
                            ptrdiff_t m, const olk_row_cache *cache, olk_real *fw, olk_real *fa)
{
    (void)m, (void)cache;
    olk_stream(p, s, row, NULL, fw, fa);
}

static inline olk_real olk_second_pass(const olk_sorf *p, const olk_sorf_state *s,
                                       const olk_input *x, const olk_change_plan *plan,
                                       const olk_row_cache *cache)
{
    (void)cache;
    olk_stream(p, s, x, plan, NULL, NULL);
    return 0;
}
