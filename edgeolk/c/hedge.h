/* Hedging over the experts of `sorf`, in double and without features: expert weights, margins,
   cumulative losses, averaging windows, scaled targets (docs/sorf.md, section 6). Scores are arrays
   [groups][columns].

   Without #pragma once, as its second half has its own condition: functions that are compiled once
   for all instruction sets are declared here, and defined where OLK_HEDGE_DEFINITIONS asks for them
   (sorf_variants.h) or the program is plain C. */

#ifndef OLK_HEDGE_H
#define OLK_HEDGE_H

#include <stddef.h>
#include <stdint.h>

#include "mathf.h"
#include "sorf_types.h"

/* Blocks are averaged in turn, one in eight per row (docs/sorf.md, section 5, step 6). */
enum { OLK_OCTET = 8 };
/* Squared errors are clipped here (section 6). */
static const double olk_max_error = 4.0;

/* A separate unit defines what is compiled once for all instruction sets (below). */
#ifdef OLK_SORF_PLAIN
#define OLK_SHARED_DEF static OLK_NOINLINE
#else
#define OLK_SHARED_DEF OLK_HIDDEN
#endif

/* Weights of the experts: f = sum_g E_g f_a,g + alpha_g (f_w,g - f_a,g) + beta f_linear +
   beta_last f_last. They follow from the cumulative losses, so they are not stored. */
typedef struct {
    double E[OLK_SORF_GROUPS], alpha[OLK_SORF_GROUPS];
    double beta, beta_last;
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
    const double *fw, *fa; /* [groups][columns] */
    double f_linear;
    double last; /* class + 1 for several classes, 0 before the first row */
    double *recalled; /* row memory: g, space for f_s, the narrower kernel's g; or NULL */
} olk_group_scores;

/* The last label's score for a column. */
static inline double olk_sorf_last(const olk_group_scores *f, ptrdiff_t c)
{
    return f->p->task == OLK_SORF_CLASSES ? (f->last == (double)(c + 1)) : f->last;
}

/* One expert's score for a column: a blend of group g, or (g = -1) the weighted sum of all experts;
   the best wrong class by that score, the smallest at a tie. */
OLK_SHARED_DEF double olk_sorf_score(const olk_group_scores *f, const olk_expert_weights *weights,
                                     ptrdiff_t g, double blend, ptrdiff_t c);
OLK_SHARED_DEF ptrdiff_t olk_sorf_rival(const olk_group_scores *f,
                                        const olk_expert_weights *weights, ptrdiff_t g,
                                        double blend, double y);
/* Expert weights from the cumulative losses; cumulative losses after a row, with the losses of the
   average and of the last weights of group `lead`; averaging windows after every eighth row, t
   counting rows. */
OLK_SHARED_DEF void olk_sorf_expert_weights(const olk_sorf *p, const double *cumulative_loss,
                                            olk_expert_weights *weights);
OLK_SHARED_DEF void olk_sorf_update_losses(const olk_group_scores *f, double y, double weight,
                                           double *cumulative_loss, int32_t lead, double *costs);
OLK_SHARED_DEF void olk_sorf_windows(const olk_sorf *p, const double *cumulative_loss, uint64_t t,
                                     double *n);

/* y f with two classes, f_y minus the best other score with several; a mistake if not above 0. */
static inline double olk_sorf_margin(const olk_group_scores *f, const olk_expert_weights *weights,
                                     ptrdiff_t g, double blend, double y)
{
    if (f->p->task != OLK_SORF_CLASSES)
        return y * olk_sorf_score(f, weights, g, blend, 0);
    return olk_sorf_score(f, weights, g, blend, (ptrdiff_t)y) -
           olk_sorf_score(f, weights, g, blend, olk_sorf_rival(f, weights, g, blend, y));
}

/* An expert's loss, given its margin or, for regression, its score. */
static inline double olk_sorf_cost(const olk_sorf *p, double margin, double y)
{
    if (p->task != OLK_SORF_REGRESSION)
        return margin <= 0.0;
    const double square = (y - margin) * (y - margin);
    return square < olk_max_error ? square : olk_max_error;
}

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

#endif

#if (defined(OLK_SORF_PLAIN) || defined(OLK_HEDGE_DEFINITIONS)) && !defined(OLK_HEDGE_DEFINED)
#define OLK_HEDGE_DEFINED

