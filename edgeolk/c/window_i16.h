/* Windows of int16 samples: sums that each sample updates, exact in integers; what takes a pass over
   the window; the spectrum in 16-bit integers. */
#pragma once

#include "fft.h"
#include "window_block.h"

static OLK_INLINE int32_t olk_windows_distance(int32_t a, int32_t b)
{
    return a > b ? a - b : b - a;
}

/* Sums with one sample more; if the ring is full, without its oldest. */
static inline void olk_windows_add_i16(const olk_windows *w, olk_window_block *at,
                                       const int16_t *sample)
{
    const uint32_t c = w->channels, size = 1u << w->log_size, mask = size - 1;
    const uint32_t head = at->state->head, filled = at->state->filled;
    int16_t *const ring = (int16_t *)at->ring;
    int16_t *const place = ring + ((head + filled) & mask) * c; /* of the oldest, if full */
    const int16_t *const last = ring + ((head + filled - 1) & mask) * c;
    const int16_t *const second = ring + ((head + 1) & mask) * c;
    int64_t *product = at->products;
    for (uint32_t i = 0; i < c; i++) {
        olk_window_sums *const s = at->sums + i;
        const int32_t x = sample[i];
        if (filled)
            s->change += (uint32_t)olk_windows_distance(x, last[i]);
        if (filled == size) {
            const int32_t oldest = place[i];
            s->sum -= oldest;
            s->squares -= (uint32_t)(oldest * oldest);
            s->change -= (uint32_t)olk_windows_distance(second[i], oldest);
            s->ramp += (int64_t)x * (int32_t)(size - 1) - s->sum; /* each moves by one */
        } else {
            s->ramp += (int64_t)x * (int32_t)filled;
        }
        s->sum += x;
        s->squares += (uint32_t)(x * x);
        if (w->features & OLK_WINDOW_CORRELATION) {
            for (uint32_t j = i + 1; j < c; j++, product++) {
                *product += x * (int32_t)sample[j];
                if (filled == size)
                    *product -= (int32_t)place[i] * place[j];
            }
        }
    }
    memcpy(place, sample, c * sizeof *sample);
}

/* Sum of (x - r)^3 and, in two parts, of (x - r)^4: exact. */
typedef struct {
    int64_t cubes;
    uint64_t low, high; /* high 2^32 + low */
} olk_window_powers;

