/* The models of the forecaster (docs/forecast.md): least squares, weights of experts, the history
   of the target, its season, intervals. */
#pragma once

#include "sorf.h"

typedef olk_real olk_regret;
#include "ml_poly.h"

/* -- Arithmetic -- */

static inline olk_real olk_min(olk_real a, olk_real b)
{
    return a < b ? a : b;
}

static inline olk_real olk_max(olk_real a, olk_real b)
{
    return a > b ? a : b;
}

/* -- The target's history --
   A forecaster's statistics of its target: the last values, their changes, mean, variance and unit
   (docs/forecast.md, sections 2, 3.3, 3.5 and 4.4). */

/* Windows of the unit, of the running means, of mean and variance, in rows; repeats of one target
   after which it is no longer learned; clip of numbers in units; the factor that turns persistence
   into a gate; clip of a level in deviations. */
static const olk_real olk_unit_window = 200, olk_near_window = 16, olk_far_window = 256;
static const olk_real olk_mean_window = 10000, olk_max_repeats = 200, olk_max_units = 10,
                           olk_gate_gain = 3;
static const olk_real olk_max_level = 5;

/* All zero at the start. In brackets: the name in docs/forecast.md. Positions: sorf_types.h. */
typedef struct {
    olk_input targets;    /* known so far [N] */
    olk_input changes;    /* number of changes in the unit [J] */
    olk_input squares;    /* number of changes in the mean squared change [Q] */
    olk_input repeats;    /* of the last target [Z] */
    olk_input learned;    /* rows learned by the linear learners [n] */
    olk_input marks;      /* whether `last` and `kernel` are known */
    olk_input first[2];   /* the first two targets */
    olk_input error;      /* mean error of the answers, in units [mo] */
    olk_input last;       /* last known target [y1] */
    olk_input change[3];  /* last three changes [c1, c2, c3] */
    olk_input mean, variance; /* [m, v] */
    olk_input square;     /* mean squared change [q] */
    olk_input unit;       /* mean absolute change [sc] */
    olk_input near, far;  /* running means [e1, e2] */
    olk_input kernel;     /* the kernel's answer to the row of the last target [slast] */
} olk_history;

static inline int olk_marked(const olk_history *h, int bit)
{
    return ((int)h->marks & bit) != 0;
}

/* The unit of an answer, 0 while it is unknown. With a horizon above 1 it needs three changes over
   that many rows: numbers that are learned in a unit far too small grow with it later
   (section 3.3). */
static inline olk_real olk_current_unit(const olk_history *h, int32_t horizon)
{
    const int is_known = horizon == 1 || h->changes >= OLK_FIRST_CHANGES;
    return is_known ? h->unit : 0;
}

/* v in units, clipped; 0 while the unit is unknown. */
static inline olk_real olk_in_units(olk_real v, olk_real unit)
{
    return unit > 0 ? olk_clip(v / unit, olk_max_units) : 0;
}

/* The last target minus a running mean over `window` rows, in that mean's units. */
static inline olk_real olk_off_mean(const olk_history *h, olk_input mean, olk_real window,
                                         olk_real unit)
{
    return unit > 0 ? olk_clip((h->last - (olk_real)mean) /
                                   (unit * olk_root(window)),
                               olk_max_units)
                    : 0;
}

/* Correlation of a target with the last one [rho]. */
static inline olk_real olk_persistence(const olk_history *h)
{
    if (!(h->variance > 0) || h->squares < 3)
        return 0;
    return olk_clip(1 - h->square / (2 * h->variance), 1);
}

/* The level of the last target, in deviations [a]. */
static inline olk_real olk_level_of(const olk_history *h)
{
    const olk_real v = h->variance;
    return v > 0 ? olk_clip((h->last - h->mean) / olk_root(v),
                            olk_max_level)
                 : 0;
}

/* The start: the median of three targets and its distance to the nearer of the others, which is the
   unit too if changes are those of one row. */
