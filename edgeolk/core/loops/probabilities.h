/* Inclusion probabilities of sampling by size, for one instruction set; included by isa.h. */

/* With inclusion probabilities min(1, c w_i): the sum of the w_i with c w_i <= 1; certain receives
   how many are beyond. */
static double OLK_NAME(olk_sum_uncertain)(const double *w, ptrdiff_t n, double c,
                                          ptrdiff_t *certain)
{
    OLK_V sum[2] = {OLK_ALL(0.0), OLK_ALL(0.0)};
    OLK_BITS count[2] = {(OLK_BITS){0}, (OLK_BITS){0}};
    double total = 0.0;
    ptrdiff_t i = 0;
    *certain = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            const OLK_V here = OLK_NAME(olk_load_f64)(w + i + g * OLK_L);
            const OLK_BITS over = OLK_MASK(OLK_BITS, c * here > 1.0);
            sum[g] += OLK_PICK(over, OLK_ALL(0.0), here);
            count[g] -= over;
        }
    for (; i < n; i++) {
        if (c * w[i] > 1.0)
            ++*certain;
        else
            total += w[i];
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_L; k++) {
            total += OLK_LANE(sum[g], k);
            *certain += OLK_LANE(count[g], k);
        }
    return total;
}
