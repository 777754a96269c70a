/* krls_auto (krls_auto.h): the posterior of the coordinates: learning from an error, drift, vectors
   that enter and leave. */
#pragma once

#include "krls_auto_inputs.h"

/* -- The posterior -- */

/* Carlson's update: the coordinates are learned with q = W'z, an error, and noise of the variance
   nu. */
static void olk_auto_condition(const olk_untuned *t, ptrdiff_t m, double nu, double error)
{
    const olk_coef_t *q = olk_auto_scratch(t, OLK_AUTO_Q);
    olk_coef_t *h = olk_auto_scratch(t, OLK_AUTO_H), before = (olk_coef_t)nu;
    for (ptrdiff_t j = 0; j < m; j++)
        h[j] = 0;
    for (ptrdiff_t j = m - 1; j >= 0; j--) {
        olk_coef_t *restrict column = olk_auto_column(t, j), *restrict below = h + j;
        const olk_coef_t along = q[j], after = before + along * along;
        const olk_coef_t kept = olk_real_sqrt(before / after), taken = along / (after * kept);
        for (ptrdiff_t i = 0; i < m - j; i++) {
            const olk_coef_t old = column[i];
            column[i] = old * kept - below[i] * taken;
            below[i] += along * old;
        }
        before = after;
    }
    olk_real_axpy(t->mean, (olk_coef_t)(error / (double)before), h, m);
}

/* P_ii. */
static olk_coef_t olk_auto_variance_of(const olk_untuned *t, ptrdiff_t i)
{
    olk_coef_t total = 0;
    for (ptrdiff_t j = 0; j <= i; j++) {
        const olk_coef_t entry = olk_auto_column(t, j)[i - j];
        total += entry * entry;
    }
    return total;
}

/* a <- c a + s b, b <- c b - s a, over n numbers. */
static OLK_INLINE void olk_real_rotate(olk_coef_t *restrict a, olk_coef_t *restrict b,
                                       olk_coef_t c, olk_coef_t s, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const olk_coef_t before = a[i];
        a[i] = c * before + s * b[i];
        b[i] = c * b[i] - s * before;
    }
}

static OLK_INLINE olk_coef_t olk_real_length(olk_coef_t a, olk_coef_t b)
{
    return olk_real_sqrt(a * a + b * b);
}

/* P_ii grows. */
static void olk_auto_widen(const olk_untuned *t, ptrdiff_t i, ptrdiff_t m, double growth)
{
    olk_coef_t *extra = olk_auto_scratch(t, OLK_AUTO_H);
    for (ptrdiff_t k = i; k < m; k++)
        extra[k] = 0;
    extra[i] = (olk_coef_t)olk_sqrt(growth);
    for (ptrdiff_t j = i; j < m; j++) {
        olk_coef_t *column = olk_auto_column(t, j);
        const olk_coef_t length = olk_real_length(column[0], extra[j]);
        if (extra[j] != 0)
            olk_real_rotate(column, extra + j, column[0] / length, extra[j] / length, m - j);
    }
}

/* The uncertainty of one coordinate a row grows, at most to that of the prior. */
static void olk_auto_drift_row(const olk_untuned *t, ptrdiff_t m)
{
    const ptrdiff_t i = ((ptrdiff_t)t->words->turn + 1) % m;
    const double most = olk_auto_drift * (double)m;
    const double share = i == 0 ? 0.01 : i <= t->d ? 1e-4 : 1.0;
    double growth = most * share < 0.5 ? most * share : 0.5;
    const double room = 1.0 - (double)olk_auto_variance_of(t, i);
    t->words->turn = (double)i;
    growth = room < growth ? room : growth;
    if (growth > 0.0)
        olk_auto_widen(t, i, m, growth);
    if (i == 0) {
        olk_coef_t *w = t->mean;
        const olk_coef_t factor = (olk_coef_t)olk_sqrt(1.0 - (most < 0.5 ? most : 0.5));
        for (ptrdiff_t j = 1 + t->d; j < m; j++)
            w[j] *= factor;
    }
}

/* -- Vectors that enter and leave -- */

