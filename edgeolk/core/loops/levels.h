/* Stored weights of structured features: sums with a block's features, and stores, for one storage
   type and one computed in; included by structured_isa.h. A block of one column is 128 numbers in a
   row, cosine and sine in turn; K columns are K times as many, frequency by frequency. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(OLK_CAT(name, OLK_STORED), OLK_TYPE))
#define OLK_WIDE (64 / (int)sizeof(OLK_T))
#define OLK_UNIT (OLK_LEVELS ? (OLK_T)65536 : (OLK_T)1)

#if !OLK_WHOLE
/* lane[l] += the products of numbers l, l + OLK_WIDE, .. of n = 128 at most. */
static OLK_APART void OLK_FN(olk_gather)(const OLK_T *restrict feature, const OLK_S *restrict stored,
                                      ptrdiff_t n, OLK_T *restrict lane)
{
    OLK_ALIGNED(64) OLK_S whole[128];
    if (n < 128) {
        memset(whole, 0, sizeof whole);
        memcpy(whole, stored, (size_t)n * sizeof *whole);
        stored = whole;
    }
#if OLK_BYTES
    enum { L = OLK_BYTES / (int)sizeof(OLK_T), VECTORS = OLK_WIDE / L };
    typedef OLK_T vector __attribute__((vector_size(OLK_BYTES), aligned(sizeof(OLK_T)), may_alias));
    vector sum[VECTORS];
#if OLK_LEVELS && !defined(OLK_FROM_LEVELS_F64)
    OLK_T wide[128];
    for (int i = 0; i < 128; i++)
        wide[i] = (OLK_T)stored[i];
#define OLK_WEIGHTS(i) *(const vector *)(wide + (i))
#elif OLK_LEVELS
#define OLK_WEIGHTS(i) (vector)OLK_FROM_LEVELS(stored + (i))
#else
#define OLK_WEIGHTS(i) *(const vector *)(stored + (i))
#endif
    for (int g = 0; g < VECTORS; g++)
        sum[g] = *(const vector *)(lane + g * L);
    for (int i = 0; i < 128; i += OLK_WIDE)
        for (int g = 0; g < VECTORS; g++)
            sum[g] = OLK_VMADD(*(const vector *)(feature + i + g * L), OLK_WEIGHTS(i + g * L),
                               sum[g]);
    for (int g = 0; g < VECTORS; g++)
        *(vector *)(lane + g * L) = sum[g];
#undef OLK_WEIGHTS
#else
    for (int l = 0; l < OLK_WIDE; l++)
        for (int i = l; i < 128; i += OLK_WIDE)
            lane[l] = OLK_MADD(feature[i], (OLK_T)stored[i], lane[l]);
#endif
}

static inline double OLK_FN(olk_gathered)(const OLK_T *lane)
{
    double total = 0.0;
    for (int l = 0; l < OLK_WIDE; l++)
        total += (double)lane[l];
    return total;
}
#endif

/* total[2i], total[2i + 1]: sums of cosines and of sines with their weights for i < n columns of K,
   n <= `most` <= 8, line by line. */
static OLK_ALWAYS void OLK_FN(olk_gather_some)(const OLK_F *feature, const OLK_S *stored,
                                               ptrdiff_t lines, ptrdiff_t K, int n, const int most,
                                               OLK_SUM *total)
{
#ifdef OLK_PAIR
    enum { L = OLK_BYTES / (int)sizeof(OLK_T) };
    typedef OLK_T vector __attribute__((vector_size(OLK_BYTES), aligned(sizeof(OLK_T)), may_alias));
    const int room = 2 * most < L ? L : 2 * most;
    vector sum[16 / L];
    OLK_S last[16] = {0};
    for (int g = 0; g < room / L; g++)
        sum[g] = (vector){0};
    for (ptrdiff_t k = 0; k < lines; k++) {
        const OLK_S *from = stored + 2 * k * K;
        if (2 * (lines - k) * K < room + 2 * (K - n)) /* weights end before vectors do */
            from = memcpy(last, from, 2 * (size_t)n * sizeof *last);
        const vector pair = (vector)OLK_PAIR(feature + 2 * k);
        for (int g = 0; g < room / L; g++)
#if OLK_LEVELS
            sum[g] += pair * (vector)OLK_FROM_LEVELS(from + g * L);
#else
            sum[g] += pair * *(const vector *)(from + g * L);
#endif
    }
    for (int g = 0; g < room / L; g++)
        *(vector *)(total + g * L) = sum[g];
#else
    (void)most;
    for (int i = 0; i < 2 * n; i++)
        total[i] = 0;
    for (ptrdiff_t k = 0; k < lines; k++) {
        const OLK_S *from = stored + 2 * k * K;
        for (int i = 0; i < n; i++) {
            total[2 * i] += feature[2 * k] * (OLK_SUM)from[2 * i];
            total[2 * i + 1] += feature[2 * k + 1] * (OLK_SUM)from[2 * i + 1];
        }
    }
#endif
}

