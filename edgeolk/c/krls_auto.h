/* krls_auto: a kernel recursive least squares tracker without settings, for the library and for
   boards. docs/kernel-adaptive-filters.md says what it does; edgeolk/reference/untuned_krls.py is a
   readable implementation.

   A Gaussian process on at most B vectors plus a linear part. Its m = 1 + d + n coordinates are a
   constant, d linear ones and those of the vectors in whitened form: M = L^-1 of K + jitter I =
   L L', z = M k. They are N(w, P) in units of the scale num / den, P = W W', with the prior
   N(0, I). The widths, one for each input, the noise and the scales of inputs are learned on the
   way; where they have moved far, the prior is exchanged for the one that they ask for. With rows in
   the order of time the last targets may be inputs too.

   Design. M is packed by rows, W by columns with room for all T = 2 + d + B rows, so that every
   loop but the rotations of two rows of W runs over neighbouring numbers; all of it is in the type
   of coefficients, since the factor W, unlike P, is safe in single precision. Nothing is allocated,
   the exchange works in place. Vectors are kept relative to the first row. No product and sum are
   fused, and every sum has its order: the same bits with every instruction set, compiler and
   processor. For units (ring_unit.h) and boards, with one type of rows and coefficients. krls_auto_layout.h, _inputs.h, _posterior.h
   and _prior.h need those before them; here are steps, answers and rows in time. */
#pragma once

#include "krls_auto_prior.h"

/* -- Learning and answers -- */

