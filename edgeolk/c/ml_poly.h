/* ML-Poly (Gaillard, Stoltz & van Erven, COLT 2014): weights of models by their regrets, here
   discounted and clipped. For the models of a forecaster (forecast_models.h), and for features and
   the process beside them (mixture.h). The header that includes this says what numbers are, by the
   type olk_regret. */
#pragma once

#include <stdint.h>

/* Discount of the regrets; where errors are clipped, in mean errors; the least square that divides:
   squares decay with regrets, to almost 0. */
static const olk_regret olk_regret_discount = (olk_regret)0.999, olk_regret_clip = 4;
static const olk_regret olk_least_square =
    (olk_regret)(sizeof(olk_regret) == sizeof(float) ? 1e-30 : 1e-300);

/* v clipped to [-most, most]. */
static inline olk_regret olk_clip(olk_regret v, olk_regret most)
{
    return v > most ? most : v < -most ? -most : v;
}

/* Weights from regrets and squares, [n] each; equal if no regret is positive. */
static inline void olk_ml_poly_weights(const olk_regret *state, int32_t n, olk_regret *weights)
{
    olk_regret total = 0;
    for (int32_t c = 0; c < n; c++) {
        const olk_regret square = state[n + c];
        weights[c] = state[c] > 0
                         ? state[c] / (square > olk_least_square ? square : olk_least_square)
                         : 0;
        total += weights[c];
    }
    for (int32_t c = 0; c < n; c++)
        weights[c] = total > 0 ? weights[c] / total : 1 / (olk_regret)n;
}

/* Learns the target y of an answer and of the models' answers; `unit`: the mean error. */
static inline void olk_ml_poly_learn(olk_regret *state, int32_t n, const olk_regret *models,
                                     olk_regret answer, olk_regret y, olk_regret unit)
{
    const olk_regret slope = olk_clip((answer - y) / unit, olk_regret_clip);
    for (int32_t c = 0; c < n; c++) {
        const olk_regret x = slope * olk_clip((answer - models[c]) / unit, olk_regret_clip);
        state[c] = olk_regret_discount * state[c] + x;
        state[n + c] = olk_regret_discount * state[n + c] + x * x;
    }
}
