/* krls_auto (krls_auto.h): widths and noise are learned, and the prior is exchanged where they have
   moved far. */
#pragma once

#include "krls_auto_posterior.h"

/* -- Widths, noise, the exchange of the prior -- */

/* A diagonal extended Kalman filter of the log widths. */
static void olk_auto_learn_widths(const olk_untuned *t, double error, double variance)
{
    const olk_coef_t *width = olk_auto_inputs(t, OLK_AUTO_WIDTH), *vectors = t->vectors;
    const olk_coef_t *k = t->kernel_row, *a = t->coef, *u = olk_auto_row(t);
    olk_coef_t *wanted = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH), *slope = olk_auto_levels(t);
    olk_coef_t *p = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_VARIANCE);
    olk_coef_t *weight = olk_auto_scratch(t, OLK_AUTO_H);
    const double first = olk_log(olk_auto_width / (double)t->d);
    const double reach = 6.0 * olk_sqrt(variance);
    double held = error > reach ? reach : error, total = variance;
    held = held < -reach ? -reach : held;
    for (ptrdiff_t i = 0; i < t->n; i++)
        weight[i] = a[i] * k[i];
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const olk_coef_t *line = vectors + j * t->stride;
        olk_coef_t lane[8] = {0};
        ptrdiff_t i = 0;
        for (; i + 8 <= t->n; i += 8)
            for (int l = 0; l < 8; l++) {
                const olk_coef_t gap = line[i + l] - u[j];
                lane[l] += weight[i + l] * (width[j] * (gap * gap));
            }
        for (int l = 0; i + l < t->n; l++) {
            const olk_coef_t gap = line[i + l] - u[j];
            lane[l] += weight[i + l] * (width[j] * (gap * gap));
        }
        slope[j] = -(((lane[0] + lane[4]) + (lane[1] + lane[5])) +
                     ((lane[2] + lane[6]) + (lane[3] + lane[7])));
        total += (double)p[j] * ((double)slope[j] * (double)slope[j]);
    }
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const double before = (double)p[j], along = (double)slope[j];
        double log_width = (double)wanted[j] + before * along * held / total;
        double spread = before - before * before * along * along / total + olk_auto_walk;
        log_width = log_width < first + olk_auto_lowest ? first + olk_auto_lowest : log_width;
        log_width = log_width > first + olk_auto_highest ? first + olk_auto_highest : log_width;
        spread = spread < 1.0 ? spread : 1.0;
        wanted[j] = (olk_coef_t)log_width;
        p[j] = (olk_coef_t)spread;
    }
}

/* More noise if errors are too large where noise makes up more of the variance. `expected`: the
   variance of the error over the scale. */
static void olk_auto_learn_noise(const olk_untuned *t, double error, double noise,
                                 double expected)
{
    olk_tracking *words = t->words;
    const double share = noise / expected, lowest = olk_log(olk_auto_least_noise);
    double excess = error * error / (olk_auto_scale(t) * expected);
    words->noise_rows += words->noise_rows < OLK_AUTO_NOISE_ROWS ? 1.0 : 0.0;
    words->mean_share += (share - words->mean_share) / words->noise_rows;
    const double beyond = share - words->mean_share;
    words->information += 0.5 * beyond * beyond;
    excess = (excess < 9.0 ? excess : 9.0) - 1.0;
    double log_noise =
        words->log_noise + excess * beyond / (2.0 * (1.0 + words->information));
    log_noise = log_noise < lowest ? lowest : log_noise;
    words->log_noise = log_noise > 0.0 ? 0.0 : log_noise;
}

static int olk_auto_prior_is_old(const olk_untuned *t)
{
    const olk_coef_t *wanted = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH);
    const olk_coef_t *used = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_IN_USE);
    const olk_coef_t *level_used = olk_auto_inputs(t, OLK_AUTO_LEVEL_IN_USE), *level = olk_auto_levels(t);
    const olk_coef_t limit = (olk_coef_t)olk_auto_exchange;
    for (ptrdiff_t j = 0; j < t->d; j++)
        if (olk_real_abs((wanted[j] - level[j]) - (used[j] - level_used[j])) > limit)
            return 1;
    return 0.5 * olk_fabs(t->words->log_noise - t->words->log_noise_in_use) > olk_auto_exchange;
}

/* The kernel rows of W's columns and of w: v <- A^-1 v, A a lower triangle packed by rows. */
static void olk_auto_solve(const olk_untuned *t)
{
    const ptrdiff_t linear = 1 + t->d, m = olk_auto_coordinates(t);
    for (ptrdiff_t j = 0; j <= m; j++) {
        const ptrdiff_t first = j > linear ? j - linear : 0; /* zeros above */
        olk_coef_t *v = j < m ? olk_auto_column(t, j) - j + linear
                              : (olk_coef_t *)t->mean + linear;
        for (ptrdiff_t i = j < m ? first : 0; i < t->n; i++) {
            const olk_coef_t *line = olk_row_of_triangle(t->whitening, i);
            const ptrdiff_t from = j < m ? first : 0;
            v[i] = (v[i] - olk_real_dot(line + from, v + from, i - from)) / line[i];
        }
    }
}

