/* Dot products of stored weights and a block's features (docs/sorf.md, section 5, step 1); included
   by scoring.h. A block of one column is 128 consecutive numbers, cosine and sine in turn; K
   columns are K times as many, frequency by frequency. */

#ifndef OLK_SORF_FIXED
/* lane[l] += the products of numbers l, l + WIDE, .. of n <= 128. */
static OLK_NOCLONE void olk_add_products(const olk_entry *restrict feature,
                                         const olk_stored *restrict stored, ptrdiff_t n,
                                         olk_entry *restrict lane)
{
    enum { WIDE = 64 / (int)sizeof(olk_entry) };
#if OLK_BYTES
    OLK_ALIGNED(64) olk_stored padded[128];
    if (n < 128) {
        memset(padded, 0, sizeof padded);
        memcpy(padded, stored, (size_t)n * sizeof *padded);
        stored = padded;
    }
    enum { L = OLK_BYTES / (int)sizeof(olk_entry), VECTORS = WIDE / L };
    olk_compute_vec sum[VECTORS];
#if OLK_BYTES == 16
    olk_entry converted[128];
    const olk_entry *wide = (const olk_entry *)stored;
    if (OLK_QUANTIZED) {
        for (int i = 0; i < 128; i++)
            converted[i] = (olk_entry)stored[i];
        wide = converted;
    }
#endif
    for (int g = 0; g < VECTORS; g++)
        sum[g] = *(const olk_compute_vec *)(lane + g * L);
    for (int i = 0; i < 128; i += WIDE)
        for (int g = 0; g < VECTORS; g++) {
            const olk_compute_vec features = *(const olk_compute_vec *)(feature + i + g * L);
#if OLK_BYTES == 16
            sum[g] = olk_fma_lanes(features, *(const olk_compute_vec *)(wide + i + g * L), sum[g]);
#else
            sum[g] = olk_fma_lanes(features, olk_weights_at(stored + i + g * L), sum[g]);
#endif
        }
    for (int g = 0; g < VECTORS; g++)
        *(olk_compute_vec *)(lane + g * L) = sum[g];
#else
    for (int l = 0; l < WIDE; l++)
        for (ptrdiff_t i = l; i < n; i += WIDE)
            lane[l] += feature[i] * (olk_entry)stored[i];
#endif
}

static inline double olk_sum_of(const olk_entry *lane)
{
    double total = 0.0;
    for (int l = 0; l < 64 / (int)sizeof *lane; l++)
        total += (double)lane[l];
    return total;
}
#endif

/* total[2i], total[2i + 1]: sums of cosines and of sines with their weights for i < n columns of K,
   n <= `max_columns` <= 8, line by line. */
static OLK_INLINE void olk_add_some_columns(const olk_sorf_feature *feature,
                                            const olk_stored *stored, ptrdiff_t lines, ptrdiff_t K,
                                            int n, const int max_columns, olk_sum *total)
{
#if OLK_BYTES > 16
    enum { L = OLK_BYTES / (int)sizeof(olk_entry) };
    const int lanes = 2 * max_columns < L ? L : 2 * max_columns;
    olk_compute_vec sum[16 / L];
    olk_stored last[16] = {0};
    for (int g = 0; g < lanes / L; g++)
        sum[g] = (olk_compute_vec){0};
    for (ptrdiff_t k = 0; k < lines; k++) {
        const olk_stored *from = stored + 2 * k * K;
        if (2 * (lines - k) * K < lanes + 2 * (K - n)) /* weights end before vectors do */
            from = memcpy(last, from, 2 * (size_t)n * sizeof *last);
        const olk_compute_vec pair = olk_pairs_of(feature + 2 * k);
        for (int g = 0; g < lanes / L; g++)
            sum[g] += pair * olk_weights_at(from + g * L);
    }
    for (int g = 0; g < lanes / L; g++)
        *(olk_compute_vec *)(total + g * L) = sum[g];
#else
    (void)max_columns;
    for (int i = 0; i < 2 * n; i++)
        total[i] = 0;
    for (ptrdiff_t k = 0; k < lines; k++) {
        const olk_stored *from = stored + 2 * k * K;
        for (int i = 0; i < n; i++) {
            total[2 * i] += feature[2 * k] * (olk_sum)from[2 * i];
            total[2 * i + 1] += feature[2 * k + 1] * (olk_sum)from[2 * i + 1];
        }
    }
#endif
}

/* K columns: sum[c] += scale (features . column c), over `lines` frequencies. */
static OLK_NOCLONE void olk_add_columns(const olk_sorf_feature *feature, const olk_stored *stored,
                                        ptrdiff_t lines, ptrdiff_t K, double scale, double *sum)
{
    for (ptrdiff_t c = 0; c < K; c += 8) {
        const int n = (int)(K - c < 8 ? K - c : 8);
        olk_sum total[16];
        if (OLK_BYTES > 16 && n <= 4)
            olk_add_some_columns(feature, stored + 2 * c, lines, K, n, 4, total);
        else
            olk_add_some_columns(feature, stored + 2 * c, lines, K, n, 8, total);
        for (int i = 0; i < n; i++)
            sum[c + i] += scale * ((double)total[2 * i] + (double)total[2 * i + 1]);
    }
}
