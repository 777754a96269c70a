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

#include "fft.h"
#include "mathf.h"

/* Features, in the order in which a row has them: all of one channel, then those of the next; last
   the correlations of the pairs (0, 1), (0, 2) ... (1, 2) ... */
enum {
    OLK_WINDOW_MEAN = 1 << 0,
    OLK_WINDOW_SD = 1 << 1,
    OLK_WINDOW_RMS = 1 << 2,
    OLK_WINDOW_PEAK_TO_PEAK = 1 << 3,
    OLK_WINDOW_CREST = 1 << 4,
    OLK_WINDOW_SKEWNESS = 1 << 5,
    OLK_WINDOW_KURTOSIS = 1 << 6,
    OLK_WINDOW_CROSSINGS = 1 << 7,
    OLK_WINDOW_CHANGE = 1 << 8,
    OLK_WINDOW_SLOPE = 1 << 9,
    OLK_WINDOW_BANDS = 1 << 10,
    OLK_WINDOW_DOMINANT = 1 << 11,
    OLK_WINDOW_CENTROID = 1 << 12,
    OLK_WINDOW_ENTROPY = 1 << 13,
    OLK_WINDOW_CORRELATION = 1 << 14
};

/* Features that need a pass over the window; of these, the spectrum. */
enum {
    OLK_WINDOW_MOMENTS = OLK_WINDOW_SKEWNESS | OLK_WINDOW_KURTOSIS,
    OLK_WINDOW_EXTREMES = OLK_WINDOW_PEAK_TO_PEAK | OLK_WINDOW_CREST,
    OLK_WINDOW_PASSES = OLK_WINDOW_MOMENTS | OLK_WINDOW_EXTREMES | OLK_WINDOW_CROSSINGS,
    OLK_WINDOW_SPECTRUM =
        OLK_WINDOW_BANDS | OLK_WINDOW_DOMINANT | OLK_WINDOW_CENTROID | OLK_WINDOW_ENTROPY
};

enum { OLK_MAX_BANDS = 32 };

/* Samples of float32 beyond this are refused: squares of a spectrum would overflow. */
static const float OLK_MAX_SAMPLE = 1e12f;
/* Variances below this are 0, 2^-100. */
static const float OLK_MIN_VARIANCE = 0x1p-100f;
/* The smallest energy of a band, before its logarithm: of floats, and of integers. */
static const float OLK_MIN_ENERGY_F32 = 1e-12f;
static const float OLK_MIN_ENERGY_I16 = 1e-3f;

typedef struct {
    uint32_t features;
    uint16_t channels;
    uint16_t log_size; /* size = 2^log_size */
    uint16_t hop;
    uint16_t is_float; /* samples are float32, else int16 */
    uint16_t envelope; /* the spectrum is that of the envelope */
    uint16_t bands;
    float rate; /* samples a second */
    uint16_t edges[OLK_MAX_BANDS + 2]; /* band b: powers edges[b] to edges[b + 1] - 1 */
} olk_windows;

/* Where the ring begins, how full it is, and how many samples are missing to the next row. */
typedef struct {
    uint32_t head, filled, due, unused;
} olk_window_state;

/* Sums over the samples x_t in the ring, the oldest at t = 0: of int16. */
typedef struct {
    int64_t ramp;     /* t x_t */
    uint64_t squares; /* x_t^2 */
    int32_t sum;
    uint32_t change; /* |x_t - x_(t-1)| */
} olk_window_sums;

/* What a channel's features are made of. */
typedef struct {
    float mean, variance, sd, square, low, high; /* extremes from the mean */
    float skewness, kurtosis, crossings, change, slope;
    float centre, rest; /* of floats: mean = centre + rest */
} olk_window_moments;

/* The parts of the block, each at a multiple of 8 bytes. */
typedef struct {
    olk_window_state *state;
    olk_window_sums *sums;  /* of each channel; int16 */
    int64_t *products;      /* of each pair; int16 with correlations */
    float *centres;         /* three of each channel; float32 with correlations */
    float *row;             /* the last row of features */
    void *ring;             /* 2^log_size samples, each of all channels */
    void *work;             /* numbers of one channel, if a feature needs them */
    uint32_t bytes;         /* of all parts */
} olk_window_block;

static OLK_INLINE uint32_t olk_windows_pairs(const olk_windows *w)
{
    return w->features & OLK_WINDOW_CORRELATION
               ? (uint32_t)w->channels * (w->channels - 1u) / 2u
               : 0;
}

/* Numbers in a row. */
static inline uint32_t olk_windows_columns(const olk_windows *w)
{
    uint32_t each = 0;
    for (uint32_t bits = w->features & (OLK_WINDOW_CORRELATION - 1u); bits; bits &= bits - 1)
        each++;
    if (w->features & OLK_WINDOW_BANDS)
        each += w->bands - 1u;
    return each * w->channels + olk_windows_pairs(w);
}

/* The place of a part, after which the next begins. */
static OLK_INLINE void *olk_windows_part(olk_window_block *at, uint8_t *block, uint32_t bytes)
{
    void *const found = block + at->bytes;
    at->bytes += (bytes + 7u) & ~7u;
    return found;
}

