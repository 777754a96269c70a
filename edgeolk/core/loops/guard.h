/* Weights of experts by their regrets (ML-Poly: Gaillard, Stoltz & van Erven, COLT 2014), here
   discounted and clipped (docs/forecast.md, sections 3.7 and 4.1). */
#pragma once

#include "bounded.h"

enum { OLK_CANDIDATES = 3 };
/* Discount of the regrets; where errors are clipped, in mean errors of the head. */
static const olk_real olk_regret_memory = (olk_real)0.999, olk_regret_clip = 4;

/* Weights from regrets and squares, [n] each; uniform if no regret is positive. */
static inline void olk_guard_shares(const olk_input *state, int32_t n, olk_real *weights)
{
    olk_real total = 0;
    for (int32_t c = 0; c < n; c++) {
        const olk_real regret = olk_most((olk_real)state[c], 0);
        weights[c] = regret > 0 && (olk_real)state[n + c] > 0 ? regret / (olk_real)state[n + c] : 0;
        total += weights[c];
    }
    for (int32_t c = 0; c < n; c++)
        weights[c] = total > 0 ? weights[c] / total : 1 / (olk_real)n;
}

/* Learns the target y of an answer and of the experts' forecasts; `unit` is the head's mean
   error. */
static inline void olk_guard_learn(olk_input *state, int32_t n, const olk_real *experts,
                                   olk_real answer, olk_real y, olk_real unit)
{
    const olk_real error = olk_bounded((answer - y) / unit, olk_regret_clip);
    for (int32_t c = 0; c < n; c++) {
        const olk_real x = error * olk_bounded((answer - experts[c]) / unit, olk_regret_clip);
        state[c] = (olk_input)(olk_regret_memory * (olk_real)state[c] + x);
        state[n + c] = (olk_input)(olk_regret_memory * (olk_real)state[n + c] + x * x);
    }
}
