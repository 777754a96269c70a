/* The targets of the last season, L + 1 of them, in the order they came (docs/forecast.md, section
   3.3). In front of them: how many came, counted on to L + 1 and then around. */
#pragma once

#include "bounded.h"

static inline void olk_season_put(olk_input *season, int32_t length, olk_input y)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    season[1 + count % capacity] = y;
    season[0] = (olk_input)(count + 1 < 2 * capacity ? count + 1 : capacity);
}

/* What the target before the one asked for did a season ago: (from the oldest held to the k-th after
   it, and where that lies from the last target), in units. 0 until the season is full. */
static inline void olk_season_inputs(const olk_input *season, int32_t length, int32_t horizon,
                                     olk_real last, olk_real unit, olk_real *inputs)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    inputs[0] = inputs[1] = 0;
    if (count < capacity)
        return;
    const olk_real oldest = (olk_real)season[1 + count % capacity];
    const olk_real later = (olk_real)season[1 + (count + horizon) % capacity];
    inputs[0] = olk_in_units(later - last, unit);
    inputs[1] = olk_in_units(later - oldest, unit);
}