/* K columns: sum[c] += scale (features . column c), over `lines` frequencies. */
static OLK_APART void OLK_FN(olk_gather_columns)(const OLK_F *feature, const OLK_S *stored,
                                              ptrdiff_t lines, ptrdiff_t K, double scale,
                                              double *sum)
{
    for (ptrdiff_t c = 0; c < K; c += 8) {
        const int n = (int)(K - c < 8 ? K - c : 8);
        OLK_SUM total[16];
#ifdef OLK_PAIR
        if (n <= 4)
            OLK_FN(olk_gather_some)(feature, stored + 2 * c, lines, K, n, 4, total);
        else
#endif
            OLK_FN(olk_gather_some)(feature, stored + 2 * c, lines, K, n, 8, total);
        for (int i = 0; i < n; i++)
            sum[c + i] += scale * ((double)total[2 * i] + (double)total[2 * i + 1]);
    }
}

/* stored[i] += change[i] / OLK_UNIT, i < n <= 128. int8 counts change in 65,536ths, below 2^26 of
   them: bits[i] and the half that rounds to one decide whether the rest makes a level. OLK_LIFTED is
   the nearest of them and 2^27, so that the shift is of a positive number. */
static inline void OLK_FN(olk_store_some)(OLK_S *restrict stored, const OLK_SUM *restrict change,
                                          const uint16_t *restrict bits, ptrdiff_t n)
{
#if OLK_LEVELS
    int32_t part[128];
    for (ptrdiff_t i = 0; i < n; i++)
        part[i] = OLK_LIFTED(change[i]);
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t level = stored[i] + ((part[i] + bits[i]) >> 16) - (1 << 11);
        level = level > 127 ? 127 : level;
        stored[i] = (OLK_S)(level < -127 ? -127 : level);
    }
#else
    (void)bits;
    for (ptrdiff_t i = 0; i < n; i++)
        stored[i] = (OLK_S)((OLK_T)stored[i] + change[i]);
#endif
}

/* Changes beyond the range of int8 a thousand times over stay beyond it. */
static inline void OLK_FN(olk_tame)(OLK_SUM *change, OLK_STEP step, ptrdiff_t n)
{
    const OLK_SUM most = 1000 * OLK_UNIT;
    if (!OLK_LEVELS || OLK_IS_TAME(step, most))
        return;
    for (ptrdiff_t i = 0; i < n; i++) {
        change[i] = change[i] > most ? most : change[i];
        change[i] = change[i] < -most ? -most : change[i];
    }
}

/* As olk_store_some, one word of the generator for each pair of the n. */
static OLK_APART void OLK_FN(olk_store)(OLK_S *stored, const OLK_SUM *change, ptrdiff_t n,
                                     uint64_t *generator)
{
#if OLK_LEVELS
    OLK_ALIGNED(64) uint16_t bits[128];
    OLK_NAME(olk_draw)(generator, bits, n / 2);
#else
    const uint16_t *bits = NULL;
    (void)generator;
#endif
#if OLK_LEVELS && defined(OLK_ROUND_LEVELS)
    if (n == 128) {
        OLK_ROUND_LEVELS(stored, change, bits);
        return;
    }
#endif
    if (n == 128)
        OLK_FN(olk_store_some)(stored, change, bits, 128);
    else
        OLK_FN(olk_store_some)(stored, change, bits, n);
}

