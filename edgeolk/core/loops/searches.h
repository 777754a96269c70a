/* Searches over a ring, and whose removal costs least; included by by_real.h. */

/* A whole search: VALUE(i) is the vector of values from index i on, SCALAR(i) the value at i, for the
   rest that fills no vector. Returns the winner's index; its value goes to least. */
#define OLK_SEARCH(n, VALUE, SCALAR)                                                               \
    OLK_NAME(olk_tracker) tracker[2] = {OLK_NAME(olk_track)(), OLK_NAME(olk_track)()};             \
    OLK_BITS index = OLK_NAME(olk_count_up)();                                                     \
    ptrdiff_t i = 0;                                                                               \
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L) {                                                   \
        OLK_NAME(olk_follow)(&tracker[0], VALUE(i), index);                                        \
        OLK_NAME(olk_follow)(&tracker[1], VALUE(i + OLK_L), index + OLK_L);                        \
        index += 2 * OLK_L;                                                                        \
    }                                                                                              \
    ptrdiff_t best = OLK_NAME(olk_winner)(tracker, 2, 0, least);                                   \
    for (; i < n; i++) {                                                                           \
        const double value = SCALAR(i);                                                            \
        if (value < *least) {                                                                      \
            *least = value;                                                                        \
            best = i;                                                                              \
        }                                                                                          \
    }                                                                                              \
    return best

/* k_ii, which is 1 where no diagonal is kept. */
static inline OLK_V OLK_FN(olk_own)(const double *diagonal, ptrdiff_t i)
{
    if (diagonal)
        return OLK_WIDE_AT(diagonal, i);
    return OLK_ALL(1.0);
}

