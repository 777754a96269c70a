/* What `sorf` does with scores, in double and without features: shares of the candidates, margins,
   counters, the averaging window, scaled targets. Scores are arrays [groups][columns]. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "exponential.h"
#include "roots.h"
#include "sorf_types.h"

/* Rows whose blocks are averaged in turn, one in eight (docs/sorf.md, section 5, step 6). */
enum { OLK_OCTET = 8 };
/* The most that a squared error counts for (section 6). */
static const double olk_most_error = 4.0;

/* A unit of its own holds what is compiled once for all sets of instructions (mixing_once.h). */
#ifdef OLK_SORF_PLAIN
#define OLK_ONCE static OLK_APART
#else
#define OLK_ONCE OLK_HIDDEN
#endif

/* Shares of the candidates: f = sum_g E_g f_a,g + alpha_g (f_w,g - f_a,g), and beta f_linear and
   beta_last f_last. They follow from the counters, so they are not stored. */
typedef struct {
    double E[OLK_SORF_GROUPS], alpha[OLK_SORF_GROUPS];
    double beta, beta_last;
} olk_sorf_shares;

/* Where relevance goes: along the score of column `y` less that of `against`, by these shares. */
typedef struct {
    ptrdiff_t y, against;
    olk_sorf_shares share;
} olk_sorf_slope;

/* Everything a row is answered with. */
typedef struct {
    const olk_sorf *p;
    const double *fw, *fa; /* [groups][columns] */
    double f_linear;
    double last; /* class + 1 for several classes, 0 before the first row */
    double *recalled; /* of a memory of rows: g, room for f_s, g of the narrower kernel; or NULL */
} olk_sorf_answers;

/* The last label's score for a column. */
static inline double olk_sorf_last(const olk_sorf_answers *f, ptrdiff_t c)
{
    return f->p->task == OLK_SORF_CLASSES ? (f->last == (double)(c + 1)) : f->last;
}

/* One candidate's score for a column: a blend of group g, or (g = -1) the mixture of all by their
   shares; the best wrong class by it, the smallest at a tie. */
OLK_ONCE double olk_sorf_score(const olk_sorf_answers *f, const olk_sorf_shares *share, ptrdiff_t g,
                               double blend, ptrdiff_t c);
OLK_ONCE ptrdiff_t olk_sorf_rival(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                  ptrdiff_t g, double blend, double y);
/* Shares from the counters; counters after a row, and what the average and the weights of group
   `lead` cost there; averaging windows after every eighth, which t counts. */
OLK_ONCE void olk_sorf_share(const olk_sorf *p, const double *cumulative_loss, olk_sorf_shares *share);
OLK_ONCE void olk_sorf_count(const olk_sorf_answers *f, double y, double weight, double *cumulative_loss,
                             int32_t lead, double *costs);
OLK_ONCE void olk_sorf_windows(const olk_sorf *p, const double *cumulative_loss, uint64_t t, double *n);

/* y f with two classes, f_y less the best other with several; an error where it is not above 0. */
static inline double olk_sorf_margin(const olk_sorf_answers *f, const olk_sorf_shares *share,
                                     ptrdiff_t g, double blend, double y)
{
    if (f->p->task != OLK_SORF_CLASSES)
        return y * olk_sorf_score(f, share, g, blend, 0);
    return olk_sorf_score(f, share, g, blend, (ptrdiff_t)y) -
           olk_sorf_score(f, share, g, blend, olk_sorf_rival(f, share, g, blend, y));
}

/* What a candidate's counter grows by, given its margin or, for regression, its score. */
static inline double olk_sorf_cost(const olk_sorf *p, double margin, double y)
{
    if (p->task != OLK_SORF_REGRESSION)
        return margin <= 0.0;
    const double square = (y - margin) * (y - margin);
    return square < olk_most_error ? square : olk_most_error;
}

/* Deviation of the first `rows` targets from their mean; 1 while there is none, or its square is too
   small for a number. */
static inline double olk_sorf_deviation(const double *target, uint64_t rows)
{
    const double square = rows > 1 ? target[1] / (double)(rows - 1) : 0.0;
    return square > 0.0 ? olk_sqrt(square) : 1.0;
}

/* Takes in target number t (from 0); returns it scaled by the mean and deviation it is part of. */
static inline double olk_sorf_scale(double *target, uint64_t t, double y)
{
    const double gap = y - target[0];
    target[0] += gap / (double)(t + 1);
    target[1] += gap * (y - target[0]);
    return (y - target[0]) / olk_sorf_deviation(target, t + 1);
}
