/* Searches over a ring, for one instruction set; included by simd_isa.h. */

#define OLK_V OLK_NAME(olk_v_f64)
#define OLK_BITS OLK_NAME(olk_bits_f64)
#define OLK_L ((ptrdiff_t)(OLK_BYTES / sizeof(double)))
#define OLK_ALL(number) ((number) - (OLK_V){0})
#define OLK_PICK(mask, yes, no) ((OLK_V)(((OLK_BITS)(yes) & (mask)) | ((OLK_BITS)(no) & ~(mask))))

/* Index of the smallest, the first of equals; -1 if none is below infinity. */
static ptrdiff_t OLK_NAME(olk_least)(const double *v, ptrdiff_t n)
{
    enum { G = 4 };
    OLK_V best[G];
    OLK_BITS where[G], now[G];
    ptrdiff_t i = 0, at = -1;
    double least = INFINITY;
    for (int g = 0; g < G; g++) {
        best[g] = OLK_ALL(INFINITY);
        where[g] = (OLK_BITS){0} - 1;
        for (ptrdiff_t k = 0; k < OLK_L; k++)
            now[g][k] = g * OLK_L + k;
    }
    for (; i + G * OLK_L <= n; i += G * OLK_L)
        for (int g = 0; g < G; g++) {
            const OLK_V here = OLK_NAME(olk_load_f64)(v + i + g * OLK_L);
            const OLK_BITS less = (OLK_BITS)(here < best[g]);
            best[g] = OLK_PICK(less, here, best[g]);
            where[g] = (now[g] & less) | (where[g] & ~less);
            now[g] += G * OLK_L;
        }
    for (int g = 0; g < G; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++)
            if (best[g][k] < least || (best[g][k] == least && where[g][k] >= 0 &&
                                       (at < 0 || where[g][k] < at))) {
                least = best[g][k];
                at = where[g][k];
            }
    for (; i < n; i++)
        if (v[i] < least) {
            least = v[i];
            at = i;
        }
    return at;
}

/* Index of the least |coef_i| sqrt(k_ii), the earliest arrival among equals (n > 0); k_ii = 1 where
   diagonal is NULL. */
static ptrdiff_t OLK_NAME(olk_lightest)(const double *coef, const double *diagonal,
                                        const int64_t *arrival, ptrdiff_t n)
{
    OLK_V best = OLK_ALL(INFINITY);
    OLK_BITS early = (OLK_BITS){0} + INT64_MAX, where = (OLK_BITS){0}, now;
    double least = INFINITY;
    int64_t first = INT64_MAX;
    ptrdiff_t i = 0, at = 0;
    for (ptrdiff_t k = 0; k < OLK_L; k++)
        now[k] = k;
    for (; i + OLK_L <= n; i += OLK_L) {
        const OLK_V size = OLK_NAME(olk_size_f64)(OLK_NAME(olk_load_f64)(coef + i));
        OLK_V here = size;
        if (diagonal)
            for (ptrdiff_t k = 0; k < OLK_L; k++)
                here[k] = size[k] * sqrt(diagonal[i + k]);
        const OLK_BITS came = *(const OLK_BITS *)(arrival + i);
        const OLK_BITS less = (OLK_BITS)(here < best) | ((OLK_BITS)(here == best) & (came < early));
        best = OLK_PICK(less, here, best);
        early = (came & less) | (early & ~less);
        where = (now & less) | (where & ~less);
        now += OLK_L;
    }
    for (ptrdiff_t k = 0; k < OLK_L; k++)
        if (best[k] < least || (best[k] == least && early[k] < first)) {
            least = best[k];
            first = early[k];
            at = where[k];
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        if (size < least || (size == least && arrival[i] < first)) {
            least = size;
            first = arrival[i];
            at = i;
        }
    }
    return at;
}

#undef OLK_PICK
#undef OLK_ALL
#undef OLK_L
#undef OLK_BITS
#undef OLK_V
