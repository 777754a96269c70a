/* Recursive least squares with forgetting under Huber weights (docs/forecast.md, section 5): a
   diagonal version for many inputs, a full one for few. Arithmetic in olk_compute_t, state in
   olk_input.

   Design. Instead of dividing P by the forgetting factor at every step, P_jj is raised, with its
   row and column, only when it falls below that factor, and never exceeds 1. There is no wind-up
   where an input is silent, and a full P stays positive definite, since that is a congruence. */
#pragma once

#include "bounded.h"

/* Forgetting factor; Huber's threshold in mean errors; window of the mean error; rows before errors
   are weighted; the smallest weight, and the clip of errors in the mean. */
static const olk_compute_t olk_forgetting = (olk_compute_t)0.998, olk_huber_errors = 3,
                           olk_error_window = 200;
static const olk_compute_t olk_unweighted_rows = 5, olk_min_weight = (olk_compute_t)1e-6,
                           olk_max_in_mean = 10;
/* Variances below this are negative by more than rounding. */
static const olk_compute_t olk_min_variance = (olk_compute_t)-1e-5;
/* 0.998^-1/2 */
static const olk_compute_t olk_root_of_forgetting = (olk_compute_t)1.0010015025043828;

/* Returns forgetting / Huber weight of an error and updates the mean error. n counts this row. */
static inline olk_compute_t olk_weigh_error(olk_input *mean, olk_compute_t error, olk_compute_t n)
{
    olk_compute_t size = olk_abs(error), weight = 1;
    const olk_compute_t me = (olk_compute_t)*mean;
    if (n > olk_unweighted_rows && me > 0) {
        if (size > olk_huber_errors * me)
            weight = olk_max(olk_huber_errors * me / size, olk_min_weight);
        size = olk_min(size, olk_max_in_mean * me);
    }
    *mean = (olk_input)(me + (size - me) / olk_min(n, olk_error_window));
    return olk_forgetting / weight;
}

/* w.h */
static inline olk_compute_t olk_head_product(const olk_input *w, const olk_compute_t *h, int32_t m)
{
    olk_compute_t sum = 0;
    for (int32_t i = 0; i < m; i++)
        sum += (olk_compute_t)w[i] * h[i];
    return sum;
}

/* Start of row i of a packed symmetric matrix: its lower triangle, row by row. */
static inline int32_t olk_packed_row(int32_t i)
{
    return i * (i + 1) / 2;
}

static inline void olk_lift_row(olk_input *P, int32_t m, int32_t j)
{
    for (int32_t i = 0; i < m; i++) {
        olk_input *at = i < j ? P + olk_packed_row(j) + i : P + olk_packed_row(i) + j;
        olk_compute_t v = (olk_compute_t)*at * olk_root_of_forgetting;
        *at = (olk_input)(i == j ? v * olk_root_of_forgetting : v);
    }
}

/* Resets the covariance to the identity. */
static inline void olk_begin_covariance(olk_input *P, int32_t m)
{
    for (int32_t i = 0; i < olk_packed_row(m); i++)
        P[i] = 0;
    for (int32_t j = 0; j < m; j++)
        P[olk_packed_row(j) + j] = 1;
}

/* Whether weight + h.Ph is possible for a P that is positive definite up to rounding, as learning
   keeps it. In a forged file it may not be; P is reset then. */
static inline int olk_is_gain(olk_compute_t o)
{
    return o > olk_forgetting / 2 && o - o == 0;
}