/* Index of the smallest, the first of equals; -1 if none is below infinity. */
static ptrdiff_t OLK_FN(olk_argmin)(const void *values, ptrdiff_t n)
{
    const OLK_R *v = values;
    double smallest, *least = &smallest;
#define OLK_VALUE(i) OLK_AT(v, i)
#define OLK_SCALAR(i) (double)v[i]
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* weight (own - k_it^2 / k_tt), weight = coef^2: the squared distance of coef Phi_i to the line of
   Phi_t. With `unit`, a constant, k_tt is 1, and nothing is divided: a division takes most of the
   time. */
static OLK_ALWAYS OLK_V OLK_FN(olk_line_residual)(const int unit, OLK_V weight, OLK_V own,
                                                  OLK_V k_it, double k_tt)
{
    const OLK_V share = unit ? k_it * k_it : k_it * k_it / k_tt;
    return weight * OLK_NAME(olk_above_zero_f64)(own - share);
}

static OLK_ALWAYS ptrdiff_t
OLK_FN(olk_search_line)(const int unit, const void *coefficients, const double *diagonal,
                        const void *kernel_row, double k_tt, ptrdiff_t n, double *least)
{
    const OLK_R *coef = coefficients, *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    OLK_FN(olk_line_residual)(unit, OLK_AT(coef, i) * OLK_AT(coef, i),                             \
                              OLK_FN(olk_own)(diagonal, i), OLK_AT(row, i), k_tt)
#define OLK_SCALAR(i)                                                                              \
    OLK_LANE_OF(OLK_FN(olk_line_residual)(unit, OLK_ALL((double)coef[i] * (double)coef[i]),        \
                                          OLK_ALL(diagonal ? diagonal[i] : 1.0),                   \
                                          OLK_ALL((double)row[i]), k_tt),                          \
                0)
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* The index of the least cost of losing i when Phi_t alone repairs it; -1 if none is below infinity.
   k_it = row[i] = k(s_i, t), own = k_ii = diagonal[i], or 1 where diagonal is NULL. */
static ptrdiff_t OLK_FN(olk_argmin_line_residual)(const void *coef, const double *diagonal,
                                                  const void *row, double k_tt, ptrdiff_t n,
                                                  double *least)
{
    if (k_tt == 1.0)
        return OLK_FN(olk_search_line)(1, coef, diagonal, row, k_tt, n, least);
    return OLK_FN(olk_search_line)(0, coef, diagonal, row, k_tt, n, least);
}

static OLK_ALWAYS ptrdiff_t
OLK_FN(olk_search_line_of)(const int unit, const double *weight, const double *diagonal,
                           const void *kernel_row, double k_tt, ptrdiff_t n, double *least)
{
    const OLK_R *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    OLK_FN(olk_line_residual)(unit, OLK_WIDE_AT(weight, i), OLK_FN(olk_own)(diagonal, i),          \
                              OLK_AT(row, i), k_tt)
#define OLK_SCALAR(i)                                                                              \
    OLK_LANE_OF(OLK_FN(olk_line_residual)(unit, OLK_ALL(weight[i]),                                \
                                          OLK_ALL(diagonal ? diagonal[i] : 1.0),                   \
                                          OLK_ALL((double)row[i]), k_tt),                          \
                0)
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* The same where a slot has a weight of its own: the sum of its coefficients' squares. */
static ptrdiff_t OLK_FN(olk_argmin_line_weight)(const double *weight, const double *diagonal,
                                                const void *row, double k_tt, ptrdiff_t n,
                                                double *least)
{
    if (k_tt == 1.0)
        return OLK_FN(olk_search_line_of)(1, weight, diagonal, row, k_tt, n, least);
    return OLK_FN(olk_search_line_of)(0, weight, diagonal, row, k_tt, n, least);
}

/* The same for the plane of Phi_t and Phi_n, n = near[i] (-1: none) with k_in = near_k[i]; for the
   line of Phi_t where the two are all but parallel: det <= singular k_nn k_tt. */
static inline OLK_V OLK_FN(olk_plane_residual)(OLK_V weight, const double *diagonal,
                                               const OLK_R *row, double k_tt, const int64_t *near,
                                               const double *near_k, double singular, ptrdiff_t i,
                                               ptrdiff_t lanes)
{
    OLK_V own = OLK_ALL(1.0), k_it = OLK_ALL(0.0), k_in = k_it, k_nt = k_it, k_nn = k_it;
    for (ptrdiff_t k = 0; k < lanes; k++) {
        const int64_t other = near[i + k];
        OLK_LANE(k_nt, k) = other >= 0 ? row[other] : 0.0;
        OLK_LANE(k_nn, k) = other < 0 ? 0.0 : diagonal ? diagonal[other] : 1.0;
    }
    if (lanes == OLK_L) {
        k_it = OLK_AT(row, i);
        k_in = OLK_WIDE_AT(near_k, i);
        own = OLK_FN(olk_own)(diagonal, i);
    } else {
        OLK_LANE(k_it, 0) = row[i];
        OLK_LANE(k_in, 0) = near_k[i];
        OLK_LANE(own, 0) = diagonal ? diagonal[i] : 1.0;
    }
    const OLK_V det = k_nn * k_tt - k_nt * k_nt;
    const OLK_V share_n = (k_in * k_tt - k_nt * k_it) / det;
    const OLK_V share_t = (k_nn * k_it - k_nt * k_in) / det;
    const OLK_V both = own - share_n * k_in - share_t * k_it;
    const OLK_V left = OLK_PICK(OLK_MASK(OLK_BITS, det > singular * k_tt * k_nn), both,
                                own - k_it * k_it / k_tt);
    return weight * OLK_NAME(olk_above_zero_f64)(left);
}

static ptrdiff_t OLK_FN(olk_argmin_plane_residual)(const void *coefficients, const double *diagonal,
                                                   const void *kernel_row, double k_tt,
                                                   const int64_t *near, const double *near_k,
                                                   double singular, ptrdiff_t n, double *least)
{
    const OLK_R *coef = coefficients, *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    OLK_FN(olk_plane_residual)(OLK_AT(coef, i) * OLK_AT(coef, i), diagonal, row, k_tt, near,       \
                               near_k, singular, i, OLK_L)
#define OLK_SCALAR(i)                                                                              \
    OLK_LANE_OF(OLK_FN(olk_plane_residual)(OLK_ALL((double)coef[i] * (double)coef[i]), diagonal,   \
                                           row, k_tt, near, near_k, singular, i, 1),               \
                0)
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

static ptrdiff_t OLK_FN(olk_argmin_plane_weight)(const double *weight, const double *diagonal,
                                                 const void *kernel_row, double k_tt,
                                                 const int64_t *near, const double *near_k,
                                                 double singular, ptrdiff_t n, double *least)
{
    const OLK_R *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    OLK_FN(olk_plane_residual)(OLK_WIDE_AT(weight, i), diagonal, row, k_tt, near, near_k,          \
                               singular, i, OLK_L)
#define OLK_SCALAR(i)                                                                              \
    OLK_LANE_OF(OLK_FN(olk_plane_residual)(OLK_ALL(weight[i]), diagonal, row, k_tt, near, near_k,  \
                                           singular, i, 1),                                        \
                0)
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* Index of the least |coef_i| sqrt(k_ii), the earliest arrival among equals (n > 0). */
static ptrdiff_t OLK_FN(olk_argmin_abs)(const void *coefficients, const double *diagonal,
                                        const int64_t *arrival, ptrdiff_t n)
{
    const OLK_R *coef = coefficients;
    OLK_NAME(olk_tracker) t[2] = {OLK_NAME(olk_track)(), OLK_NAME(olk_track)()};
    OLK_BITS index = OLK_NAME(olk_count_up)();
    double least;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_L <= n; i += 2 * OLK_L)
        for (int g = 0; g < 2; g++) {
            const ptrdiff_t at = i + g * OLK_L;
            OLK_V size = OLK_NAME(olk_size_f64)(OLK_AT(coef, at));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_L; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[at + k]);
            const OLK_BITS came = *(const OLK_BITS *)(arrival + at);
            const OLK_BITS same = OLK_MASK(OLK_BITS, size == t[g].least);
            const OLK_BITS less = OLK_MASK(OLK_BITS, size < t[g].least) |
                                  (same & OLK_MASK(OLK_BITS, came < t[g].rank));
            t[g].least = OLK_PICK(less, size, t[g].least);
            t[g].rank = (came & less) | (t[g].rank & ~less);
            t[g].index = (index & less) | (t[g].index & ~less);
            index += OLK_L;
        }
    ptrdiff_t best = OLK_NAME(olk_winner)(t, 2, 1, &least);
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        if (best < 0 || size < least || (size == least && arrival[i] < arrival[best])) {
            least = size;
            best = i;
        }
    }
    return best < 0 ? 0 : best;
}

#undef OLK_SEARCH
