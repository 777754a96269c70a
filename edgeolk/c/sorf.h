/* The learner on structured Fourier features (`sorf`): only weights are stored, features are
   computed from a seed at every row; docs/sorf.md is the algorithm. Structured orthogonal random
   features of Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016.

   Design. A block is 64 frequencies: a row is sketched to 64 lines with random signs, then three
   Walsh-Hadamard transforms with signs between, then cosine and sine. Blocks stay in registers and
   in 74 KiB of stack per step, 4 KiB in plain C; the caller provides the rest, nothing is
   allocated. Learners with weights of int8 and of float32 are defined in single precision and
   learners with weights of float64 in double, operation by operation (docs/sorf.md, section 17): each
   instruction set and each board computes the same bits. int8: changes are rounded stochastically. A
   microcontroller without a floating-point unit defines OLK_SORF_FIXED: features in fixed point
   (fixed_point.h), within some thousandths.

   A unit is the learner for one type of weights (OLK_SORF_INT8, _FLOAT32 or _FLOAT64) and one
   instruction set (port.h). Its names are plain; sorf_unit.h exports them. With OLK_SORF_PLAIN
   it is plain C99, for a program that calls the functions by name. */
#pragma once

#include "sorf_form.h"
#ifdef OLK_SORF_FIXED
#include "fixed_point.h"
#else
#include "sorf_precision.h"
#endif

#include "sorf_features.h"

#include "sorf_scores.h"
#if OLK_BYTES
#include "sorf_abreast.h"
#endif

#include "drift.h"
#include "relevance.h"
#include "row_memory.h"
#if OLK_BYTES
#include "row_memory_abreast.h"
#endif
#include "sorf_weights.h"
#include "linear_group.h"
#include "watch.h"

/* Novelty (section 6b): window of the scale of scores, in rows; the smallest gain of the threshold,
   and its first gains times the rows so far. */
enum { OLK_NOVELTY_MEMORY = 1000, OLK_NOVELTY_FIRST_GAIN = 10 };
static const olk_real olk_novelty_gain = (olk_real)0.02;

/* The group's first block that is averaged at this row. */
static inline ptrdiff_t olk_first_of_octet(const olk_sorf *p, const olk_sorf_state *s, int32_t g)
{
    return p->first[g] + (ptrdiff_t)((*s->t - (uint64_t)p->first[g]) % OLK_OCTET);
}

/* Leaking (section 14): after mistakes, in groups where the last weights have at least this share
   of the blend and the averaging window is below this multiple of the shortest. */
static const olk_real olk_leaking_share = (olk_real)0.7;
enum { OLK_LEAKING_WINDOWS = 2 };

/* Leaks the weights of the blocks that are averaged at this row. */
static OLK_NOCLONE void olk_leak_weights(const olk_sorf *p, const olk_sorf_state *s)
{
    const ptrdiff_t K = p->classes;
    const olk_real *n = s->n;
    olk_expert_weights expert_weights;
    olk_sorf_expert_weights(p, s->L, &expert_weights);
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_real all = p->groups > 1 ? expert_weights.E[g] : 1;
        if (!(expert_weights.alpha[g] > olk_leaking_share * all) ||
            !(n[g] < OLK_LEAKING_WINDOWS * (olk_real)p->cmin))
            continue;
        for (ptrdiff_t b = olk_first_of_octet(p, s, g); b < p->first[g + 1]; b += OLK_OCTET)
            olk_leak((olk_stored *)s->w + 128 * b * K, 2 * K * olk_lines(p, b), (olk_real)p->leak,
                     s->rounding);
        if (olk_is_linear_group(p, g) && *s->t % OLK_OCTET == 0)
            olk_move_linear_group(p, s->linear_w, NULL, (olk_real)p->leak, s->rounding);
    }
}

/* The average of one block in eight. */
static inline void olk_update_averages(const olk_sorf *p, const olk_sorf_state *s)
{
    const ptrdiff_t K = p->classes;
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_real inverse = 1 / ((const olk_real *)s->n)[g];
        for (ptrdiff_t b = olk_first_of_octet(p, s, g); b < p->first[g + 1]; b += OLK_OCTET)
            olk_average_step((olk_stored *)s->a + 128 * b * K,
                             (const olk_stored *)s->w + 128 * b * K, 2 * K * olk_lines(p, b),
                             inverse, s->rounding);
        if (olk_is_linear_group(p, g) && s->linear_a && *s->t % OLK_OCTET == 0)
            olk_move_linear_group(p, s->linear_a, s->linear_w, inverse, s->rounding);
    }
}

