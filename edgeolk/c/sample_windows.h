/* From samples to rows: windows of the last 2^k samples of some channels, and their features
   (docs/windows.md has every formula and the order of its operations). The same source makes the
   rows of the library and of boards.

   Design: one struct of options, constant on a board, and one block, whose parts are where
   olk_windows_attach() finds them. Samples of int16 have exact sums in integers, which a new sample
   updates and the oldest leaves again: mean, deviation, RMS, change, slope and correlations cost no
   pass over the window. Sums of floats would drift, so theirs are made from the window, as are
   higher moments, extremes, crossings and the spectrum of both.
   Rejected: sums of parts of a window (exact for floats too, but more memory and code than the
   spectrum, which dominates, is worth). */
#pragma once

#include "window_f32.h"
#include "window_i16.h"
#include "window_spectrum.h"

/* The features of the full ring, in at->row. */
static inline void olk_windows_row(const olk_windows *w, olk_window_block *at)
{
    const uint32_t features = w->features, n = 1u << w->log_size, c = w->channels;
    float *row = at->row;
    for (uint32_t i = 0; i < c; i++) {
        olk_window_moments m = {0};
        int32_t exponent = 0;
        if (w->is_float)
            olk_windows_moments_f32(w, at, i, &m);
        else
            olk_windows_moments_i16(w, at, i, &m);
        if (features & OLK_WINDOW_MEAN)
            *row++ = m.mean;
        if (features & OLK_WINDOW_SD)
            *row++ = m.sd;
        if (features & OLK_WINDOW_RMS)
            *row++ = olk_sqrtf(m.square);
        if (features & OLK_WINDOW_PEAK_TO_PEAK)
            *row++ = m.low + m.high;
        if (features & OLK_WINDOW_CREST)
            *row++ = m.variance > 0.0f ? (m.low > m.high ? m.low : m.high) / m.sd : 0.0f;
        if (features & OLK_WINDOW_SKEWNESS)
            *row++ = m.skewness;
        if (features & OLK_WINDOW_KURTOSIS)
            *row++ = m.kurtosis;
        if (features & OLK_WINDOW_CROSSINGS)
            *row++ = m.crossings;
        if (features & OLK_WINDOW_CHANGE)
            *row++ = m.change;
        if (features & OLK_WINDOW_SLOPE) /* 6 / (n (n^2 - 1)), of a doubled t, by the rate */
            *row++ = m.slope / ((float)n * (float)(n * n - 1)) * 6.0f * w->rate;
        if (features & OLK_WINDOW_SPECTRUM) {
            if (w->is_float)
                olk_windows_spectrum_f32(w, at);
            else
                exponent = olk_windows_spectrum_i16(w, at, i);
            row = olk_windows_bins(w, at, exponent, row);
        }
        if (w->is_float && olk_windows_pairs(w)) {
            at->centres[3 * i] = m.centre;
            at->centres[3 * i + 1] = m.rest;
            at->centres[3 * i + 2] = m.sd;
        }
    }
    if (features & OLK_WINDOW_CORRELATION) {
        const int64_t *product = at->products;
        for (uint32_t i = 0; i < c; i++)
            for (uint32_t j = i + 1; j < c; j++)
                *row++ = w->is_float ? olk_windows_correlation_f32(w, at, i, j)
                                     : olk_windows_correlation_i16(w, at, i, j, *product++);
    }
}

/* Whether a sample can be taken: int16 always, float32 if finite and within OLK_MAX_SAMPLE. */
static OLK_INLINE int olk_windows_accepts(const olk_windows *w, const void *sample)
{
    return !w->is_float ||
           olk_within_f32((const float *)sample, w->channels, OLK_MAX_SAMPLE);
}

/* Takes a sample of all channels; returns 1 if at->row has a new row, else 0. */
static inline int olk_windows_take(const olk_windows *w, olk_window_block *at, const void *sample)
{
    const uint32_t c = w->channels, size = 1u << w->log_size;
    olk_window_state *const s = at->state;
    if (w->is_float) {
        float *const place = (float *)at->ring + ((s->head + s->filled) & (size - 1)) * c;
        memcpy(place, sample, c * sizeof(float));
    } else {
        olk_windows_add_i16(w, at, (const int16_t *)sample);
    }
    if (s->filled < size)
        s->filled++;
    else
        s->head = (s->head + 1) & (size - 1);
    if (--s->due)
        return 0;
    s->due = w->hop;
    olk_windows_row(w, at);
    return 1;
}
