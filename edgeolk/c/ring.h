/* Operations on a ring of support vectors and its coefficients: scaling and averaging, searches for
   the vector to remove, sampling, merging, and rows of Fourier features. For ring_unit.h; sampling
   and merging only in double. */
#pragma once

#include "kernels.h"

/* -- All coefficients -- */

/* Clamps each coef_i, none of which is NaN, to [-bound, bound]. */
static void olk_clamp(void *coefficients, ptrdiff_t n, double bound)
{
    olk_coef_t *coef = coefficients;
    const olk_coef_t upper = (olk_coef_t)bound, lower = -upper;
    for (ptrdiff_t i = 0; i < n; i++) {
        const olk_coef_t below = coef[i] < upper ? coef[i] : upper;
        coef[i] = below > lower ? below : lower;
    }
}

/* coef_i *= factor. */
static void olk_scale(void *coefficients, ptrdiff_t n, double factor)
{
    olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = (olk_coef_t)((double)coef[i] * factor);
}

/* coef_i /= min(1, c w_i), all w_i > 0: the survivors of sampling with these probabilities. */
static void olk_divide_by_probability(void *coefficients, const double *restrict w, ptrdiff_t n,
                                      double c)
{
    olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double probability = c * w[i], old = (double)coef[i];
        coef[i] = (olk_coef_t)(probability < 1.0 ? old / probability : old);
    }
}

/* Brings the running sums of the averages up to date: sum_i += coef_i (weight - start_i),
   start_i <- weight. */
static void olk_flush_average(const void *coefficients, double weight, double *restrict start,
                              double *restrict sum, ptrdiff_t n)
{
    const olk_coef_t *restrict coef = coefficients;
    for (ptrdiff_t i = 0; i < n; i++) {
        sum[i] += (double)coef[i] * (weight - start[i]);
        start[i] = weight;
    }
}

/* size_i <- |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. Returns the
   smallest. */
static double olk_sizes(const void *coefficients, const double *diagonal, ptrdiff_t n,
                        double *restrict size)
{
    const olk_coef_t *coef = coefficients;
    olk_f64s low = olk_splat_f64(INFINITY);
    double smallest = INFINITY;
    ptrdiff_t i = 0;
    for (; i + OLK_LANES_F64 <= n; i += OLK_LANES_F64) {
        olk_f64s sizes_here = olk_abs_f64s(olk_widen(OLK_COEF_DTYPE, coef, i));
        if (diagonal)
            for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                OLK_LANE(sizes_here, k) *= sqrt(diagonal[i + k]);
        olk_store_f64s(size + i, sizes_here);
        low = olk_select_f64s(OLK_MASK_F64S(sizes_here < low), sizes_here, low);
    }
    for (; i < n; i++) {
        size[i] = fabs((double)coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        smallest = size[i] < smallest ? size[i] : smallest;
    }
    for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
        smallest = OLK_LANE(low, k) < smallest ? OLK_LANE(low, k) : smallest;
    return smallest;
}

/* The largest |coef_i| sqrt(k_ii), k_ii = diagonal[i], or 1 where diagonal is NULL. */
static double olk_max_abs(const void *coefficients, const double *diagonal, ptrdiff_t n)
{
    const olk_coef_t *coef = coefficients;
    olk_f64s limit[2] = {olk_splat_f64(0.0), olk_splat_f64(0.0)};
    double largest = 0.0;
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        for (int g = 0; g < 2; g++) {
            olk_f64s size = olk_abs_f64s(olk_widen(OLK_COEF_DTYPE, coef, i + g * OLK_LANES_F64));
            if (diagonal)
                for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
                    OLK_LANE(size, k) *= sqrt(diagonal[i + g * OLK_LANES_F64 + k]);
            limit[g] = olk_select_f64s(OLK_MASK_F64S(size > limit[g]), size, limit[g]);
        }
    for (; i < n; i++) {
        const double size = fabs(coef[i]) * (diagonal ? sqrt(diagonal[i]) : 1.0);
        largest = size > largest ? size : largest;
    }
    for (int g = 0; g < 2; g++)
        for (ptrdiff_t k = 0; k < OLK_LANES_F64; k++)
            largest = OLK_LANE(limit[g], k) > largest ? OLK_LANE(limit[g], k) : largest;
    return largest;
}

/* squares[i] = sum over the columns c of coef[c * stride + i]^2, in the order of the columns, for
   `vectors` vectors at once: one alone would wait for its previous addition. */
static OLK_INLINE void olk_squares_part(const int vectors, const olk_coef_t *coef, ptrdiff_t stride,
                                        ptrdiff_t columns, double *restrict squares)
{
    olk_f64s sum[8];
    for (int g = 0; g < vectors; g++)
        sum[g] = olk_splat_f64(0.0);
    for (ptrdiff_t c = 0; c < columns; c++)
        for (int g = 0; g < vectors; g++) {
            const olk_f64s a = olk_widen(OLK_COEF_DTYPE, coef, c * stride + g * OLK_LANES_F64);
            sum[g] += a * a;
        }
    for (int g = 0; g < vectors; g++)
        memcpy(squares + g * OLK_LANES_F64, &sum[g], sizeof sum[g]);
}

/* The same for n of them. */
static void olk_squares(const void *coefficients, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                        double *restrict squares)
{
    const olk_coef_t *coef = coefficients;
    ptrdiff_t i = 0;
    for (; i + 8 * OLK_LANES_F64 <= n; i += 8 * OLK_LANES_F64)
        olk_squares_part(8, coef + i, stride, columns, squares + i);
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        olk_squares_part(2, coef + i, stride, columns, squares + i);
    for (; i < n; i++) {
        squares[i] = 0.0;
        for (ptrdiff_t c = 0; c < columns; c++)
            squares[i] += (double)coef[c * stride + i] * (double)coef[c * stride + i];
    }
}

/* -- Searches --
   Searches for minima over a ring, and for the vector whose removal costs least. */

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
            const int64_t order = by_rank ? OLK_LANE(t[g].rank, k) : OLK_LANE(t[g].index, k);
            if (OLK_LANE(t[g].index, k) >= 0 &&
                (value < *smallest || (value == *smallest && order < rank))) {
                *smallest = value;
                rank = order;
                at = OLK_LANE(t[g].index, k);
            }
        }
    return at;
}