/* One more coordinate, in which the row is the root of its distance. */
static void olk_auto_join(const olk_untuned *t, double delta)
{
    const ptrdiff_t n = t->n, m = olk_auto_coordinates(t);
    const olk_coef_t length = (olk_coef_t)olk_sqrt(delta);
    const olk_coef_t *along = olk_auto_scratch(t, OLK_AUTO_Z) + 1 + t->d;
    olk_coef_t *line = olk_row_of_triangle(t->whitening, n), *w = t->mean;
    for (ptrdiff_t i = 0; i < n; i++)
        line[i] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        olk_real_axpy(line, -along[i] / length, olk_row_of_triangle(t->whitening, i), i + 1);
    line[n] = 1 / length;
    for (ptrdiff_t j = 0; j < m; j++)
        olk_auto_column(t, j)[m - j] = 0;
    olk_auto_column(t, m)[0] = 1;
    w[m] = 0;
    olk_auto_scratch(t, OLK_AUTO_Q)[m] = length;
}

/* Of n vectors the one that changes the answer least. */
static ptrdiff_t olk_auto_victim(const olk_untuned *t, ptrdiff_t n)
{
    olk_coef_t *a = olk_auto_scratch(t, OLK_AUTO_Z), *size = olk_auto_scratch(t, OLK_AUTO_Q);
    ptrdiff_t best = 0;
    olk_auto_coefficients(t, n, a);
    for (ptrdiff_t i = 0; i < n; i++)
        size[i] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const olk_coef_t *line = olk_row_of_triangle(t->whitening, i);
        for (ptrdiff_t j = 0; j <= i; j++)
            size[j] += line[j] * line[j];
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        a[i] = olk_real_abs(a[i]) / size[i];
        if (a[i] < a[best])
            best = i;
    }
    return best;
}

/* Rotates coordinates p and p + 1 of W and w: rows, then the columns, so that W stays lower. */
static void olk_auto_rotate_coordinates(const olk_untuned *t, ptrdiff_t p, ptrdiff_t m,
                                        olk_coef_t c, olk_coef_t s)
{
    olk_coef_t *w = t->mean, upper = w[p], lower = w[p + 1];
    w[p] = c * upper - s * lower;
    w[p + 1] = s * upper + c * lower;
    for (ptrdiff_t j = 0; j <= p; j++) {
        olk_coef_t *pair = olk_auto_column(t, j) + p - j;
        upper = pair[0];
        lower = pair[1];
        pair[0] = c * upper - s * lower;
        pair[1] = s * upper + c * lower;
    }
    olk_coef_t *first = olk_auto_column(t, p), *second = olk_auto_column(t, p + 1);
    const olk_coef_t above = -s * second[0];
    second[0] = c * second[0];
    const olk_coef_t length = olk_real_length(first[0], above);
    if (above == 0)
        return;
    const olk_coef_t cosine = first[0] / length, sine = above / length;
    first[0] = length;
    olk_real_rotate(first + 1, second, cosine, sine, m - p - 1);
}

/* Takes vector r of n out of matrices and mean: rows of M are rotated until only the last, which is
   then dropped, contains it. */
static void olk_auto_marginalise(const olk_untuned *t, ptrdiff_t r, ptrdiff_t n)
{
    const ptrdiff_t linear = 1 + t->d, m = linear + n;
    olk_coef_t *top = olk_auto_scratch(t, OLK_AUTO_H);
    const olk_coef_t *from = olk_row_of_triangle(t->whitening, r);
    for (ptrdiff_t j = 0; j <= r; j++)
        top[j] = from[j];
    for (ptrdiff_t i = r; i < n - 1; i++) {
        olk_coef_t *to = olk_row_of_triangle(t->whitening, i);
        const olk_coef_t *bottom = olk_row_of_triangle(t->whitening, i + 1);
        const olk_coef_t length = olk_real_length(top[r], bottom[r]);
        const olk_coef_t c = bottom[r] / length, s = top[r] / length;
        top[i + 1] = 0;
        for (ptrdiff_t j = 0; j < i + 2; j++) {
            const olk_coef_t upper = top[j], lower = bottom[j];
            if (j != r) /* the column of r goes */
                *to++ = c * upper - s * lower;
            top[j] = s * upper + c * lower;
        }
        olk_auto_rotate_coordinates(t, linear + i, m, c, s);
    }
}

/* The row becomes the last vector; `left`: the one that leaves, after which the later ones move
   up. */
static void olk_auto_store(olk_untuned *t, ptrdiff_t left)
{
    olk_coef_t *vectors = t->vectors;
    const olk_coef_t *u = olk_auto_row(t);
    const ptrdiff_t last = left < t->n ? t->n - 1 : t->n;
    for (ptrdiff_t j = 0; j < t->d; j++) {
        olk_coef_t *line = vectors + j * t->stride;
        for (ptrdiff_t i = left; i < last; i++)
            line[i] = line[i + 1];
        line[last] = u[j];
    }
    t->n = last + 1;
}
