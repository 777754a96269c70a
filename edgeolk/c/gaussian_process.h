/* Gaussian processes on a ring: KRLS-T (Van Vaerenbergh et al. 2012), SOGP (Csato & Opper 2002).

   One source for the library (ring/filters/process.pxd) and for boards: matrices and coefficients
   are here, vectors are placed by the caller. Two forms of the same posterior:

   - Of the coefficients (double only): the function has the mean k'a and the covariance K - K C K.
     `gram` has Q, the inverse of K + jitter I; `posterior` has C over a common scale, so that
     forgetting is one product.
   - In whitened coordinates, where Q and C would diverge: with K + jitter I = L L', M = L^-1 and
     z = M k the answer is z'w; the coordinates are N(w, P), with the prior N(0, I). `gram` has M,
     `posterior` P, `mean` w. Slots are in the order of arrival, since M is triangular: a vector
     that leaves closes the gap.

   Triangles are packed. For units (ring_unit.h) and boards, with the type of coefficients. */
#pragma once

#include "dots.h"
#if OLK_COEF_BITS == 64
#include "linalg.h"
#endif

/* A program for one learner defines OLK_WHITENED and OLK_BY_DIVERGENCE as 0 or 1. */
static inline int olk_is_whitened(const olk_process *g)
{
#if OLK_COEF_BITS == 32
    (void)g;
    return 1;
#elif defined OLK_WHITENED
    (void)g;
    return OLK_WHITENED;
#else
    return g->whitened;
#endif
}

static inline int olk_is_by_divergence(const olk_process *g)
{
#ifdef OLK_BY_DIVERGENCE
    (void)g;
    return OLK_BY_DIVERGENCE;
#else
    return g->by_divergence;
#endif
}

