/* Options of windows, and the parts of their block: state, sums, the ring of samples, a row. */
#pragma once

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
