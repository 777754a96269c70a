/* Hedging over the experts of `sorf`: expert weights, margins, cumulative losses, averaging windows,
   scaled targets (docs/sorf.md, section 6). Scores are arrays [groups][columns]. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "late_labels.h"
#include "sorf_form.h"

/* Blocks are averaged in turn, one in eight per row (docs/sorf.md, section 5, step 6). */
enum { OLK_OCTET = 8 };
/* Squared errors are clipped here (section 6). */
enum { OLK_MAX_ERROR = 4 };

/* Experts besides the models of the groups, in the order of their cumulative losses: the linear one
   (section 7), the last label (7b), the commonest label (7g). */
enum { OLK_LINEAR, OLK_LAST_LABEL, OLK_COMMONEST, OLK_OUTSIDERS };

/* Weights of the experts: f = sum_g E_g f_a,g + alpha_g (f_w,g - f_a,g) + sum_i beta_i f_i, i being
   the outsiders. They follow from the cumulative losses, so they are not stored. */
typedef struct {
    olk_real E[OLK_SORF_GROUPS], alpha[OLK_SORF_GROUPS];
    olk_real beta[OLK_OUTSIDERS];
} olk_expert_weights;

/* The objective of relevance: the score of column `y` minus that of `against`, with these
   weights. */
typedef struct {
    ptrdiff_t y, against;
    olk_expert_weights weights;
} olk_sorf_slope;

/* All scores of a row. */
typedef struct {
    const olk_sorf *p;
    const olk_real *fw, *fa; /* [groups][columns] */
    olk_real outside[OLK_OUTSIDERS]; /* several classes: the class that each chooses plus 1, or 0 */
    olk_real *recalled; /* row memory: g, space for f_s, the narrower kernel's g; or NULL */
    olk_real square;    /* linear group: mean square of its inputs */
} olk_group_scores;

/* -- Outsiders -- */

/* Mistakes that an outsider pays for its place: the constant, which is right at the start of each set
   with rare positives, would cost some there. */
enum { OLK_COMMONEST_COST = 3 };

static inline int olk_has_outsider(const olk_sorf *p, int i)
{
    const olk_sorf *o = OLK_OPTIONS_OF(p);
    return i == OLK_LINEAR ? o->linear : (i == OLK_LAST_LABEL ? o->last_label : o->constant);
}

/* OLK_OUTSIDERS, or 0 where there are none: a program for one learner then has no loop over them. */
static inline int olk_outsiders(const olk_sorf *p)
{
    const olk_sorf *o = OLK_OPTIONS_OF(p);
    return o->linear || o->last_label || o->constant ? OLK_OUTSIDERS : 0;
}

static inline olk_real olk_outsider_cost(const olk_sorf *p, int i)
{
    return i == OLK_COMMONEST && p->task != OLK_SORF_REGRESSION ? OLK_COMMONEST_COST : 0;
}

/* Its score for a column. */
static inline olk_real olk_outside_score(const olk_group_scores *f, int i, ptrdiff_t c)
{
    return OLK_OPTIONS_OF(f->p)->task == OLK_SORF_CLASSES
               ? (olk_real)(f->outside[i] == (olk_real)(c + 1))
               : f->outside[i];
}

/* The commonest label so far: -1, 1, or 0 at a tie; the smallest class plus 1, or 0 before the first
   row. Regression: the mean of the targets, which are scaled. */
static inline olk_real olk_commonest_label(const olk_sorf *p, const olk_sorf_state *s)
{
    const float *n = s->label_counts;
    ptrdiff_t best = 0;
    if (!p->constant || p->task == OLK_SORF_REGRESSION)
        return 0;
    if (p->task == OLK_SORF_BINARY)
        return (olk_real)((n[1] > n[0]) - (n[1] < n[0]));
    for (ptrdiff_t c = 0; c < OLK_OPTIONS_OF(p)->classes; c++)
        if (n[c] > (best ? n[best - 1] : 0))
            best = c + 1;
    return (olk_real)best;
}

