/* The learner on structured Fourier features (`sorf`): only weights are stored, features are
   computed from a seed at every row; docs/sorf.md is the algorithm. Structured orthogonal random
   features of Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016.

   Design. A block is 64 frequencies: a row is sketched to 64 lines with random signs, then three
   Walsh-Hadamard transforms with signs between, then cosine and sine. Blocks stay in registers and
   in 74 KiB of stack per step, 4 KiB in plain C; the caller provides the rest, nothing is
   allocated. Weights of float64 are computed in double, of float32 in float. int8: stochastic
   rounding depends on the last bits of a weight's change, and stored weights are those of an exact
   implementation. Rows are scored and changes rounded in float, with bounds on the error
   (sorf_single.h); blocks that these leave uncertain are rounded in double (sorf_weights.h). What
   depends on the numbers themselves is learned in double: regression, and the gradient of
   relevance (relevance.h). A microcontroller without double defines OLK_SORF_SINGLE: int8 only,
   everything in float, where one rounding in some millions differs; one without any floating-point
   unit defines OLK_SORF_FIXED: features in fixed point (fixed_point.h), within some thousandths of
   the exact ones.

   A unit is the learner for one type of weights (OLK_SORF_INT8, _FLOAT32 or _FLOAT64) and one
   instruction set (port.h). Its names are plain; sorf_unit.h exports them. With OLK_SORF_PLAIN
   it is plain C99, for a program that calls the functions by name.

   Headers without #pragma once are for one compute type: a unit for int8 includes them twice, first
   under the names of sorf_single.h. */
#pragma once

#include "sorf_form.h"
#ifdef OLK_SORF_FIXED
#include "fixed_point.h"
#else
#if defined(OLK_SORF_INT8) && !defined(OLK_SORF_SINGLE)
#define OLK_MIXED_PRECISION 1
#include "sorf_single.h"
#elif !defined(OLK_SORF_FLOAT64)
#define OLK_IN_SINGLE 1
#endif

#include "sorf_precision.h"
#endif

#include "sorf_features.h"

#include "sorf_scores.h"

#include "drift.h"
#include "relevance.h"
#include "row_memory.h"
#include "sorf_weights.h"
#include "watch.h"

/* Scores with a smaller margin are computed again in olk_compute_t (section 5). */
static const double olk_undecided = 1e-4;
/* Novelty (section 6b): window of the scale of scores, in rows; the smallest gain of the threshold,
   and its first gains times the rows so far. */
static const double olk_novelty_memory = 1000.0;
static const double olk_novelty_gain = 0.02, olk_novelty_first_gain = 10.0;

/* Pass 1 in the type of scores. Returns 0 if an angle is too large for it. */
static inline int olk_score_pass(const olk_sorf *p, const olk_sorf_state *s,
                                 const olk_sorf_row *row, ptrdiff_t m, double *fw, double *fa)
{
#ifdef OLK_MIXED_PRECISION
    return olk_pass_single(p, s, row, m, 0, NULL, fw, fa);
#else
    return olk_pass(p, s, row, m, 1, NULL, fw, fa);
#endif
}

/* The group's first block that is averaged at this row. */
static inline ptrdiff_t olk_first_of_octet(const olk_sorf *p, const olk_sorf_state *s, int32_t g)
{
    return p->first[g] + (ptrdiff_t)((*s->t - (uint64_t)p->first[g]) % OLK_OCTET);
}

/* Leaking (section 14): after mistakes, in groups where the last weights have at least this share
   of the blend and the averaging window is below this multiple of the shortest. */
static const double olk_leaking_share = 0.7, olk_leaking_windows = 2.0;

/* Leaks the weights of the blocks that are averaged at this row. */
static OLK_NOCLONE void olk_leak_weights(const olk_sorf *p, const olk_sorf_state *s)
{
    const ptrdiff_t K = p->classes;
    olk_expert_weights expert_weights;
    olk_sorf_expert_weights(p, s->L, &expert_weights);
    for (int32_t g = 0; g < p->groups; g++) {
        const double all = p->groups > 1 ? expert_weights.E[g] : 1.0;
        if (!(expert_weights.alpha[g] > olk_leaking_share * all) ||
            !(s->n[g] < olk_leaking_windows * p->cmin))
            continue;
        for (ptrdiff_t b = olk_first_of_octet(p, s, g); b < p->first[g + 1]; b += OLK_OCTET)
            olk_leak((olk_stored *)s->w + 128 * b * K, 2 * K * olk_lines(p, b),
                     (olk_compute_t)p->leak, s->rounding);
    }
}

