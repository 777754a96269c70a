/* The functions of mixing.h that are compiled once for all instruction sets. */
#pragma once

#include "mixing.h"

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
            *cumulative_loss = p->memory * *cumulative_loss + weight * cost;
            if (g == lead && (q == 0 || q == p->n_blends - 1))
                costs[q > 0] = cost;
        }
    if (p->linear) {
        const double m = regression ? f->f_linear : y * f->f_linear;
        *cumulative_loss = p->memory * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
        cumulative_loss++;
    }
    if (p->last_label) {
        double m = regression ? f->last : y * f->last;
        if (p->task == OLK_SORF_CLASSES) /* a wrong last label loses, a missing one is a tie */
            m = f->last == y + 1.0 ? 1.0 : (f->last == 0.0 ? 0.0 : -1.0);
        *cumulative_loss = p->memory * *cumulative_loss + weight * olk_sorf_cost(p, m, y);
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
