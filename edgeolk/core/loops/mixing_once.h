/* The functions of mixing.h that are compiled once for all sets of instructions. */
#pragma once

#include "mixing.h"

OLK_ONCE void olk_sorf_share(const olk_sorf *p, const double *L, olk_sorf_shares *share)
{
    const int32_t A = p->n_blends, own = p->groups * A;
    const int32_t all = own + (p->linear != 0) + (p->last_label != 0);
    double least = L[0], total = 0.0, rest[2] = {0.0, 0.0};
    for (int32_t q = 1; q < all; q++)
        least = L[q] < least ? L[q] : least;
    for (int32_t g = 0; g < p->groups; g++) {
        share->E[g] = share->alpha[g] = 0.0;
        for (int32_t q = 0; q < A; q++) {
            const double e = olk_sorf_exp(-p->sharp * (L[g * A + q] - least));
            share->E[g] += e;
            share->alpha[g] += e * p->blends[q];
        }
        total += share->E[g];
    }
    for (int32_t q = own; q < all; q++)
        total += rest[q - own] = olk_sorf_exp(-p->sharp * (L[q] - least));
    for (int32_t g = 0; g < p->groups; g++) {
        share->E[g] /= total;
        share->alpha[g] /= total;
    }
    share->beta = p->linear ? rest[0] / total : 0.0;
    share->beta_last = p->last_label ? rest[p->linear != 0] / total : 0.0;
}

OLK_ONCE double olk_sorf_score(const olk_sorf_answers *f, const olk_sorf_shares *share, ptrdiff_t g,
                               double blend, ptrdiff_t c)
{
    const ptrdiff_t K = f->p->classes;
    if (g >= 0)
        return f->fa[g * K + c] + blend * (f->fw[g * K + c] - f->fa[g * K + c]);
    double sum = 0.0;
    for (g = 0; g < f->p->groups; g++)
        sum += share->E[g] * f->fa[g * K + c] +
               share->alpha[g] * (f->fw[g * K + c] - f->fa[g * K + c]);
    if (f->p->linear)
        sum += share->beta * f->f_linear;
    if (f->p->last_label)
        sum += share->beta_last * olk_sorf_last(f, c);
    return sum;
}

OLK_ONCE ptrdiff_t olk_sorf_rival(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                  ptrdiff_t g, double blend, double y)
{
    ptrdiff_t best = -1;
    double most = 0.0;
    for (ptrdiff_t c = 0; c < f->p->classes; c++) {
        if (c == (ptrdiff_t)y)
            continue;
        const double score = olk_sorf_score(f, share, g, blend, c);
        if (best < 0 || score > most) {
            best = c;
            most = score;
        }
    }
    return best;
}

OLK_ONCE void olk_sorf_count(const olk_sorf_answers *f, double y, double weight, double *L,
                             int32_t lead, double *costs)
{
    const olk_sorf *p = f->p;
    const int real = p->task == OLK_SORF_REGRESSION;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t q = 0; q < p->n_blends; q++, L++) {
            const double m = real ? olk_sorf_score(f, NULL, g, p->blends[q], 0)
                                  : olk_sorf_margin(f, NULL, g, p->blends[q], y);
            const double cost = olk_sorf_cost(p, m, y);
            *L = p->memory * *L + weight * cost;
            if (g == lead && (q == 0 || q == p->n_blends - 1))
                costs[q > 0] = cost;
        }
    if (p->linear) {
        const double m = real ? f->f_linear : y * f->f_linear;
        *L = p->memory * *L + weight * olk_sorf_cost(p, m, y);
        L++;
    }
    if (p->last_label) {
        double m = real ? f->last : y * f->last;
        if (p->task == OLK_SORF_CLASSES) /* a wrong last label loses, no label is a tie */
            m = f->last == y + 1.0 ? 1.0 : (f->last == 0.0 ? 0.0 : -1.0);
        *L = p->memory * *L + weight * olk_sorf_cost(p, m, y);
    }
}

OLK_ONCE void olk_sorf_windows(const olk_sorf *p, const double *L, uint64_t t, double *n)
{
    if (t % OLK_OCTET)
        return;
    for (int32_t g = 0; g < p->groups; g++) {
        const double *of = L + g * p->n_blends;
        if (of[0] <= of[p->n_blends - 1]) {
            n[g] = n[g] + 1.0 < p->cmax ? n[g] + 1.0 : p->cmax;
        } else {
            const double octets = (double)(t / OLK_OCTET + 1);
            const double floor = octets < p->cmin ? octets : p->cmin;
            n[g] = p->shrink * n[g] > floor ? p->shrink * n[g] : floor;
        }
    }
}