/* The average of one block in eight. */
static inline void olk_update_averages(const olk_sorf *p, const olk_sorf_state *s)
{
    const ptrdiff_t K = p->classes;
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_compute_t inverse = (olk_compute_t)(1.0 / s->n[g]);
        for (ptrdiff_t b = olk_first_of_octet(p, s, g); b < p->first[g + 1]; b += OLK_OCTET)
            olk_average_step((olk_stored *)s->a + 128 * b * K,
                             (const olk_stored *)s->w + 128 * b * K, 2 * K * olk_lines(p, b),
                             inverse, s->rounding);
    }
}

/* Whether a margin is too small for single precision. */
static inline int olk_is_undecided(const olk_group_scores *f, const olk_sorf_state *s,
                                   const olk_expert_weights *expert_weights, double y)
{
    if (olk_fabs(olk_sorf_margin(f, expert_weights, -1, 0.0, y)) < olk_undecided)
        return 1;
    for (int32_t g = 0; g < f->p->groups; g++)
        for (int32_t q = 0; q < f->p->n_blends; q++)
            if (olk_fabs(olk_sorf_margin(f, expert_weights, g, f->p->blends[q], y)) < olk_undecided)
                return 1;
    return olk_has_memory(f->p) && olk_memory_is_undecided(f, expert_weights, s, y);
}

#ifdef OLK_MIXED_PRECISION
/* Pass 1 and a trial of a row's changes, in single precision. */
static inline int olk_fast_row(const olk_group_scores *f, const olk_sorf_state *s,
                               const olk_sorf_row *x, const olk_expert_weights *expert_weights,
                               double y, double weight, olk_change_plan *plan, olk_trial *trial,
                               double *fw, double *fa)
{
    const olk_sorf *p = f->p;
    const int one_column = p->classes == 1; /* changes are tried with one column only */
    const int late = p->relevance && *s->t > OLK_RELEVANCE_START;
    /* Skipped where it would be computed again: in regression, whose losses are squares; and mostly
       where most rows change weights and changes are not tried. */
    if (p->task == OLK_SORF_REGRESSION || (!one_column && 2 * *s->updates > *s->t))
        return OLK_SORF_RECOMPUTE;
    const olk_row_cache_single cache = {trial->feature, trial->blocks, NULL, 0};
    if (!olk_pass_single(p, s, x, 1, 0, &cache, fw, fa) ||
        olk_is_undecided(f, s, expert_weights, y))
        return OLK_SORF_RECOMPUTE;
    const int n_changes = olk_losses(f, y, weight, *s->t, olk_undecided, plan);
    if (!n_changes)
        return OLK_SORF_ROW_DONE;
    const double deficit = late ? 1.0 - olk_sorf_margin(f, expert_weights, -1, 0.0, y) : 0.0;
    if (late && olk_fabs(deficit) < olk_undecided)
        return OLK_SORF_RECOMPUTE;
    plan->follows = deficit > 0.0;
    if (!one_column || olk_losses(f, y, weight, *s->t, -olk_undecided, plan) < n_changes ||
        !olk_try_changes(f, s, x, y, weight, plan, trial))
        return OLK_SORF_SCORES;
    return OLK_SORF_TRIED;
}
#endif

/* One gradient step of relevance, if the plan has one; `gradient`: that of the shared log scale. */
static inline void olk_update_relevance(const olk_sorf *p, const olk_sorf_state *s,
                                        const olk_sorf_row *x, const olk_change_plan *plan,
                                        double sigma, double gradient)
{
    if (plan->follows && p->relevance == OLK_RELEVANCE_SHARED)
        olk_shared_gradient_step(s, sigma * gradient);
    else if (plan->follows)
        olk_gradient_step(p, s, x, sigma);
}

