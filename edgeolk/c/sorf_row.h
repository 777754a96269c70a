/* What a learner on structured features does whatever the type of its weights: the bounds that it
   checks a row against, and its initialisation. */
#pragma once

#include "drift.h"
#include "watch_state.h"

/* The largest sums of |x_j|, in either type; the largest growth by three transforms (64^3) and
   relevance (e^2); the limits for the linear expert, which takes squares, and for gradients, which
   are squared and grow with a row and with the widths. */
static const double olk_max_double_sum = 1e300;
static const olk_scalar olk_max_single_sum = (olk_scalar)1e30, olk_max_growth = 2000000;
static const olk_scalar olk_max_linear_sum = (olk_scalar)1e12;
static const olk_scalar olk_max_gradient_sum = (olk_scalar)1e10;

/* Sets the frequencies for a kernel width, `widths` being its multiples for each group. Returns the
   largest sum of |x_j| of a row whose angles and squares do not overflow. `wide`: rows are doubles,
   else floats. */
static inline olk_scalar olk_sorf_set_width(const olk_sorf *p, olk_scalar (*omega)[OLK_SORF_WIDTHS],
                                            const olk_scalar (*widths)[OLK_SORF_WIDTHS],
                                            olk_scalar gamma, int wide)
{
    olk_scalar widest = 0;
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++) {
            const olk_scalar m = widths[g][i];
            omega[g][i] =
                wide ? (olk_scalar)(olk_sqrt(2.0 * (double)gamma * (double)m) / 64.0)
                     : (olk_scalar)(olk_sqrtf(2.0f * (float)gamma * (float)m) / 64.0f);
            widest = omega[g][i] > widest ? omega[g][i] : widest;
        }
    const olk_scalar growth = olk_max_growth * widest;
    olk_scalar max_sum =
        (wide ? (olk_scalar)olk_max_double_sum : olk_max_single_sum) / (growth > 1 ? growth : 1);
    if (p->linear || p->linear_group)
        max_sum = max_sum < olk_max_linear_sum ? max_sum : olk_max_linear_sum;
    if (p->relevance) {
        const olk_scalar bound = olk_max_gradient_sum / (64 * widest > 1 ? 64 * widest : 1);
        max_sum = max_sum < bound ? max_sum : bound;
    }
    return max_sum;
}

/* Whether the sum of |x_j| is at most `max_sum`; false for NaN. */
static inline int olk_sorf_accepts(const void *x, ptrdiff_t d, int wide, olk_scalar max_sum)
{
    olk_scalar total = 0;
    for (ptrdiff_t j = 0; j < d; j++)
        total += wide ? (olk_scalar)olk_fabs(((const double *)x)[j])
                      : (olk_scalar)olk_fabsf(((const float *)x)[j]);
    return total <= max_sum;
}

/* Whether a regression target can be learned. */
static inline int olk_sorf_accepts_target(double y)
{
    return olk_fabs(y) <= OLK_MAX_DOUBLE_TARGET;
}

/* Initialises a new learner, whose memory is all zero: averaging windows, variances of the linear
   expert and the spread of the inputs begin at 1. */
static inline void olk_sorf_begin(const olk_sorf *p, const olk_sorf_state *s, int wide)
{
    olk_begin_windows(p, s, wide);
    if (p->drift)
        olk_put_drift_number(s, wide, OLK_DRIFT_SPREAD, 1.0);
    for (ptrdiff_t i = 0; p->linear && i <= p->d; i++) {
        if (wide)
            ((double *)s->Sl)[i] = 1.0;
        else
            ((float *)s->Sl)[i] = 1.0f;
    }
    if (s->watch)
        olk_begin_watch(s, p->d / 3, wide);
}