/* Arguments of a search. Slot i is removed and projected on Phi_t, the incoming vector, alone or with
   slot i's neighbour n = neighbour[i] (-1 without one): k_it = row[i], k_in = neighbour_k[i], k_ii =
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

/* -- Rows of Fourier features -- */

/* The C library computes larger angles. */
static const double olk_max_angle = 1e6;

/* Two vectors side by side: |angle| below 2^20 quarter turns. Absolute error below 3e-16. */
static OLK_INLINE void olk_cos_sin_vectors(const olk_f64s *angle, olk_f64s *cosine, olk_f64s *sine)
{
    olk_u64s quarters[2];
    olk_two_reduced_cos_sin(3, angle, cosine, sine, quarters);
    for (int g = 0; g < 2; g++) {
        /* Odd quarter turns swap the two; bit 1 of n + 1 is the cosine's sign, bit 1 of n the
           sine's. */
        const olk_u64s quarter = quarters[g], odd = 0 - (quarter & 1);
        const olk_u64s of_c = olk_words_of_f64s(cosine[g]), of_s = olk_words_of_f64s(sine[g]);
        const olk_u64s a = (of_c & ~odd) | (of_s & odd), b = (of_s & ~odd) | (of_c & odd);
        cosine[g] = olk_f64s_of_words(a ^ (((quarter + 1) & 2) << 62));
        sine[g] = olk_f64s_of_words(b ^ ((quarter & 2) << 62));
    }
}

/* Large angles and NaN, by the C library. */
static OLK_NOINLINE void olk_cos_sin_by_libm(olk_coef_t *row, ptrdiff_t n, double norm)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const double angle = row[i];
        row[i] = (olk_coef_t)(norm * cos(angle));
        row[n + i] = (olk_coef_t)(norm * sin(angle));
    }
}

/* The same for w angles, up to two vectors of them. */
static OLK_INLINE void olk_cos_sin_part(olk_coef_t *cosines, olk_coef_t *sines, ptrdiff_t w,
                                        double norm)
{
    olk_coef_t in[2 * OLK_LANES_F64] = {0}, out[2 * OLK_LANES_F64];
    olk_f64s angle[2], cosine[2], sine[2];
    memcpy(in, cosines, (size_t)w * sizeof(olk_coef_t));
    for (int g = 0; g < 2; g++)
        angle[g] = olk_widen(OLK_COEF_DTYPE, in, g * OLK_LANES_F64);
    olk_cos_sin_vectors(angle, cosine, sine);
    for (int g = 0; g < 2; g++) {
        cosine[g] *= norm;
        sine[g] *= norm;
    }
    for (int g = 0; g < 2; g++)
        olk_narrow(OLK_COEF_DTYPE, out, g * OLK_LANES_F64, cosine[g]);
    memcpy(cosines, out, (size_t)w * sizeof(olk_coef_t));
    for (int g = 0; g < 2; g++)
        olk_narrow(OLK_COEF_DTYPE, out, g * OLK_LANES_F64, sine[g]);
    memcpy(sines, out, (size_t)w * sizeof(olk_coef_t));
}

/* row[i] <- norm cos(row[i]), row[n + i] <- norm sin(row[i]), i < n. */
static void olk_cos_sin_row(void *angles, ptrdiff_t n, double norm)
{
    olk_coef_t *row = angles;
    int small = 1;
    for (ptrdiff_t i = 0; i < n; i++)
        small &= fabs((double)row[i]) < olk_max_angle;
    if (!small) {
        olk_cos_sin_by_libm(row, n, norm);
        return;
    }
    ptrdiff_t i = 0;
    for (; i + 2 * OLK_LANES_F64 <= n; i += 2 * OLK_LANES_F64)
        olk_cos_sin_part(row + i, row + n + i, 2 * OLK_LANES_F64, norm);
    if (i < n)
        olk_cos_sin_part(row + i, row + n + i, n - i, norm);
}

