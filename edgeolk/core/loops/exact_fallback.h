/* Changes of a row that were rounded in single precision (sure_rounding.h), put right where that
   was not sure: a rounding in double decides, of one block and with all that tau may be; if it is
   tau that is not sure enough, the score is computed in double, which costs as much as a row
   (docs/sorf.md, section 5). */
#ifndef EDGEOLK_EXACT_FALLBACK_H
#define EDGEOLK_EXACT_FALLBACK_H

/* Rounds the changes of block b, none of the row being written yet unless it writes: then tau is as
   sure as it was when they were tried. */
static OLK_COLD void olk_round_exactly(const olk_sorf_answers *f, const olk_sorf_state *s,
                                        const olk_sorf_row *x, double y, double weight,
                                        olk_plan *plan, olk_trial *trial, ptrdiff_t b, int write)
{
    OLK_ALIGNED(64) olk_entry v[1][64], tail[1][64], scale[64 + OLK_SORF_WIDTHS];
    olk_signs first, second;
    OLK_ALIGNED(64) olk_wave feature[128];
    olk_stored levels[2][128];
    const olk_sorf *p = f->p;
    const ptrdiff_t lines = olk_lines(p, b);
    olk_stored *w = (olk_stored *)s->w + 128 * b;
    uint64_t generator = p->signs, after;
    int32_t g = 0;
    while (b >= p->first[g + 1])
        g++;
    olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(((p->d + 31) / 32 + 4) * b));
    if (!x->index)
        olk_tails(p, x->values, 1, tail);
    olk_transformed(p, &generator, x, (const olk_entry(*)[64])tail, v, &first, &second);
    olk_scales(p, g, scale);
    olk_features(v[0], scale + 64 * (b - p->first[g]) % p->widths[g], olk_small(p, x, 1), 1,
                 feature);
    for (;;) {
        const double widest = olk_widest(p, g, olk_longest(p, x));
        const double off = trial->exact ? 0.0 : olk_wrong_tau(p, widest);
        for (int side = 0; side < 2; side++) {
            after = trial->after;
            memcpy(levels[side], w, 2 * (size_t)lines * sizeof *w);
            olk_learn(levels[side], feature, plan->tau[g] + (side ? off : -off),
                                    2 * lines, &after);
        }
        if (trial->exact || !memcmp(levels[0], levels[1], 2 * (size_t)lines * sizeof *w))
            break;
        double fw[OLK_SORF_GROUPS];
        olk_pass(p, s, x, 1, 1, NULL, 0, fw, NULL);
        const olk_sorf_answers exact = {p, fw, fw, 0.0, 0.0};
        olk_losses(&exact, y, weight, *s->t, 0.0, plan);
        trial->exact = 1;
    }
    trial->after = after;
    if (!write && b < trial->stored) {
        trial->middle = after;
        w = trial->levels + 128 * b;
    }
    if (write || b < trial->stored)
        olk_put_levels(w, levels[0], lines);
}

/* Rounds the changes of all blocks from b on. Returns 0 where they are too large for single
   precision. */
static inline int olk_round_all(const olk_sorf_answers *f, const olk_sorf_state *s,
                                const olk_sorf_row *x, double y, double weight, olk_plan *plan,
                                olk_trial *trial, ptrdiff_t b, int write)
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

/* Tries all changes of a row; nothing is written but the trial. */
static inline int olk_try(const olk_sorf_answers *f, const olk_sorf_state *s, const olk_sorf_row *x,
                          double y, double weight, olk_plan *plan, olk_trial *trial)
{
    trial->middle = trial->after = *s->rounding;
    return olk_round_all(f, s, x, y, weight, plan, trial, 0, 0);
}

/* Writes what was tried; blocks whose new weights had no room are rounded again. */
static inline void olk_take(const olk_sorf_answers *f, const olk_sorf_state *s,
                            const olk_sorf_row *x, double y, double weight, olk_plan *plan,
                            olk_trial *trial)
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

#endif