static inline void olk_start_history(olk_history *h, olk_real y, int32_t horizon)
{
    const olk_real a = h->first[0], b = h->first[1];
    const olk_real low = olk_min(a, b), high = olk_max(a, b);
    const olk_real middle = olk_max(low, olk_min(high, y));
    const olk_real below = middle - olk_min(low, y), above = olk_max(high, y) - middle;
    const olk_real gap = olk_min(below, above);
    h->mean = h->near = h->far = (olk_input)middle;
    h->variance = (olk_input)(gap * gap);
    if (gap > 0 && horizon == 1) {
        h->unit = (olk_input)gap;
        h->square = (olk_input)(gap * gap);
        h->changes = h->squares = 1;
    }
}

static inline void olk_update_mean(olk_input *mean, olk_real step, olk_real targets,
                                   olk_real window)
{
    *mean = (olk_input)((olk_real)*mean + step / olk_min(targets, window));
}

/* Learns a known target; change: the absolute difference from the last target known when its row
   was answered, negative if there was none. */
static inline void olk_learn_target(olk_history *h, olk_real y, olk_real change,
                                    int32_t horizon)
{
    const olk_real unit = h->unit;
    const olk_real targets = h->targets + 1;
    h->targets = (olk_input)targets;
    if (targets <= 3) {
        h->mean = h->near = h->far = (olk_input)y;
        if (targets < 3)
            h->first[(int)targets - 1] = (olk_input)y;
        else
            olk_start_history(h, y, horizon);
        return;
    }
    olk_real b = y - h->mean, near = y - h->near,
                  far = y - h->far;
    if (unit > 0) {
        const olk_real limit = olk_max_units * unit;
        b = olk_clip(b, olk_max_units * olk_max(olk_root(h->variance), unit));
        near = olk_clip(near, limit * olk_root(olk_near_window));
        far = olk_clip(far, limit * olk_root(olk_far_window));
    }
    const olk_real n = olk_min(targets, olk_mean_window), v = h->variance;
    h->variance = (olk_input)(v + (b * b * (1 - 1 / n) - v) / n);
    olk_update_mean(&h->mean, b, targets, olk_mean_window);
    olk_update_mean(&h->near, near, targets, olk_near_window);
    olk_update_mean(&h->far, far, targets, olk_far_window);
    if (change < 0)
        return;
    if (unit > 0)
        change = olk_min(change, olk_max_units * unit);
    h->squares = (olk_input)(h->squares + 1);
    h->square = (olk_input)(h->square +
                            (change * change - h->square) /
                                olk_min(h->squares, olk_mean_window));
    if (unit > 0 || change > 0) {
        h->changes = (olk_input)(h->changes + 1);
        h->unit = (olk_input)(unit + (change - unit) /
                                         olk_min(h->changes, olk_unit_window));
    }
}

/* The target becomes the last one. */
static inline void olk_shift_history(olk_history *h, olk_real y)
{
    h->change[2] = h->change[1];
    h->change[1] = h->change[0];
    h->change[0] = (olk_input)(olk_marked(h, OLK_KNOWN) ? y - h->last : 0);
    h->last = (olk_input)y;
}

/* -- The season --
   The last L + 1 targets, L being the season (docs/forecast.md, section 3.3). Before them: the
   count of targets, which wraps between L + 1 and 2 (L + 1). */

static inline void olk_season_put(olk_input *season, int32_t length, olk_input y)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    season[1 + count % capacity] = y;
    season[0] = (olk_input)(count + 1 < 2 * capacity ? count + 1 : capacity);
}

/* Seasonal lags of the target to forecast, in units: its value a season earlier minus the last
   target, and minus the oldest stored target. 0 until the ring is full. */
static inline void olk_season_inputs(const olk_input *season, int32_t length, int32_t horizon,
                                     olk_real last, olk_real unit, olk_real *inputs)
{
    const int32_t capacity = length + 1, count = (int32_t)season[0];
    inputs[0] = inputs[1] = 0;
    if (count < capacity)
        return;
    const olk_real oldest = (olk_real)season[1 + count % capacity];
    const olk_real lagged = (olk_real)season[1 + (count + horizon) % capacity];
    inputs[0] = olk_in_units(lagged - last, unit);
    inputs[1] = olk_in_units(lagged - oldest, unit);
}