/* What the outsiders answer; linear: the score of the linear one. */
static inline void olk_ask_outsiders(const olk_sorf *p, const olk_sorf_state *s, olk_real linear,
                                     olk_group_scores *f)
{
    if (!olk_outsiders(p))
        return;
    f->outside[OLK_LINEAR] = linear;
    f->outside[OLK_LAST_LABEL] = p->last_label ? *(const olk_real *)s->last : 0;
    f->outside[OLK_COMMONEST] = olk_commonest_label(p, s);
}

/* Counts a label; beyond this sum all counts shrink. */
static const float olk_most_labels = 4096;

static OLK_NOINLINE void olk_count_label(const olk_sorf *p, const olk_sorf_state *s, olk_real y,
                                         olk_real weight)
{
    const ptrdiff_t n = p->task == OLK_SORF_BINARY ? 2 : OLK_OPTIONS_OF(p)->classes;
    const ptrdiff_t own = p->task == OLK_SORF_BINARY ? y > 0 : (ptrdiff_t)y;
    float sum = 0, *counts = s->label_counts;
    counts[own] += (float)weight;
    for (ptrdiff_t c = 0; c < n; c++)
        sum += counts[c];
    if (sum > olk_most_labels)
        for (ptrdiff_t c = 0; c < n; c++)
            counts[c] *= olk_most_labels / sum;
}

/* -- Weights and scores of all experts -- */

/* Expert weights from the cumulative losses. */
static OLK_NOINLINE void olk_sorf_expert_weights(const olk_sorf *p, const olk_real *cumulative_loss,
                                                 olk_expert_weights *weights)
{
    const int32_t A = p->n_blends;
    const olk_real sharp = (olk_real)p->sharp;
    const olk_real *outside = cumulative_loss + p->groups * A;
    olk_real min_loss = cumulative_loss[0], total = 0;
    for (int32_t q = 1; q < p->groups * A; q++)
        min_loss = cumulative_loss[q] < min_loss ? cumulative_loss[q] : min_loss;
    for (int i = 0, q = 0; i < olk_outsiders(p); i++) {
        weights->beta[i] = 0;
        if (!olk_has_outsider(p, i))
            continue;
        const olk_real loss = outside[q++] + olk_outsider_cost(p, i) / sharp;
        min_loss = loss < min_loss ? loss : min_loss;
    }
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] = weights->alpha[g] = 0;
        for (int32_t q = 0; q < A; q++) {
            const olk_real e = olk_exponential(-sharp * (cumulative_loss[g * A + q] - min_loss));
            weights->E[g] += e;
            weights->alpha[g] += e * (olk_real)p->blends[q];
        }
        total += weights->E[g];
    }
    for (int i = 0, q = 0; i < olk_outsiders(p); i++)
        if (olk_has_outsider(p, i))
            total += weights->beta[i] = olk_exponential(-sharp * (outside[q++] - min_loss) -
                                                        olk_outsider_cost(p, i));
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] /= total;
        weights->alpha[g] /= total;
    }
    for (int i = 0; i < olk_outsiders(p); i++)
        weights->beta[i] /= total;
}

/* One expert's score for a column: a blend of group g, or (g = -1) the weighted sum of all
   experts. */
static OLK_NOINLINE olk_real olk_sorf_score(const olk_group_scores *f,
                                            const olk_expert_weights *weights, ptrdiff_t g,
                                            olk_real blend, ptrdiff_t c)
{
    const ptrdiff_t K = OLK_OPTIONS_OF(f->p)->classes;
    if (g >= 0)
        return f->fa[g * K + c] + blend * (f->fw[g * K + c] - f->fa[g * K + c]);
    olk_real sum = 0;
    for (g = 0; g < OLK_OPTIONS_OF(f->p)->groups; g++)
        sum += weights->E[g] * f->fa[g * K + c] +
               weights->alpha[g] * (f->fw[g * K + c] - f->fa[g * K + c]);
    for (int i = 0; i < olk_outsiders(OLK_OPTIONS_OF(f->p)); i++)
        if (olk_has_outsider(OLK_OPTIONS_OF(f->p), i))
            sum += weights->beta[i] * olk_outside_score(f, i, c);
    return sum;
}