/* One gradient step of relevance, if the plan has one; `gradient`: that of the shared log scale. */
static inline void olk_update_relevance(const olk_sorf *p, const olk_sorf_state *s,
                                        const olk_input *x, const olk_change_plan *plan,
                                        olk_real sigma, olk_real gradient)
{
    if (p->relevance == OLK_RELEVANCE_SHARED && plan->follows)
        olk_shared_gradient_step(s, sigma * gradient);
    if (p->relevance == OLK_RELEVANCE_EACH && plan->follows)
        olk_gradient_step(p, s, x, sigma);
}

/* The scores behind row number `row` of a call, where the call asks for them: the average's, the
   last weights' and the memory's. */
static inline void olk_write_parts(const olk_group_scores *f,
                                   const olk_expert_weights *expert_weights,
                                   const olk_sorf_state *s, ptrdiff_t row)
{
#ifdef OLK_SORF_NO_WISHES
    (void)f, (void)expert_weights, (void)s, (void)row;
#else
    double all = 0.0, fa = 0.0, fw = 0.0, *parts = s->parts;
    if (!parts)
        return;
    for (int32_t g = 0; g < f->p->groups; g++) {
        const double share = f->p->groups == 1 ? 1.0 : (double)expert_weights->E[g];
        all += share;
        fa += share * (double)f->fa[g];
        fw += share * (double)f->fw[g];
    }
    all = all > 0.0 ? all : 1.0; /* shares underflow where another expert is never wrong */
    parts[3 * row] = fa / all;
    parts[3 * row + 1] = fw / all;
    parts[3 * row + 2] = f->recalled ? (double)f->recalled[0] : 0.0;
#endif
}

/* The answers of experts to a row, where the call asks for them. */
static inline void olk_write_answers(const olk_group_scores *f, const olk_sorf_state *s)
{
#ifdef OLK_SORF_NO_LATE
    (void)f, (void)s;
#else
    if (s->answers)
        olk_put_answers(f, s->answers);
#endif
}

static inline void olk_write_memory_answers(const olk_sorf *p, const olk_sorf_state *s,
                                            const olk_real *scores)
{
#ifdef OLK_SORF_NO_LATE
    (void)p, (void)s, (void)scores;
#else
    if (s->answers)
        olk_put_memory_answers(p, scores, s->answers);
#endif
}

/* What a row with this weight counts in the losses of experts. */
static inline olk_real olk_counted(const olk_sorf_state *s, olk_real weight)
{
#ifdef OLK_SORF_NO_WISHES
    (void)s;
#else
    if (s->counted)
        return (olk_real)*s->counted;
#endif
    return weight;
}

/* What follows from the scores of a row that is learned. */
typedef struct {
    olk_real blended;        /* of the features: regression's answer, else a margin */
    olk_scalar score;        /* the complete answer's: not for regression */
    olk_real cost, complete; /* what `blended` costs, and the margin of the complete answer */
    olk_real costs[2];       /* of the average and of the last weights */
    int changes;             /* whether weights will change */
} olk_judged;

