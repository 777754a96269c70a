/* Weights of experts by their regrets (ML-Poly: Gaillard, Stoltz & van Erven, COLT 2014), here
   discounted and clipped (docs/forecast.md, sections 3.7 and 4.1). */
#pragma once

#include "bounded.h"

enum { OLK_EXPERTS = 3 };
/* Discount of the regrets; where errors are clipped, in mean errors of the head. */
static const olk_compute_t olk_regret_memory = (olk_compute_t)0.999, olk_regret_clip = 4;

/* Weights from regrets and squares, [n] each; uniform if no regret is positive. */
static inline void olk_ml_poly_weights(const olk_input *state, int32_t n, olk_compute_t *weights)
{
    olk_compute_t total = 0;
    for (int32_t c = 0; c < n; c++) {
        const olk_compute_t regret = olk_max((olk_compute_t)state[c], 0);
        weights[c] = regret > 0 && (olk_compute_t)state[n + c] > 0
                         ? regret / (olk_compute_t)state[n + c]
                         : 0;
        total += weights[c];
    }
    for (int32_t c = 0; c < n; c++)
        weights[c] = total > 0 ? weights[c] / total : 1 / (olk_compute_t)n;
}

/* Learns the target y of an answer and of the experts' forecasts; `unit` is the head's mean
   error. */
static inline void olk_ml_poly_learn(olk_input *state, int32_t n, const olk_compute_t *experts,
                                     olk_compute_t answer, olk_compute_t y, olk_compute_t unit)
{
    const olk_compute_t error = olk_clip((answer - y) / unit, olk_regret_clip);
    for (int32_t c = 0; c < n; c++) {
        const olk_compute_t x = error * olk_clip((answer - experts[c]) / unit, olk_regret_clip);
        state[c] = (olk_input)(olk_regret_memory * (olk_compute_t)state[c] + x);
        state[n + c] = (olk_input)(olk_regret_memory * (olk_compute_t)state[n + c] + x * x);
    }
}