/* Finds the parts in a block at a multiple of 8 bytes; at->bytes is its length. */
static inline void olk_windows_attach(olk_window_block *at, const olk_windows *w, uint8_t *block)
{
    const uint32_t size = 1u << w->log_size, width = w->is_float ? 4 : 2, c = w->channels;
    const uint32_t pairs = olk_windows_pairs(w);
    const int works = w->is_float || w->features & OLK_WINDOW_SPECTRUM;
    at->bytes = 0;
    at->state = (olk_window_state *)olk_windows_part(at, block, sizeof(olk_window_state));
    at->sums = (olk_window_sums *)olk_windows_part(
        at, block, w->is_float ? 0 : c * (uint32_t)sizeof(olk_window_sums));
    at->products = (int64_t *)olk_windows_part(at, block, w->is_float ? 0 : pairs * 8);
    at->centres = (float *)olk_windows_part(at, block, w->is_float && pairs ? c * 12 : 0);
    at->row = (float *)olk_windows_part(at, block, olk_windows_columns(w) * 4);
    at->ring = olk_windows_part(at, block, size * c * width);
    at->work = olk_windows_part(at, block, works ? size * width : 0);
}

/* The next sample begins a new window. */
static inline void olk_windows_restart(const olk_windows *w, olk_window_block *at)
{
    const uint32_t pairs = w->is_float ? 0 : olk_windows_pairs(w);
    at->state->head = 0;
    at->state->filled = 0;
    at->state->due = 1u << w->log_size;
    if (!w->is_float)
        memset(at->sums, 0, w->channels * sizeof *at->sums);
    memset(at->products, 0, pairs * sizeof *at->products);
}

/* 2^exponent, from -126 to 127. */
static OLK_INLINE float olk_power_of_2(int32_t exponent)
{
    union { float f; uint32_t bits; } power;
    power.bits = (uint32_t)(exponent + 127) << 23;
    return power.f;
}

/* -- Samples of int16 -- */

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

/* -- Samples of float32 -- */

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

/* -- Rows -- */

/* Twice the mean square of a window per power and n^2, by Hann's window: 2 / (3/8). */
static const float OLK_HANN = 5.33333349f;

/* The features of the spectrum; exponent: powers are 4^exponent times the integers. */
static inline float *olk_windows_bins(const olk_windows *w, const olk_window_block *at,
                                      int32_t exponent, float *row)
{
    const uint32_t n = 1u << w->log_size, m = n / 2;
    const float *const f = (const float *)at->work;
    const int16_t *const q = (const int16_t *)at->work;
    const int32_t log_size = w->log_size;
    const float scale = OLK_HANN * olk_power_of_2(-2 * log_size) *
                        (w->is_float ? 1.0f : olk_power_of_2(2 * exponent));
    const float hertz = w->rate * olk_power_of_2(-log_size);
    const float least = w->is_float ? OLK_MIN_ENERGY_F32 : OLK_MIN_ENERGY_I16;
    if (w->features & OLK_WINDOW_BANDS) {
        for (uint32_t b = 0; b < w->bands; b++) {
            float energy = 0.0f;
            uint64_t sum = 0;
            for (uint32_t k = w->edges[b]; k < w->edges[b + 1]; k++) {
                if (w->is_float)
                    energy = energy + olk_fft_bin_f32(f, n, k) * (k == m ? 0.5f : 1.0f);
                else
                    sum += olk_fft_bin_q15(q, n, k) >> (k == m);
            }
            energy = (w->is_float ? energy : (float)sum) * scale;
            *row++ = olk_log_f32(energy > least ? energy : least);
        }
    }
    if (w->features & (OLK_WINDOW_SPECTRUM & ~OLK_WINDOW_BANDS)) {
        float total = 0.0f, moment = 0.0f, strongest = 0.0f, entropy = 0.0f;
        uint64_t sum = 0, weighted = 0;
        uint32_t largest = 0, dominant = 0;
        for (uint32_t k = 1; k <= m; k++) {
            if (w->is_float) {
                const float power = olk_fft_bin_f32(f, n, k);
                total = total + power;
                moment = moment + power * (float)k;
                dominant = power > strongest ? k : dominant;
                strongest = power > strongest ? power : strongest;
            } else {
                const uint32_t power = olk_fft_bin_q15(q, n, k);
                sum += power;
                weighted += (uint64_t)power * k;
                dominant = power > largest ? k : dominant;
                largest = power > largest ? power : largest;
            }
        }
        if (!w->is_float) {
            total = (float)sum;
            moment = (float)weighted;
        }
        /* Powers this small have lost digits. */
        const int silent = w->is_float ? !(total >= OLK_MIN_VARIANCE) : !sum;
        if (w->features & OLK_WINDOW_DOMINANT)
            *row++ = silent ? 0.0f : (float)dominant * hertz;
        if (w->features & OLK_WINDOW_CENTROID)
            *row++ = silent ? 0.0f : moment / total * hertz;
        if (w->features & OLK_WINDOW_ENTROPY) {
            for (uint32_t k = 1; k <= m && !silent; k++) {
                const float power =
                    w->is_float ? olk_fft_bin_f32(f, n, k) : (float)olk_fft_bin_q15(q, n, k);
                const float share = power / total;
                if (share >= 1e-30f)
                    entropy = entropy - share * olk_log_f32(share);
            }
            *row++ = entropy / ((float)(log_size - 1) * 0.693147182f);
        }
    }
    return row;
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