/* stored += tau feature, one column. */
static inline void OLK_FN(olk_learn)(OLK_S *stored, const OLK_F *restrict feature,
                                     OLK_REAL tau, ptrdiff_t n, uint64_t *generator)
{
    OLK_ALIGNED(64) OLK_SUM change[128];
    const OLK_STEP step = OLK_STEP_OF(tau);
    for (int i = 0; i < 128; i++)
        change[i] = OLK_TIMES(step, feature[i]);
    OLK_FN(olk_tame)(change, step, 128);
    OLK_FN(olk_store)(stored, change, n, generator);
}

/* Columns `low` and `high` of K, low < high: low += tau feature, high -= tau feature. */
static OLK_APART void OLK_FN(olk_learn_two)(OLK_S *stored, const OLK_F *feature, OLK_REAL tau,
                                         ptrdiff_t lines, ptrdiff_t K, ptrdiff_t low,
                                         ptrdiff_t high, uint64_t *generator)
{
    const OLK_STEP by = OLK_STEP_OF(tau);
    for (ptrdiff_t start = 0; start < lines; start += 32) {
        const ptrdiff_t n = lines - start < 32 ? lines - start : 32;
        OLK_S pair[128];
        OLK_ALIGNED(64) OLK_SUM change[128];
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                const OLK_SUM step = OLK_TIMES(by, feature[2 * (start + k) + i]);
                pair[4 * k + i] = stored[2 * ((start + k) * K + low) + i];
                pair[4 * k + 2 + i] = stored[2 * ((start + k) * K + high) + i];
                change[4 * k + i] = step;
                change[4 * k + 2 + i] = -step;
            }
        OLK_FN(olk_tame)(change, by, 4 * n);
        OLK_FN(olk_store)(pair, change, 4 * n, generator);
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < 2; i++) {
                stored[2 * ((start + k) * K + low) + i] = pair[4 * k + i];
                stored[2 * ((start + k) * K + high) + i] = pair[4 * k + 2 + i];
            }
    }
}

/* a += (w - a) / n over `count` numbers; `inverse` is 1 / n. */
static OLK_APART void OLK_FN(olk_average)(OLK_S *a, const OLK_S *w, ptrdiff_t count,
                                       OLK_REAL inverse, uint64_t *generator)
{
#if OLK_LEVELS
    int32_t gap[128];
#else
    OLK_T gap[128];
#endif
    OLK_ALIGNED(64) OLK_SUM change[128];
    const OLK_STEP step = OLK_STEP_OF(inverse * OLK_GAP_ONE);
    for (ptrdiff_t start = 0; start < count; start += 128) {
        const ptrdiff_t n = count - start < 128 ? count - start : 128;
        if (n == 128) {
            for (int i = 0; i < 128; i++)
                gap[i] = w[start + i] - a[start + i];
        } else {
            memset(gap, 0, sizeof gap);
            for (ptrdiff_t i = 0; i < n; i++)
                gap[i] = w[start + i] - a[start + i];
        }
        for (int i = 0; i < 128; i++)
            change[i] = OLK_TIMES(step, OLK_GAP((OLK_SUM)gap[i]));
        OLK_FN(olk_store)(a + start, change, n, generator);
    }
}

/* a += (kappa feature - a) / n over one block. */
static inline void OLK_FN(olk_mean)(OLK_S *a, const OLK_F *feature, OLK_REAL kappa, ptrdiff_t n,
                                    OLK_REAL inverse, uint64_t *generator)
{
    OLK_ALIGNED(64) OLK_SUM change[128];
    const OLK_STEP step = OLK_STEP_OF(inverse * OLK_GAP_ONE);
    for (ptrdiff_t i = 0; i < n; i++)
        change[i] = OLK_TIMES(step, OLK_SHORT((OLK_SUM)kappa, feature[i], a[i]));
    OLK_FN(olk_store)(a, change, n, generator);
}

#undef OLK_UNIT
#undef OLK_WIDE
#undef OLK_FN