/* Learns (h, t); state: weights [m], packed P, mean error. */
static inline void olk_learn_head(olk_input *state, int32_t m, const olk_compute_t *h,
                                  olk_compute_t t, olk_compute_t n)
{
    olk_input *w = state, *P = w + m, *mean = P + olk_packed_row(m);
    olk_compute_t q[OLK_HEAD_INPUTS], spread = 0;
    const olk_compute_t error = t - olk_head_product(w, h, m);
    for (int32_t i = 0; i < m; i++) {
        q[i] = 0;
        for (int32_t j = 0; j < m; j++)
            q[i] += (olk_compute_t)P[i < j ? olk_packed_row(j) + i : olk_packed_row(i) + j] * h[j];
    }
    for (int32_t i = 0; i < m; i++)
        spread += q[i] * h[i];
    const olk_compute_t weight = olk_weigh_error(mean, error, n);
    olk_compute_t o = weight + spread;
    if (!olk_is_gain(o)) {
        olk_begin_covariance(P, m);
        o = weight;
        for (int32_t i = 0; i < m; i++) {
            q[i] = h[i];
            o += h[i] * h[i];
        }
    }
    for (int32_t i = 0; i < m; i++) {
        const olk_compute_t part = q[i] / o;
        w[i] = (olk_input)((olk_compute_t)w[i] + error * part);
        for (int32_t j = 0; j <= i; j++) {
            olk_input *at = P + olk_packed_row(i) + j;
            *at = (olk_input)((olk_compute_t)*at - part * q[j]);
        }
    }
    for (int32_t j = 0; j < m; j++) {
        const olk_compute_t variance = (olk_compute_t)P[olk_packed_row(j) + j];
        if (variance < olk_min_variance) {
            olk_begin_covariance(P, m);
            return;
        }
        if (variance < olk_forgetting)
            olk_lift_row(P, m, j);
    }
}

/* A row of the diagonal learner: `lead` numbers, then for each of d inputs its change and its
   value. */
typedef struct {
    const olk_compute_t *lead;
    int32_t n_lead;
    ptrdiff_t d;
    const olk_input *z;
    const olk_input *change; /* NULL: z - before */
    const olk_input *before;
} olk_long_row;

static inline olk_compute_t olk_element(const olk_long_row *row, ptrdiff_t j)
{
    if (j < row->n_lead)
        return row->lead[j];
    const ptrdiff_t i = (j - row->n_lead) / 2;
    if ((j - row->n_lead) % 2)
        return (olk_compute_t)row->z[i];
    return row->change ? (olk_compute_t)row->change[i]
                       : (olk_compute_t)row->z[i] - (olk_compute_t)row->before[i];
}

static inline olk_compute_t olk_diagonal_product(const olk_input *w, const olk_long_row *row)
{
    olk_compute_t sum = 0;
    for (ptrdiff_t j = 0; j < row->n_lead + 2 * row->d; j++)
        sum += (olk_compute_t)w[j] * olk_element(row, j);
    return sum;
}

/* Learns (row, t); state: weights, variances, mean error. */
static inline void olk_learn_diagonal(olk_input *state, const olk_long_row *row, olk_compute_t t,
                                      olk_compute_t n)
{
    const ptrdiff_t m = row->n_lead + 2 * row->d;
    olk_input *w = state, *P = w + m, *mean = P + m;
    const olk_compute_t error = t - olk_diagonal_product(w, row);
    olk_compute_t spread = 0;
    for (ptrdiff_t j = 0; j < m; j++)
        spread += (olk_compute_t)P[j] * olk_element(row, j) * olk_element(row, j);
    const olk_compute_t weight = olk_weigh_error(mean, error, n);
    olk_compute_t o = weight + spread;
    if (!olk_is_gain(o)) {
        o = weight;
        for (ptrdiff_t j = 0; j < m; j++) {
            P[j] = 1;
            o += olk_element(row, j) * olk_element(row, j);
        }
    }
    const olk_compute_t pull = error / o;
    for (ptrdiff_t j = 0; j < m; j++) {
        const olk_compute_t q = (olk_compute_t)P[j] * olk_element(row, j);
        olk_compute_t p = (olk_compute_t)P[j] - q * q / o;
        p = p > 0 ? (p < olk_forgetting ? p / olk_forgetting : p) : 1;
        w[j] = (olk_input)((olk_compute_t)w[j] + pull * q);
        P[j] = (olk_input)p;
    }
}
