/* Changes of stored weights (docs/sorf.md, section 5, store and steps 5 and 6). Changes of int8
   weights are in 65,536ths of a level, so that stochastic rounding is a shift. */
#pragma once

enum { OLK_LEVEL_PARTS = OLK_QUANTIZED ? 65536 : 1 };
/* Changes are clipped to this many levels, still beyond the range of int8. */
enum { OLK_MAX_CHANGE = 1000 };

#ifdef OLK_SORF_FIXED
#include "whole_stores.h"
#else
/* A factor for features. */
typedef olk_sum olk_step;

static OLK_INLINE olk_step olk_step_of(olk_compute_t tau)
{
    return tau * (olk_compute_t)OLK_LEVEL_PARTS;
}

static OLK_INLINE olk_sum olk_times(olk_step step, olk_sum x)
{
    return step * x;
}

static OLK_INLINE int olk_is_in_range(olk_step step)
{
    return olk_abs_entry(step) <= (olk_sum)OLK_MAX_CHANGE * (olk_sum)OLK_LEVEL_PARTS;
}

/* The factor of gaps between weights, a gap, and the gap of a weight to kappa times a feature. */
static OLK_INLINE olk_step olk_gap_step(olk_compute_t inverse)
{
    return olk_step_of(inverse);
}

static OLK_INLINE olk_sum olk_gap_of(olk_gap levels)
{
    return (olk_sum)levels;
}

static OLK_INLINE olk_sum olk_feature_gap(olk_compute_t kappa, olk_sorf_feature x, olk_stored a)
{
    return kappa * x - (olk_sum)a;
}

/* A change plus 2^27, rounded to the nearest integer. */
static OLK_INLINE int32_t olk_lifted(olk_sum change)
{
#ifdef OLK_SORF_SINGLE
    const float v = change + 0.5f;
    return (int32_t)v - (v < (float)(int32_t)v) + (1 << 27);
#else
    return (int32_t)((double)change + 134217728.5);
#endif
}
#endif

/* stored[i] += change[i] / OLK_LEVEL_PARTS, i < n <= OLK_CHUNK. int8: |change| < 2^26 parts,
   rounded stochastically by bits[i]. The shift is of a positive number. */
static inline void olk_add_some_changes(olk_stored *restrict stored, const olk_sum *restrict change,
                                        const uint16_t *restrict bits, ptrdiff_t n)
{
    if (!OLK_QUANTIZED) {
        for (ptrdiff_t i = 0; i < n; i++)
            stored[i] = (olk_stored)((olk_sum)stored[i] + change[i]);
        return;
    }
    int32_t part[OLK_CHUNK];
    for (ptrdiff_t i = 0; i < n; i++)
        part[i] = olk_lifted(change[i]);
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t level = (int32_t)stored[i] + ((part[i] + bits[i]) >> 16) - (1 << 11);
        level = level > OLK_MAX_LEVEL ? OLK_MAX_LEVEL : level;
        stored[i] = (olk_stored)(level < -OLK_MAX_LEVEL ? -OLK_MAX_LEVEL : level);
    }
}

/* Clips changes that are far beyond the range of int8, so that they do not overflow. */
static inline void olk_clip_changes(olk_sum *change, olk_step step, ptrdiff_t n)
{
    const olk_sum limit = (olk_sum)OLK_MAX_CHANGE * (olk_sum)OLK_LEVEL_PARTS;
    if (!OLK_QUANTIZED || olk_is_in_range(step))
        return;
    for (ptrdiff_t i = 0; i < n; i++) {
        change[i] = change[i] > limit ? limit : change[i];
        change[i] = change[i] < -limit ? -limit : change[i];
    }
}

/* As olk_add_some_changes, with one random word for each pair of the n. */
static OLK_NOCLONE void olk_add_changes(olk_stored *stored, const olk_sum *change, ptrdiff_t n,
                                        uint64_t *generator)
{
#ifdef OLK_SORF_INT8
    OLK_ALIGNED(64) uint16_t bits[OLK_CHUNK];
    olk_draw(generator, bits, n / 2);
#if OLK_BYTES > 16
    if (n == OLK_CHUNK) {
        olk_round_levels(stored, change, bits);
        return;
    }
#endif
#else
    const uint16_t *bits = NULL;
    (void)generator;
#endif
    if (n == OLK_CHUNK)
        olk_add_some_changes(stored, change, bits, OLK_CHUNK);
    else
        olk_add_some_changes(stored, change, bits, n);
}