/* The best wrong class by that score, the smallest at a tie. */
static OLK_NOINLINE ptrdiff_t olk_sorf_rival(const olk_group_scores *f,
                                             const olk_expert_weights *weights, ptrdiff_t g,
                                             olk_real blend, olk_real y)
{
    ptrdiff_t best = -1;
    olk_real best_score = 0;
    for (ptrdiff_t c = 0; c < OLK_OPTIONS_OF(f->p)->classes; c++) {
        if (c == (ptrdiff_t)y)
            continue;
        const olk_real score = olk_sorf_score(f, weights, g, blend, c);
        if (best < 0 || score > best_score) {
            best = c;
            best_score = score;
        }
    }
    return best;
}

/* y f with two classes, f_y minus the best other score with several; a mistake if not above 0. */
static inline olk_real olk_sorf_margin(const olk_group_scores *f, const olk_expert_weights *weights,
                                       ptrdiff_t g, olk_real blend, olk_real y)
{
    if (OLK_OPTIONS_OF(f->p)->task != OLK_SORF_CLASSES)
        return y * olk_sorf_score(f, weights, g, blend, 0);
    return olk_sorf_score(f, weights, g, blend, (ptrdiff_t)y) -
           olk_sorf_score(f, weights, g, blend, olk_sorf_rival(f, weights, g, blend, y));
}

/* An expert's loss, given its margin or, for regression, its score. */
static inline olk_real olk_sorf_cost(const olk_sorf *p, olk_real margin, olk_real y)
{
    if (p->task != OLK_SORF_REGRESSION)
        return margin <= 0;
    const olk_real square = (y - margin) * (y - margin);
    return square < OLK_MAX_ERROR ? square : OLK_MAX_ERROR;
}

/* -- Labels that come late (section 7h) -- */

/* delta to the power of `rows`, by squares. */
static inline olk_real olk_decayed(olk_real delta, uint64_t rows)
{
    olk_real decayed = 1;
    for (; rows; rows >>= 1, delta *= delta)
        decayed *= rows & 1 ? delta : 1;
    return decayed;
}

/* How the row that is learned counts in the losses of experts. */
typedef struct {
    const uint8_t *answers; /* those of when it was asked; NULL: experts count as they answer now */
    olk_real decay, weight;
} olk_counting;

/* A row that was asked counts if its answers were kept, and then for those that were not. */
static inline olk_counting olk_counting_of(const olk_sorf *p, const olk_sorf_state *s,
                                           olk_real weight)
{
    olk_counting count = {NULL, (olk_real)p->delta, weight};
    if (!olk_is_late(p) || !olk_waited(s))
        return count;
    count.answers = olk_entry_learned(p, s);
    count.decay = count.answers ? olk_decayed((olk_real)p->delta, (uint64_t)p->spacing) : 1;
    count.weight = count.answers ? (olk_real)p->spacing * weight : 0;
    return count;
}

/* Number i of an entry of regression. */
static inline olk_real olk_score_in_entry(const uint8_t *entry, int32_t i)
{
    float score;
    memcpy(&score, entry + (size_t)i * sizeof score, sizeof score);
    return (olk_real)score;
}

static inline void olk_put_score_in_entry(uint8_t *entry, int32_t i, olk_real f)
{
    const float score = (float)f;
    memcpy(entry + (size_t)i * sizeof score, &score, sizeof score);
}