#if OLK_NUMBER_BITS == 64

/* -- Sampling -- */

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

/* -- Merging -- */

/* share e^(-L (1-h)^2) + (1 - share) e^(-L h^2) for two vectors of pairs, and both exponentials. */
static OLK_INLINE void olk_merged(const olk_f64s *share, const olk_f64s *spread, const olk_f64s *h,
                                  olk_f64s *weight, olk_f64s *exponential)
{
    for (int g = 0; g < 2; g++) {
        exponential[g] = -spread[g] * (1.0 - h[g]) * (1.0 - h[g]);
        exponential[2 + g] = -spread[g] * h[g] * h[g];
    }
    olk_exp(4, exponential);
    for (int g = 0; g < 2; g++)
        weight[g] = share[g] * exponential[g] + (1.0 - share[g]) * exponential[2 + g];
}

/* Merging a support vector of coefficient b with each of n others (Wang, Crammer & Vucetic 2012):
   height[i] maximises the merged weight over [0, 1/2], which contains the global maximum if |b| is
   the smaller, by `iters` golden sections; loss[i] is what merging then loses of ||f||^2, infinite
   where coef[i] and b differ in sign. A section keeps the better of its two points for the next
   one. `dtype` is the type of coefficients and distances. */
static void olk_merge(int dtype, double b, double gamma, ptrdiff_t iters, const void *coefficients,
                      const void *distances, ptrdiff_t n, double *height, double *loss)
{
    const double golden = 0.6180339887498949;
    for (ptrdiff_t i = 0; i < n; i += 2 * OLK_LANES_F64) {
        olk_f64s other[2], share[2], spread[2], low[2], high[2], p[2], q[2], at_p[2], at_q[2];
        olk_f64s t[2], at_t[2], exponential[4];
        const ptrdiff_t w = n - i < 2 * OLK_LANES_F64 ? n - i : 2 * OLK_LANES_F64;
        for (int g = 0; g < 2; g++)
            other[g] = spread[g] = olk_splat_f64(0.0);
        for (ptrdiff_t k = 0; k < w; k++) {
            OLK_LANE(other[k / OLK_LANES_F64], k % OLK_LANES_F64) =
                olk_get(dtype, coefficients, i + k);
            OLK_LANE(spread[k / OLK_LANES_F64], k % OLK_LANES_F64) =
                gamma * olk_get(dtype, distances, i + k);
        }
        for (int g = 0; g < 2; g++) {
            const olk_i64s same = OLK_MASK_F64S(other[g] * b > 0.0);
            other[g] = olk_select_f64s(same, other[g], olk_splat_f64(0.0));
            share[g] = b / (b + other[g]);
            low[g] = olk_splat_f64(0.0);
            high[g] = olk_splat_f64(0.5);
            p[g] = high[g] - golden * (high[g] - low[g]);
            q[g] = low[g] + golden * (high[g] - low[g]);
        }
        olk_merged(share, spread, p, at_p, exponential);
        olk_merged(share, spread, q, at_q, exponential);
        for (ptrdiff_t round = 0; round < iters; round++) {
            olk_i64s left[2];
            for (int g = 0; g < 2; g++) {
                left[g] = OLK_MASK_F64S(at_p[g] >= at_q[g]);
                high[g] = olk_select_f64s(left[g], q[g], high[g]);
                low[g] = olk_select_f64s(left[g], low[g], p[g]);
                t[g] = olk_select_f64s(left[g], high[g] - golden * (high[g] - low[g]),
                                       low[g] + golden * (high[g] - low[g]));
            }
            olk_merged(share, spread, t, at_t, exponential);
            for (int g = 0; g < 2; g++) {
                const olk_f64s new_p = olk_select_f64s(left[g], t[g], q[g]);
                q[g] = olk_select_f64s(left[g], p[g], t[g]);
                p[g] = new_p;
                const olk_f64s at_new = olk_select_f64s(left[g], at_t[g], at_q[g]);
                at_q[g] = olk_select_f64s(left[g], at_p[g], at_t[g]);
                at_p[g] = at_new;
            }
        }
        for (int g = 0; g < 2; g++)
            t[g] = 0.5 * (low[g] + high[g]);
        olk_merged(share, spread, t, at_t, exponential);
        olk_f64s overlap[4] = {-spread[0], -spread[1], olk_splat_f64(0.0), olk_splat_f64(0.0)};
        olk_exp(4, overlap);
        for (ptrdiff_t k = 0; k < w; k++) {
            const int g = (int)(k / OLK_LANES_F64);
            const ptrdiff_t lane = k % OLK_LANES_F64;
            const double c = OLK_LANE(other[g], lane);
            const double z =
                b * OLK_LANE(exponential[g], lane) + c * OLK_LANE(exponential[2 + g], lane);
            height[i + k] = OLK_LANE(t[g], lane);
            const double both = b * b + c * c + 2.0 * b * c * OLK_LANE(overlap[g], lane);
            loss[i + k] = c == 0.0 ? INFINITY : both - z * z;
        }
    }
}

#endif
