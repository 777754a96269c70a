/* Pass 1 of several rows at once (docs/sorf.md, section 5, step 1): lane l of a vector belongs
   to row l. No number moves between lanes, signs and weights are the same for all of them, and a
   block's weights are converted once: about .7 of the time of olk_pass, .4 with several columns.
   Every sum has the terms of olk_pass in the same order: the same bits.

   Included after sorf_scores.h, where the compiler has vectors; no exported learner needs it. */
#pragma once

/* OLK_ABREAST: rows side by side. OLK_ABREAST_FROM: so few rows that one after the other is no
   quicker; the lanes of missing rows are 0. OLK_ABREAST_INPUTS, OLK_ABREAST_SCORES: longer rows, or
   rows with more scores, do not fit the stack. */
enum {
    OLK_ABREAST = OLK_BYTES / (int)sizeof(olk_real),
    OLK_ABREAST_FROM = OLK_ABREAST * 5 / 8 + 1,
    OLK_ABREAST_INPUTS = 256,
    OLK_ABREAST_SCORES = 64
};

static OLK_INLINE olk_real_vec olk_get_abreast(const olk_entry *from)
{
    return *(const olk_real_vec *)from;
}

/* to[k][l] <- input k of row l. */
static OLK_NOCLONE void olk_lay_abreast(const olk_input *x, ptrdiff_t d, ptrdiff_t m,
                                        olk_line_of_each *to)
{
    for (ptrdiff_t k = 0; k < d; k++)
        for (ptrdiff_t l = 0; l < OLK_ABREAST; l++)
            to[k][l] = l < m ? x[l * d + k] : 0;
}

/* The next block of rows laid out by olk_lay_abreast: sketched and transformed. */
static OLK_NOCLONE void olk_transform_abreast(const olk_sorf *p, uint64_t *generator,
                                              olk_line_of_each *x, olk_line_of_each *line)
{
    OLK_ALIGNED(64) olk_word flip[64];
    for (ptrdiff_t start = 0; start < p->d; start += 64) {
        const ptrdiff_t n = p->d - start < 64 ? p->d - start : 64;
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(n > 32 ? olk_pcg_next(generator, OLK_PCG_SIGNS) : 0, flip + 32);
        for (ptrdiff_t j = 0; j < n; j++) {
            const olk_real_vec from = olk_get_abreast(x[start + j]);
            const olk_real_vec sum = start ? olk_get_abreast(line[j]) : (olk_real_vec){0};
            *(olk_real_vec *)line[j] = sum + (olk_real_vec)((olk_words)from ^ flip[j]);
        }
        if (start == 0)
            memset(line + n, 0, (size_t)(64 - n) * sizeof *line);
    }
    olk_first_transform(p->d, line);
    for (int round = 1; round < 3; round++) {
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip);
        olk_flips(olk_pcg_next(generator, OLK_PCG_SIGNS), flip + 32);
        for (int i = 0; i < 64; i += 8) {
            olk_real_vec r[8];
            olk_get_eight(r, line + i);
            for (int k = 0; k < 8; k++)
                r[k] = (olk_real_vec)((olk_words)r[k] ^ flip[i + k]);
            olk_put_across(r, line + i);
        }
        olk_across_far(line);
    }
}

/* Cosines and sines of the rows with an angle that is too large for olk_phases, as
   olk_phases_slowly. */
static OLK_COLD void olk_slow_phases_abreast(olk_line_of_each *line, const olk_entry *scale,
                                             const olk_word *large, olk_line_of_each *feature)
{
    for (int l = 0; l < OLK_ABREAST; l++)
        for (int j = 0; large[l] && j < 64; j++)
            olk_any_cos_sin(line[j][l] * scale[j], &feature[2 * j][l], &feature[2 * j + 1][l]);
}

