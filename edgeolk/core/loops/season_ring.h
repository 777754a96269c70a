/* A ring of the last L + 1 targets, L being the season (docs/forecast.md, section 3.3). Before
   them: the count of targets, which wraps between L + 1 and 2 (L + 1). */
#pragma once

#include "bounded.h"

static inline void olk_season_put(olk_input *season, int32_t length, olk_input y)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    season[1 + count % capacity] = y;
    season[0] = (olk_input)(count + 1 < 2 * capacity ? count + 1 : capacity);
}

/* Seasonal lags of the target to forecast, in units: its value a season earlier minus the last
   target, and minus the oldest stored target. 0 until the ring is full. */
static inline void olk_season_inputs(const olk_input *season, int32_t length, int32_t horizon,
                                     olk_compute_t last, olk_compute_t unit, olk_compute_t *inputs)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    inputs[0] = inputs[1] = 0;
    if (count < capacity)
        return;
    const olk_compute_t oldest = (olk_compute_t)season[1 + count % capacity];
    const olk_compute_t lagged = (olk_compute_t)season[1 + (count + horizon) % capacity];
    inputs[0] = olk_in_units(lagged - last, unit);
    inputs[1] = olk_in_units(lagged - oldest, unit);
}
