/* A row as the features see it, clamped (docs/sorf.md, section 15) and scaled by relevance (7c), or
   all angles multiplied by one scale (7e); gradients of the blended score and steps of the log
   scales. */
#pragma once

#include "sorf_form.h"

/* -- The row as the features see it, and gradient steps -- */

/* Relevance (section 7c): rows before it begins, decay of the squared gradients and weight of a new
   one, step size, what keeps the root above zero, and the largest log scale. */
enum { OLK_RELEVANCE_START = 200 };
static const double olk_relevance_memory = 0.999, olk_relevance_share = 0.001;
static const double olk_relevance_step = 0.003, olk_relevance_floor = 1e-12;
static const double olk_shared_step = 0.01; /* section 7e */
static const double olk_max_log_scale = 2.0;

/* Multiplies the frequencies by the scale shared by all inputs (section 7e). */
static inline void olk_scale_widths(olk_sorf *p, const olk_sorf_state *s)
{
    const double by = olk_sorf_exp((double)*(const olk_input *)s->shared);
    for (int32_t g = 0; g < p->groups; g++)
        for (int32_t i = 0; i < p->widths[g]; i++)
            p->omega[g][i] *= by;
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
    olk_scale_widths(copy, s);
    return copy;
#endif
}

static inline olk_input olk_clamped(olk_input x, olk_input limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* Clamps n numbers into `to`, which may be x. */
static inline void olk_clamp_inputs(const olk_sorf *p, const olk_input *x, ptrdiff_t n,
                                    olk_input *to)
{
    const olk_input limit = (olk_input)p->hold;
    for (ptrdiff_t k = 0; k < n; k++)
        to[k] = olk_clamped(x[k], limit);
}

/* Whether the features see other numbers than the row has. */
static inline int olk_reshapes(const olk_sorf *p)
{
    return p->relevance == OLK_RELEVANCE_EACH || p->hold > 0.0;
}

/* One row as the features see it; written to `to`, which may be the row, if it differs. */
static inline olk_sorf_row olk_reshaped_row(const olk_sorf *p, const olk_sorf_state *s,
                                            const olk_sorf_row *row, olk_input *to)
{
    if (!olk_reshapes(p))
        return *row;
    const olk_input *x = row->values, *log_scale = s->log_scale;
    const ptrdiff_t count = row->index ? row->count : p->d;
    if (p->hold > 0.0) {
        olk_clamp_inputs(p, x, count, to);
        x = to;
    }
    for (ptrdiff_t k = 0; p->relevance == OLK_RELEVANCE_EACH && k < count; k++) {
        const ptrdiff_t i = row->index ? row->index[k] : k;
        to[k] =
            (olk_input)((olk_compute_t)x[k] * (olk_compute_t)olk_sorf_exp((double)log_scale[i]));
    }
    return (olk_sorf_row){to, row->index, row->count};
}

/* The same for m dense rows, with the factor of each column. */
static inline olk_sorf_row olk_reshaped_rows(const olk_sorf *p, const olk_compute_t *by,
                                             const olk_sorf_row *row, ptrdiff_t m, olk_input *to)
{
    const olk_input *x = row->values;
    if (!olk_reshapes(p))
        return *row;
    if (p->hold > 0.0) {
        olk_clamp_inputs(p, x, m * p->d, to);
        x = to;
    }
    for (ptrdiff_t r = 0; p->relevance == OLK_RELEVANCE_EACH && r < m; r++)
        for (ptrdiff_t k = 0; k < p->d; k++)
            to[r * p->d + k] = (olk_input)((olk_compute_t)x[r * p->d + k] * by[k]);
    return (olk_sorf_row){to, NULL, 0};
}

/* Adds a gradient to the running squared gradient. */
static inline double olk_decayed_square(double G, double q)
{
    return olk_relevance_memory * G + olk_relevance_share * q * q;
}

/* Counts a gradient step; returns the bias correction of the squared gradients, which began at
   0. */
static inline double olk_count_gradient(const olk_sorf_state *s)
{
    double decayed = 1.0, power = olk_relevance_memory;
    *s->gradient_steps += 1;
    for (uint64_t u = *s->gradient_steps; u; u >>= 1, power *= power)
        decayed *= u & 1 ? power : 1.0;
    return 1.0 - decayed;
}

/* A log scale after a step along q, where G is the squared gradient including q. */
static inline double olk_stepped_scale(double scale, double step, double q, double G, double known)
{
    const double stepped = scale + step * q / olk_sqrt(G / known + olk_relevance_floor);
    const double clipped = stepped > olk_max_log_scale ? olk_max_log_scale : stepped;
    return clipped < -olk_max_log_scale ? -olk_max_log_scale : clipped;
}

/* One step of the shared log scale along q, its derivative times sigma (section 7e). */
static inline void olk_shared_gradient_step(const olk_sorf_state *s, double q)
{
    olk_input *scale = s->shared, *G = scale + 1;
    const double known = olk_count_gradient(s);
    *G = (olk_input)olk_decayed_square((double)*G, q);
    if (*G > 0)
        *scale =
            (olk_input)olk_stepped_scale((double)*scale, olk_shared_step, q, (double)*G, known);
}

/* One step of each log scale along sigma x' o q; inputs absent from a sparse row only decay. */
static inline void olk_gradient_step(const olk_sorf *p, const olk_sorf_state *s,
                                     const olk_sorf_row *x, double sigma)
{
    const olk_input *scaled = x->values, *sum = (const olk_input *)s->inputs + p->d;
    olk_input *log_scale = s->log_scale, *G = s->gradient_square;
    const ptrdiff_t count = x->index ? x->count : p->d;
    const double known = olk_count_gradient(s);
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < p->d; i++) {
        double q = 0.0;
        if (k < count && (!x->index || x->index[k] == i)) {
            q = sigma * (double)scaled[k] * (double)sum[k];
            k++;
        }
        G[i] = (olk_input)olk_decayed_square((double)G[i], q);
        if (G[i] > 0)
            log_scale[i] = (olk_input)olk_stepped_scale((double)log_scale[i], olk_relevance_step, q,
                                                        (double)G[i], known);
    }
}