/* Learns one row. y: -1 or +1; 0 .. K - 1; a finite number. Returns the score before learning: f,
   the margin of y's class over the best other, or the predicted target. */
static OLK_NOCLONE double olk_sorf_learn(const olk_sorf *sorf, const olk_sorf_state *s,
                                         const olk_sorf_row *row, double y, double weight)
{
    olk_sorf scaled;
    const olk_sorf *p = olk_with_scaled_widths(sorf, s, &scaled);
    double scores[2][OLK_SORF_GROUPS], recalled_here[3];
    const int one_column = p->classes == 1;
    double *fw = one_column ? scores[0] : s->scores,
           *fa = one_column ? scores[1] : fw + p->groups * p->classes;
    const int regression = p->task == OLK_SORF_REGRESSION;
    olk_change_plan plan;
    olk_expert_weights weights;
    olk_sorf_expert_weights(p, s->L, &weights);
    const olk_group_scores f = {p,
                                fw,
                                fa,
                                olk_linear_score(p, s, row),
                                p->last_label ? *s->last : 0.0,
                                olk_has_memory(p) ? (one_column ? recalled_here : s->recalled)
                                                  : NULL};
    olk_begin_step(s->flags);
    if (olk_has_memory(p)) /* before the row is clamped */
        olk_learn_memory(p, s, row, y, weight, f.recalled);
    const double mean = regression ? s->target[0] : 0.0;
    const double deviation = regression ? olk_sorf_deviation(s->target, *s->t) : 1.0;
    if (regression)
        y = olk_sorf_scale(s->target, *s->t, y);
    if (p->linear) /* before the row is clamped */
        olk_learn_linear(p, s, row, y, f.f_linear);
    const olk_sorf_row x = olk_reshaped_row(p, s, row, s->inputs);
    OLK_ALIGNED(64) olk_sorf_feature own_row[OLK_SORF_CACHED ? 128 * OLK_SORF_CACHED + 16 : 1];
    OLK_ALIGNED(64) olk_entry own_line[OLK_SORF_CACHED ? 64 * OLK_SORF_CACHED : 1];
    const int follows = p->relevance && *s->t > OLK_RELEVANCE_START;
    const olk_row_cache cache = {
        s->row ? s->row : own_row, s->row ? p->first[p->groups] : OLK_SORF_CACHED, own_line,
        follows && p->relevance == OLK_RELEVANCE_SHARED ? OLK_SORF_CACHED : 0};
#ifdef OLK_MIXED_PRECISION
    olk_trial trial = olk_new_trial(p, cache.feature, s->row != NULL);
    const int progress = olk_fast_row(&f, s, &x, &weights, y, weight, &plan, &trial, fw, fa);
#else
    const int progress = OLK_SORF_RECOMPUTE;
#endif
    const int recompute = progress < OLK_SORF_ROW_DONE;
    if (recompute)
        olk_pass(p, s, &x, 1, 1, &cache, fw,
                 progress == OLK_SORF_RECOMPUTE || !one_column ? fa : NULL);

    double returned, blended = 0.0, margin = 0.0; /* of the features, and of the complete answer */
    if (regression) {
        blended = olk_sorf_score(&f, &weights, -1, 0.0, 0);
        returned = mean + deviation * blended;
    } else {
        blended = olk_sorf_margin(&f, &weights, -1, 0.0, y);
        returned = one_column ? olk_sorf_score(&f, &weights, -1, 0.0, 0) : blended;
        margin = blended;
        if (olk_has_memory(p))
            margin = olk_blend_memory(&f, &weights, s, y, weight, &returned);
        *s->mistakes += margin <= 0.0;
    }
    plan.slope.against = p->task == OLK_SORF_CLASSES ? olk_sorf_rival(&f, &weights, -1, 0.0, y) : 0;
    plan.slope.y = p->task == OLK_SORF_CLASSES ? (ptrdiff_t)y : 0;
    double costs[2] = {0.0, 0.0}; /* of the average and the last weights */
    olk_sorf_update_losses(&f, y, weight, s->L, olk_heaviest_group(p, &weights), costs);
    const double cost = olk_sorf_cost(p, blended, y);

    const double sigma = regression ? y - blended : (one_column ? y : 1.0);
    const int changes =
        recompute ? olk_losses(&f, y, weight, *s->t, 0.0, &plan) > 0 : progress == OLK_SORF_TRIED;
    if (recompute)
        plan.follows = follows && (regression || 1.0 - blended > 0.0);
    if (changes && plan.follows) {
        olk_sorf_expert_weights(p, s->L, &plan.slope.weights);
        if (p->groups == 1) /* weights of the linear expert and the last label are left out */
            plan.slope.weights.E[0] = 1.0;
    }
    if (recompute && changes) {
        const double gradient = olk_second_pass(p, s, &x, &plan, &cache, 1);
        olk_update_relevance(p, s, &x, &plan, sigma, gradient);
        *s->updates += 1;
    }
#ifdef OLK_MIXED_PRECISION
    if (progress == OLK_SORF_TRIED) {
        const olk_row_cache no_cache = {NULL, 0, NULL, 0};
        if (plan.follows && p->relevance == OLK_RELEVANCE_SHARED)
            olk_update_relevance(p, s, &x, &plan, sigma,
                                 olk_scale_gradient_row(p, s, &x, &plan.slope, plan.live));
        else if (plan.follows)
            olk_update_relevance(p, s, &x, &plan, sigma,
                                 olk_second_pass(p, s, &x, &plan, &no_cache, 0));
        olk_commit_changes(&f, s, &x, y, weight, &plan, &trial);
        *s->updates += 1;
    }
#endif
    if (p->leak > 0.0 && cost > 0.0)
        olk_leak_weights(p, s);
    olk_update_averages(p, s);
    if (p->last_label)
        *s->last = p->task == OLK_SORF_CLASSES ? y + 1.0 : y;
    *s->t += 1;
    olk_sorf_windows(p, s->L, *s->t, s->n);
    if (p->drift)
        olk_record_losses(p, s, sizeof(olk_input) == sizeof(double),
                          regression ? cost : olk_sorf_cost(p, margin, y), costs[1], costs[0]);
    return returned;
}

