/* A row as the features see it, clamped (docs/sorf.md, section 15) and scaled by relevance (7c), or
   all angles multiplied by one scale (7e); gradients of the blended score and steps of the log
   scales. */
#pragma once

#include "hedge.h"

/* -- The row as the features see it, and gradient steps -- */

/* Relevance (section 7c): rows before it begins, decay of the squared gradients and weight of a new
   one, step size, what keeps the root above zero, and the largest log scale. */
enum { OLK_RELEVANCE_START = 200 };
static const olk_real olk_relevance_memory = (olk_real)0.999,
                      olk_relevance_share = (olk_real)0.001;
static const olk_real olk_relevance_step = (olk_real)0.003, olk_relevance_floor = (olk_real)1e-12;
static const olk_real olk_shared_step = (olk_real)0.01; /* section 7e */
static const olk_real olk_max_log_scale = 2;

/* Multiplies the frequencies by the scale shared by all inputs (section 7e). */
static inline void olk_scale_widths(const olk_sorf *p, const olk_sorf_state *s,
                                    olk_scalar (*omega)[OLK_SORF_WIDTHS])
{
    const olk_real by = olk_exponential(*(const olk_input *)s->shared);
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            omega[g][i] = (olk_scalar)((olk_real)omega[g][i] * by);
}

/* The learner with its current widths: `sorf`, or `copy` if a shared scale multiplies them. With
   OLK_SORF_WIDTHS_SCALED the caller has already scaled `sorf`: a copy would take a tenth of a small
   stack. */
static inline const olk_sorf *olk_with_scaled_widths(const olk_sorf *sorf, const olk_sorf_state *s,
                                                     olk_sorf *copy)
{
#ifdef OLK_SORF_WIDTHS_SCALED
    (void)s, (void)copy;
    return sorf;
#else
    if (sorf->relevance != OLK_RELEVANCE_SHARED || *(const olk_input *)s->shared == 0)
        return sorf;
    *copy = *sorf;
    olk_scale_widths(copy, s, copy->omega);
    return copy;
#endif
}

