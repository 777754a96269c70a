/* Searches for minima over a ring, and for the vector whose removal costs least. */
#pragma once

#include "number.h"

/* State of a search for a minimum: the smallest value in each lane, its index, and a rank that
   breaks ties. Two trackers take the vectors in turn: one alone would wait for its comparison. */
typedef struct {
    olk_f64s smallest;
    olk_i64s rank, index;
} olk_tracker;

static inline olk_tracker olk_new_tracker(void)
{
    return (olk_tracker){olk_splat_f64(INFINITY), (olk_i64s){0} + INT64_MAX, (olk_i64s){0} - 1};
}

static inline olk_i64s olk_lane_indices(void)
{
    olk_i64s index;
    for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
        OLK_LANE(index, k) = k;
    return index;
}

/* Values come at increasing indices: the first of equal ones stays. */
static inline void olk_track_min(olk_tracker *t, olk_f64s value, olk_i64s index)
{
    const olk_i64s less = OLK_MASK_F64S(value < t->smallest);
    t->smallest = olk_select_f64s(less, value, t->smallest);
    t->index = (index & less) | (t->index & ~less);
}

/* The index of the smallest value of all lanes; -1 if all are infinite. Ties are broken by rank if
   `by_rank`, else by index. */
static inline ptrdiff_t olk_tracked_min(const olk_tracker *t, int trackers, int by_rank,
                                        double *smallest)
{
    ptrdiff_t at = -1;
    int64_t rank = INT64_MAX;
    *smallest = INFINITY;
    for (int g = 0; g < trackers; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++) {
            const double value = OLK_LANE(t[g].smallest, k);
            const int64_t diagonal = by_rank ? OLK_LANE(t[g].rank, k) : OLK_LANE(t[g].index, k);
            if (OLK_LANE(t[g].index, k) >= 0 &&
                (value < *smallest || (value == *smallest && diagonal < rank))) {
                *smallest = value;
                rank = diagonal;
                at = OLK_LANE(t[g].index, k);
            }
        }
    return at;
}

/* Arguments of a search. The cost of removing slot i and projecting it on Phi_t, alone or with slot
   i's neighbour n = neighbour[i] (-1 without one): k_it = row[i], k_in = neighbour_k[i], k_ii =
   diagonal[i], or 1 where diagonal is NULL; weight[i], or the square of coef[i] where weight is
   NULL. */
typedef struct {
    const olk_coef_t *coef, *row;
    const double *weight, *diagonal;
    double k_tt;
    const int64_t *neighbour;
    const double *neighbour_k;
    double singular;
} olk_costs;

/* The quantity that is minimised: the numbers of `row`; weight times the squared distance to the
   line of Phi_t, with k_tt = 1 or any; to the plane of Phi_t and Phi_n. */
enum { OLK_VALUES, OLK_UNIT_LINE, OLK_LINE, OLK_PLANE };

/* Numbers from index i on in all lanes if `vector`, a constant, else number i in every lane. */
static OLK_INLINE olk_f64s olk_load_or_splat(const int vector, const int dtype, const void *array,
                                             ptrdiff_t i)
{
    return vector ? olk_widen(dtype, array, i) : olk_splat_f64(olk_get(dtype, array, i));
}

/* k_ii, which is 1 where no diagonal is stored. */
static OLK_INLINE olk_f64s olk_diagonal_at(const int vector, const double *diagonal, ptrdiff_t i)
{
    return diagonal ? olk_load_or_splat(vector, OLK_F64, diagonal, i) : olk_splat_f64(1.0);
}

/* k_ii - k_it^2 / k_tt. With `unit`, a constant, k_tt is 1 and the division, which takes most of
   the time, is omitted. */
static OLK_INLINE olk_f64s olk_line_residual(const int unit, olk_f64s diagonal, olk_f64s k_it,
                                             double k_tt)
{
    const olk_f64s share = unit ? k_it * k_it : k_it * k_it / k_tt;
    return diagonal - share;
}

/* The squared distance to the plane, or to the line if the two are nearly parallel:
   det <= singular k_nn k_tt. */
static OLK_INLINE olk_f64s olk_plane_residual(const int vector, const olk_costs *of, ptrdiff_t i)
{
    const ptrdiff_t lanes = vector ? OLK_LANES_F64 : 1;
    const double k_tt = of->k_tt;
    olk_f64s k_nt = olk_splat_f64(0.0), k_nn = k_nt;
    for (ptrdiff_t k = 0; k < lanes; k++) {
        const int64_t other = of->neighbour[i + k];
        OLK_LANE(k_nt, k) = other >= 0 ? of->row[other] : 0.0;
        OLK_LANE(k_nn, k) = other < 0 ? 0.0 : of->diagonal ? of->diagonal[other] : 1.0;
    }
    const olk_f64s k_it = olk_load_or_splat(vector, OLK_COEF_DTYPE, of->row, i);
    const olk_f64s k_in = olk_load_or_splat(vector, OLK_F64, of->neighbour_k, i);
    const olk_f64s diagonal = olk_diagonal_at(vector, of->diagonal, i);
    const olk_f64s det = k_nn * k_tt - k_nt * k_nt;
    const olk_f64s share_n = (k_in * k_tt - k_nt * k_it) / det;
    const olk_f64s share_t = (k_nn * k_it - k_nt * k_in) / det;
    const olk_f64s both = diagonal - share_n * k_in - share_t * k_it;
    return olk_select_f64s(OLK_MASK_F64S(det > of->singular * k_tt * k_nn), both,
                           diagonal - k_it * k_it / k_tt);
}