/* -- The gradient of a block --
   Of the blended score, which relevance follows (docs/sorf.md, section 7c, omega o delta). */

#ifdef OLK_SORF_FIXED
/* As below, with h as 18-bit integers in the returned unit, so that the transforms do not
   overflow. */
static OLK_NOCLONE float olk_gradient(const olk_sorf *p, const olk_sorf_slope *slope, int32_t g,
                                      const int8_t *w, const int8_t *a, const int16_t *feature,
                                      ptrdiff_t lines, const olk_frequency_scales *scales,
                                      ptrdiff_t block, uint32_t *h)
{
    const ptrdiff_t K = p->classes;
    const int32_t E = (int32_t)(slope->weights.E[g] * 256.0 + 0.5);
    const int32_t alpha = (int32_t)(slope->weights.alpha[g] * 256.0 + 0.5);
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
    double power;
    const uint64_t bits = (uint64_t)(1023 + 7 + shift + olk_grid(p) - 32) << 52;
    memcpy(&power, &bits, sizeof power);
    return (float)(6.28318530717958647693 * power / (p->kappa * p->size[g]));
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
static OLK_NOCLONE olk_compute_t olk_gradient(const olk_sorf *p, const olk_sorf_slope *slope,
                                              int32_t g, const olk_stored *w, const olk_stored *a,
                                              const olk_sorf_feature *feature, ptrdiff_t lines,
                                              const olk_frequency_scales *scales, ptrdiff_t block,
                                              olk_entry *h)
{
    const olk_entry E = (olk_entry)slope->weights.E[g], alpha = (olk_entry)slope->weights.alpha[g];
    const olk_entry size = (olk_entry)(1.0 / (p->kappa * p->size[g]));
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
static OLK_INLINE olk_compute_t olk_from_grid(olk_entry v, olk_compute_t unit)
{
    (void)unit;
    return v;
}
#endif

/* q_k += s_i unit h_(i mod 64) for every number of a row. */
static OLK_NOCLONE void olk_sketch_transposed(const olk_sorf *p, uint64_t generator,
                                              const olk_sorf_row *row, const olk_entry *h,
                                              olk_compute_t unit, olk_input *q)
{
    ptrdiff_t next_word = 0;
    uint32_t word = 0;
    for (ptrdiff_t start = 0; !row->index && start < p->d; start += 32) {
        const ptrdiff_t n = p->d - start < 32 ? p->d - start : 32;
        const olk_entry *restrict from = h + start % 64;
        olk_input *restrict to = q + start;
#ifdef OLK_SORF_PLAIN
        uint32_t signs = olk_pcg_next(&generator, OLK_PCG_SIGNS);
        for (ptrdiff_t i = 0; i < n; i++, signs >>= 1) {
            const olk_entry part = olk_negated(from[i], (signs & 1) ? olk_sign : 0);
            to[i] = (olk_input)((olk_compute_t)to[i] + olk_from_grid(part, unit));
        }
#else
        OLK_ALIGNED(64) olk_word flip[32];
        olk_flips(olk_pcg_next(&generator, OLK_PCG_SIGNS), flip);
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = (olk_input)((olk_compute_t)to[i] +
                                olk_from_grid(olk_negated(from[i], flip[i]), unit));
#endif
    }
    for (ptrdiff_t k = 0; row->index && k < row->count; k++) {
        const ptrdiff_t i = row->index[k];
        if (i / 32 >= next_word) {
            olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(i / 32 - next_word));
            word = olk_pcg_next(&generator, OLK_PCG_SIGNS);
            next_word = i / 32 + 1;
        }
        const olk_compute_t part = olk_from_grid(h[i % 64], unit);
        q[k] = (olk_input)((olk_compute_t)q[k] + ((word >> (i % 32) & 1) ? -part : part));
    }
}

/* -- The derivative along one scale for all inputs --
   docs/sorf.md, section 7e: the sum of delta theta. */

#ifdef OLK_SORF_FIXED
/* For one block, from its transform v: its dot product with omega o delta. */
static OLK_NOCLONE double olk_scale_gradient(const olk_sorf *p, const olk_sorf_slope *slope,
                                             int32_t g, const int8_t *w, const int8_t *a,
                                             const int16_t *feature, const uint32_t *v,
                                             ptrdiff_t lines, const olk_frequency_scales *scales,
                                             ptrdiff_t block)
{
    uint32_t h[64];
    const uint64_t bits = (uint64_t)(1023 - olk_grid(p)) << 52;
    double power;
    int64_t sum = 0;
    const float unit = olk_gradient(p, slope, g, w, a, feature, lines, scales, block, h);
    for (int k = 0; k < 64; k++)
        sum += (int64_t)(int32_t)h[k] * (int32_t)v[k];
    memcpy(&power, &bits, sizeof power);
    return (double)(unit * (float)((double)sum * power));
}
#else
/* For one block, from its features and its transform v. */
static OLK_NOCLONE double olk_scale_gradient(const olk_sorf *p, const olk_sorf_slope *slope,
                                             int32_t g, const olk_stored *w, const olk_stored *a,
                                             const olk_sorf_feature *feature, const olk_entry *v,
                                             ptrdiff_t lines, const olk_frequency_scales *scales,
                                             ptrdiff_t block)
{
    const olk_entry E = (olk_entry)slope->weights.E[g], alpha = (olk_entry)slope->weights.alpha[g];
    const olk_entry size = (olk_entry)(1.0 / (p->kappa * p->size[g]));
    OLK_ALIGNED(64) olk_entry part[OLK_CHUNK];
    olk_compute_t lane[8] = {0};
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
    return (double)(((lane[0] + lane[4]) + (lane[1] + lane[5])) +
                    ((lane[2] + lane[6]) + (lane[3] + lane[7])));
}
#endif

#ifdef OLK_MIXED_PRECISION
/* The slope of the score with respect to one feature, from its last and its averaged weight. */
static OLK_INLINE double olk_slope_of(double E, double alpha, int8_t w, int8_t a)
{
    return E * (double)a + alpha * (double)(w - a);
}

#if OLK_BYTES
/* Lane by lane: a where the highest bit is set, else b. */
static OLK_INLINE olk_compute_vec olk_select_lanes(olk_words bit, olk_compute_vec a,
                                                   olk_compute_vec b)
{
#if OLK_BYTES == 32
    return (olk_compute_vec)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)bit);
