/* Features of a channel's spectrum, whose powers are in the work area: bands, dominant frequency,
   centroid, entropy. */
#pragma once

#include "fft.h"
#include "window_block.h"

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
