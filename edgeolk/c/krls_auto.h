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
   the exchange works in place. Vectors are kept relative to the first row. For units (ring_unit.h)
   and boards, with one type of rows and coefficients. */
#pragma once

#include "kernels.h"

/* -- Constants of the method -- */

static const double olk_auto_jitter = 1e-4;      /* added to k(x, x) */
static const double olk_auto_width = 3.0;        /* over d: the first width of a scaled input */
static const double olk_auto_lowest = -8.0;      /* of a log width, relative to the first */
static const double olk_auto_highest = 4.0;
static const double olk_auto_walk = 1e-3;        /* variance that a log width gains per row */
static const double olk_auto_noise = 0.1;        /* at first, over the variance of the function */
static const double olk_auto_least_noise = 1e-6; /* at most 1 */
static const double olk_auto_constant = 10.0;    /* regressor of the constant */
static const double olk_auto_linear = 1e4;       /* prior variance of the linear part */
static const double olk_auto_phi = 0.995;        /* forgetting of the scale */
static const double olk_auto_exchange = 0.5;     /* change of a log width that is too much */
static const double olk_auto_drift = 1e-4;       /* of the prior's unit per row */
static const double olk_auto_start = 50.0;       /* rows before widths and noise are learned */
static const double olk_auto_unseen = 60.0;      /* log variance of an input that has not varied */
enum { OLK_AUTO_WAIT = 3, OLK_AUTO_EARLY = 20, OLK_AUTO_NOISE_ROWS = 200 };

/* -- Vectors of numbers -- */

static OLK_INLINE olk_coef_t olk_real_sqrt(olk_coef_t x)
{
#if OLK_COEF_BITS == 64
    return olk_sqrt(x);
#else
    return olk_sqrtf(x);
#endif
}

static OLK_INLINE olk_coef_t olk_real_abs(olk_coef_t x)
{
    return x < 0 ? -x : x;
}