/* -- Recursive least squares --
   Recursive least squares with forgetting under Huber weights (docs/forecast.md, section 5): a
   diagonal version for many inputs, a full one for few. Arithmetic in olk_real, state in
   olk_input.

   Design. Instead of dividing P by the forgetting factor at every step, P_jj is raised, with its
   row and column, only when it falls below that factor, and never exceeds 1. There is no wind-up
   where an input is silent, and a full P stays positive definite, since that is a congruence. */

/* Forgetting factor; Huber's threshold in mean errors; window of the mean error; rows before errors
   are weighted; the smallest weight, and the clip of errors in the mean. */
static const olk_real olk_forgetting = (olk_real)0.998, olk_huber_errors = 3,
                           olk_error_window = 200;
static const olk_real olk_unweighted_rows = 5, olk_min_weight = (olk_real)1e-6,
                           olk_max_in_mean = 10;
/* Variances below this are negative by more than rounding. */
static const olk_real olk_min_variance = (olk_real)-1e-5;
/* 0.998^-1/2 */
static const olk_real olk_root_of_forgetting = (olk_real)1.0010015025043828;

/* Returns forgetting / Huber weight of an error and updates the mean error. n counts this row. */
static inline olk_real olk_weigh_error(olk_input *mean, olk_real error, olk_real n)
{
    olk_real size = olk_abs(error), weight = 1;
    const olk_real me = (olk_real)*mean;
    if (n > olk_unweighted_rows && me > 0) {
        if (size > olk_huber_errors * me)
            weight = olk_max(olk_huber_errors * me / size, olk_min_weight);
        size = olk_min(size, olk_max_in_mean * me);
    }
    *mean = (olk_input)(me + (size - me) / olk_min(n, olk_error_window));
    return olk_forgetting / weight;
}