#else
    return olk_select_f64s((olk_i64s)bit < 0, a, b);
#endif
}

/* For a block of one column, from its transform v alone; angles below olk_max_angle. */
static OLK_NOCLONE double olk_scale_gradient_angles(double E, double alpha, const int8_t *w,
                                                    const int8_t *a, const double *v,
                                                    ptrdiff_t lines,
                                                    const olk_frequency_scales *scales, int at)
{
    enum { L = OLK_BYTES / 8 };
    OLK_ALIGNED(64) double part[2][64];
    int8_t padded[2][128];
    olk_compute_vec sum[2] = {{0}, {0}};
    double total = 0.0;
    if (lines < 64) {
        memset(padded, 0, sizeof padded);
        w = memcpy(padded[0], w, 2 * (size_t)lines);
        a = memcpy(padded[1], a, 2 * (size_t)lines);
    }
    for (int k = 0; k < 64; k++) {
        part[0][k] = olk_slope_of(E, alpha, w[2 * k], a[2 * k]);
        part[1][k] = olk_slope_of(E, alpha, w[2 * k + 1], a[2 * k + 1]);
    }
    for (int k = 0; k < 64; k += 2 * L) {
        olk_compute_vec angle[2], c[2], s[2];
        olk_words quarters[2];
        for (int g = 0; g < 2; g++)
            angle[g] = *(const olk_compute_vec *)(v + k + g * L) *
                       *(const olk_compute_vec *)(scales->value + at + k + g * L);
        olk_two_reduced_cos_sin(2, angle, c, s, quarters);
        for (int g = 0; g < 2; g++) {
            /* One quarter turn swaps cosine and sine and flips a sign; two flip both signs. */
            const olk_words odd = quarters[g] << 63, negate = (quarters[g] & 2) << 62;
            const olk_compute_vec of_s = *(const olk_compute_vec *)(part[0] + k + g * L);
            const olk_compute_vec of_c =
                (olk_compute_vec)(*(const olk_words *)(part[1] + k + g * L) ^ odd);
            const olk_compute_vec slope = olk_fma_lanes(of_c, olk_select_lanes(odd, s[g], c[g]),
                                                        -of_s * olk_select_lanes(odd, c[g], s[g]));
            sum[g] = olk_fma_lanes(slope, (olk_compute_vec)((olk_words)angle[g] ^ negate), sum[g]);
        }
    }
    sum[0] += sum[1];
    for (int l = 0; l < L; l++)
        total += sum[0][l];
    return total;
}
#else
static OLK_NOCLONE double olk_scale_gradient_angles(double E, double alpha, const int8_t *w,
                                                    const int8_t *a, const double *v,
                                                    ptrdiff_t lines,
                                                    const olk_frequency_scales *scales, int at)
{
    double sum = 0.0;
    for (ptrdiff_t k = 0; k < lines; k++, at = olk_next_index(scales->widths, at)) {
        const double angle = v[k] * scales->value[at];
        double s, c;
        const uint64_t quarters = olk_reduced_cos_sin(angle, &c, &s);
        const double of_c = olk_slope_of(E, alpha, w[2 * k + 1], a[2 * k + 1]);
        const double of_s = olk_slope_of(E, alpha, w[2 * k], a[2 * k]);
        const double slope = quarters & 1 ? -of_c * s - of_s * c : of_c * c - of_s * s;
        sum += quarters & 2 ? -slope * angle : slope * angle;
    }
    return sum;
}
#endif