static inline olk_input olk_clamped(olk_input x, olk_input limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* Clamps n numbers into `to`, which may be x. */
static inline void olk_clamp_inputs(const olk_sorf *p, const olk_sorf_state *s, const olk_input *x,
                                    ptrdiff_t n, olk_input *to)
{
    const olk_input limit = (olk_input)OLK_HOLD(p, s);
    for (ptrdiff_t k = 0; k < n; k++)
        to[k] = olk_clamped(x[k], limit);
}

/* Whether the features see other numbers than the row has. */
static inline int olk_reshapes(const olk_sorf *p, const olk_sorf_state *s)
{
    return p->relevance == OLK_RELEVANCE_EACH || OLK_HOLD(p, s) > 0;
}

/* One row as the features see it; written to `to`, which may be the row, if it differs. */
static inline const olk_input *olk_reshaped_row(const olk_sorf *p, const olk_sorf_state *s,
                                                const olk_input *x, olk_input *to)
{
    if (!olk_reshapes(p, s))
        return x;
    const olk_input *log_scale = s->log_scale;
    if (OLK_HOLD(p, s) > 0) {
        olk_clamp_inputs(p, s, x, p->d, to);
        x = to;
    }
    for (ptrdiff_t k = 0; p->relevance == OLK_RELEVANCE_EACH && k < p->d; k++)
        to[k] = x[k] * olk_exponential(log_scale[k]);
    return to;
}

/* The same for m rows, with the factor of each column. */
static inline const olk_input *olk_reshaped_rows(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_real *by, const olk_input *x,
                                                 ptrdiff_t m, olk_input *to)
{
    if (!olk_reshapes(p, s))
        return x;
    if (OLK_HOLD(p, s) > 0) {
        olk_clamp_inputs(p, s, x, m * p->d, to);
        x = to;
    }
    for (ptrdiff_t r = 0; p->relevance == OLK_RELEVANCE_EACH && r < m; r++)
        for (ptrdiff_t k = 0; k < p->d; k++)
            to[r * p->d + k] = x[r * p->d + k] * by[k];
    return to;
}

/* Adds a gradient to the running squared gradient; those of a damaged file can be of any size. */
static inline olk_real olk_decayed_square(olk_real G, olk_real q)
{
    const olk_real sum = olk_relevance_memory * G + olk_relevance_share * q * q;
    return sum < (olk_real)olk_max_square ? sum : (olk_real)olk_max_square;
}

/* Counts a gradient step; returns the bias correction of the squared gradients, which began at
   0. */
static inline olk_real olk_count_gradient(const olk_sorf_state *s)
{
    *s->gradient_steps += 1;
    return 1 - olk_decayed(olk_relevance_memory, *s->gradient_steps);
}

/* A log scale after a step along q, where G is the squared gradient including q. */
static inline olk_real olk_stepped_scale(olk_real scale, olk_real step, olk_real q, olk_real G,
                                         olk_real known)
{
    const olk_real stepped = scale + step * q / olk_root(G / known + olk_relevance_floor);
    const olk_real clipped = stepped > olk_max_log_scale ? olk_max_log_scale : stepped;
    return clipped < -olk_max_log_scale ? -olk_max_log_scale : clipped;
}

/* One step of the shared log scale along q, its derivative times sigma (section 7e). */
static inline void olk_shared_gradient_step(const olk_sorf_state *s, olk_real q)
{
    olk_input *scale = s->shared, *G = scale + 1;
    const olk_real known = olk_count_gradient(s);
    *G = olk_decayed_square(*G, q);
    if (*G > 0)
        *scale = olk_stepped_scale(*scale, olk_shared_step, q, *G, known);
}

/* One step of each log scale along sigma x' o q. */
static inline void olk_gradient_step(const olk_sorf *p, const olk_sorf_state *s,
                                     const olk_input *x, olk_real sigma)
{
    const olk_input *sum = (const olk_input *)s->inputs + p->d;
    olk_input *log_scale = s->log_scale, *G = s->gradient_square;
    const olk_real known = olk_count_gradient(s);
    for (ptrdiff_t i = 0; i < p->d; i++) {
        const olk_real q = sigma * x[i] * sum[i];
        G[i] = olk_decayed_square(G[i], q);
        if (G[i] > 0)
            log_scale[i] = olk_stepped_scale(log_scale[i], olk_relevance_step, q, G[i], known);
    }
}

/* -- The gradient of a block --
   Of the blended score, which relevance follows (docs/sorf.md, section 7c, omega o delta). */

#ifdef OLK_SORF_FIXED
/* As below, with h as 18-bit integers in the returned unit, so that the transforms do not
   overflow. */
static OLK_NOCLONE float olk_gradient(const olk_sorf *p, const olk_sorf_state *s,
                                      const olk_sorf_slope *slope, int32_t g, const int8_t *w,
                                      const int8_t *a, const int16_t *feature, ptrdiff_t lines,
                                      const olk_frequency_scales *scales, ptrdiff_t block,
                                      uint32_t *h)
{
    const ptrdiff_t K = p->classes;
    const int32_t E = (int32_t)(slope->weights.E[g] * 256 + 0.5f);
    const int32_t alpha = (int32_t)(slope->weights.alpha[g] * 256 + 0.5f);
    uint32_t fastest = 0;
    int32_t shift = 0;
    int index = olk_first_scale(scales->widths, block);
    for (int i = 0; i < scales->widths; i++)
        fastest = scales->value[i] > fastest ? scales->value[i] : fastest;
    while (fastest >> shift >= 1 << 14)
        shift++;
    memset(h, 0, 64 * sizeof *h);
    for (ptrdiff_t k = 0; k < lines; k++, index = olk_next_index(scales->widths, index)) {
        int32_t part[2];
        for (int i = 0; i < 2; i++) {
            const ptrdiff_t at = 2 * (k * K + slope->y) + i, off = 2 * (k * K + slope->against) + i;
            part[i] = E * a[at] + alpha * (w[at] - a[at]);
            if (K > 1)
                part[i] -= E * a[off] + alpha * (w[off] - a[off]);
            part[i] = olk_shifted(part[i], 4);
        }
        const int32_t turn =
            olk_shifted(part[1] * feature[2 * k] - part[0] * feature[2 * k + 1], 15);
        h[k] = (uint32_t)olk_shifted(turn * (int32_t)(scales->value[index] >> shift), 11);
    }
    /* A part is 16 levels, a step 2^-11 of a frequency scale, which is 2 pi 2^(grid - 32). */
    return 6.28318530717958647693f * olk_power_of_two(7 + shift + olk_grid(p, s) - 32) /
           ((float)p->kappa * (float)p->size[g]);
}
#else
/* Derivatives of the blended score with respect to n features of a block, from `from` on. */
static inline void olk_slopes(const olk_sorf_slope *slope, ptrdiff_t K, olk_entry E,
                              olk_entry alpha, const olk_stored *w, const olk_stored *a,
                              ptrdiff_t from, ptrdiff_t n, olk_entry *part)
{
    if (K == 1)
        for (ptrdiff_t i = 0; i < n; i++)
            part[i] = E * (olk_entry)a[from + i] +
                      alpha * ((olk_entry)w[from + i] - (olk_entry)a[from + i]);
    else
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t row = 2 * ((from + i) / 2 * K) + i % 2;
            const ptrdiff_t at = row + 2 * slope->y, off = row + 2 * slope->against;
            part[i] = E * (olk_entry)a[at] + alpha * ((olk_entry)w[at] - (olk_entry)a[at]);
            part[i] -= E * (olk_entry)a[off] + alpha * ((olk_entry)w[off] - (olk_entry)a[off]);
        }
}