/* feature[2j], feature[2j + 1] <- cosines and sines of line[j] times its scale. */
static OLK_NOCLONE void olk_features_abreast(olk_line_of_each *restrict line,
                                             const olk_entry *restrict scale, int small_angles,
                                             olk_line_of_each *restrict feature)
{
    olk_words found = {0};
    olk_word large[OLK_ABREAST], any = 0;
    for (int j = 0; j < 64; j++)
#ifdef OLK_MASKED
        olk_phases_of_lanes(olk_get_abreast(line[j]) * scale[j],
                            (olk_real_vec *)feature[2 * j], (olk_real_vec *)feature[2 * j + 1]);
#else
        for (int l = 0; l < OLK_ABREAST; l++)
            olk_phase(line[j][l] * scale[j], &feature[2 * j][l], &feature[2 * j + 1][l]);
#endif
    if (small_angles)
        return;
    for (int j = 0; j < 64; j++) {
        const olk_real_vec angle = olk_get_abreast(line[j]) * scale[j];
        found |= ~(olk_words)((olk_real_vec)((olk_words)angle & ~olk_sign) < olk_max_angle);
    }
    memcpy(large, &found, sizeof large);
    for (int l = 0; l < OLK_ABREAST; l++)
        any |= large[l];
    if (any)
        olk_slow_phases_abreast(line, scale, large, feature);
}

/* As olk_add_products. */
static OLK_NOCLONE void olk_add_products_abreast(olk_line_of_each *restrict feature,
                                                 const olk_stored *restrict stored, ptrdiff_t n,
                                                 olk_line_of_each *restrict lane)
{
    enum { WIDE = 64 / (int)sizeof(olk_entry) };
    olk_entry weight[128];
    for (ptrdiff_t i = 0; i < n; i++)
        weight[i] = (olk_entry)stored[i];
    for (ptrdiff_t l = 0; l < WIDE; l++) {
        olk_real_vec sum = olk_get_abreast(lane[l]);
        for (ptrdiff_t i = l; i < n; i += WIDE)
            sum = olk_fma_lanes(olk_get_abreast(feature[i]), weight[i] - (olk_real_vec){0}, sum);
        *(olk_real_vec *)lane[l] = sum;
    }
}

/* As olk_sum_of, times `size`. */
static inline void olk_sum_abreast(olk_line_of_each *lane, olk_real size, olk_entry *sum)
{
    olk_real_vec total = olk_get_abreast(lane[0]);
#ifdef OLK_SORF_FLOAT64
    total += 0.0;
    for (int l = 1; l < 8; l++)
        total += olk_get_abreast(lane[l]);
#else
    for (int half = 8; half; half /= 2)
        for (int l = 0; l < half; l++) {
            total = olk_get_abreast(lane[l]) + olk_get_abreast(lane[l + half]);
            *(olk_real_vec *)lane[l] = total;
        }
    total = olk_get_abreast(lane[0]);
#endif
    *(olk_real_vec *)sum = size * total;
}

/* n columns of K, a constant: as olk_add_columns. */
static OLK_INLINE void olk_add_some_abreast(olk_line_of_each *feature,
                                            const olk_stored *stored, ptrdiff_t lines, ptrdiff_t K,
                                            const int n, olk_real scale, olk_line_of_each *sum)
{
    olk_entry weight[64][8];
    olk_real_vec total[8];
    for (ptrdiff_t k = 0; k < lines; k++)
        for (int i = 0; i < 2 * n; i++)
            weight[k][i] = (olk_entry)stored[2 * k * K + i];
    for (int i = 0; i < 2 * n; i++)
        total[i] = (olk_real_vec){0};
    for (ptrdiff_t k = 0; k < lines; k++)
        for (int i = 0; i < 2 * n; i++)
            total[i] += olk_get_abreast(feature[2 * k + i % 2]) * weight[k][i];
    for (int i = 0; i < n; i++)
        *(olk_real_vec *)sum[i] += scale * (total[2 * i] + total[2 * i + 1]);
}

