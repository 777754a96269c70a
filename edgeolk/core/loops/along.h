/* The derivative of the blended score with respect to the log scale shared by all inputs
   (docs/sorf.md, section 7e): the sum of delta theta. */
#pragma once

#include "gradient.h"
#if OLK_BYTES
#include "quarter_turns.h"
#endif

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