/* h <- the gradient of the blended score with respect to a block's angles, from weights not yet
   changed. Returns the unit of h. */
static OLK_NOCLONE olk_real olk_gradient(const olk_sorf *p, const olk_sorf_state *s,
                                         const olk_sorf_slope *slope, int32_t g,
                                         const olk_stored *w, const olk_stored *a,
                                         const olk_sorf_feature *feature, ptrdiff_t lines,
                                         const olk_frequency_scales *scales, ptrdiff_t block,
                                         olk_entry *h)
{
    const olk_entry E = slope->weights.E[g], alpha = slope->weights.alpha[g];
    const olk_entry size = olk_inverse_size(p, g);
    (void)s;
    OLK_ALIGNED(64) olk_entry part[OLK_CHUNK];
    int index = olk_first_scale(scales->widths, block);
    const olk_entry *const row = scales->value + index;
    if (lines < 64)
        memset(h, 0, 64 * sizeof *h);
    for (ptrdiff_t start = 0; start < lines; start += OLK_CHUNK / 2) {
        const ptrdiff_t n = lines - start < OLK_CHUNK / 2 ? lines - start : OLK_CHUNK / 2;
        olk_slopes(slope, p->classes, E, alpha, w, a, 2 * start, 2 * n, part);
        for (ptrdiff_t i = 0; i < n; i++, index = olk_next_index(scales->widths, index)) {
            const ptrdiff_t k = start + i;
            h[k] = (part[2 * i + 1] * feature[2 * k] - part[2 * i] * feature[2 * k + 1]) * size *
                   olk_frequency_scale(scales, row, k, index);
        }
    }
    return 1;
}
#endif

/* -- The transpose of the sketch --
   From the 64 lines of a block back to a row, for the gradient of relevance (docs/sorf.md, section
   7c). */