/* What the answer of expert i in an entry costs; those of the memory are behind the others. */
static OLK_NOINLINE olk_real olk_cost_in_entry(const olk_sorf *p, const uint8_t *entry, int32_t i,
                                               olk_real y)
{
    const int32_t G = p->groups, A = p->n_blends;
    if (p->task == OLK_SORF_CLASSES)
        return entry[i] != (int)y;
    if (p->task == OLK_SORF_BINARY)
        return (entry[i / 8] >> i % 8 & 1) != (y > 0);
    if (i >= G * A)
        return olk_sorf_cost(p, olk_score_in_entry(entry, 2 * G + i - G * A), y);
    const olk_real fw = olk_score_in_entry(entry, i / A);
    const olk_real fa = olk_score_in_entry(entry, G + i / A);
    return olk_sorf_cost(p, fa + (olk_real)p->blends[i % A] * (fw - fa), y);
}

/* The class with the largest score of columns up to c, given that of those before; OLK_NO_CLASS at
   a tie; one column: whether the score is not below 0. */
static inline int olk_answer_with(const olk_sorf *p, ptrdiff_t c, olk_real score, olk_real *best,
                                  int before)
{
    if (p->task != OLK_SORF_CLASSES)
        return score >= 0;
    if (c > 0 && !(score > *best))
        return score == *best ? OLK_NO_CLASS : before;
    *best = score;
    return (int)c;
}

static inline void olk_put_answer(const olk_sorf *p, uint8_t *entry, int32_t i, int answer)
{
    if (p->task == OLK_SORF_CLASSES)
        entry[i] = (uint8_t)answer;
    else
        entry[i / 8] |= (uint8_t)(answer << i % 8);
}

/* Writes the answers of experts to an entry, but for those of a row memory; regression: the scores
   that they follow from. */
static inline void olk_put_answers(const olk_group_scores *f, uint8_t *entry)
{
    const olk_sorf *p = f->p;
    const int32_t G = p->groups;
    const int regression = p->task == OLK_SORF_REGRESSION;
    int32_t at = regression ? 2 * G : G * p->n_blends;
    memset(entry, 0, olk_entry_bytes(p));
    for (int32_t g = 0; g < G; g++) {
        if (regression) {
            olk_put_score_in_entry(entry, g, f->fw[g]);
            olk_put_score_in_entry(entry, G + g, f->fa[g]);
            continue;
        }
        for (int32_t q = 0; q < p->n_blends; q++) {
            olk_real best = 0;
            int answer = 0;
            for (ptrdiff_t c = 0; c < p->classes; c++)
                answer = olk_answer_with(
                    p, c, olk_sorf_score(f, NULL, g, (olk_real)p->blends[q], c), &best, answer);
            olk_put_answer(p, entry, g * p->n_blends + q, answer);
        }
    }
    for (int i = 0; i < olk_outsiders(p); i++) {
        if (!olk_has_outsider(p, i))
            continue;
        if (regression)
            olk_put_score_in_entry(entry, at++, f->outside[i]);
        else if (p->task == OLK_SORF_CLASSES) /* a class plus 1, or 0 */
            olk_put_answer(p, entry, at++,
                           f->outside[i] > 0 ? (int)f->outside[i] - 1 : OLK_NO_CLASS);
        else
            olk_put_answer(p, entry, at++, f->outside[i] >= 0);
    }
}

/* -- Losses -- */

/* Cumulative losses after a row; costs: those of the average and of the last weights of group
   `lead`. */
