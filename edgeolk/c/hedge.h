/* Hedging over the experts of `sorf`: expert weights, margins, cumulative losses, averaging windows,
   scaled targets (docs/sorf.md, section 6). Scores are arrays [groups][columns]. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sorf_form.h"

/* Blocks are averaged in turn, one in eight per row (docs/sorf.md, section 5, step 6). */
enum { OLK_OCTET = 8 };
/* Squared errors are clipped here (section 6). */
enum { OLK_MAX_ERROR = 4 };

/* Weights of the experts: f = sum_g E_g f_a,g + alpha_g (f_w,g - f_a,g) + beta f_linear +
   beta_last f_last. They follow from the cumulative losses, so they are not stored. */
typedef struct {
    olk_real E[OLK_SORF_GROUPS], alpha[OLK_SORF_GROUPS];
    olk_real beta, beta_last;
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
    olk_real f_linear;
    olk_real last; /* class + 1 for several classes, 0 before the first row */
    olk_real *recalled; /* row memory: g, space for f_s, the narrower kernel's g; or NULL */
} olk_group_scores;

/* The last label's score for a column. */
static inline olk_real olk_sorf_last(const olk_group_scores *f, ptrdiff_t c)
{
    return OLK_OPTIONS_OF(f->p)->task == OLK_SORF_CLASSES ? (olk_real)(f->last == (olk_real)(c + 1))
                                                          : f->last;
}

/* Expert weights from the cumulative losses. */
static OLK_NOINLINE void olk_sorf_expert_weights(const olk_sorf *p, const olk_real *cumulative_loss,
                                                 olk_expert_weights *weights)
{
    const int32_t A = p->n_blends, n_group_experts = p->groups * A;
    const int32_t n_experts = n_group_experts + (p->linear != 0) + (p->last_label != 0);
    const olk_real sharp = (olk_real)p->sharp;
    olk_real min_loss = cumulative_loss[0], total = 0, rest[2] = {0, 0};
    for (int32_t q = 1; q < n_experts; q++)
        min_loss = cumulative_loss[q] < min_loss ? cumulative_loss[q] : min_loss;
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] = weights->alpha[g] = 0;
        for (int32_t q = 0; q < A; q++) {
            const olk_real e = olk_exponential(-sharp * (cumulative_loss[g * A + q] - min_loss));
            weights->E[g] += e;
            weights->alpha[g] += e * (olk_real)p->blends[q];
        }
        total += weights->E[g];
    }
    for (int32_t q = n_group_experts; q < n_experts; q++)
        total += rest[q - n_group_experts] =
            olk_exponential(-sharp * (cumulative_loss[q] - min_loss));
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] /= total;
        weights->alpha[g] /= total;
    }
    weights->beta = p->linear ? rest[0] / total : 0;
    weights->beta_last = p->last_label ? rest[p->linear != 0] / total : 0;
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
    if (OLK_OPTIONS_OF(f->p)->linear)
        sum += weights->beta * f->f_linear;
    if (OLK_OPTIONS_OF(f->p)->last_label)
        sum += weights->beta_last * olk_sorf_last(f, c);
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

/* Cumulative losses after a row; costs: those of the average and of the last weights of group
   `lead`. */
static OLK_NOINLINE void olk_sorf_update_losses(const olk_group_scores *f, olk_real y,
                                                olk_real weight, olk_real *cumulative_loss,
                                                int32_t lead, olk_real *costs)
{
    const olk_sorf *p = OLK_OPTIONS_OF(f->p);
    const int regression = p->task == OLK_SORF_REGRESSION;
    const olk_real delta = (olk_real)p->delta;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t q = 0; q < p->n_blends; q++, cumulative_loss++) {
            const olk_real blend = (olk_real)p->blends[q];
            const olk_real m = regression ? olk_sorf_score(f, NULL, g, blend, 0)
                                          : olk_sorf_margin(f, NULL, g, blend, y);
            const olk_real cost = olk_sorf_cost(p, m, y);
            *cumulative_loss = delta * *cumulative_loss + weight * cost;
            if (g == lead && (q == 0 || q == p->n_blends - 1))
                costs[q > 0] = cost;
        }
    if (p->linear) {
        const olk_real m = regression ? f->f_linear : y * f->f_linear;
        *cumulative_loss = delta * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
        cumulative_loss++;
    }
    if (p->last_label) {
        olk_real m = regression ? f->last : y * f->last;
        if (p->task == OLK_SORF_CLASSES) /* a wrong last label loses, a missing one is a tie */
            m = (olk_real)(f->last == y + 1 ? 1 : (f->last == 0 ? 0 : -1));
        *cumulative_loss = delta * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
    }
}

/* Averaging windows after every eighth row, t counting rows. */
static OLK_NOINLINE void olk_sorf_windows(const olk_sorf *p, const olk_real *cumulative_loss,
                                          uint64_t t, olk_real *n)
{
    if (t % OLK_OCTET)
        return;
    const olk_real shortest = (olk_real)p->cmin, longest = (olk_real)p->cmax;
    for (int32_t g = 0; g < p->groups; g++) {
        const olk_real *losses = cumulative_loss + g * p->n_blends;
        if (losses[0] <= losses[p->n_blends - 1]) {
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
