/* Inclusion probabilities of sampling proportional to size. */
#pragma once

#include "number.h"

/* With inclusion probabilities min(1, c w_i): the sum of the w_i with c w_i <= 1; *certain receives
   the number of the others. */
static double olk_sum_uncertain(const double *w, ptrdiff_t n, double c, ptrdiff_t *certain)
{
    olk_f64s sum[2] = {olk_splat_f64(0.0), olk_splat_f64(0.0)};
    olk_i64s count[2] = {(olk_i64s){0}, (olk_i64s){0}};
    double total = 0.0;
    ptrdiff_t i = 0;
    *certain = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            const olk_f64s here = olk_load_f64s(w + i + g * OLK_LANES_F64);
            const olk_i64s over = OLK_MASK_F64S(c * here > 1.0);
            sum[g] += olk_select_f64s(over, olk_splat_f64(0.0), here);
            count[g] -= over;
        }
    for (; i < n; i++) {
        if (c * w[i] > 1.0)
            ++*certain;
        else
            total += w[i];
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++) {
            total += OLK_LANE(sum[g], k);
            *certain += OLK_LANE(count[g], k);
        }
    return total;
}

/* The first slot where the running sum of 1 - min(1, c w_i) exceeds u; if rounding prevents that,
   the last slot whose removal has a probability above 0; -1 without any. */
static ptrdiff_t olk_sample_evicted_in_order(const double *w, ptrdiff_t n, double c, double u)
{
    ptrdiff_t last = -1;
    double total = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double kept_probability = c * w[i],
                     leaves = kept_probability < 1.0 ? 1.0 - kept_probability : 0.0;
        total += leaves;
        if (leaves > 0.0)
            last = i;
        if (total > u)
            return i;
    }
    return last;
}

/* The same with additions in parallel: the total is about 1, so their order changes less than
   `doubt`. Where that could matter, they are done in order. */
static ptrdiff_t olk_sample_evicted(const double *w, ptrdiff_t n, double c, double u)
{
    enum { GROUP = 4 };
    const double doubt = (double)n * 0x1p-50;
    double total = 0.0;
    ptrdiff_t i = 0;
    for (; i + GROUP * OLK_LANES_F64 <= n; i += GROUP * OLK_LANES_F64) {
        olk_f64s sum[GROUP];
        double more = 0.0;
        for (int g = 0; g < GROUP; g++) {
            const olk_f64s kept_probability = c * olk_load_f64s(w + i + g * OLK_LANES_F64);
            sum[g] = olk_select_f64s(OLK_MASK_F64S(kept_probability < 1.0), 1.0 - kept_probability,
                                     olk_splat_f64(0.0));
        }
        sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
            more += OLK_LANE(sum[0], k);
        if (total + more > u - doubt)
            break;
        total += more;
    }
    for (; i < n; i++) {
        total += c * w[i] < 1.0 ? 1.0 - c * w[i] : 0.0;
        if (total > u + doubt)
            return i;
        if (total > u - doubt)
            break;
    }
    return olk_sample_evicted_in_order(w, n, c, u);
}
