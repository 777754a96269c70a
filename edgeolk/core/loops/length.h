/* The factor that shortens a row to the allowed length (`clip_rows`), from readings one by one. */
#pragma once

#include "roots.h"

/* The sum of squares so far, and the largest absolute reading. All zero at the start. */
typedef struct {
    double total, most;
} olk_length;

static inline void olk_measure(olk_length *length, double x)
{
    length->total += x * x;
    length->most = olk_fabs(x) > length->most ? olk_fabs(x) : length->most;
}

static inline int olk_is_within(const olk_length *length, double longest)
{
    return olk_sqrt(length->total) <= longest;
}

/* For a row that is too long: the sum again, from 0, in units of the largest reading, since squares
   of 1e200 overflow. */
static inline void olk_measure_again(olk_length *length, double x)
{
    length->total += (x / length->most) * (x / length->most);
}

static inline double olk_shortening(const olk_length *length, double longest)
{
    return (longest / length->most) / olk_sqrt(length->total);
}