/* Counts the mistakes of a row and of each expert, and plans its changes; `follows`: relevance may. */
static OLK_OUTSIDE void olk_judge(const olk_group_scores *f, const olk_sorf_state *s, olk_real y,
                                  olk_real weight, int follows, olk_change_plan *plan,
                                  olk_judged *found)
{
    const olk_sorf *p = OLK_OPTIONS_OF(f->p);
    const int regression = p->task == OLK_SORF_REGRESSION, one_column = p->classes == 1;
    olk_expert_weights weights;
    olk_sorf_expert_weights(p, s->L, &weights);
    found->costs[0] = found->costs[1] = found->complete = 0;
    if (regression) {
        found->blended = olk_sorf_score(f, &weights, -1, 0, 0);
    } else {
        found->blended = olk_sorf_margin(f, &weights, -1, 0, y);
        olk_real score = one_column ? olk_sorf_score(f, &weights, -1, 0, 0) : found->blended;
        found->complete = found->blended;
        if (olk_has_memory(p))
            found->complete = olk_blend_memory(f, &weights, s, y, olk_counted(s, weight), &score);
        found->score = (olk_scalar)score;
        *s->mistakes += found->complete <= 0;
        olk_write_parts(f, &weights, s, 0);
    }
#ifndef OLK_STREAMED
    plan->slope.against = p->task == OLK_SORF_CLASSES ? olk_sorf_rival(f, &weights, -1, 0, y) : 0;
    plan->slope.y = p->task == OLK_SORF_CLASSES ? (ptrdiff_t)y : 0;
#endif
    olk_sorf_update_losses(f, s, y, olk_counted(s, weight), olk_heaviest_group(p, &weights),
                           found->costs);
    if (olk_is_late(p) && olk_place_learned(s) == 0)
        olk_drop_oldest(s);
    found->cost = olk_sorf_cost(p, found->blended, y);
    found->changes = olk_losses(f, y, weight, *s->t, plan) > 0;
    plan->follows = follows && (regression || 1 - found->blended > 0);
#ifndef OLK_STREAMED
    if (found->changes && plan->follows) {
        olk_sorf_expert_weights(p, s->L, &plan->slope.weights);
        if (p->groups == 1) /* weights of the outsiders are left out */
            plan->slope.weights.E[0] = 1;
    }
#endif
}

/* Learns one row. y: -1 or +1; 0 .. K - 1; a finite number. Returns the score before learning: f,
   the margin of y's class over the best other, or the predicted target. */
static OLK_NOCLONE olk_scalar olk_sorf_learn(const olk_sorf *sorf, const olk_sorf_state *s,
                                             const void *input, olk_scalar label,
                                             olk_scalar row_weight)
{
    const olk_input *row = input;
    olk_sorf scaled;
    const olk_sorf *p = olk_with_scaled_widths(sorf, s, &scaled);
    olk_real scores[2][OLK_SORF_GROUPS], recalled_here[3];
    const int one_column = p->classes == 1;
    olk_real *fw = one_column ? scores[0] : s->scores,
             *fa = one_column ? scores[1] : olk_behind(p, fw);
    const int regression = p->task == OLK_SORF_REGRESSION;
    const olk_real weight = (olk_real)row_weight;
    olk_change_plan plan;
    olk_judged found;
    olk_group_scores f = {
        p, fw, fa, {0}, olk_has_memory(p) ? (one_column ? recalled_here : s->recalled) : NULL, 0};
    olk_ask_outsiders(p, s, olk_linear_score(p, s, row), &f);
    olk_begin_step(s->flags);
    const double mean = regression ? s->target[0] : 0.0;
    const double deviation = regression ? olk_sorf_deviation(s->target, *s->t) : 1.0;
    const olk_real y = regression ? (olk_real)olk_sorf_scale(s->target, *s->t, (double)label)
                                  : (olk_real)label;
    if (olk_has_memory(p)) /* before the row is clamped */
        olk_learn_memory(p, s, row, y, weight, f.recalled);
    if (p->linear) /* before the row is clamped */
        olk_learn_linear(p, s, row, y, f.outside[OLK_LINEAR]);
    const ptrdiff_t last_group = (p->groups - 1) * p->classes;
    if (p->linear_group)
        f.square = olk_linear_group_scores(p, s, row, fw + last_group, fa + last_group);
    const olk_input *plain = olk_row_without_relevance(p, s, row);
    const olk_input *x = olk_reshaped_row(p, s, row, s->inputs);
    OLK_ALIGNED(64) olk_sorf_feature own_row[OLK_SORF_CACHED ? 128 * OLK_SORF_CACHED + 16 : 1];
    OLK_ALIGNED(64) olk_entry own_line[OLK_SORF_CACHED ? 64 * OLK_SORF_CACHED : 1];
    const int follows = p->relevance && *s->t > OLK_RELEVANCE_START;
    const olk_row_cache cache = {
        s->row ? s->row : own_row, s->row ? p->first[p->groups] : OLK_SORF_CACHED, own_line,
        follows && p->relevance == OLK_RELEVANCE_SHARED ? OLK_SORF_CACHED : 0};
    olk_pass(p, s, x, 1, &cache, fw, fa);
    olk_judge(&f, s, y, weight, follows, &plan, &found);

    const olk_real sigma = regression ? y - found.blended : (one_column ? y : 1);
    if (found.changes) {
        const olk_real gradient = olk_second_pass(p, s, x, &plan, &cache);
        if (p->linear_group && plan.live[p->groups - 1])
            olk_learn_linear_group(p, s, plain ? plain : x, plan.tau[p->groups - 1],
                                   p->task == OLK_SORF_CLASSES ? (ptrdiff_t)y : 0,
                                   plan.rival[p->groups - 1]);
        olk_update_relevance(p, s, x, &plan, sigma, gradient);
        *s->updates += 1;
    }
    if (p->leak > 0 && found.cost > 0)
        olk_leak_weights(p, s);
    olk_update_averages(p, s);
    if (p->last_label)
        *(olk_real *)s->last = p->task == OLK_SORF_CLASSES ? y + 1 : y;
    if (OLK_OPTIONS_OF(p)->constant && !regression)
        olk_count_label(p, s, y, olk_counted(s, weight));
    *s->t += 1;
    olk_sorf_windows(p, s);
    if (p->drift)
        olk_record_losses(p, s, sizeof(olk_real) == sizeof(double),
                          (olk_scalar)(regression ? found.cost
                                                  : olk_sorf_cost(p, found.complete, y)),
                          (olk_scalar)found.costs[1], (olk_scalar)found.costs[0]);
    return regression ? (olk_scalar)(mean + deviation * (double)found.blended) : found.score;
}

