/* Windows of float32 samples: all is made from the window, with sums in blocks of 32. */
#pragma once

#include "fft.h"
#include "window_block.h"

/* The sum of n numbers, in blocks of 32 that are added one after the other. */
static inline float olk_windows_sum(const float *x, uint32_t n)
{
    float total = 0.0f;
    for (uint32_t t = 0; t < n; t += 32) {
        float sum = x[t];
        for (uint32_t i = 1; i < 32; i++)
            sum = sum + x[t + i];
        total = total + sum;
    }
    return total;
}

/* Copies a channel to the work area. */
static inline void olk_windows_copy_f32(const olk_windows *w, olk_window_block *at,
                                        uint32_t channel)
{
    const uint32_t n = 1u << w->log_size, c = w->channels;
    const float *const ring = (const float *)at->ring + channel;
    float *const work = (float *)at->work;
    for (uint32_t t = 0; t < n; t++)
        work[t] = ring[((at->state->head + t) & (n - 1)) * c];
}

/* Leaves the channel, minus its mean, in the work area. */
static inline void olk_windows_moments_f32(const olk_windows *w, olk_window_block *at,
                                           uint32_t channel, olk_window_moments *m)
{
    const uint32_t n = 1u << w->log_size, features = w->features;
    const float each = olk_power_of_2(-(int32_t)w->log_size);
    float *const x = (float *)at->work;
    float total = 0.0f, ramps = 0.0f, changes = 0.0f, squares = 0.0f;
    olk_windows_copy_f32(w, at, channel);
    for (uint32_t t = 0; t < n; t += 32) {
        float sum = 0.0f;
        for (uint32_t i = t; i < t + 32; i++)
            sum = sum + x[i] * x[i];
        squares = squares + sum;
    }
    m->square = squares * each;
    m->square = m->square < OLK_MIN_VARIANCE ? 0.0f : m->square;
    m->centre = olk_windows_sum(x, n) * each;
    for (uint32_t t = 0; t < n; t++)
        x[t] = x[t] - m->centre;
    m->rest = olk_windows_sum(x, n) * each;
    m->mean = m->centre + m->rest;
    for (uint32_t t = 0; t < n; t += 32) {
        float sum = 0.0f, ramp = 0.0f, change = 0.0f;
        for (uint32_t i = t; i < t + 32; i++) {
            const float before = i ? x[i - 1] : 0.0f, v = x[i] - m->rest;
            x[i] = v;
            sum = sum + v * v;
            ramp = ramp + (float)(2 * (int32_t)i - (int32_t)(n - 1)) * v;
            if (i) {
                change = change + olk_fabsf(v - before);
                m->crossings += (v >= 0.0f) != (before >= 0.0f) ? 1.0f : 0.0f;
            }
            m->low = -v > m->low ? -v : m->low;
            m->high = v > m->high ? v : m->high;
        }
        total = total + sum;
        ramps = ramps + ramp;
        changes = changes + change;
    }
    m->variance = total * each;
    m->variance = m->variance < OLK_MIN_VARIANCE ? 0.0f : m->variance;
    m->sd = olk_sqrtf(m->variance);
    m->change = changes / (float)(n - 1);
    m->slope = ramps;
    if (features & OLK_WINDOW_MOMENTS && m->variance > 0.0f) {
        const float scale = 1.0f / m->sd;
        float cubes = 0.0f, fourths = 0.0f;
        for (uint32_t t = 0; t < n; t += 32) {
            float cube = 0.0f, fourth = 0.0f;
            for (uint32_t i = t; i < t + 32; i++) {
                const float z = x[i] * scale, square = z * z;
                cube = cube + square * z;
                fourth = fourth + square * square;
            }
            cubes = cubes + cube;
            fourths = fourths + fourth;
        }
        m->skewness = cubes * each;
        m->kurtosis = fourths * each;
    }
}

/* The powers of the channel whose numbers, minus their mean, are in the work area. */
static inline void olk_windows_spectrum_f32(const olk_windows *w, olk_window_block *at)
{
    const uint32_t n = 1u << w->log_size, stride = 1024u >> w->log_size;
    float *const x = (float *)at->work;
    float level = 0.0f;
    if (w->envelope) {
        float smooth = 0.0f;
        for (uint32_t t = 0; t < n; t++) {
            smooth = smooth + (olk_fabsf(x[t]) - smooth) * 0.125f;
            x[t] = smooth;
        }
        level = olk_windows_sum(x, n) * olk_power_of_2(-(int32_t)w->log_size);
    }
    for (uint32_t t = 0; t < n; t++)
        x[t] = (x[t] - level) * (0.5f - 0.5f * olk_fft_cos_f32(t * stride));
    olk_fft_power_f32(x, n);
}

/* The correlation of two channels of float32: of their centres, rests and deviations. */
static inline float olk_windows_correlation_f32(const olk_windows *w, const olk_window_block *at,
                                                uint32_t i, uint32_t j)
{
    const uint32_t n = 1u << w->log_size, c = w->channels;
    const float *const a = (const float *)at->ring + i, *const b = (const float *)at->ring + j;
    const float *const p = at->centres + 3 * i, *const q = at->centres + 3 * j;
    float total = 0.0f;
    if (!(p[2] > 0.0f && q[2] > 0.0f))
        return 0.0f;
    for (uint32_t t = 0; t < n; t += 32) {
        float sum = 0.0f;
        for (uint32_t k = t; k < t + 32; k++) {
            const uint32_t place = ((at->state->head + k) & (n - 1)) * c;
            sum = sum + ((a[place] - p[0]) - p[1]) * ((b[place] - q[0]) - q[1]);
        }
        total = total + sum;
    }
    return total * olk_power_of_2(-(int32_t)w->log_size) / p[2] / q[2];
}
