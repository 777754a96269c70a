/* Sums and powers for one instruction set; included by isa.h. */

/* Eight running sums added in a fixed order: the same bits whatever the vector width. */
static inline double OLK_NAME(olk_total)(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* base^degree for a small whole degree, by squaring; the loop is outside the lanes. */
static inline void OLK_NAME(olk_power)(double *v, ptrdiff_t n, int32_t degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double base = v[i], result = 1.0;
        for (int32_t e = degree; e > 0; e >>= 1) {
            if (e & 1)
                result *= base;
            base *= base;
        }
        v[i] = result;
    }
}
