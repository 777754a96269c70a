/* krls_auto (krls_auto.h): a row as the tracker sees it: clipped inputs and their statistics, its
   coordinates, the answer and its variance. */
#pragma once

#include "krls_auto_layout.h"

/* -- Inputs -- */

/* Whether input j is known: one of the last targets may not be, at the start and after a gap. */
static inline int olk_auto_has(const olk_untuned *t, ptrdiff_t j)
{
    return t->row || j < t->d - t->lags || (double)(j - (t->d - t->lags)) < t->lagging->known;
}

/* Input j of a row `x`, or of one that has waited. */
static inline double olk_auto_input(const olk_untuned *t, const olk_coef_t *x, ptrdiff_t j)
{
    const ptrdiff_t given = t->d - t->lags;
    if (t->row)
        return t->row[j];
    return j < given ? (double)x[j] : t->recent[j - given];
}

/* The row relative to the first, held within the deviations of the rows before, goes to `row`. An
   unknown input is at its mean. */
static void olk_auto_clip(const olk_untuned *t, const olk_coef_t *x)
{
    const olk_coef_t *mu = olk_auto_inputs(t, OLK_AUTO_MEAN);
    const olk_coef_t *v = olk_auto_inputs(t, OLK_AUTO_VARIANCE);
    const olk_coef_t limit = t->words->seen < OLK_AUTO_EARLY ? 30 : 5;
    olk_coef_t *u = olk_auto_row(t);
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const double gap = olk_auto_has(t, j) ? olk_auto_input(t, x, j) - t->origin[j] : 0.0;
        u[j] = !(t->words->seen > 0.0) ? 0 : olk_auto_has(t, j) ? (olk_coef_t)gap : mu[j];
        if (v[j] > 0) {
            const olk_coef_t reach = limit * olk_real_sqrt(v[j]);
            u[j] = u[j] < mu[j] - reach ? mu[j] - reach : u[j];
            u[j] = u[j] > mu[j] + reach ? mu[j] + reach : u[j];
        }
    }
}

/* Adds the clipped row to the statistics; their logarithms go to the levels. */
static void olk_auto_learn_inputs(const olk_untuned *t)
{
    olk_coef_t *mu = olk_auto_inputs(t, OLK_AUTO_MEAN);
    olk_coef_t *v = olk_auto_inputs(t, OLK_AUTO_VARIANCE);
    const olk_coef_t *u = olk_auto_row(t);
    olk_coef_t *levels = olk_auto_levels(t);
    t->words->seen += 1.0;
    const olk_coef_t rows = (olk_coef_t)t->words->seen;
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const olk_coef_t change = u[j] - mu[j];
        mu[j] += change / rows;
        v[j] += (change * (u[j] - mu[j]) - v[j]) / rows;
        levels[j] = (olk_coef_t)(v[j] > 0 ? olk_log((double)v[j]) : olk_auto_unseen);
    }
}

/* Widths and units of the linear part from the logarithms in use. */
static void olk_auto_use_levels(const olk_untuned *t)
{
    const olk_coef_t *log_width = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_IN_USE);
    const olk_coef_t *level = olk_auto_inputs(t, OLK_AUTO_LEVEL_IN_USE);
    olk_coef_t *width = olk_auto_inputs(t, OLK_AUTO_WIDTH);
    olk_coef_t *unit = olk_auto_inputs(t, OLK_AUTO_UNIT);
    const double linear = olk_sqrt(olk_auto_linear / (double)t->d);
    const double most = OLK_COEF_BITS == 64 ? 1e300 : 1e37;
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const double narrow = olk_sorf_exp((double)log_width[j] - (double)level[j]);
        width[j] = (olk_coef_t)(narrow < most ? narrow : most);
        unit[j] = (olk_coef_t)(linear * olk_sorf_exp(-0.5 * (double)level[j]));
    }
}