static OLK_INLINE olk_f64s olk_cost(const int kind, const int vector, const olk_costs *of,
                                    ptrdiff_t i)
{
    if (kind == OLK_VALUES)
        return olk_load_or_splat(vector, OLK_COEF_DTYPE, of->row, i);
    olk_f64s weight;
    if (of->weight) {
        weight = olk_load_or_splat(vector, OLK_F64, of->weight, i);
    } else {
        weight = olk_load_or_splat(vector, OLK_COEF_DTYPE, of->coef, i);
        weight = weight * weight;
    }
    const olk_f64s residual =
        kind == OLK_PLANE
            ? olk_plane_residual(vector, of, i)
            : olk_line_residual(kind == OLK_UNIT_LINE, olk_diagonal_at(vector, of->diagonal, i),
                                olk_load_or_splat(vector, OLK_COEF_DTYPE, of->row, i), of->k_tt);
    return weight * olk_max_zero_f64s(residual);
}

/* The index of the smallest of n costs, the first of equal ones; *smallest receives the cost. -1 if
   all are infinite. */
static OLK_INLINE ptrdiff_t olk_search(const int kind, const olk_costs *of, ptrdiff_t n,
                                       double *smallest)
{
    olk_tracker tracker[2] = {olk_new_tracker(), olk_new_tracker()};
    olk_i64s index = olk_lane_indices();
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64) {
        olk_track_min(&tracker[0], olk_cost(kind, 1, of, i), index);
        olk_track_min(&tracker[1], olk_cost(kind, 1, of, i + OLK_LANES_F64), index + OLK_LANES_F64);
        index += 2 * OLK_LANES_F64;
    }
    ptrdiff_t best = olk_tracked_min(tracker, 2, 0, smallest);
    for (; i < n; i++) {
        const double value = olk_first_lane(olk_cost(kind, 0, of, i));
        if (value < *smallest) {
            *smallest = value;
            best = i;
        }
    }
    return best;
}

static ptrdiff_t olk_argmin(const void *values, ptrdiff_t n)
{
    const olk_costs of = {.row = values};
    double smallest;
    return olk_search(OLK_VALUES, &of, n, &smallest);
}

static ptrdiff_t olk_argmin_line(const void *coef, const double *weight, const double *diagonal,
                                 const void *row, double k_tt, ptrdiff_t n, double *smallest)
{
    const olk_costs of = {
        .coef = coef, .row = row, .weight = weight, .diagonal = diagonal, .k_tt = k_tt};
    return k_tt == 1.0 ? olk_search(OLK_UNIT_LINE, &of, n, smallest)
                       : olk_search(OLK_LINE, &of, n, smallest);
}

static ptrdiff_t olk_argmin_plane(const void *coef, const double *weight, const double *diagonal,
                                  const void *row, double k_tt, const int64_t *neighbour,
                                  const double *neighbour_k, double singular, ptrdiff_t n,
                                  double *smallest)
{
    const olk_costs of = {coef, row, weight, diagonal, k_tt, neighbour, neighbour_k, singular};
    return olk_search(OLK_PLANE, &of, n, smallest);
}

/* Index of the smallest |coef_i| sqrt(k_ii), the earliest arrival at a tie (n > 0). */
static ptrdiff_t olk_argmin_abs(const void *coefficients, const double *diagonal,
                                const int64_t *arrival, ptrdiff_t n)
{
    const olk_coef_t *coef = coefficients;
    olk_tracker t[2] = {olk_new_tracker(), olk_new_tracker()};
    olk_i64s index = olk_lane_indices();
    double smallest;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            const ptrdiff_t at = i + g * OLK_LANES_F64;
            olk_f64s size = olk_abs_f64s(olk_widen(OLK_COEF_DTYPE, coef, at));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[at + k]);
            const olk_i64s arrived = *(const olk_i64s *)(arrival + at);
            const olk_i64s same = OLK_MASK_F64S(size == t[g].smallest);
            const olk_i64s less =
                OLK_MASK_F64S(size < t[g].smallest) | (same & OLK_MASK_F64S(arrived < t[g].rank));
            t[g].smallest = olk_select_f64s(less, size, t[g].smallest);
            t[g].rank = (arrived & less) | (t[g].rank & ~less);
            t[g].index = (index & less) | (t[g].index & ~less);
            index += OLK_LANES_F64;
        }
    ptrdiff_t best = olk_tracked_min(t, 2, 1, &smallest);
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        if (best < 0 || size < smallest || (size == smallest && arrival[i] < arrival[best])) {
            smallest = size;
            best = i;
        }
    }
    return best < 0 ? 0 : best;
}
