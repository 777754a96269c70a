/* The gradient that relevance follows (docs/sorf.md, section 7c, omega o delta). */
#pragma once

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