/* Learns one row without a label. Returns f - rho before this step; negative means novel. */
static OLK_NOCLONE double olk_sorf_learn_novelty(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_sorf_row *row)
{
    const double rows = (double)(*s->t + 1);
    double f, *rho = s->novelty, *m = s->novelty + 1;
    if (!olk_score_pass(p, s, row, 1, NULL, &f))
        olk_pass(p, s, row, 1, 1, NULL, NULL, &f);
    const double returned = f - *rho;
    const int novel = f < *rho;
    olk_begin_step(s->flags);
    *s->mistakes += (uint64_t)novel;
    *m += (olk_fabs(f) - *m) / (rows < olk_novelty_memory ? rows : olk_novelty_memory);
    const double early = olk_novelty_first_gain / rows;
    const double step = early < olk_novelty_gain ? olk_novelty_gain : (early < 1.0 ? early : 1.0);
    *rho += *m * step * (novel ? p->nu - 1.0 : p->nu);
    *rho = *rho > 0.0 ? *rho : 0.0;
    olk_update_embedding(p, s, row, *s->t, NULL, 0);
    *s->t += 1;
    return returned;
}

/* out[columns]: blended scores of a row from those of its groups. */
static inline void olk_blended(const olk_sorf *p, const olk_sorf_state *s, double linear,
                               double *recalled, const olk_expert_weights *expert_weights,
                               const double *fw, const double *fa, double *out)
{
    if (p->task == OLK_SORF_NOVELTY) {
        *out = *fa - s->novelty[0];
        return;
    }
    const olk_group_scores f = {p, fw, fa, linear, p->last_label ? *s->last : 0.0, recalled};
    if (olk_has_memory(p)) {
        const double *scores = olk_feature_scores(&f, expert_weights);
        const olk_memory_blend blend = olk_memory_blend_of(p, s);
        for (ptrdiff_t c = 0; c < p->classes; c++)
            out[c] = olk_memory_score(scores, p->classes, blend, c);
    } else {
        for (ptrdiff_t c = 0; c < p->classes; c++)
            out[c] = olk_sorf_score(&f, expert_weights, -1, 0.0, c);
    }
    if (p->task == OLK_SORF_REGRESSION)
        *out = s->target[0] + olk_sorf_deviation(s->target, *s->t) * *out;
}