/* Learns one row without a label. Returns f - rho before this step; negative means novel. */
static OLK_NOCLONE olk_scalar olk_sorf_learn_novelty(const olk_sorf *p, const olk_sorf_state *s,
                                                     const void *row)
{
    const olk_real rows = (olk_real)(*s->t + 1);
    olk_real f, *rho = s->novelty, *m = rho + 1;
    olk_pass(p, s, row, 1, NULL, NULL, &f);
    const olk_real returned = f - *rho;
    const int novel = f < *rho;
    olk_begin_step(s->flags);
    *s->mistakes += (uint64_t)novel;
    *m += (olk_abs(f) - *m) / (rows < OLK_NOVELTY_MEMORY ? rows : OLK_NOVELTY_MEMORY);
    const olk_real early = OLK_NOVELTY_FIRST_GAIN / rows;
    const olk_real step = early < olk_novelty_gain ? olk_novelty_gain : (early < 1 ? early : 1);
    *rho += *m * step * (novel ? (olk_real)p->nu - 1 : (olk_real)p->nu);
    *rho = *rho > 0 ? *rho : 0;
    olk_update_embedding(p, s, row, *s->t, NULL, 0);
    *s->t += 1;
    return (olk_scalar)returned;
}

/* out[columns]: blended scores of a row from those of its groups. */
static inline void olk_blended(const olk_sorf *p, const olk_sorf_state *s, ptrdiff_t row,
                               olk_real linear, olk_real *recalled,
                               const olk_expert_weights *expert_weights,
                               const olk_real *fw, const olk_real *fa, olk_scalar *out)
{
    if (p->task == OLK_SORF_NOVELTY) {
        *out = (olk_scalar)(*fa - *(const olk_real *)s->novelty);
        return;
    }
    olk_group_scores f = {p, fw, fa, {0}, recalled, 0};
    olk_ask_outsiders(p, s, linear, &f);
    olk_write_answers(&f, s);
    if (olk_has_memory(p)) {
        const olk_real *scores = olk_feature_scores(&f, expert_weights);
        const olk_memory_blend blend = olk_memory_blend_of(p, s);
        olk_write_memory_answers(p, s, scores);
        for (ptrdiff_t c = 0; c < p->classes; c++)
            out[c] = (olk_scalar)olk_memory_score(p, scores, blend, c);
    } else {
        for (ptrdiff_t c = 0; c < p->classes; c++)
            out[c] = (olk_scalar)olk_sorf_score(&f, expert_weights, -1, 0, c);
    }
    if (p->task == OLK_SORF_REGRESSION)
        *out = (olk_scalar)(s->target[0] +
                            olk_sorf_deviation(s->target, *s->t) * (double)*out);
    else
        olk_write_parts(&f, expert_weights, s, row);
}