/* The same for angles of any size; angles that are not finite are skipped. */
static OLK_COLD double olk_scale_gradient_large_angles(double E, double alpha, const int8_t *w,
                                                       const int8_t *a, const double *v,
                                                       ptrdiff_t lines,
                                                       const olk_frequency_scales *scales, int at)
{
    double sum = 0.0;
    for (ptrdiff_t k = 0; k < lines; k++, at = olk_next_index(scales->widths, at)) {
        const double angle = v[k] * scales->value[at];
        double s, c;
        if (!(olk_fabs(angle) <= DBL_MAX))
            continue;
        olk_cos_sin(angle, &c, &s);
        sum += angle * (olk_slope_of(E, alpha, w[2 * k + 1], a[2 * k + 1]) * c -
                        olk_slope_of(E, alpha, w[2 * k], a[2 * k]) * s);
    }
    return sum;
}

/* The sum over the live groups, before the row is learned: nothing is written. */
static OLK_NOCLONE double olk_scale_gradient_row(const olk_sorf *p, const olk_sorf_state *s,
                                                 const olk_sorf_row *x, const olk_sorf_slope *slope,
                                                 const int *live)
{
    enum { LANES = OLK_BYTES / (int)sizeof(olk_entry) };
    enum { AT_ONCE = LANES > (int)OLK_SORF_BLOCKS ? LANES : (int)OLK_SORF_BLOCKS };
    OLK_ALIGNED(64) olk_entry v[AT_ONCE][64];
    olk_tail tail;
    olk_frequency_scales scales;
    const int small = olk_angles_are_small(p, x, 1);
    const ptrdiff_t words = (p->d + 31) / 32 + 4;
    uint64_t generator = p->signs;
    double gradient = 0.0;
    if (!x->index)
        olk_tails(p, x->values, 1, &tail);
    for (int32_t g = 0; g < p->groups; g++) {
        const ptrdiff_t end = p->first[g + 1];
        double sum = 0.0;
        if (!live[g]) {
            olk_pcg_skip(&generator, OLK_PCG_SIGNS, (uint64_t)(words * (end - p->first[g])));
            continue;
        }
        olk_group_scales(p, g, &scales);
        for (ptrdiff_t b = p->first[g], n_now; b < end; b += n_now) {
            n_now = olk_transform_blocks(p, &generator, x, 1, end - b, &tail, v);
            for (ptrdiff_t i = 0; i < n_now; i++) {
                const int at = olk_first_scale(scales.widths, b + i - p->first[g]);
                const int small_angles = small || !olk_has_large_angle(v[i], &scales, at);
                sum += (small_angles ? olk_scale_gradient_angles : olk_scale_gradient_large_angles)(
                    slope->weights.E[g], slope->weights.alpha[g],
                    (const int8_t *)s->w + 128 * (b + i), (const int8_t *)s->a + 128 * (b + i),
                    v[i], olk_lines(p, b + i), &scales, at);
            }
        }
        gradient += sum / (p->kappa * p->size[g]);
    }
    return gradient;
}
#endif