static OLK_NOCLONE void olk_add_columns_abreast(olk_line_of_each *feature,
                                                const olk_stored *stored, ptrdiff_t lines,
                                                ptrdiff_t K, olk_real scale, olk_line_of_each *sum)
{
    for (ptrdiff_t c = 0, n; c < K; c += n) {
        n = K - c >= 4 ? 4 : (K - c >= 2 ? 2 : 1);
        if (n == 4)
            olk_add_some_abreast(feature, stored + 2 * c, lines, K, 4, scale, sum + c);
        else if (n == 2)
            olk_add_some_abreast(feature, stored + 2 * c, lines, K, 2, scale, sum + c);
        else
            olk_add_some_abreast(feature, stored + 2 * c, lines, K, 1, scale, sum + c);
    }
}

/* to[l][c] <- sum[c][l], rows `stride` numbers apart, of m rows and K columns. */
static inline void olk_part_rows(olk_line_of_each *sum, ptrdiff_t m, ptrdiff_t K,
                                 ptrdiff_t stride, olk_real *to)
{
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t c = 0; c < K; c++)
            to[r * stride + c] = sum[c][r];
}

/* Whether m rows are scored abreast: with one column only where vectors are long, as four lanes
   cost more loads and stores than they save shuffles. */
static inline int olk_are_abreast(const olk_sorf *p, ptrdiff_t m)
{
    return m >= OLK_ABREAST_FROM && p->d <= OLK_ABREAST_INPUTS &&
           (OLK_BYTES > 16 || p->classes > 1);
}

/* As olk_pass, for rows that are. */
static OLK_NOCLONE void olk_pass_abreast(const olk_sorf *p, const olk_sorf_state *s,
                                         const olk_input *rows, ptrdiff_t m, olk_real *fw,
                                         olk_real *fa)
{
    enum { WIDE = 64 / (int)sizeof(olk_entry) };
    OLK_ALIGNED(64) olk_line_of_each x[OLK_ABREAST_INPUTS], line[64], feature[128];
    OLK_ALIGNED(64) olk_line_of_each sum[2][OLK_ABREAST_SCORES]; /* at least WIDE */
    olk_frequency_scales scales;
    const int small_angles = olk_angles_are_small(p, s, rows, m);
    const ptrdiff_t K = p->classes;
    uint64_t generator = p->signs;
    olk_lay_abreast(rows, p->d, m, x);
    for (int32_t g = 0; g < p->groups; g++) {
        if (olk_is_linear_group(p, g)) /* linear_group.h */
            continue;
        const olk_real size = olk_inverse_size(p, g) / OLK_FEATURE_OF_ONE;
        olk_group_scales(p, s, g, &scales);
        memset(sum[0], 0, (size_t)(K > 1 ? K : WIDE) * sizeof *sum[0]);
        memset(sum[1], 0, (size_t)(K > 1 ? K : WIDE) * sizeof *sum[1]);
        for (ptrdiff_t b = p->first[g]; b < p->first[g + 1]; b++) {
            const ptrdiff_t lines = olk_lines(p, b), from = 128 * b * K;
            const olk_stored *w = (const olk_stored *)s->w + from;
            const olk_stored *a = (const olk_stored *)s->a + from;
            olk_transform_abreast(p, &generator, x, line);
            olk_features_abreast(line,
                                 scales.value + olk_first_scale(scales.widths, b - p->first[g]),
                                 small_angles, feature);
            if (K > 1) {
                olk_add_columns_abreast(feature, w, lines, K, size, sum[0]);
                olk_add_columns_abreast(feature, a, lines, K, size, sum[1]);
            } else {
                if (fw)
                    olk_add_products_abreast(feature, w, 2 * lines, sum[0]);
                if (fa)
                    olk_add_products_abreast(feature, a, 2 * lines, sum[1]);
            }
        }
        for (int average = 0; average < 2; average++) {
            olk_real *to = average ? fa : fw;
            if (!to)
                continue;
            if (K == 1)
                olk_sum_abreast(sum[average], size, sum[average][0]);
            olk_part_rows(sum[average], m, K, p->groups * K, to + g * K);
        }
    }
}