/* olk_pass of m rows, abreast where that is quicker. */
static inline void olk_pass_of_rows(const olk_sorf *p, const olk_sorf_state *s,
                                    const olk_input *rows, ptrdiff_t m, olk_real *fw,
                                    olk_real *fa)
{
    const ptrdiff_t scores = p->groups * p->classes;
#if OLK_BYTES
    for (ptrdiff_t n; olk_are_abreast(p, n = m < OLK_ABREAST ? m : OLK_ABREAST); m -= n) {
        olk_pass_abreast(p, s, rows, n, fw, fa);
        rows += n * p->d;
        fw = fw ? fw + n * scores : NULL;
        fa += n * scores;
    }
#else
    (void)scores;
#endif
    if (m > 0)
        olk_pass(p, s, rows, m, NULL, fw, fa);
}

/* out[rows][columns]: blended scores of m rows; writes only to scratch. */
static OLK_NOCLONE void olk_sorf_scores(const olk_sorf *sorf, const olk_sorf_state *s,
                                        const void *rows, ptrdiff_t m, olk_scalar *out)
{
    const olk_input *const input = rows;
    olk_sorf scaled_sorf;
    const olk_sorf *p = olk_with_scaled_widths(sorf, s, &scaled_sorf);
    enum { ROWS = OLK_SORF_ROWS };
    olk_real scores_here[2][ROWS * OLK_SORF_SCORES], linear[ROWS] = {0};
    olk_real recalled_here[3 * ROWS * (ROWS > 1 ? OLK_SORF_SCORES : 1)];
    olk_input scaled[ROWS * OLK_SORF_SCALED];
    olk_real by[OLK_SORF_SCALED];
    const ptrdiff_t G = p->groups, K = p->classes;
    const int each = p->relevance == OLK_RELEVANCE_EACH;
    const int batched = m > 1 && ROWS > 1 && G * K <= OLK_SORF_SCORES &&
                        !(olk_reshapes(p, s) && p->d > OLK_SORF_SCALED);
    const int here = batched || K == 1;
    olk_real *fw = here ? scores_here[0] : s->scores;
    olk_real *fa = here ? scores_here[1] : olk_behind(p, fw);
    olk_real *recalled = olk_has_memory(p) ? (here ? recalled_here : s->recalled) : NULL;
    olk_real *const of_w = p->task == OLK_SORF_NOVELTY ? NULL : fw;
    olk_expert_weights expert_weights;
    if (olk_is_in_time(p)) {
        for (ptrdiff_t i = 0; i < m; i++)
            out[i] = (olk_scalar)olk_sorf_score_in_time(p, s, input + i * (p->d / 3));
        return;
    }
    if (p->task != OLK_SORF_NOVELTY)
        olk_sorf_expert_weights(p, s->L, &expert_weights);
    for (ptrdiff_t k = 0; batched && each && k < p->d; k++)
        by[k] = olk_exponential(((const olk_input *)s->log_scale)[k]);
    for (ptrdiff_t r = 0, n_rows; r < m; r += n_rows) {
        n_rows = !batched ? 1 : (m - r < ROWS ? m - r : ROWS);
        const olk_input *in = input + r * p->d;
#if OLK_BYTES
        const ptrdiff_t asked =
            batched && recalled ? olk_query_first_rows(p, s, in, n_rows, recalled) : 0;
#else
        const ptrdiff_t asked = 0;
#endif
        for (ptrdiff_t i = 0; i < n_rows; i++) {
            const olk_input *single = in + i * p->d;
            linear[i] = olk_linear_score(p, s, single);
            if (p->linear_group)
                olk_linear_group_scores(p, s, single, fw + (i * G + G - 1) * K,
                                        fa + (i * G + G - 1) * K);
            if (olk_has_memory(p) && i >= asked)
                olk_query_memory(p, s, single, recalled + 3 * i * K);
        }
        const olk_input *x = batched ? olk_reshaped_rows(p, s, by, in, n_rows, scaled)
                                     : olk_reshaped_row(p, s, in, s->inputs);
        olk_pass_of_rows(p, s, x, n_rows, of_w, fa);
        for (ptrdiff_t i = 0; i < n_rows; i++)
            olk_blended(p, s, r + i, linear[i], recalled ? recalled + 3 * i * K : NULL,
                        &expert_weights, fw + i * G * K, fa + i * G * K, out + (r + i) * K);
    }
}

/* The weight of the row memory in the next answer. */
static OLK_NOINLINE double olk_sorf_memory_share(const olk_sorf *p, const olk_sorf_state *s)
{
    const olk_memory_blend blend = olk_memory_blend_of(p, s);
    return (double)(blend.mean + blend.narrow);
}