/* In the type of the numbers, in eight sums. */
static olk_coef_t olk_real_dot(const olk_coef_t *restrict a, const olk_coef_t *restrict b,
                               ptrdiff_t n)
{
    olk_coef_t lane[8] = {0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < n; k++)
        lane[k] += a[i + k] * b[i + k];
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* y += a x. */
static OLK_INLINE void olk_real_axpy(olk_coef_t *restrict y, olk_coef_t a,
                                     const olk_coef_t *restrict x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Row i of a triangle that is packed by rows. */
static inline olk_coef_t *olk_row_of_triangle(olk_coef_t *m, ptrdiff_t i)
{
    return m + i * (i + 1) / 2;
}

/* The diagonal of column j of W: what is below follows it. */
static inline olk_coef_t *olk_auto_column(const olk_untuned *t, ptrdiff_t j)
{
    const ptrdiff_t rows = 2 + t->d + t->budget;
    return (olk_coef_t *)t->factor + j * rows - j * (j - 1) / 2;
}

/* Rows of the region of inputs. */
static inline olk_coef_t *olk_auto_inputs(const olk_untuned *t, int which)
{
    return (olk_coef_t *)t->inputs + which * t->d;
}

/* Rows of the scratch, T numbers each. */
enum { OLK_AUTO_Z, OLK_AUTO_Q, OLK_AUTO_H, OLK_AUTO_ROWS };

static inline olk_coef_t *olk_auto_scratch(const olk_untuned *t, int which)
{
    return (olk_coef_t *)t->scratch + which * (2 + t->d + t->budget);
}

/* Behind them the clipped row, and the logarithms of variances. */
static inline olk_coef_t *olk_auto_row(const olk_untuned *t)
{
    return olk_auto_scratch(t, OLK_AUTO_ROWS);
}

static inline olk_coef_t *olk_auto_levels(const olk_untuned *t)
{
    return olk_auto_row(t) + t->d;
}

static inline ptrdiff_t olk_auto_coordinates(const olk_untuned *t)
{
    return 1 + t->d + t->n;
}

/* The unit of all variances. */
static inline double olk_auto_scale(const olk_untuned *t)
{
    return t->words->den > 0.0 ? t->words->num / t->words->den : 0.0;
}

/* -- Inputs -- */

/* Whether input j is known: one of the last targets may not be, at the start and after a gap. */
static inline int olk_auto_has(const olk_untuned *t, ptrdiff_t j)
{
    return t->row || j < t->d - t->lags || (double)(j - (t->d - t->lags)) < t->lagging->known;
}

/* Input j of a row `x`, or of one that has waited. */
static inline double olk_auto_input(const olk_untuned *t, const olk_number *x, ptrdiff_t j)
{
    const ptrdiff_t given = t->d - t->lags;
    if (t->row)
        return t->row[j];
    return j < given ? (double)x[j] : t->recent[j - given];
}

/* The row relative to the first, held within the deviations of the rows before, goes to `row`. An
   unknown input is at its mean. */
static void olk_auto_clip(const olk_untuned *t, const olk_number *x)
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
                                olk_coef_t *k)
{
    const olk_kernel plain = {OLK_GAUSSIAN, 0, 1.0, 0.0, 0.0};
    const olk_coef_t *width = olk_auto_inputs(t, OLK_AUTO_WIDTH), *vectors = t->vectors;
    enum { OLK_CHUNK = 64 }; /* a multiple of the lanes */
    for (ptrdiff_t first = 0; first < n; first += OLK_CHUNK) {
        OLK_ALIGNED(64) olk_number tile[OLK_CHUNK];
        const ptrdiff_t here = n - first < OLK_CHUNK ? n - first : OLK_CHUNK;
        for (ptrdiff_t i = 0; i < OLK_CHUNK; i++)
            tile[i] = 0;
        for (ptrdiff_t j = 0; j < t->d; j++) {
            const olk_coef_t *line = vectors + j * t->stride + first;
            for (ptrdiff_t i = 0; i < here; i++)
                tile[i] += width[j] * ((line[i] - u[j]) * (line[i] - u[j]));
        }
        olk_exp_tile(&plain, tile, (int)((here + OLK_LANES - 1) / OLK_LANES));
        for (ptrdiff_t i = 0; i < here; i++)
            k[first + i] = tile[i];
    }
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
static void olk_auto_learn_noise(const olk_untuned *t, double error, double expected)
{
    olk_tracking *words = t->words;
    const double share = words->noise / expected, lowest = olk_log(olk_auto_least_noise);
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

/* Learns a row that was seen, with its error. */
static void olk_auto_update(olk_untuned *t, olk_auto_view seen, double error)
{
    olk_tracking *words = t->words;
    const double expected = words->noise + seen.delta + seen.rest, scale = olk_auto_scale(t);
    const double size = error * error / expected;
    const int early = !(words->den > olk_auto_start), enters = seen.delta > olk_auto_jitter;
    /* Noise moves below, but is in use only after an exchange. */
    double nu = words->noise + (enters ? 0.0 : seen.delta), counted = size;
    if (scale > 0.0) {
        const double far =
            olk_fabs(error) / olk_sqrt(scale * expected) / (early ? 30.0 : 6.0) - 1.0;
        const double most = scale * (early ? 900.0 : 100.0);
        if (!early) {
            olk_auto_learn_widths(t, error, scale * expected);
            olk_auto_learn_noise(t, error, expected);
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
    const double largest = OLK_COEF_BITS == 64 ? 1e100 : 1e25;
    const double entry = OLK_COEF_BITS == 64 ? 1e60 : 1e18;
    if (!(words->num >= 0.0 && words->num <= 1e300) || !(olk_fabs(words->offset) <= 1e300) ||
        !(olk_dot(t->mean, t->mean, m) <= largest * largest) ||
        !(olk_dot(t->coef, t->coef, n) <= largest * largest) ||
        !(olk_dot(t->whitening, t->whitening, n * (n + 1) / 2) <= entry * entry))
        return 0;
    for (ptrdiff_t j = 0; j < m; j++)
        if (!(olk_dot(olk_auto_column(t, j), olk_auto_column(t, j), m - j) <= entry * entry))
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

/* The largest input whose differences can be squared. */
static const double olk_auto_largest = OLK_COEF_BITS == 64 ? 1e150 : 1e18;

/* Whether differences of a row's inputs can be squared. */
static int olk_auto_accepts(const olk_untuned *t, const void *x)
{
    for (ptrdiff_t j = 0; j < t->d - t->lags; j++)
        if (!(olk_fabs((double)((const olk_number *)x)[j]) <= olk_auto_largest))
            return 0;
    return 1;
}

/* Whether a target can become an input; an unknown one does not. */
static int olk_auto_takes(const olk_untuned *t, double y)
{
    return !t->lags || y != y || olk_fabs(y) <= olk_auto_largest;
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
static double olk_auto_variance(olk_untuned *t, const void *x)
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
