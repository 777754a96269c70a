/* Searches over a ring, and whose removal costs least. */
#ifndef EDGEOLK_SEARCHES_H
#define EDGEOLK_SEARCHES_H

#include "tracker.h"

/* A whole search: VALUE(i) is the vector of values from index i on, SCALAR(i) the value at i, for
   the rest that fills no vector. Returns the winner's index; its value goes to least. */
#define OLK_SEARCH(n, VALUE, SCALAR)                                                               \
    olk_tracker tracker[2] = {olk_track(), olk_track()};                                           \
    olk_i64s index = olk_count_up();                                                               \
    ptrdiff_t i = 0;                                                                               \
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64) {                                   \
        olk_follow(&tracker[0], VALUE(i), index);                                                  \
        olk_follow(&tracker[1], VALUE(i + OLK_LANES_F64), index + OLK_LANES_F64);                  \
        index += 2 * OLK_LANES_F64;                                                                \
    }                                                                                              \
    ptrdiff_t best = olk_winner(tracker, 2, 0, least);                                             \
    for (; i < n; i++) {                                                                           \
        const double value = SCALAR(i);                                                            \
        if (value < *least) {                                                                      \
            *least = value;                                                                        \
            best = i;                                                                              \
        }                                                                                          \
    }                                                                                              \
    return best

/* k_ii, which is 1 where no diagonal is kept. */
static inline olk_f64s olk_own(const double *diagonal, ptrdiff_t i)
{
    if (diagonal)
        return olk_load_f64s(diagonal + i);
    return olk_splat_f64(1.0);
}