static OLK_NOINLINE void olk_sorf_update_losses(const olk_group_scores *f, const olk_sorf_state *s,
                                                olk_real y, olk_real weight, int32_t lead,
                                                olk_real *costs)
{
    const olk_sorf *p = OLK_OPTIONS_OF(f->p);
    const int regression = p->task == OLK_SORF_REGRESSION;
    const int late = olk_is_late(p);
    const olk_counting count = olk_counting_of(p, s, weight);
    olk_real *cumulative_loss = s->L;
    int32_t expert = 0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t q = 0; q < p->n_blends; q++, cumulative_loss++) {
            const olk_real blend = (olk_real)p->blends[q];
            const olk_real m = regression ? olk_sorf_score(f, NULL, g, blend, 0)
                                          : olk_sorf_margin(f, NULL, g, blend, y);
            const olk_real cost = olk_sorf_cost(p, m, y);
            const olk_real counted = late && count.answers
                                         ? olk_cost_in_entry(p, count.answers, expert++, y)
                                         : cost;
            *cumulative_loss = count.decay * *cumulative_loss + count.weight * counted;
            if (q != 0 && q != p->n_blends - 1)
                continue;
            if (g == lead)
                costs[q > 0] = cost;
            if (late) {
                olk_real *of_window = (olk_real *)s->late_losses + 2 * g + (q > 0);
                *of_window = (olk_real)p->delta * *of_window + weight * cost;
            }
        }
    for (int i = 0; i < olk_outsiders(p); i++) {
        if (!olk_has_outsider(p, i))
            continue;
        olk_real m = regression ? f->outside[i] : y * f->outside[i];
        if (p->task == OLK_SORF_CLASSES) /* another class loses, and so does none */
            m = (olk_real)(f->outside[i] == y + 1);
        const olk_real counted = late && count.answers
                                     ? olk_cost_in_entry(p, count.answers, expert++, y)
                                     : olk_sorf_cost(p, m, y);
        *cumulative_loss = count.decay * *cumulative_loss + count.weight * counted;
        cumulative_loss++;
    }
}

/* Averaging windows after every eighth row, the row just learned counted. */
static OLK_NOINLINE void olk_sorf_windows(const olk_sorf *p, const olk_sorf_state *s)
{
    const uint64_t t = *s->t;
    olk_real *n = s->n;
    if (t % OLK_OCTET)
        return;
    const olk_real shortest = (olk_real)p->cmin, longest = (olk_real)p->cmax;
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_real *losses = olk_is_late(p) ? (const olk_real *)s->late_losses + 2 * g
                                                : (const olk_real *)s->L + g * p->n_blends;
        const int32_t last = olk_is_late(p) ? 1 : p->n_blends - 1;
        if (losses[0] <= losses[last]) {
            n[g] = n[g] + 1 < longest ? n[g] + 1 : longest;
        } else {
            const olk_real octets = (olk_real)(t / OLK_OCTET + 1);
            const olk_real floor = octets < shortest ? octets : shortest;
            const olk_real shrunk = (olk_real)p->shrink * n[g];
            n[g] = shrunk > floor ? shrunk : floor;
        }
    }
}

/* The group with the largest expert weight, the first at a tie. */
static inline int32_t olk_heaviest_group(const olk_sorf *p, const olk_expert_weights *weights)
{
    int32_t lead = 0;
    for (int32_t g = 1; g < p->groups; g++)
        lead = weights->E[g] > weights->E[lead] ? g : lead;
    return lead;
}

/* -- Targets of regression --
   Their mean and sum of squared deviations are sums over all rows, which must not stop at 2^24 of
   them: in double, whatever the type of weights. */

/* Standard deviation of the first `rows` targets; 1 while it is 0 or its square underflows. */
static inline double olk_sorf_deviation(const double *target, uint64_t rows)
{
    const double square = rows > 1 ? target[1] / (double)(rows - 1) : 0.0;
    return square > 0.0 ? olk_sqrt(square) : 1.0;
}

/* Learns target number t (from 0); returns it scaled by the mean and deviation that include it. */
static inline double olk_sorf_scale(double *target, uint64_t t, double y)
{
    const double gap = y - target[0];
    target[0] += gap / (double)(t + 1);
    target[1] += gap * (y - target[0]);
    return (y - target[0]) / olk_sorf_deviation(target, t + 1);
}
