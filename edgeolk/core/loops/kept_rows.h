/* Where a memory of rows lies (docs/sorf.md, section 7f), what it says beside the features, and how it
   is emptied. Functions without a type of weights, in double. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exponential.h"
#include "mixing.h"
#include "roots.h"
#include "sorf_types.h"

/* Codes go from -7 to 7 in steps of a fifth of sqrt(gamma d); they are stored with 8 added. */
enum { OLK_MOST_CODE = 7, OLK_CODE_OF_ZERO = 8 };
static const double olk_memory_step = 5.0;
/* Shares of the memory in the candidates, and what a whole one costs in mistakes (rho). */
OLK_TABLE double olk_memory_shares[OLK_MEMORY_SHARES] = {0.0, 0.25, 0.5, 0.75, 1.0};
static const double olk_memory_cost = 4.0;
/* Nearer to a decision than this, scores of features are computed again in olk_real. */
static const double olk_memory_undecided = 1e-4;

/* Whether there is a memory; a program that has none leaves its code out. */
static inline int olk_remembers(const olk_sorf *p)
{
#ifdef OLK_SORF_FORGETS
    (void)p;
    return 0;
#else
    return p->row_memory > 0;
#endif
}

/* Steps of the codes in a unit of an input, by the width of the kernel at the start. */
static inline void olk_set_memory_steps(olk_sorf *p, double gamma)
{
    p->memory_steps = olk_memory_step * olk_sqrt(gamma * (double)p->d);
}

/* Codes of inputs 2 c (low half) and 2 c + 1 of all rows; after them labels, or labels with the sign of
   y and the size of the coefficient; for several classes rivals and coefficients too. */
static inline uint8_t *olk_memory_codes(const olk_sorf *p, const olk_sorf_state *s, ptrdiff_t c)
{
    return s->memory_rows + c * p->row_memory;
}

static inline uint8_t *olk_memory_labels(const olk_sorf *p, const olk_sorf_state *s)
{
    return olk_memory_codes(p, s, (p->d + 1) / 2);
}

/* Rows held, and where the search for the smallest coefficient begins. */
static inline ptrdiff_t olk_memory_held(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held & UINT32_MAX);
}

static inline ptrdiff_t olk_memory_head(const olk_sorf_state *s)
{
    return (ptrdiff_t)(*s->memory_held >> 32);
}

static inline void olk_memory_hold(const olk_sorf_state *s, ptrdiff_t held, ptrdiff_t head)
{
    *s->memory_held = (uint64_t)held | (uint64_t)head << 32;
}

/* The share of the memory in the next answer. */
static inline double olk_memory_share(const double *L)
{
    double least = L[0], total = 0.0, share = 0.0;
    for (int i = 1; i < OLK_MEMORY_SHARES; i++)
        least = L[i] < least ? L[i] : least;
    for (int i = 0; i < OLK_MEMORY_SHARES; i++) {
        const double e = olk_sorf_exp(-(L[i] - least) - olk_memory_cost * olk_memory_shares[i]);
        share += e * olk_memory_shares[i];
        total += e;
    }
    return share / total;
}

/* The memory begins anew. */
static inline void olk_forget_rows(const olk_sorf_state *s)
{
    *s->memory_held = 0;
    memset(s->memory_mistakes, 0, OLK_MEMORY_SHARES * sizeof *s->memory_mistakes);
}

/* The largest but one, the smallest class at a tie. */
static inline ptrdiff_t olk_best_other(const double *f, ptrdiff_t classes, ptrdiff_t but)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t c = 0; c < classes; c++)
        if (c != but && (best < 0 || f[c] > f[best]))
            best = c;
    return best;
}

/* y f with two classes, f_y less the best other with several, of f = f_s + share (g - f_s). */
static inline double olk_margin_with(const olk_sorf *p, const double *f_s, const double *g,
                                     double share, double y)
{
    if (p->task != OLK_SORF_CLASSES)
        return y * (*f_s + share * (*g - *f_s));
    const ptrdiff_t mine = (ptrdiff_t)y;
    const double own = f_s[mine] + share * (g[mine] - f_s[mine]);
    double best = 0.0;
    int some = 0;
    for (ptrdiff_t c = 0; c < p->classes; c++) {
        const double other = f_s[c] + share * (g[c] - f_s[c]);
        if (c != mine && (!some || other > best)) {
            best = other;
            some = 1;
        }
    }
    return own - best;
}

/* What the features say of a row, [K] behind the g[K] of the memory. */
static inline const double *olk_said_beside(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                            double *recalled)
{
    double *f_s = recalled + f->p->classes;
    for (ptrdiff_t c = 0; c < f->p->classes; c++)
        f_s[c] = olk_sorf_score(f, share, -1, 0.0, c);
    return f_s;
}

/* Whether a candidate, or the blend, is too near to a decision for scores in single precision. */
static inline int olk_memory_is_undecided(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                          const olk_sorf_state *s, double y)
{
    const double *f_s = olk_said_beside(f, share, f->recalled);
    const double now = olk_memory_share(s->memory_mistakes);
    int undecided = 0;
    for (int i = 0; i < OLK_MEMORY_SHARES && !undecided; i++) {
        const double by = i < OLK_MEMORY_SHARES - 1 ? olk_memory_shares[i] : now; /* 1: g alone */
        undecided = olk_fabs(olk_margin_with(f->p, f_s, f->recalled, by, y)) < olk_memory_undecided;
    }
    return undecided;
}

/* The margin of a row with the memory beside the features, and its score with two classes; the
   candidates are counted. */
static inline double olk_blend_memory(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                      const olk_sorf_state *s, double y, double weight,
                                      double *score)
{
    const olk_sorf *p = f->p;
    double *L = s->memory_mistakes;
    const double *f_s = olk_said_beside(f, share, f->recalled), *g = f->recalled;
    const double now = olk_memory_share(L), margin = olk_margin_with(p, f_s, g, now, y);
    for (int i = 0; i < OLK_MEMORY_SHARES; i++) {
        const double m = olk_margin_with(p, f_s, g, olk_memory_shares[i], y);
        L[i] = p->memory * L[i] + (m <= 0.0 ? weight : 0.0);
    }
    *score = p->task == OLK_SORF_CLASSES ? margin : *f_s + now * (*g - *f_s);
    return margin;
}
