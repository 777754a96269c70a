/* krls_auto (krls_auto.h): constants, vectors of numbers in the type of coefficients, and where the
   numbers of a tracker are. */
#pragma once

#include <string.h>

#include "coefficients.h"
#include "krls_auto_types.h"
#include "mathf.h"

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

/* That of kernels.h depends on the instruction set. */
static OLK_INLINE olk_coef_t olk_real_exp(olk_coef_t x)
{
#if OLK_COEF_BITS == 64
    return olk_sorf_exp(x);
#else
    return olk_exp_f32(x);
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

/* The sum of squares, in double. */
static double olk_real_squares(const olk_coef_t *a, ptrdiff_t n)
{
    double lane[8] = {0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += (double)a[i + k] * (double)a[i + k];
    for (int k = 0; i + k < n; k++)
        lane[k] += (double)a[i + k] * (double)a[i + k];
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