/* M <- the factor L of K + jitter I for the widths in use; no pivot is below a tenth of the
   jitter. */
static void olk_auto_factorise(const olk_untuned *t)
{
    const olk_coef_t least = (olk_coef_t)(0.1 * olk_auto_jitter), *vectors = t->vectors;
    olk_coef_t *vector = olk_auto_scratch(t, OLK_AUTO_H);
    for (ptrdiff_t i = 0; i < t->n; i++) {
        olk_coef_t *line = olk_row_of_triangle(t->whitening, i);
        for (ptrdiff_t j = 0; j < t->d; j++)
            vector[j] = vectors[j * t->stride + i];
        olk_auto_kernel_row(t, vector, i, line);
        line[i] = (olk_coef_t)(1.0 + olk_auto_jitter);
        for (ptrdiff_t j = 0; j <= i; j++) {
            const olk_coef_t *above = olk_row_of_triangle(t->whitening, j);
            const olk_coef_t left = line[j] - olk_real_dot(line, above, j);
            if (j < i)
                line[j] = left / above[j];
            else
                line[i] = olk_real_sqrt(left > least ? left : least);
        }
    }
}

/* The triangle becomes its inverse. */
static void olk_auto_invert(const olk_untuned *t)
{
    olk_coef_t *sum = olk_auto_scratch(t, OLK_AUTO_H);
    for (ptrdiff_t i = 0; i < t->n; i++) {
        olk_coef_t *line = olk_row_of_triangle(t->whitening, i);
        const olk_coef_t pivot = 1 / line[i];
        for (ptrdiff_t j = 0; j < i; j++)
            sum[j] = 0;
        for (ptrdiff_t j = 0; j < i; j++)
            olk_real_axpy(sum, -pivot * line[j], olk_row_of_triangle(t->whitening, j), j + 1);
        for (ptrdiff_t j = 0; j < i; j++)
            line[j] = sum[j];
        line[i] = pivot;
    }
}

/* No coordinate of a vector is more uncertain than the new prior: a measurement of 0 with the noise
   that brings its variance to 1. */
static void olk_auto_cap(const olk_untuned *t)
{
    const ptrdiff_t m = olk_auto_coordinates(t);
    const olk_coef_t *w = t->mean;
    olk_coef_t *q = olk_auto_scratch(t, OLK_AUTO_Q);
    for (ptrdiff_t i = 1 + t->d; i < m; i++) {
        const olk_coef_t variance = olk_auto_variance_of(t, i);
        if (!(variance > 1))
            continue;
        for (ptrdiff_t j = 0; j < m; j++)
            q[j] = j <= i ? olk_auto_column(t, j)[i - j] : 0;
        olk_auto_condition(t, m, (double)variance / ((double)variance - 1.0), -(double)w[i]);
    }
}

/* Takes the wanted widths, noise and scales of inputs into use. The posterior of the linear part,
   and of the function at the vectors, remains. */
static OLK_NOINLINE void olk_auto_exchange_prior(const olk_untuned *t)
{
    const olk_coef_t *wanted = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH), *level = olk_auto_levels(t);
    olk_coef_t *used = olk_auto_inputs(t, OLK_AUTO_LOG_WIDTH_IN_USE), *w = t->mean;
    olk_coef_t *level_used = olk_auto_inputs(t, OLK_AUTO_LEVEL_IN_USE);
    const ptrdiff_t m = olk_auto_coordinates(t);
    olk_tracking *words = t->words;
    if (t->n > 0)
        olk_auto_solve(t);
    for (ptrdiff_t j = 0; j < t->d; j++) {
        const int seen = level_used[j] != (olk_coef_t)olk_auto_unseen;
        if (t->n > 0 && seen) {
            const olk_coef_t factor =
                (olk_coef_t)olk_sorf_exp(0.5 * ((double)level[j] - (double)level_used[j]));
            for (ptrdiff_t i = 0; i <= 1 + j; i++)
                olk_auto_column(t, i)[1 + j - i] *= factor;
            w[1 + j] *= factor;
        }
        used[j] = wanted[j];
        level_used[j] = level[j];
    }
    olk_auto_use_levels(t);
    if (t->n == 0)
        return;
    olk_auto_factorise(t);
    olk_auto_solve(t);
    olk_auto_invert(t);
    const double noise = olk_sorf_exp(words->log_noise), ratio = words->noise / noise;
    const olk_coef_t factor = (olk_coef_t)(1.0 / olk_sqrt(ratio));
    for (ptrdiff_t j = 0; j < m; j++) {
        olk_coef_t *column = olk_auto_column(t, j);
        for (ptrdiff_t i = 0; i < m - j; i++)
            column[i] *= factor;
    }
    words->num *= ratio;
    words->noise = noise;
    words->log_noise_in_use = words->log_noise;
    olk_auto_cap(t);
    olk_auto_coefficients(t, t->n, t->coef);
}