/* The middle of three. */
static inline double olk_middle(double a, double b, double c)
{
    const double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* The first rows, which only give the offset and the scale of the targets, are answered by the last
   target. */
static double olk_auto_wait(const olk_untuned *t, double y)
{
    olk_tracking *words = t->words;
    const int at = (int)words->waited;
    const double answer = at > 0 ? words->first[at - 1] : 0.0;
    words->first[at] = y;
    words->waited += 1.0;
    if (at + 1 == OLK_AUTO_WAIT) {
        const double *first = words->first;
        const double middle = olk_middle(first[0], first[1], first[2]);
        const double spread = olk_middle(olk_fabs(first[0] - middle), olk_fabs(first[1] - middle),
                                         olk_fabs(first[2] - middle));
        words->offset = middle;
        if (spread > 0.0) {
            words->num = spread * spread;
            words->den = 1.0;
        }
    }
    return answer;
}

/* The noise of a row: a row of weight 2 is as good as two. */
static double olk_auto_noise_of(const olk_untuned *t)
{
    const double noise = t->words->noise / t->weight;
    return t->weight > 1.0 && noise < olk_auto_least_noise ? olk_auto_least_noise : noise;
}

/* Learns a row that was seen, with its error. */
static void olk_auto_update(olk_untuned *t, olk_auto_view seen, double error)
{
    olk_tracking *words = t->words;
    const double noise = olk_auto_noise_of(t);
    const double expected = noise + seen.delta + seen.rest, scale = olk_auto_scale(t);
    const double size = error * error / expected;
    const int early = !(words->den > olk_auto_start), enters = seen.delta > olk_auto_jitter;
    /* Noise moves below, but is in use only after an exchange. */
    double nu = noise + (enters ? 0.0 : seen.delta), counted = size;
    if (scale > 0.0) {
        const double far =
            olk_fabs(error) / olk_sqrt(scale * expected) / (early ? 30.0 : 6.0) - 1.0;
        const double most = scale * (early ? 900.0 : 100.0);
        if (!early) {
            olk_auto_learn_widths(t, error, scale * expected);
            olk_auto_learn_noise(t, error, noise, expected);
        }
        nu += far > 0.0 ? expected * far : 0.0;
        counted = size < most ? size : most;
    }
    words->num = olk_auto_phi * words->num + counted;
    words->den = olk_auto_phi * words->den + 1.0;
    ptrdiff_t m = olk_auto_coordinates(t);
    if (enters) {
        olk_auto_join(t, seen.delta);
        m++;
    }
    olk_auto_condition(t, m, nu, error);
    olk_auto_drift_row(t, m);
    if (enters) {
        ptrdiff_t left = t->n;
        if (t->n == t->budget) {
            left = olk_auto_victim(t, t->n + 1);
            olk_auto_marginalise(t, left, t->n + 1);
        }
        if (t->n < t->budget || left < t->n)
            olk_auto_store(t, left);
    }
    olk_auto_coefficients(t, t->n, t->coef);
}

/* Whether all numbers are in the range that a file may hold; a step must not leave it. */
static int olk_auto_is_sound(const olk_untuned *t)
{
    const olk_tracking *words = t->words;
    const ptrdiff_t m = olk_auto_coordinates(t), n = t->n;
    const double largest = olk_auto_largest_number(OLK_COEF_BITS == 64);
    const double entry = OLK_COEF_BITS == 64 ? 1e60 : 1e18;
    if (!(words->num >= 0.0 && words->num <= 1e300) || !(olk_fabs(words->offset) <= 1e300) ||
        !(olk_real_squares(t->mean, m) <= largest * largest) ||
        !(olk_real_squares(t->coef, n) <= largest * largest) ||
        !(olk_real_squares(t->whitening, n * (n + 1) / 2) <= entry * entry))
        return 0;
    for (ptrdiff_t j = 0; j < m; j++)
        if (!(olk_real_squares(olk_auto_column(t, j), m - j) <= entry * entry))
            return 0;
    const olk_coef_t *inputs = olk_auto_inputs(t, 0);
    for (ptrdiff_t j = 0; j < OLK_AUTO_INPUTS * t->d; j++)
        if (inputs[j] - inputs[j] != 0) /* infinite, or not a number */
            return 0;
    return 1;
}

/* Starts again: the first rows are next. */
static void olk_auto_restart(olk_untuned *t)
{
    memset(t->words, 0, sizeof *t->words);
    memset(t->inputs, 0, (size_t)(OLK_AUTO_INPUTS * t->d) * sizeof(olk_coef_t));
    memset(t->coef, 0, (size_t)t->n * sizeof(olk_coef_t));
    t->n = 0;
    olk_auto_begin(t);
}

/* Whether differences of a row's inputs can be squared. */
static inline int olk_auto_accepts(const olk_untuned *t, const void *x)
{
    for (ptrdiff_t j = 0; j < t->d - t->lags; j++)
        if (!(olk_fabs((double)((const olk_coef_t *)x)[j]) <=
              olk_auto_largest_input(OLK_COEF_BITS == 64)))
            return 0;
    return 1;
}

/* Whether a target can become an input; an unknown one does not. */
static inline int olk_auto_takes(const olk_untuned *t, double y)
{
    return !t->lags || y != y || olk_fabs(y) <= olk_auto_largest_input(OLK_COEF_BITS == 64);
}

/* The variance of the target of a row that was seen; infinite while the scale is unknown. */
static double olk_auto_spread(const olk_untuned *t, olk_auto_view seen)
{
    const double scale = olk_auto_scale(t);
    return scale > 0.0 ? scale * (t->words->noise + seen.delta + seen.rest) : HUGE_VAL;
}

/* The answer to a row by the state as it is. */
static double olk_auto_answer(olk_untuned *t, const void *x)
{
    const olk_tracking *words = t->words;
    t->variance = HUGE_VAL;
    if (words->waited < OLK_AUTO_WAIT)
        return words->waited > 0.0 ? words->first[(int)words->waited - 1] : 0.0;
    if (!(words->seen > 0.0) && t->lags && t->lagging->known > 0.0)
        return t->recent[0];
    olk_auto_clip(t, x);
    const olk_auto_view seen = olk_auto_look(t);
    t->variance = olk_auto_spread(t, seen);
    return words->offset + seen.f;
}

/* The variance of the target of a row. */
static inline double olk_auto_variance(olk_untuned *t, const void *x)
{
    (void)olk_auto_answer(t, x);
    return t->variance;
}

/* Learns a row of known inputs; returns the answer before. Where numbers leave their range, which no
   sensible stream brings about, it starts again. */
static double olk_auto_learn_row(olk_untuned *t, const void *x, double y)
{
    olk_tracking *words = t->words;
    t->variance = HUGE_VAL;
    if (words->waited < OLK_AUTO_WAIT)
        return olk_auto_wait(t, y);
    if (!(words->seen > 0.0))
        for (ptrdiff_t j = 0; j < t->d; j++)
            t->origin[j] = olk_auto_input(t, x, j);
    olk_auto_clip(t, x);
    olk_auto_learn_inputs(t);
    if (olk_auto_prior_is_old(t))
        olk_auto_exchange_prior(t);
    const olk_auto_view seen = olk_auto_look(t);
    const double answer = words->offset + seen.f;
    if (!(olk_fabs(answer) <= 1e120)) {
        olk_auto_restart(t);
        return olk_auto_wait(t, y);
    }
    t->variance = olk_auto_spread(t, seen);
    olk_auto_update(t, seen, y - words->offset - seen.f);
    if (!olk_auto_is_sound(t))
        olk_auto_restart(t);
    return answer;
}

/* -- Rows in the order of time -- */

/* Whether all targets that are inputs of the next row are known. */
static int olk_auto_knows(const olk_untuned *t)
{
    return !t->lags || t->lagging->known >= (double)t->lags;
}

/* A target becomes an input of the next rows. */
static void olk_auto_remember(const olk_untuned *t, double y)
{
    for (ptrdiff_t i = t->lags - 1; i > 0; i--)
        t->recent[i] = t->recent[i - 1];
    t->recent[0] = y;
    t->lagging->known += t->lagging->known < (double)t->lags ? 1.0 : 0.0;
}

/* Learns a row that olk_auto_accepts; returns the answer before. A row whose targets are not all
   known, or whose own target is not (NaN), is only answered. */
static double olk_auto_learn(olk_untuned *t, const void *x, double y)
{
    const int learns = y == y && !t->frozen &&
                       (olk_auto_knows(t) || t->words->waited < OLK_AUTO_WAIT);
    const double answer = learns ? olk_auto_learn_row(t, x, y) : olk_auto_answer(t, x);
    if (t->lags && y == y)
        olk_auto_remember(t, y);
    return answer;
}

/* Answers a row, which then waits for its target; the oldest one goes if too many wait. */
static inline double olk_auto_ask(olk_untuned *t, const void *x)
{
    olk_lagging *late = t->lagging;
    if (late->pending >= (double)t->delay) {
        late->oldest = late->oldest + 1.0 < (double)t->delay ? late->oldest + 1.0 : 0.0;
        late->pending -= 1.0;
    }
    const ptrdiff_t place = ((ptrdiff_t)late->oldest + (ptrdiff_t)late->pending) % t->delay;
    double *row = t->pending_rows + place * (t->d + OLK_PENDING_MORE);
    for (ptrdiff_t j = 0; j < t->d; j++)
        row[j] = olk_auto_has(t, j) ? olk_auto_input(t, x, j) : 0.0;
    row[t->d] = olk_auto_answer(t, x);
    row[t->d + 1] = olk_auto_knows(t) ? 1.0 : 0.0;
    late->pending += 1.0;
    return row[t->d];
}

/* The target of the oldest waiting row, which exists; NaN: it is never known. Returns its answer. */
static inline double olk_auto_tell(olk_untuned *t, double y)
{
    olk_lagging *late = t->lagging;
    const double *row = t->pending_rows + (ptrdiff_t)late->oldest * (t->d + OLK_PENDING_MORE);
    const double answer = row[t->d];
    late->oldest = late->oldest + 1.0 < (double)t->delay ? late->oldest + 1.0 : 0.0;
    late->pending -= 1.0;
    if (y != y)
        return answer;
    if (!t->frozen && t->words->waited < OLK_AUTO_WAIT) {
        (void)olk_auto_wait(t, y);
    } else if (!t->frozen && row[t->d + 1] != 0.0) {
        t->row = row;
        (void)olk_auto_learn_row(t, NULL, y);
        t->row = NULL;
    }
    olk_auto_remember(t, y);
    return answer;
}

/* After a gap: the last targets are unknown, and no row waits. What was learned stays. */
static inline void olk_auto_forget(const olk_untuned *t)
{
    t->lagging->known = t->lagging->pending = t->lagging->oldest = 0.0;
}