/* out[rows][columns]: blended scores of m dense rows or one sparse row; writes only to scratch. A
   row's score does not depend on the others: if one of a block needs olk_compute_t, they are scored
   one by one. */
static OLK_NOCLONE void olk_sorf_scores(const olk_sorf *sorf, const olk_sorf_state *s,
                                        const olk_sorf_row *row, ptrdiff_t m, double *out)
{
    olk_sorf scaled_sorf;
    const olk_sorf *p = olk_with_scaled_widths(sorf, s, &scaled_sorf);
    enum { WIDE = OLK_SORF_SCALED / OLK_SORF_ROWS };
    double scores_here[2][OLK_SORF_ROWS][OLK_SORF_GROUPS], linear[OLK_SORF_ROWS] = {0};
    double recalled_here[3 * OLK_SORF_ROWS];
    olk_input scaled[OLK_SORF_SCALED];
    olk_compute_t by[WIDE];
    const int each = p->relevance == OLK_RELEVANCE_EACH;
    const int batched = m > 1 && p->classes == 1 && !(olk_reshapes(p) && p->d > WIDE);
    const ptrdiff_t G = p->groups;
    double *fw = p->classes == 1 ? scores_here[0][0] : s->scores;
    double *fa = p->classes == 1 ? scores_here[1][0] : fw + G * p->classes;
    double *recalled = olk_has_memory(p) ? (p->classes == 1 ? recalled_here : s->recalled) : NULL;
    double *const of_w = p->task == OLK_SORF_NOVELTY ? NULL : fw;
    olk_expert_weights expert_weights;
    if (olk_is_in_time(p)) {
        for (ptrdiff_t i = 0; i < m; i++) {
            const olk_sorf_row single = {(const olk_input *)row->values + i * (p->d / 3), NULL, 0};
            out[i] = olk_sorf_score_in_time(p, s, &single);
        }
        return;
    }
    if (p->task != OLK_SORF_NOVELTY)
        olk_sorf_expert_weights(p, s->L, &expert_weights);
    for (ptrdiff_t k = 0; batched && each && k < p->d; k++)
        by[k] = (olk_compute_t)olk_sorf_exp((double)((const olk_input *)s->log_scale)[k]);
    ptrdiff_t n_alone = batched ? 0 : m; /* rows that are scored one by one */
    for (ptrdiff_t r = 0; r < m;) {
        const ptrdiff_t n_rows = r < n_alone ? 1 : (m - r < OLK_SORF_ROWS ? m - r : OLK_SORF_ROWS);
        const olk_sorf_row in = {(const olk_input *)row->values + r * p->d, row->index, row->count};
        for (ptrdiff_t i = 0; i < n_rows; i++) {
            const olk_sorf_row single = {(const olk_input *)in.values + i * p->d, in.index,
                                         in.count};
            linear[i] = olk_linear_score(p, s, &single);
            if (olk_has_memory(p))
                olk_query_memory(p, s, &single, recalled + 3 * i);
        }
        const olk_sorf_row x = batched ? olk_reshaped_rows(p, by, &in, n_rows, scaled)
                                       : olk_reshaped_row(p, s, &in, s->inputs);
        if (!olk_score_pass(p, s, &x, n_rows, of_w, fa)) {
            if (n_rows > 1) {
                n_alone = r + n_rows;
                continue;
            }
            olk_pass(p, s, &x, 1, 1, NULL, of_w, fa);
        }
        for (ptrdiff_t i = 0; i < n_rows; i++)
            olk_blended(p, s, linear[i], recalled ? recalled + 3 * i : NULL, &expert_weights,
                        fw + i * G, fa + i * G, out + (r + i) * p->classes);
        r += n_rows;
    }
}
