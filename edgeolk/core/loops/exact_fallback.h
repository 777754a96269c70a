/* Repeats in double those roundings of a row's changes that single precision (sure_rounding.h) left
   uncertain: one block at a time, with both bounds of tau; if tau itself is too uncertain, the
   score is computed in double, which costs as much as a row (docs/sorf.md, section 5). */
#pragma once

/* Levels of block b of group g, with tau - tau_error and tau + tau_error, by the words from
   *generator on. Returns whether both give the same levels. */
static OLK_COLD int olk_round_between(const olk_sorf *p, const olk_sorf_state *s,
                                      const olk_sorf_row *x, int32_t g, ptrdiff_t b, double tau,
                                      double tau_error, uint64_t *generator, olk_stored *levels)
{
    OLK_WORK(olk_block, block, s, OLK_AT_BLOCK);
    olk_tail tail;
    olk_frequency_scales scales;
    olk_signs first, second;
    olk_stored other[128];
    const size_t bytes = 2 * (size_t)olk_lines(p, b) * sizeof *other;
    const olk_stored *w = (const olk_stored *)s->w + 128 * b;
    uint64_t signs = p->signs, second_generator = *generator;
    olk_pcg_skip(&signs, OLK_PCG_SIGNS, (uint64_t)(((p->d + 31) / 32 + 4) * b));
    if (!x->index)
        olk_tails(p, x->values, 1, &tail);
    olk_transform_block(p, &signs, x, &tail, block, &first, &second);
    olk_group_scales(p, g, &scales);
    olk_features(olk_lines_of(block), &scales, b - p->first[g], olk_angles_are_small(p, x, 1), 1,
                 block->feature);
    memcpy(levels, w, bytes);
    memcpy(other, w, bytes);
    olk_learn(levels, block->feature, tau - tau_error, 2 * olk_lines(p, b), generator);
    olk_learn(other, block->feature, tau + tau_error, 2 * olk_lines(p, b), &second_generator);
    return !memcmp(levels, other, bytes);
}

/* Rounds the changes of block b. Without `write` nothing of the row is written yet; with it, tau is
   as certain as it was when the changes were tried. */
static OLK_COLD void olk_round_exactly(const olk_group_scores *f, const olk_sorf_state *s,
                                       const olk_sorf_row *x, double y, double weight,
                                       olk_change_plan *plan, olk_trial *trial, ptrdiff_t b,
                                       int write)
{
    olk_stored levels[128];
    const olk_sorf *p = f->p;
    const ptrdiff_t lines = olk_lines(p, b);
    olk_stored *w = (olk_stored *)s->w + 128 * b;
    uint64_t after;
    int32_t g = 0;
    while (b >= p->first[g + 1])
        g++;
    for (;;) {
        const double widest = olk_max_typical_angle(p, g, olk_max_sketch_length(p, x));
        const double tau_error = trial->exact ? 0.0 : olk_tau_error(p, widest);
        after = trial->after;
        if (olk_round_between(p, s, x, g, b, plan->tau[g], tau_error, &after, levels) ||
            trial->exact)
            break;
        double fw[OLK_SORF_GROUPS];
        olk_pass(p, s, x, 1, 1, NULL, fw, NULL);
        const olk_group_scores exact = {p, fw, fw, 0.0, 0.0, NULL};
        olk_losses(&exact, y, weight, *s->t, 0.0, plan);
        trial->exact = 1;
    }
    trial->after = after;
    if (!write && b < trial->stored) {
        trial->middle = after;
        w = trial->levels + 128 * b;
    }
    if (write || b < trial->stored)
        olk_put_levels(w, levels, lines);
}

/* Rounds the changes of all blocks from b on. Returns 0 if they are too large for single
   precision. */
static inline int olk_round_all(const olk_group_scores *f, const olk_sorf_state *s,
                                const olk_sorf_row *x, double y, double weight,
                                olk_change_plan *plan, olk_trial *trial, ptrdiff_t b, int write)
{
    const ptrdiff_t all = f->p->first[f->p->groups];
    for (; b < all; b++) {
        b = olk_round_row(f->p, s, x, plan->tau, plan->live, trial, b, write);
        if (b < 0)
            return 0;
        if (b < all)
            olk_round_exactly(f, s, x, y, weight, plan, trial, b, write);
    }
    return 1;
}

/* Tries all changes of a row; writes only to the trial. */
static inline int olk_try_changes(const olk_group_scores *f, const olk_sorf_state *s,
                                  const olk_sorf_row *x, double y, double weight,
                                  olk_change_plan *plan, olk_trial *trial)
{
    trial->middle = trial->after = *s->rounding;
    return olk_round_all(f, s, x, y, weight, plan, trial, 0, 0);
}

/* Commits the tried changes; blocks whose new weights did not fit into the trial are rounded
   again. */
static inline void olk_commit_changes(const olk_group_scores *f, const olk_sorf_state *s,
                                      const olk_sorf_row *x, double y, double weight,
                                      olk_change_plan *plan, olk_trial *trial)
{
    const olk_sorf *p = f->p;
    for (int32_t g = 0; g < p->groups; g++)
        for (ptrdiff_t b = p->first[g]; plan->live[g] && b < p->first[g + 1] && b < trial->stored;
             b++)
            olk_put_levels((olk_stored *)s->w + 128 * b, trial->levels + 128 * b, olk_lines(p, b));
    if (trial->stored < p->first[p->groups]) {
        trial->after = trial->middle;
        olk_round_all(f, s, x, y, weight, plan, trial, trial->stored, 1);
    }
    *s->rounding = trial->after;
}