OLK_SHARED_DEF void olk_sorf_expert_weights(const olk_sorf *p, const double *cumulative_loss,
                                            olk_expert_weights *weights)
{
    const int32_t A = p->n_blends, n_group_experts = p->groups * A;
    const int32_t n_experts = n_group_experts + (p->linear != 0) + (p->last_label != 0);
    double min_loss = cumulative_loss[0], total = 0.0, rest[2] = {0.0, 0.0};
    for (int32_t q = 1; q < n_experts; q++)
        min_loss = cumulative_loss[q] < min_loss ? cumulative_loss[q] : min_loss;
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] = weights->alpha[g] = 0.0;
        for (int32_t q = 0; q < A; q++) {
            const double e = olk_sorf_exp(-p->sharp * (cumulative_loss[g * A + q] - min_loss));
            weights->E[g] += e;
            weights->alpha[g] += e * p->blends[q];
        }
        total += weights->E[g];
    }
    for (int32_t q = n_group_experts; q < n_experts; q++)
        total += rest[q - n_group_experts] =
            olk_sorf_exp(-p->sharp * (cumulative_loss[q] - min_loss));
    for (int32_t g = 0; g < p->groups; g++) {
        weights->E[g] /= total;
        weights->alpha[g] /= total;
    }
    weights->beta = p->linear ? rest[0] / total : 0.0;
    weights->beta_last = p->last_label ? rest[p->linear != 0] / total : 0.0;
}

OLK_SHARED_DEF double olk_sorf_score(const olk_group_scores *f, const olk_expert_weights *weights,
                                     ptrdiff_t g, double blend, ptrdiff_t c)
{
    const ptrdiff_t K = f->p->classes;
    if (g >= 0)
        return f->fa[g * K + c] + blend * (f->fw[g * K + c] - f->fa[g * K + c]);
    double sum = 0.0;
    for (g = 0; g < f->p->groups; g++)
        sum += weights->E[g] * f->fa[g * K + c] +
               weights->alpha[g] * (f->fw[g * K + c] - f->fa[g * K + c]);
    if (f->p->linear)
        sum += weights->beta * f->f_linear;
    if (f->p->last_label)
        sum += weights->beta_last * olk_sorf_last(f, c);
    return sum;
}

OLK_SHARED_DEF ptrdiff_t olk_sorf_rival(const olk_group_scores *f,
                                        const olk_expert_weights *weights, ptrdiff_t g,
                                        double blend, double y)
{
    ptrdiff_t best = -1;
    double best_score = 0.0;
    for (ptrdiff_t c = 0; c < f->p->classes; c++) {
        if (c == (ptrdiff_t)y)
            continue;
        const double score = olk_sorf_score(f, weights, g, blend, c);
        if (best < 0 || score > best_score) {
            best = c;
            best_score = score;
        }
    }
    return best;
}

OLK_SHARED_DEF void olk_sorf_update_losses(const olk_group_scores *f, double y, double weight,
                                           double *cumulative_loss, int32_t lead, double *costs)
{
    const olk_sorf *p = f->p;
    const int regression = p->task == OLK_SORF_REGRESSION;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t q = 0; q < p->n_blends; q++, cumulative_loss++) {
            const double m = regression ? olk_sorf_score(f, NULL, g, p->blends[q], 0)
                                        : olk_sorf_margin(f, NULL, g, p->blends[q], y);
            const double cost = olk_sorf_cost(p, m, y);
            *cumulative_loss = p->delta * *cumulative_loss + weight * cost;
            if (g == lead && (q == 0 || q == p->n_blends - 1))
                costs[q > 0] = cost;
        }
    if (p->linear) {
        const double m = regression ? f->f_linear : y * f->f_linear;
        *cumulative_loss = p->delta * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
        cumulative_loss++;
    }
    if (p->last_label) {
        double m = regression ? f->last : y * f->last;
        if (p->task == OLK_SORF_CLASSES) /* a wrong last label loses, a missing one is a tie */
            m = f->last == y + 1.0 ? 1.0 : (f->last == 0.0 ? 0.0 : -1.0);
        *cumulative_loss = p->delta * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
    }
}

OLK_SHARED_DEF void olk_sorf_windows(const olk_sorf *p, const double *cumulative_loss, uint64_t t,
                                     double *n)
{
    if (t % OLK_OCTET)
        return;
    for (int32_t g = 0; g < p->groups; g++) {
        const double *losses = cumulative_loss + g * p->n_blends;
        if (losses[0] <= losses[p->n_blends - 1]) {
            n[g] = n[g] + 1.0 < p->cmax ? n[g] + 1.0 : p->cmax;
        } else {
            const double octets = (double)(t / OLK_OCTET + 1);
            const double floor = octets < p->cmin ? octets : p->cmin;
            n[g] = p->shrink * n[g] > floor ? p->shrink * n[g] : floor;
        }
    }
}

#endif
