/* Whose loss costs least, for one instruction set; included by simd_isa.h. k_it = row[i] = k(s_i, t),
   k_ii = diagonal[i], or 1 where diagonal is NULL. Costs are made a block at a time, on the stack. */

enum { OLK_NAME(olk_block) = 64 };
#define OLK_BLOCK OLK_NAME(olk_block)

/* The index of the least coef_i^2 (k_ii - k_it^2 / k_tt), what is left of coef_i Phi_i beside Phi_t;
   -1 if none is below infinity. The cost itself goes to least. */
static ptrdiff_t OLK_NAME(olk_least_alone)(const double *restrict coef,
                                           const double *restrict diagonal,
                                           const double *restrict row, double k_tt, ptrdiff_t n,
                                           double *least)
{
    double cost[OLK_BLOCK];
    ptrdiff_t best = -1;
    *least = INFINITY;
    for (ptrdiff_t start = 0; start < n; start += OLK_BLOCK) {
        const ptrdiff_t w = n - start < OLK_BLOCK ? n - start : OLK_BLOCK;
        for (ptrdiff_t i = 0; i < w; i++) {
            const double k_it = row[start + i], c = coef[start + i];
            const double left = (diagonal ? diagonal[start + i] : 1.0) - k_it * k_it / k_tt;
            cost[i] = c * c * (left > 0.0 ? left : 0.0);
        }
        const ptrdiff_t at = OLK_NAME(olk_least)(cost, w);
        if (at >= 0 && cost[at] < *least) {
            *least = cost[at];
            best = start + at;
        }
    }
    return best;
}

/* The same beside the plane of Phi_t and Phi_n, n = near[i] (-1: none) with k_in = near_k[i]; beside
   Phi_t alone where the two are all but parallel: det <= singular k_nn k_tt. */
static ptrdiff_t OLK_NAME(olk_least_paired)(const double *restrict coef,
                                            const double *restrict diagonal,
                                            const double *restrict row, double k_tt,
                                            const int64_t *restrict near,
                                            const double *restrict near_k, double singular,
                                            ptrdiff_t n, double *least)
{
    double cost[OLK_BLOCK], near_row[OLK_BLOCK], near_own[OLK_BLOCK];
    ptrdiff_t best = -1;
    *least = INFINITY;
    for (ptrdiff_t start = 0; start < n; start += OLK_BLOCK) {
        const ptrdiff_t w = n - start < OLK_BLOCK ? n - start : OLK_BLOCK;
        for (ptrdiff_t i = 0; i < w; i++) {
            const int64_t other = near[start + i];
            near_row[i] = other >= 0 ? row[other] : 0.0;
            near_own[i] = other < 0 ? 0.0 : diagonal ? diagonal[other] : 1.0;
        }
        for (ptrdiff_t i = 0; i < w; i++) {
            const double k_ii = diagonal ? diagonal[start + i] : 1.0, c = coef[start + i];
            const double k_it = row[start + i], k_in = near_k[start + i];
            const double k_nt = near_row[i], k_nn = near_own[i];
            const double det = k_nn * k_tt - k_nt * k_nt;
            const double share_n = (k_tt * k_in - k_nt * k_it) / det;
            const double share_t = (k_nn * k_it - k_nt * k_in) / det;
            const double both = k_ii - share_n * k_in - share_t * k_it;
            const double alone = k_ii - k_it * k_it / k_tt;
            const double left = det > singular * k_nn * k_tt ? both : alone;
            cost[i] = c * c * (left > 0.0 ? left : 0.0);
        }
        const ptrdiff_t at = OLK_NAME(olk_least)(cost, w);
        if (at >= 0 && cost[at] < *least) {
            *least = cost[at];
            best = start + at;
        }
    }
    return best;
}

/* The largest |coef_i| sqrt(k_ii). */
static double OLK_NAME(olk_largest)(const double *restrict coef, const double *restrict diagonal,
                                    ptrdiff_t n)
{
    double lane[OLK_BLOCK] = {0.0}, largest = 0.0;
    for (ptrdiff_t start = 0; start < n; start += OLK_BLOCK) {
        const ptrdiff_t w = n - start < OLK_BLOCK ? n - start : OLK_BLOCK;
        for (ptrdiff_t i = 0; i < w; i++) {
            double size = fabs(coef[start + i]);
            if (diagonal)
                size *= sqrt(diagonal[start + i]);
            lane[i] = size > lane[i] ? size : lane[i];
        }
    }
    for (ptrdiff_t i = 0; i < OLK_BLOCK; i++)
        largest = lane[i] > largest ? lane[i] : largest;
    return largest;
}

#undef OLK_BLOCK