static inline void olk_windows_moments_i16(const olk_windows *w, const olk_window_block *at,
                                           uint32_t channel, olk_window_moments *m)
{
    const uint32_t n = 1u << w->log_size, log_size = w->log_size, features = w->features;
    const olk_window_sums s = at->sums[channel];
    const int32_t r = (s.sum + (int32_t)(n / 2)) >> log_size, rest = s.sum - r * (int32_t)n;
    const float each = olk_power_of_2(-(int32_t)log_size);
    /* n^2 times the variance. */
    const uint64_t spread = (s.squares << log_size) - (uint64_t)((int64_t)s.sum * s.sum);
    m->mean = (float)s.sum * each;
    m->square = (float)s.squares * each;
    m->variance = (float)spread * each * each;
    m->sd = olk_sqrtf(m->variance);
    m->change = (float)s.change / (float)(n - 1);
    /* Centred t, doubled: 2 t - (n - 1). */
    m->slope = (float)(2 * s.ramp - (int64_t)(n - 1) * s.sum);
    if (features & OLK_WINDOW_PASSES) {
        const int16_t *const ring = (const int16_t *)at->ring + channel;
        const uint32_t c = w->channels;
        olk_window_powers p = {0, 0, 0};
        int32_t low = INT32_MAX, high = INT32_MIN, crossings = 0, above = 0;
        for (uint32_t t = 0; t < n; t++) {
            const int32_t x = ring[((at->state->head + t) & (n - 1)) * c], d = x - r;
            if (features & OLK_WINDOW_EXTREMES) {
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            if (features & OLK_WINDOW_CROSSINGS) {
                const int32_t is_above = d * (int32_t)n >= rest;
                crossings += t && is_above != above;
                above = is_above;
            }
            if (features & OLK_WINDOW_MOMENTS) {
                const uint32_t square = (uint32_t)d * (uint32_t)d;
                p.cubes += (int64_t)square * d;
                if (features & OLK_WINDOW_KURTOSIS) {
                    const uint64_t fourth = (uint64_t)square * square;
                    p.low += (uint32_t)fourth;
                    p.high += fourth >> 32;
                }
            }
        }
        if (features & OLK_WINDOW_EXTREMES) {
            m->low = (float)(s.sum - low * (int32_t)n) * each;
            m->high = (float)(high * (int32_t)n - s.sum) * each;
        }
        m->crossings = (float)crossings;
        if (features & OLK_WINDOW_MOMENTS && spread) {
            /* Moments about r, then about the mean r + e. */
            const float e = (float)rest * each, v = m->variance;
            const float cubes = (float)p.cubes * each;
            const float fourth = ((float)p.high * 0x1p32f + (float)p.low) * each;
            const float second = v + e * e;
            m->skewness = (cubes - 3.0f * e * second + 2.0f * e * e * e) / (v * m->sd);
            m->kurtosis =
                (fourth - 4.0f * e * cubes + 6.0f * e * e * second - 3.0f * e * e * e * e) / (v * v);
        }
    }
}

/* |x - r|, smoothed by 1/8 of each, in units of 2^-3: from the first sample on. */
static OLK_INLINE int32_t olk_windows_smooth_i16(int32_t smooth, int32_t d)
{
    return smooth + (d < 0 ? -d : d) - (smooth >> 3);
}

/* The powers of a channel in the work area; returns the exponent e: they are 4^e times these. */
static inline int32_t olk_windows_spectrum_i16(const olk_windows *w, olk_window_block *at,
                                               uint32_t channel)
{
    const uint32_t n = 1u << w->log_size, c = w->channels, stride = 1024u >> w->log_size;
    const int16_t *const ring = (const int16_t *)at->ring + channel;
    int16_t *const work = (int16_t *)at->work;
    const int32_t r = (at->sums[channel].sum + (int32_t)(n / 2)) >> w->log_size;
    int32_t level = 0, smooth = 0, total = 0;
    uint32_t largest = 0, shift = 0;
    if (w->envelope) {
        for (uint32_t t = 0; t < n; t++) {
            smooth = olk_windows_smooth_i16(smooth, ring[((at->state->head + t) & (n - 1)) * c] - r);
            total += smooth >> 3;
        }
        level = (total + (int32_t)(n / 2)) >> w->log_size;
    }
    /* Twice: for the largest number, then to shift it to the largest that a butterfly takes. */
    for (int second = 0; second < 2; second++) {
        smooth = 0;
        for (uint32_t t = 0; t < n; t++) {
            int32_t d = ring[((at->state->head + t) & (n - 1)) * c] - r;
            if (w->envelope) {
                smooth = olk_windows_smooth_i16(smooth, d);
                d = (smooth >> 3) - level;
            }
            /* Hann's window in units of 2^-14. */
            const int32_t v = d * ((32768 - olk_fft_cos_q15(t * stride) + 2) >> 2);
            if (second) {
                work[t] = (int16_t)olk_shift_q15(v, shift);
            } else {
                const uint32_t magnitude = (uint32_t)(v < 0 ? -v : v);
                largest = magnitude > largest ? magnitude : largest;
            }
        }
        while (!second && olk_shift_q15((int32_t)largest, shift) > OLK_FFT_MOST)
            shift++;
    }
    return (int32_t)shift - 14 + (int32_t)olk_fft_power_q15(work, n);
}

/* The correlation of two channels of int16, of the sums in the block. */
static inline float olk_windows_correlation_i16(const olk_windows *w, const olk_window_block *at,
                                                uint32_t i, uint32_t j, int64_t product)
{
    const olk_window_sums *const a = at->sums + i, *const b = at->sums + j;
    const uint32_t log_size = w->log_size;
    const float va = (float)((a->squares << log_size) - (uint64_t)((int64_t)a->sum * a->sum));
    const float vb = (float)((b->squares << log_size) - (uint64_t)((int64_t)b->sum * b->sum));
    const float both = (float)(product * (int32_t)(1u << log_size) - (int64_t)a->sum * b->sum);
    return va > 0.0f && vb > 0.0f ? both / (olk_sqrtf(va) * olk_sqrtf(vb)) : 0.0f;
}