/* A new model in memory that is all zero. */
static void olk_auto_begin(olk_untuned *t)
{
    olk_coef_t *wanted = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH);
    olk_coef_t *used = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_IN_USE);
    olk_coef_t *level = olk_auto_inputs(t, OLK_AUTO_LEVEL_IN_USE);
    olk_coef_t *p = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_VARIANCE), *w = t->mean;
    for (ptrdiff_t j = 0; j < t->d; j++) {
        wanted[j] = used[j] = (olk_coef_t)olk_log(olk_auto_width / (double)t->d);
        level[j] = (olk_coef_t)olk_auto_unseen;
        p[j] = 1;
    }
    olk_auto_use_levels(t);
    for (ptrdiff_t j = 0; j <= t->d; j++) {
        olk_coef_t *column = olk_auto_column(t, j);
        for (ptrdiff_t i = 0; i <= t->d - j; i++)
            column[i] = 0;
        column[0] = 1;
        w[j] = 0;
    }
    t->words->noise = olk_auto_noise;
    t->words->log_noise = t->words->log_noise_in_use = olk_log(olk_auto_noise);
}

/* -- A row with the vectors -- */

/* k <- the kernel of a row with the first n vectors. */
static void olk_auto_kernel_row(const olk_untuned *t, const olk_coef_t *u, ptrdiff_t n,
                                olk_coef_t *restrict k)
{
    const olk_coef_t *width = olk_auto_inputs(t, OLK_AUTO_WIDTH), *vectors = t->vectors;
    for (ptrdiff_t i = 0; i < n; i++)
        k[i] = 0;
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const olk_coef_t *line = vectors + j * t->stride;
        for (ptrdiff_t i = 0; i < n; i++)
            k[i] += width[j] * ((line[i] - u[j]) * (line[i] - u[j]));
    }
    for (ptrdiff_t i = 0; i < n; i++)
        k[i] = olk_real_exp(-k[i]);
}

/* What a row is in the coordinates: z and k, W'z; the answer without the offset, and the parts of
   its variance. */
typedef struct {
    double f, delta, rest;
} olk_auto_view;

static olk_auto_view olk_auto_look(const olk_untuned *t)
{
    const ptrdiff_t linear = 1 + t->d, m = olk_auto_coordinates(t);
    const olk_coef_t *unit = olk_auto_inputs(t, OLK_AUTO_UNIT), *u = olk_auto_row(t);
    olk_coef_t *z = olk_auto_scratch(t, OLK_AUTO_Z), *q = olk_auto_scratch(t, OLK_AUTO_Q);
    olk_auto_view seen;
    olk_auto_kernel_row(t, u, t->n, t->kernel_row);
    z[0] = (olk_coef_t)olk_auto_constant;
    for (ptrdiff_t j = 0; j < t->d; j++)
        z[1 + j] = unit[j] * u[j];
    for (ptrdiff_t i = 0; i < t->n; i++)
        z[linear + i] = olk_real_dot(olk_row_of_triangle(t->whitening, i), t->kernel_row, i + 1);
    for (ptrdiff_t j = 0; j < m; j++)
        q[j] = olk_real_dot(olk_auto_column(t, j), z + j, m - j);
    const double along = (double)olk_real_dot(z + linear, z + linear, t->n);
    const double delta = 1.0 + olk_auto_jitter - along, least = 0.5 * olk_auto_jitter;
    seen.f = (double)olk_real_dot(z, t->mean, m);
    seen.delta = least > delta ? least : delta;
    seen.rest = (double)olk_real_dot(q, q, m);
    return seen;
}

/* The coefficients M'w of the vectors go to `coef`. */
static void olk_auto_coefficients(const olk_untuned *t, ptrdiff_t n, olk_coef_t *coef)
{
    const olk_coef_t *w = (const olk_coef_t *)t->mean + 1 + t->d;
    for (ptrdiff_t i = 0; i < n; i++)
        coef[i] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        olk_real_axpy(coef, w[i], olk_row_of_triangle(t->whitening, i), i + 1);
}
