/* Clips the length of rows (`clip_rows`). */
#ifndef EDGEOLK_SHORTEN_H
#define EDGEOLK_SHORTEN_H

#include "edgeolk.h"

#include "edgeolk/scaler.h"

/* Shortens a row of finite numbers to EK_CLIP_ROWS; returns whether it was longer. */
static inline int ek_shorten(ek_number *row)
{
    olk_length length = {0.0, 0.0};
    for (int j = 0; j < EK_FEATURES; j++)
        olk_measure(&length, (double)row[j]);
    if (olk_is_within(&length, EK_CLIP_ROWS))
        return 0;
    length.total = 0.0;
    for (int j = 0; j < EK_FEATURES; j++)
        olk_measure_again(&length, (double)row[j]);
    const double factor = olk_clip_factor(&length, EK_CLIP_ROWS);
    for (int j = 0; j < EK_FEATURES; j++)
        row[j] = (ek_number)((double)row[j] * factor);
    return factor < 1.0;
}

#endif