/* Index of the smallest, the first of equals; -1 if none is below infinity. */
static ptrdiff_t olk_argmin(const void *values, ptrdiff_t n)
{
    const olk_real *v = values;
    double smallest, *least = &smallest;
#define OLK_VALUE(i) olk_widen(OLK_REAL, v, i)
#define OLK_SCALAR(i) (double)v[i]
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* weight (own - k_it^2 / k_tt), weight = coef^2: the squared distance of coef Phi_i to the line of
   Phi_t. With `unit`, a constant, k_tt is 1, and nothing is divided: a division takes most of the
   time. */
static OLK_ALWAYS olk_f64s olk_line_residual(const int unit, olk_f64s weight, olk_f64s own,
                                             olk_f64s k_it, double k_tt)
{
    const olk_f64s share = unit ? k_it * k_it : k_it * k_it / k_tt;
    return weight * olk_above_zero_f64s(own - share);
}

static OLK_ALWAYS ptrdiff_t olk_search_line(const int unit, const void *coefficients,
                                            const double *diagonal, const void *kernel_row,
                                            double k_tt, ptrdiff_t n, double *least)
{
    const olk_real *coef = coefficients, *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    olk_line_residual(unit, olk_widen(OLK_REAL, coef, i) * olk_widen(OLK_REAL, coef, i),           \
                      olk_own(diagonal, i), olk_widen(OLK_REAL, row, i), k_tt)
#define OLK_SCALAR(i)                                                                              \
    olk_first(olk_line_residual(unit, olk_splat_f64((double)coef[i] * (double)coef[i]),            \
                                olk_splat_f64(diagonal ? diagonal[i] : 1.0),                       \
                                olk_splat_f64((double)row[i]), k_tt))
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* The index of the least cost of losing i when Phi_t alone repairs it; -1 if none is below
   infinity. k_it = row[i] = k(s_i, t), own = k_ii = diagonal[i], or 1 where diagonal is NULL. */
static ptrdiff_t olk_argmin_line_residual(const void *coef, const double *diagonal, const void *row,
                                          double k_tt, ptrdiff_t n, double *least)
{
    if (k_tt == 1.0)
        return olk_search_line(1, coef, diagonal, row, k_tt, n, least);
    return olk_search_line(0, coef, diagonal, row, k_tt, n, least);
}

static OLK_ALWAYS ptrdiff_t olk_search_line_of(const int unit, const double *weight,
                                               const double *diagonal, const void *kernel_row,
                                               double k_tt, ptrdiff_t n, double *least)
{
    const olk_real *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    olk_line_residual(unit, olk_load_f64s(weight + i), olk_own(diagonal, i),                       \
                      olk_widen(OLK_REAL, row, i), k_tt)
#define OLK_SCALAR(i)                                                                              \
    olk_first(olk_line_residual(unit, olk_splat_f64(weight[i]),                                    \
                                olk_splat_f64(diagonal ? diagonal[i] : 1.0),                       \
                                olk_splat_f64((double)row[i]), k_tt))
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* The same where a slot has a weight of its own: the sum of its coefficients' squares. */
static ptrdiff_t olk_argmin_line_weight(const double *weight, const double *diagonal,
                                        const void *row, double k_tt, ptrdiff_t n, double *least)
{
    if (k_tt == 1.0)
        return olk_search_line_of(1, weight, diagonal, row, k_tt, n, least);
    return olk_search_line_of(0, weight, diagonal, row, k_tt, n, least);
}

/* The same for the plane of Phi_t and Phi_n, n = near[i] (-1: none) with k_in = near_k[i]; for the
   line of Phi_t where the two are all but parallel: det <= singular k_nn k_tt. */
static inline olk_f64s olk_plane_residual(olk_f64s weight, const double *diagonal,
                                          const olk_real *row, double k_tt, const int64_t *near,
                                          const double *near_k, double singular, ptrdiff_t i,
                                          ptrdiff_t lanes)
{
    olk_f64s own = olk_splat_f64(1.0), k_it = olk_splat_f64(0.0), k_in = k_it, k_nt = k_it,
             k_nn = k_it;
    for (ptrdiff_t k = 0; k < lanes; k++) {
        const int64_t other = near[i + k];
        OLK_LANE(k_nt, k) = other >= 0 ? row[other] : 0.0;
        OLK_LANE(k_nn, k) = other < 0 ? 0.0 : diagonal ? diagonal[other] : 1.0;
    }
    if (lanes == OLK_LANES_F64) {
        k_it = olk_widen(OLK_REAL, row, i);
        k_in = olk_load_f64s(near_k + i);
        own = olk_own(diagonal, i);
    } else {
        OLK_LANE(k_it, 0) = row[i];
        OLK_LANE(k_in, 0) = near_k[i];
        OLK_LANE(own, 0) = diagonal ? diagonal[i] : 1.0;
    }
    const olk_f64s det = k_nn * k_tt - k_nt * k_nt;
    const olk_f64s share_n = (k_in * k_tt - k_nt * k_it) / det;
    const olk_f64s share_t = (k_nn * k_it - k_nt * k_in) / det;
    const olk_f64s both = own - share_n * k_in - share_t * k_it;
    const olk_f64s left = olk_select_f64s(OLK_MASK_F64S(det > singular * k_tt * k_nn), both,
                                          own - k_it * k_it / k_tt);
    return weight * olk_above_zero_f64s(left);
}

static ptrdiff_t olk_argmin_plane_residual(const void *coefficients, const double *diagonal,
                                           const void *kernel_row, double k_tt, const int64_t *near,
                                           const double *near_k, double singular, ptrdiff_t n,
                                           double *least)
{
    const olk_real *coef = coefficients, *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    olk_plane_residual(olk_widen(OLK_REAL, coef, i) * olk_widen(OLK_REAL, coef, i), diagonal, row, \
                       k_tt, near, near_k, singular, i, OLK_LANES_F64)
#define OLK_SCALAR(i)                                                                              \
    olk_first(olk_plane_residual(olk_splat_f64((double)coef[i] * (double)coef[i]), diagonal, row,  \
                                 k_tt, near, near_k, singular, i, 1))
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

static ptrdiff_t olk_argmin_plane_weight(const double *weight, const double *diagonal,
                                         const void *kernel_row, double k_tt, const int64_t *near,
                                         const double *near_k, double singular, ptrdiff_t n,
                                         double *least)
{
    const olk_real *row = kernel_row;
#define OLK_VALUE(i)                                                                               \
    olk_plane_residual(olk_load_f64s(weight + i), diagonal, row, k_tt, near, near_k, singular, i,  \
                       OLK_LANES_F64)
#define OLK_SCALAR(i)                                                                              \
    olk_first(olk_plane_residual(olk_splat_f64(weight[i]), diagonal, row, k_tt, near, near_k,      \
                                 singular, i, 1))
    OLK_SEARCH(n, OLK_VALUE, OLK_SCALAR);
#undef OLK_VALUE
#undef OLK_SCALAR
}

/* Index of the least |coef_i| sqrt(k_ii), the earliest arrival among equals (n > 0). */
static ptrdiff_t olk_argmin_abs(const void *coefficients, const double *diagonal,
                                const int64_t *arrival, ptrdiff_t n)
{
    const olk_real *coef = coefficients;
    olk_tracker t[2] = {olk_track(), olk_track()};
    olk_i64s index = olk_count_up();
    double least;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            const ptrdiff_t at = i + g * OLK_LANES_F64;
            olk_f64s size = olk_abs_f64s(olk_widen(OLK_REAL, coef, at));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[at + k]);
            const olk_i64s came = *(const olk_i64s *)(arrival + at);
            const olk_i64s same = OLK_MASK_F64S(size == t[g].least);
            const olk_i64s less =
                OLK_MASK_F64S(size < t[g].least) | (same & OLK_MASK_F64S(came < t[g].rank));
            t[g].least = olk_select_f64s(less, size, t[g].least);
            t[g].rank = (came & less) | (t[g].rank & ~less);
            t[g].index = (index & less) | (t[g].index & ~less);
            index += OLK_LANES_F64;
        }
    ptrdiff_t best = olk_winner(t, 2, 1, &least);
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

#endif
