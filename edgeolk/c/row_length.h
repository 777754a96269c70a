/* The factor that shortens a row to the allowed length (`clip_rows`), from readings one by one. */
#pragma once

#include "mathf.h"

/* The sum of squares so far, and the largest absolute reading. All zero at the start. */
typedef struct {
    double total, largest;
} olk_length;

/* Adds a reading of the row. */
static inline void olk_measure(olk_length *length, double x)
{
    length->total += x * x;
    length->largest = olk_fabs(x) > length->largest ? olk_fabs(x) : length->largest;
}

static inline int olk_is_within(const olk_length *length, double longest)
{
    return olk_sqrt(length->total) <= longest;
}

/* For a row that is too long: adds its readings again, in units of the largest, since squares of
   1e200 overflow. The caller sets `total` to 0 first. */
static inline void olk_measure_again(olk_length *length, double x)
{
    length->total += (x / length->largest) * (x / length->largest);
}

static inline double olk_clip_factor(const olk_length *length, double longest)
{
    return (longest / length->largest) / olk_sqrt(length->total);
}