/* stored += tau feature, one column; n of 128 features are used. */
static inline void olk_learn(olk_stored *stored, const olk_sorf_feature *restrict feature,
                             olk_compute_t tau, ptrdiff_t n, uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_step_of(tau);
    for (ptrdiff_t start = 0; start < n; start += OLK_CHUNK) {
        const ptrdiff_t now = n - start < OLK_CHUNK ? n - start : OLK_CHUNK;
        for (int i = 0; i < OLK_CHUNK; i++)
            change[i] = olk_times(step, feature[start + i]);
        olk_clip_changes(change, step, OLK_CHUNK);
        olk_add_changes(stored + start, change, now, generator);
    }
}

/* Columns `low` and `high` of K, low < high: low += tau feature, high -= tau feature. */
static OLK_NOCLONE void olk_learn_two(olk_stored *stored, const olk_sorf_feature *feature,
                                      olk_compute_t tau, ptrdiff_t lines, ptrdiff_t K,
                                      ptrdiff_t low, ptrdiff_t high, uint64_t *generator)
{
    enum { LINES = OLK_CHUNK / 4 };
    const olk_step by = olk_step_of(tau);
    for (ptrdiff_t start = 0; start < lines; start += LINES) {
        const ptrdiff_t n = lines - start < LINES ? lines - start : LINES;
        olk_stored pair[OLK_CHUNK];
        OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                const olk_sum step = olk_times(by, feature[2 * (start + k) + i]);
                pair[4 * k + i] = stored[2 * ((start + k) * K + low) + i];
                pair[4 * k + 2 + i] = stored[2 * ((start + k) * K + high) + i];
                change[4 * k + i] = step;
                change[4 * k + 2 + i] = -step;
            }
        olk_clip_changes(change, by, 4 * n);
        olk_add_changes(pair, change, 4 * n, generator);
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                stored[2 * ((start + k) * K + low) + i] = pair[4 * k + i];
                stored[2 * ((start + k) * K + high) + i] = pair[4 * k + 2 + i];
            }
    }
}

/* a += (w - a) / n over `count` numbers; `inverse` is 1 / n. */
static OLK_NOCLONE void olk_average_step(olk_stored *a, const olk_stored *w, ptrdiff_t count,
                                         olk_compute_t inverse, uint64_t *generator)
{
    olk_gap gap[OLK_CHUNK];
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(inverse);
    for (ptrdiff_t start = 0; start < count; start += OLK_CHUNK) {
        const ptrdiff_t n = count - start < OLK_CHUNK ? count - start : OLK_CHUNK;
        if (n == OLK_CHUNK) {
            for (int i = 0; i < OLK_CHUNK; i++)
                gap[i] = w[start + i] - a[start + i];
        } else {
            memset(gap, 0, sizeof gap);
            for (ptrdiff_t i = 0; i < n; i++)
                gap[i] = w[start + i] - a[start + i];
        }
        for (int i = 0; i < OLK_CHUNK; i++)
            change[i] = olk_times(step, olk_gap_of(gap[i]));
        olk_add_changes(a + start, change, n, generator);
    }
}

/* w -= leak w over `count` numbers (section 14). */
static OLK_NOCLONE void olk_leak(olk_stored *w, ptrdiff_t count, olk_compute_t leak,
                                 uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(leak);
    for (ptrdiff_t start = 0; start < count; start += OLK_CHUNK) {
        const ptrdiff_t n = count - start < OLK_CHUNK ? count - start : OLK_CHUNK;
        memset(change, 0, sizeof change);
        for (ptrdiff_t i = 0; i < n; i++)
            change[i] = olk_times(step, olk_gap_of(-(olk_gap)w[start + i]));
        olk_add_changes(w + start, change, n, generator);
    }
}

/* a += (kappa feature - a) / n over one block. */
static inline void olk_average_block(olk_stored *a, const olk_sorf_feature *feature,
                                     olk_compute_t kappa, ptrdiff_t n, olk_compute_t inverse,
                                     uint64_t *generator)
{
    OLK_ALIGNED(64) olk_sum change[OLK_CHUNK];
    const olk_step step = olk_gap_step(inverse);
    for (ptrdiff_t start = 0; start < n; start += OLK_CHUNK) {
        const ptrdiff_t now = n - start < OLK_CHUNK ? n - start : OLK_CHUNK;
        for (ptrdiff_t i = 0; i < now; i++)
            change[i] = olk_times(step, olk_feature_gap(kappa, feature[start + i], a[start + i]));
        olk_add_changes(a + start, change, now, generator);
    }
}