/* w.h */
static inline olk_real olk_head_product(const olk_input *w, const olk_real *h, int32_t m)
{
    olk_real sum = 0;
    for (int32_t i = 0; i < m; i++)
        sum += (olk_real)w[i] * h[i];
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
        olk_real v = (olk_real)*at * olk_root_of_forgetting;
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
static inline int olk_is_gain(olk_real o)
{
    return o > olk_forgetting / 2 && o - o == 0;
}

/* Learns (h, t); state: weights [m], packed P, mean error. */
static inline void olk_learn_head(olk_input *state, int32_t m, const olk_real *h,
                                  olk_real t, olk_real n)
{
    olk_input *w = state, *P = w + m, *mean = P + olk_packed_row(m);
    olk_real q[OLK_HEAD_INPUTS], spread = 0;
    const olk_real error = t - olk_head_product(w, h, m);
    for (int32_t i = 0; i < m; i++) {
        q[i] = 0;
        for (int32_t j = 0; j < m; j++)
            q[i] += (olk_real)P[i < j ? olk_packed_row(j) + i : olk_packed_row(i) + j] * h[j];
    }
    for (int32_t i = 0; i < m; i++)
        spread += q[i] * h[i];
    const olk_real weight = olk_weigh_error(mean, error, n);
    olk_real o = weight + spread;
    if (!olk_is_gain(o)) {
        olk_begin_covariance(P, m);
        o = weight;
        for (int32_t i = 0; i < m; i++) {
            q[i] = h[i];
            o += h[i] * h[i];
        }
    }
    for (int32_t i = 0; i < m; i++) {
        const olk_real part = q[i] / o;
        w[i] = (olk_input)((olk_real)w[i] + error * part);
        for (int32_t j = 0; j <= i; j++) {
            olk_input *at = P + olk_packed_row(i) + j;
            *at = (olk_input)((olk_real)*at - part * q[j]);
        }
    }
    for (int32_t j = 0; j < m; j++) {
        const olk_real variance = (olk_real)P[olk_packed_row(j) + j];
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
    const olk_real *lead;
    int32_t n_lead;
    ptrdiff_t d;
    const olk_input *z;
    const olk_input *change; /* NULL: z - before */
    const olk_input *before;
} olk_long_row;

static inline olk_real olk_element(const olk_long_row *row, ptrdiff_t j)
{
    if (j < row->n_lead)
        return row->lead[j];
    const ptrdiff_t i = (j - row->n_lead) / 2;
    if ((j - row->n_lead) % 2)
        return row->z[i];
    return row->change ? row->change[i]
                       : row->z[i] - row->before[i];
}

static inline olk_real olk_diagonal_product(const olk_input *w, const olk_long_row *row)
{
    olk_real sum = 0;
    for (ptrdiff_t j = 0; j < row->n_lead + 2 * row->d; j++)
        sum += (olk_real)w[j] * olk_element(row, j);
    return sum;
}

/* Learns (row, t); state: weights, variances, mean error. */
static inline void olk_learn_diagonal(olk_input *state, const olk_long_row *row, olk_real t,
                                      olk_real n)
{
    const ptrdiff_t m = row->n_lead + 2 * row->d;
    olk_input *w = state, *P = w + m, *mean = P + m;
    const olk_real error = t - olk_diagonal_product(w, row);
    olk_real spread = 0;
    for (ptrdiff_t j = 0; j < m; j++)
        spread += (olk_real)P[j] * olk_element(row, j) * olk_element(row, j);
    const olk_real weight = olk_weigh_error(mean, error, n);
    olk_real o = weight + spread;
    if (!olk_is_gain(o)) {
        o = weight;
        for (ptrdiff_t j = 0; j < m; j++) {
            P[j] = 1;
            o += olk_element(row, j) * olk_element(row, j);
        }
    }
    const olk_real pull = error / o;
    for (ptrdiff_t j = 0; j < m; j++) {
        const olk_real q = (olk_real)P[j] * olk_element(row, j);
        olk_real p = (olk_real)P[j] - q * q / o;
        p = p > 0 ? (p < olk_forgetting ? p / olk_forgetting : p) : 1;
        w[j] = (olk_input)((olk_real)w[j] + pull * q);
        P[j] = (olk_input)p;
    }
}

enum { OLK_EXPERTS = 3 };

/* -- Intervals --
   Intervals of forecasts: the quantile of errors in units of their running mean, tracked by
   multiplicative steps (docs/forecast.md, section 8). This is quantile tracking, as in
   adaptive conformal inference (Gibbs & Candes, NeurIPS 2021). */

static const double olk_first_quantile = 1.5;
/* The smallest step; in the first rows the step is first_step / (rows + first_rows); the range of
   quantiles. */
static const double olk_quantile_step = 0.05, olk_first_step = 2.0, olk_first_rows = 10.0;
static const double olk_min_quantile = 0.001, olk_max_quantile = 1000.0;
/* Rows after which an error is clipped, and the limit in mean errors. */
static const olk_real olk_unclipped_rows = 20, olk_max_errors = 10;
/* Window of the mean error, in rows. */
static const olk_real olk_mean_error_rows = 200;

/* Updates the quantiles with the error, in units, of an answer given at mean error `mean`. */
static inline void olk_update_quantiles(const olk_forecast *f, olk_input *quantile,
                                        olk_real error, olk_real mean,
                                        olk_real learned)
{
    const double early = olk_first_step / ((double)learned + olk_first_rows);
    const double step = early > olk_quantile_step ? early : olk_quantile_step;
    for (int32_t i = 0; i < f->n_levels; i++) {
        const double beyond = (double)(error / mean) > (double)quantile[i] ? 1.0 : 0.0;
        double q = (double)quantile[i] * olk_sorf_exp(step * (beyond - (1.0 - f->levels[i])));
        q = q > olk_min_quantile ? q : olk_min_quantile;
        quantile[i] = (olk_input)(q < olk_max_quantile ? q : olk_max_quantile);
    }
}

/* Updates the mean error. */
static inline void olk_update_mean_error(olk_history *h, olk_real error)
{
    const olk_real mean = h->error, n = h->learned;
    if (n > olk_unclipped_rows && mean > 0)
        error = olk_min(error, olk_max_errors * mean);
    h->error = (olk_input)(mean + (error - mean) / olk_min(n + 1, olk_mean_error_rows));
}