#ifndef OLK_SORF_FIXED
static OLK_INLINE olk_real olk_from_grid(olk_entry v, olk_real unit)
{
    (void)unit;
    return v;
}
#endif

/* q_i += s_i unit h_(i mod 64) for every input. */
static OLK_NOCLONE void olk_sketch_transposed(const olk_sorf *p, uint64_t generator,
                                              const olk_entry *h, olk_real unit, olk_input *q)
{
    for (ptrdiff_t start = 0; start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        const olk_entry *restrict from = h + start % 64;
        olk_input *restrict to = q + start;
#ifdef OLK_SORF_PLAIN
        uint32_t signs = olk_pcg_next(&generator, OLK_PCG_SIGNS);
        for (ptrdiff_t i = 0; i < n; i++, signs >>= 1) {
            const olk_entry part = olk_negated(from[i], (signs & 1) ? olk_sign : 0);
            to[i] = (olk_input)((olk_real)to[i] + olk_from_grid(part, unit));
        }
#else
        OLK_ALIGNED(64) olk_word flip[32];
        olk_flips(olk_pcg_next(&generator, OLK_PCG_SIGNS), flip);
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = (olk_input)((olk_real)to[i] +
                                olk_from_grid(olk_negated(from[i], flip[i]), unit));
#endif
    }
}

/* -- The derivative along one scale for all inputs --
   docs/sorf.md, section 7e: the sum of delta theta. */

#ifdef OLK_SORF_FIXED
/* For one block, from its transform v: its dot product with omega o delta. */
static OLK_NOCLONE olk_real olk_scale_gradient(const olk_sorf *p, const olk_sorf_state *s,
                                               const olk_sorf_slope *slope, int32_t g,
                                               const int8_t *w, const int8_t *a,
                                               const int16_t *feature, const uint32_t *v,
                                               ptrdiff_t lines, const olk_frequency_scales *scales,
                                               ptrdiff_t block)
{
    uint32_t h[64];
    int64_t sum = 0;
    const float unit = olk_gradient(p, s, slope, g, w, a, feature, lines, scales, block, h);
    for (int k = 0; k < 64; k++)
        sum += (int64_t)(int32_t)h[k] * (int32_t)v[k];
    return unit * ((float)sum * olk_power_of_two(-olk_grid(p, s)));
}
#else
/* For one block, from its features and its transform v. */
static OLK_NOCLONE olk_real olk_scale_gradient(const olk_sorf *p, const olk_sorf_state *s,
                                               const olk_sorf_slope *slope, int32_t g,
                                               const olk_stored *w, const olk_stored *a,
                                               const olk_sorf_feature *feature, const olk_entry *v,
                                               ptrdiff_t lines, const olk_frequency_scales *scales,
                                               ptrdiff_t block)
{
    const olk_entry E = slope->weights.E[g], alpha = slope->weights.alpha[g];
    const olk_entry size = olk_inverse_size(p, g);
    (void)s;
    OLK_ALIGNED(64) olk_entry part[OLK_CHUNK];
    olk_real lane[8] = {0};
    int index = olk_first_scale(scales->widths, block);
    const olk_entry *const row = scales->value + index;
    for (ptrdiff_t start = 0; start < lines; start += OLK_CHUNK / 2) {
        const ptrdiff_t n = lines - start < OLK_CHUNK / 2 ? lines - start : OLK_CHUNK / 2;
        if (n < OLK_CHUNK / 2)
            memset(part, 0, sizeof part);
        olk_slopes(slope, p->classes, E, alpha, w, a, 2 * start, 2 * n, part);
        for (int i = 0; i < OLK_CHUNK / 2; i++, index = olk_next_index(scales->widths, index)) {
            const ptrdiff_t k = start + i;
            lane[i % 8] += (part[2 * i + 1] * feature[2 * k] - part[2 * i] * feature[2 * k + 1]) *
                           size * olk_frequency_scale(scales, row, k, index) * v[k];
        }
    }
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
#endif