/* Entry (i, j) of a packed symmetric matrix. */
static inline ptrdiff_t olk_entry(ptrdiff_t i, ptrdiff_t j)
{
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* The greater; `a` if one is NaN. */
static inline double olk_greater(double a, double b)
{
    return b > a ? b : a;
}

/* What the removal of a vector with coefficient a changes; a precision may round to 0. */
static inline double olk_divergence(double a, double precision)
{
    return a * a / olk_greater(precision, 1e-30);
}

/* -- Of the coefficients -- */

#if OLK_COEF_BITS == 64
/* The rows of the scratch: Q k, then C k, of the row. */
static int olk_posterior_outside(olk_process *g)
{
    const ptrdiff_t n = g->n;
    const double kx = g->self_kernel + g->jitter;
    double *q = g->work, *c = g->work2, weight = 1.0;
    if (n > 0 && g->forgetting < 1.0) {
        weight = g->forgetting;
        const double factor = olk_sqrt(weight);
        *g->scale *= factor;
        g->f *= factor;
        if (!(*g->scale >= 1.0 / g->max_scale && *g->scale <= g->max_scale)) {
            double *coef = g->coef;
            for (ptrdiff_t i = 0; i < n; i++)
                coef[i] *= *g->scale;
            *g->scale = 1.0;
        }
        g->evidence->scale *= weight;
    }
    olk_symmetric_product(g->gram, n, g->row, q);
    olk_symmetric_product(g->posterior, n, g->row, c);
    for (ptrdiff_t i = 0; i < n; i++)
        c[i] *= g->evidence->scale;
    g->distance = kx - olk_dot(g->row, q, n);
    g->variance = g->noise + olk_greater(kx - olk_dot(g->row, c, n), 0.0);
    const double error = g->y - g->f;
    g->evidence->error += weight * error * error / g->variance;
    g->evidence->weight += weight;
    return n == 0 || g->distance >= g->jitter;
}

/* Of the vectors and the row the one that is needed least, after the row is learned; -1 is the
   row. Of equal ones the lowest slot. */
static ptrdiff_t olk_posterior_victim(const olk_process *g)
{
    const double *gram = g->gram, *posterior = g->posterior, *q = g->work, *c = g->work2;
    const double *coef = g->coef, step = (g->y - g->f) / g->variance;
    ptrdiff_t best = -1;
    double least = olk_fabs(step) * g->distance;
    if (olk_is_by_divergence(g))
        least = olk_divergence(step, 1.0 / g->distance - 1.0 / g->variance);
    for (ptrdiff_t i = g->n - 1; i >= 0; i--) {
        const ptrdiff_t at = olk_entry(i, i);
        const double a = *g->scale * coef[i] - step * c[i];
        const double precision = gram[at] + q[i] * q[i] / g->distance;
        double cost;
        if (olk_is_by_divergence(g)) {
            const double learned = g->evidence->scale * posterior[at] + c[i] * c[i] / g->variance;
            cost = olk_divergence(a, precision - learned);
        } else {
            cost = olk_fabs(a) / precision;
        }
        if (cost <= least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* A coefficient, which is stored over the common scale, changes. */
static inline void olk_shift(const olk_process *g, ptrdiff_t i, double change)
{
    ((double *)g->coef)[i] += change / *g->scale;
}

static inline void olk_clear_entries(double *m, ptrdiff_t r, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        m[olk_entry(i, r)] = 0.0;
}

/* The row takes a slot, whose vector is marginalised. The columns of the slot after the row is
   learned, w of Q and d of C, are formed in work3 and the kernel row. */
static OLK_NOINLINE void olk_exchange_posterior(olk_process *g, double step)
{
    const ptrdiff_t n = g->n, r = g->slot;
    double *gram = g->gram, *posterior = g->posterior, *q = g->work, *c = g->work2;
    double *w = g->work3, *d = g->row;
    const double scale = g->evidence->scale, qr = q[r], cr = c[r];
    const double ar = *g->scale * ((double *)g->coef)[r] - step * cr;
    for (ptrdiff_t i = 0; i < n; i++) {
        w[i] = gram[olk_entry(i, r)] + q[i] * qr / g->distance;
        d[i] = scale * posterior[olk_entry(i, r)] + c[i] * cr / g->variance;
    }
    const double wr = w[r], dr = d[r];
    for (ptrdiff_t i = 0; i < n; i++)
        olk_shift(g, i, -step * c[i]);
    /* From here on the slot is that of the row. */
    w[r] = -qr / g->distance;
    d[r] = -cr / g->variance;
    q[r] = -1.0;
    c[r] = -1.0; /* v = -c, whose sign does not matter in v v' */
    ((double *)g->coef)[r] = step / *g->scale;
    for (ptrdiff_t i = 0; i < n; i++)
        olk_shift(g, i, -ar * w[i] / wr);
    olk_clear_entries(gram, r, n);
    olk_clear_entries(posterior, r, n);
    olk_rank_two_update(gram, n, 1.0 / g->distance, q, 1.0 / wr, w);
    if (dr > 0.0) {
        olk_rank_two_update(posterior, n, 1.0 / (g->variance * scale), c, 1.0 / (dr * scale), d);
        for (ptrdiff_t i = 0; i < n; i++)
            w[i] = -w[i] / wr + d[i] / dr;
        olk_rank_two_update(posterior, n, dr / scale, w, 0.0, w);
    } else {
        olk_rank_two_update(posterior, n, 1.0 / (g->variance * scale), c, 0.0, c);
    }
}

/* Multiplies the common scale into C before its inverse overflows. */
static void olk_fold_posterior(const olk_process *g)
{
    double *posterior = g->posterior;
    if (!(g->evidence->scale < 1e-20))
        return;
    for (ptrdiff_t i = 0; i < olk_entry(g->n, 0); i++)
        posterior[i] *= g->evidence->scale;
    g->evidence->scale = 1.0;
}

static void olk_learn_posterior(olk_process *g)
{
    const ptrdiff_t n = g->n, line = olk_entry(n, 0);
    double *gram = g->gram, *posterior = g->posterior, *q = g->work, *c = g->work2;
    const double step = (g->y - g->f) / g->variance;
    olk_fold_posterior(g);
    const double within = 1.0 / (g->variance * g->evidence->scale);
    if (g->slot < 0) { /* the row is learned within the span */
        for (ptrdiff_t i = 0; i < n; i++) {
            q[i] -= c[i];
            olk_shift(g, i, step * q[i]);
        }
        olk_rank_two_update(posterior, n, within, q, 0.0, q);
        return;
    }
    if (g->slot < n) {
        olk_exchange_posterior(g, step);
        return;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        olk_shift(g, i, -step * c[i]);
        gram[line + i] = 0.0;
        posterior[line + i] = 0.0;
    }
    gram[line + n] = 0.0;
    posterior[line + n] = 0.0;
    q[n] = -1.0;
    c[n] = -1.0;
    ((double *)g->coef)[n] = step / *g->scale;
    olk_rank_two_update(gram, n + 1, 1.0 / g->distance, q, 0.0, q);
    olk_rank_two_update(posterior, n + 1, within, c, 0.0, c);
}

/* Whether the diagonal of Q can be that of an inverse; it may not be after a forged file. */
static int olk_has_pivots(const olk_process *g)
{
    const double *gram = g->gram;
    for (ptrdiff_t i = 0; i < g->n; i++)
        if (!(gram[olk_entry(i, i)] > g->min_pivot))
            return 0;
    return 1;
}
#endif

/* -- In whitened coordinates -- */

/* z <- M k; returns z'z. */
static double olk_whiten(const olk_process *g)
{
    const olk_coef_t *m = g->gram;
    olk_coef_t *z = g->work;
    for (ptrdiff_t i = 0; i < g->n; i++)
        z[i] = (olk_coef_t)olk_dot(m + olk_entry(i, 0), g->row, i + 1);
    return olk_dot(z, z, g->n);
}

/* h <- P z; returns z'h. */
static double olk_spread_row(const olk_process *g)
{
    const olk_coef_t *p = g->posterior, *z = g->work;
    olk_coef_t *h = g->work2;
    for (ptrdiff_t i = 0; i < g->n; i++) {
        h[i] = (olk_coef_t)olk_dot(p + olk_entry(i, 0), z, i + 1);
        olk_axpy(h, (double)z[i], p + olk_entry(i, 0), i);
    }
    return olk_dot(z, h, g->n);
}

/* Without rounding the squared distance from the span is at least the jitter. */
static inline double olk_span_distance(const olk_process *g, double kx, double along)
{
    return olk_greater(kx - along, 0.5 * g->jitter);
}

/* w *= sqrt lam, P = lam P + (1 - lam) I. */
static void olk_forget_whitened(const olk_process *g)
{
    olk_coef_t *w = g->mean, *p = g->posterior;
    const double lam = g->forgetting, factor = olk_sqrt(lam);
    for (ptrdiff_t i = 0; i < g->n; i++) {
        w[i] = (olk_coef_t)(factor * (double)w[i]);
        for (ptrdiff_t j = 0; j <= i; j++)
            p[j] = (olk_coef_t)(lam * (double)p[j]);
        p[i] = (olk_coef_t)((double)p[i] + 1.0 - lam);
        p += i + 1;
    }
}

static int olk_whitened_outside(olk_process *g)
{
    const double kx = g->self_kernel + g->jitter;
    double weight = 1.0;
    if (g->n > 0 && g->forgetting < 1.0) {
        weight = g->forgetting;
        g->f *= olk_sqrt(weight);
        olk_forget_whitened(g);
    }
    const double along = olk_whiten(g), known = olk_spread_row(g);
    g->distance = olk_span_distance(g, kx, along);
    g->variance = g->noise + g->distance + olk_greater(known, 0.0);
    const double error = g->y - g->f;
    g->evidence->error += weight * error * error / g->variance;
    g->evidence->weight += weight;
    return g->n == 0 || g->distance >= g->jitter;
}

/* P -= h h' / sy2, w += step h, over n coordinates. */
static void olk_condition(const olk_process *g, ptrdiff_t n, double step)
{
    const olk_coef_t *h = g->work2;
    olk_coef_t *p = g->posterior;
    for (ptrdiff_t i = 0; i < n; i++)
        olk_axpy(p + olk_entry(i, 0), -(double)h[i] / g->variance, h, i + 1);
    olk_axpy(g->mean, step, h, n);
}

/* One more coordinate, in which the row is the root of its distance. */
static void olk_join(const olk_process *g)
{
    const ptrdiff_t n = g->n;
    olk_coef_t *m = g->gram, *p = g->posterior, *z = g->work, *h = g->work2;
    olk_coef_t *new_m = m + olk_entry(n, 0), *new_p = p + olk_entry(n, 0);
    const double length = olk_sqrt(g->distance);
    for (ptrdiff_t i = 0; i <= n; i++)
        new_m[i] = new_p[i] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        olk_axpy(new_m, -(double)z[i] / length, m + olk_entry(i, 0), i + 1);
    new_m[n] = (olk_coef_t)(1.0 / length);
    new_p[n] = 1;
    ((olk_coef_t *)g->mean)[n] = 0;
    h[n] = (olk_coef_t)length;
}

/* |a_r| / (M'M)_rr; of SOGP a_r^2 / (M'P M)_rr. */
static double olk_removal_cost(const olk_process *g, ptrdiff_t r, ptrdiff_t n)
{
    const olk_coef_t *m = g->gram, *p = g->posterior, *w = g->mean;
    const int by_divergence = olk_is_by_divergence(g);
    double a = 0.0, size = 0.0;
    for (ptrdiff_t i = r; i < n; i++) {
        const double here = (double)m[olk_entry(i, r)];
        a += here * (double)w[i];
        if (by_divergence) {
            const olk_coef_t *row = p + olk_entry(i, 0), *column = m + olk_entry(r, r);
            double line = 0.0;
            for (ptrdiff_t j = r; j < i; j++) {
                line += (double)row[j] * (double)*column;
                column += j + 1;
            }
            size += here * (2.0 * line + (double)(row[i] * m[olk_entry(i, r)]));
        } else {
            size += here * here;
        }
    }
    return by_divergence ? olk_divergence(a, size) : olk_fabs(a) / size;
}

static ptrdiff_t olk_cheapest(const olk_process *g, ptrdiff_t n)
{
    ptrdiff_t best = 0;
    double least = HUGE_VAL;
    for (ptrdiff_t r = 0; r < n; r++) {
        const double cost = olk_removal_cost(g, r, n);
        if (cost < least) {
            least = cost;
            best = r;
        }
    }
    return best;
}

/* *top <- c *top - s *bottom, *bottom <- s *top + c *bottom. */
static inline void olk_rotate_pair(olk_coef_t *top, olk_coef_t *bottom, double c, double s)
{
    const double a = (double)*top, b = (double)*bottom;
    *top = (olk_coef_t)(c * a - s * b);
    *bottom = (olk_coef_t)(s * a + c * b);
}

/* Rotates coordinates i and i + 1 of P and w. */
static void olk_rotate_coordinates(const olk_process *g, ptrdiff_t i, double c, double s,
                                   ptrdiff_t n)
{
    olk_coef_t *p = g->posterior, *w = g->mean;
    for (ptrdiff_t j = 0; j < i; j++)
        olk_rotate_pair(p + olk_entry(i, j), p + olk_entry(i + 1, j), c, s);
    for (ptrdiff_t j = i + 2; j < n; j++)
        olk_rotate_pair(p + olk_entry(j, i), p + olk_entry(j, i + 1), c, s);
    olk_coef_t *first = p + olk_entry(i, i), *between = p + olk_entry(i + 1, i);
    const double a = (double)*first, b = (double)*between, d = (double)between[1];
    *first = (olk_coef_t)(c * c * a - 2.0 * c * s * b + s * s * d);
    *between = (olk_coef_t)(c * s * (a - d) + (c * c - s * s) * b);
    between[1] = (olk_coef_t)(s * s * a + 2.0 * c * s * b + c * c * d);
    olk_rotate_pair(w + i, w + i + 1, c, s);
}

/* Takes vector r of n out: neighbouring rows of M are rotated until only the last, which is then
   dropped, contains it. The scratch has the row of M that still does. */
static OLK_NOINLINE void olk_marginalise(const olk_process *g, ptrdiff_t r, ptrdiff_t n)
{
    olk_coef_t *m = g->gram, *top = g->work;
    for (ptrdiff_t j = 0; j <= r; j++)
        top[j] = m[olk_entry(r, j)];
    for (ptrdiff_t i = r; i < n - 1; i++) {
        olk_coef_t *to = m + olk_entry(i, 0), *bottom = m + olk_entry(i + 1, 0);
        const double t = (double)top[r], b = (double)bottom[r], length = olk_sqrt(t * t + b * b);
        const double c = b / length, s = t / length;
        top[i + 1] = 0;
        for (ptrdiff_t j = 0; j < i + 2; j++) {
            const double upper = (double)top[j], lower = (double)bottom[j];
            if (j != r) /* the column of r goes */
                *to++ = (olk_coef_t)(c * upper - s * lower);
            top[j] = (olk_coef_t)(s * upper + c * lower);
        }
        olk_rotate_coordinates(g, i, c, s, n);
    }
}

/* Returns the vector that leaves, n for the row itself; -1 if none does. */
static ptrdiff_t olk_learn_whitened(olk_process *g)
{
    const ptrdiff_t n = g->n;
    ptrdiff_t r = -1, left = n;
    const olk_coef_t *m = g->gram, *w = g->mean;
    olk_coef_t *coef = g->coef;
    const double step = (g->y - g->f) / g->variance;
    if (g->slot < 0) {
        olk_condition(g, n, step);
    } else {
        olk_join(g);
        olk_condition(g, n + 1, step);
        if (n < g->budget) {
            left = n + 1;
        } else {
            r = olk_cheapest(g, n + 1);
            olk_marginalise(g, r, n + 1);
        }
    }
    for (ptrdiff_t i = 0; i < left; i++)
        coef[i] = 0;
    for (ptrdiff_t i = 0; i < left; i++)
        olk_axpy(coef, (double)w[i], m + olk_entry(i, 0), i + 1);
    return r;
}

/* -- Both -- */

/* Forgets, and compares the row with the vectors: sets its distance from their span and its
   variance. Returns whether it is outside of the span. */
static int olk_process_outside(olk_process *g)
{
#if OLK_COEF_BITS == 64
    if (!olk_is_whitened(g))
        return olk_posterior_outside(g);
#endif
    return olk_whitened_outside(g);
}

/* The slot that the row enters if the ring is full, -1 for none. In whitened coordinates the step
   decides, once the row is learned. */
static ptrdiff_t olk_process_victim(const olk_process *g)
{
#if OLK_COEF_BITS == 64
    if (!olk_is_whitened(g))
        return olk_posterior_victim(g);
#endif
    return g->n;
}

/* Learns the row in matrices and coefficients. Returns, in whitened coordinates, the vector that
   leaves: the later ones move up, and the row becomes the last; n if the row itself leaves, -1 if
   none does. */
static ptrdiff_t olk_process_learn(olk_process *g)
{
#if OLK_COEF_BITS == 64
    if (!olk_is_whitened(g)) {
        olk_learn_posterior(g);
        return -1;
    }
#endif
    return olk_learn_whitened(g);
}

/* The variance of the target of the row: that of the state as it is. Infinite before the first. */
static double olk_process_variance(const olk_process *g)
{
    const double kx = g->self_kernel + g->jitter;
    double variance;
    if (!(g->evidence->weight > 0.0))
        return HUGE_VAL;
#if OLK_COEF_BITS == 64
    if (!olk_is_whitened(g)) {
        olk_symmetric_product(g->posterior, g->n, g->row, g->work);
        const double known = g->evidence->scale * olk_dot(g->row, g->work, g->n);
        return g->evidence->error / g->evidence->weight *
               (g->noise + olk_greater(kx - known, 0.0));
    }
#endif
    variance = g->noise + olk_span_distance(g, kx, olk_whiten(g));
    variance += olk_greater(olk_spread_row(g), 0.0);
    return g->evidence->error / g->evidence->weight * variance;
}

/* Whether |x| <= limit; false for NaN. */
static inline int olk_is_short(const void *x, ptrdiff_t n, double limit)
{
    return olk_dot(x, x, n) <= limit * limit;
}

/* Whether coefficients, matrices and sums are in the range that a file may hold: far below it,
   since a step must not leave it. */
static int olk_process_is_sound(const olk_process *g)
{
    const ptrdiff_t n = g->n, packed = olk_entry(n, 0);
    const double error = g->evidence->error;
    if (!olk_is_short(g->coef, n, g->max_coefficient) || !(error >= 0.0 && error <= 1e300) ||
        !(g->evidence->scale > 0.0))
        return 0;
#if OLK_COEF_BITS == 64
    if (!olk_is_whitened(g) && n > 0 && !olk_has_pivots(g))
        return 0;
#endif
    return olk_is_short(g->gram, packed, g->max_entry) &&
           olk_is_short(g->posterior, packed, g->max_entry) &&
           (!olk_is_whitened(g) || olk_is_short(g->mean, n, g->max_coefficient));
}
