/* What must hold before a row goes to a learner on structured features, and how one begins. */
#pragma once

#include "drift.h"
#include "event_words.h"
#include "novelty_threshold.h"
#include "roots.h"
#include "sorf_types.h"

/* Angles a unit of the transform for a width of the kernel, `widths` its multiples for each group.
   Returns the largest sum of |x_j| that a row may have: angles and squares of what is larger would
   overflow. `wide`: rows are doubles, else floats. */
static inline double olk_sorf_set_width(olk_sorf *p,
                                        const double widths[OLK_SORF_GROUPS][OLK_SORF_WIDTHS],
                                        double gamma, int wide)
{
    double widest = 0.0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++) {
            p->omega[g][i] = olk_sqrt(2.0 * gamma * widths[g][i]) / 64.0;
            widest = p->omega[g][i] > widest ? p->omega[g][i] : widest;
        }
    /* Three transforms grow a sum by 64^3, relevance by e^2; the linear candidate takes squares. */
    double most = (wide ? 1e300 : 1e30) / (2e6 * widest > 1.0 ? 2e6 * widest : 1.0);
    if (p->linear)
        most = most < 1e12 ? most : 1e12;
    if (p->relevance) { /* squares of gradients, which grow with a row and with the widths */
        const double bound = 1e10 / (64.0 * widest > 1.0 ? 64.0 * widest : 1.0);
        most = most < bound ? most : bound;
    }
    return most;
}

/* Whether the sum of |x_j| is at most `most`; no number is not. */
static inline int olk_sorf_takes(const void *x, ptrdiff_t d, int wide, double most)
{
    double total = 0.0;
    for (ptrdiff_t j = 0; j < d; j++)
        total += olk_fabs(wide ? ((const double *)x)[j] : (double)((const float *)x)[j]);
    return total <= most;
}

/* Targets of regression that can be learned. */
static inline int olk_sorf_takes_target(double y)
{
    return olk_fabs(y) <= 1e100;
}

/* A new learner, its memory all zero: the averaging windows, the variances of the linear candidate
   and the spread of the inputs begin at 1, novelty in time with a threshold and no event. */
static inline void olk_sorf_begin(const olk_sorf *p, const olk_sorf_state *s, int wide)
{
    for (int32_t g = 0; s->n && g < p->groups; g++)
        s->n[g] = 1.0;
    if (p->drift)
        olk_put_drift_number(s, wide, OLK_DRIFT_SPREAD, 1.0);
    for (ptrdiff_t i = 0; p->linear && i <= p->d; i++) {
        if (wide)
            ((double *)s->Sl)[i] = 1.0;
        else
            ((float *)s->Sl)[i] = 1.0f;
    }
    if (s->watch) {
        if (wide)
            ((double *)s->deviations)[0] = olk_first_threshold;
        else
            ((float *)s->deviations)[0] = (float)olk_first_threshold;
        s->watch[OLK_QUIET_ROWS] = OLK_EVENT_ROWS + 1;
    }
}
