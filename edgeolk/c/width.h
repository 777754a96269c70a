/* The width of the kernel where it is not given: with structured features behind a scaler it
   follows the rows (below), elsewhere it is estimated from the first rows.

   Gaussian: gamma = 1 / (2 sum of the variances) = 1 / (mean squared distance of two rows), by
   Welford's recurrence on complete rows: only the mean of each feature is stored. Laplacian: 1 /
   (sqrt(2) sum of the mean distances from the running mean), which for normal features is 1 / (mean
   distance of two rows). If all rows are identical, or too close to each other for a usable width,
   the provisional width stays. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common_scale.h"
#include "storage.h"

/* Words of a block, part of the file format. */
typedef struct {
    double gamma;     /* of the kernel; 0 until it is known */
    double spread;    /* sum of squared (Laplacian: absolute) distances from the mean */
    int64_t measured; /* rows in it */
    int64_t steps;    /* counters of the model that had the provisional width */
    int64_t mistakes;
    int64_t updates;
    int64_t capacity_hits;
} olk_width;

/* Adds a row to the spread; mean is that of previous rows. Both have the type of rows; `wide`:
   doubles, else floats. */
static inline void olk_measure_row(olk_width *w, void *mean, const void *x, ptrdiff_t d, int wide,
                                   int laplacian)
{
    const int dtype = wide ? OLK_F64 : OLK_F32;
    w->measured++;
    for (ptrdiff_t j = 0; j < d; j++) {
        const double reading = olk_bound_reading(olk_get(dtype, x, j));
        if (w->measured == 1) /* the first row is the mean */
            olk_put(dtype, mean, j, reading);
        const double old = olk_get(dtype, mean, j), before = reading - old;
        const double step = before / (double)w->measured;
        olk_put(dtype, mean, j, old + (wide ? step : (double)(float)step));
        const double after = reading - olk_get(dtype, mean, j);
        w->spread += olk_fabs(laplacian ? before : before * after);
    }
}

/* The width from the measured spread; `provisional` if all rows were identical or it exceeds
   `max_gamma`. */
static inline double olk_gamma_of(const olk_width *w, int laplacian, double max_gamma,
                                  double provisional)
{
    const double factor = laplacian ? 1.41421356237309504880 : 2.0;
    const double gamma = (double)w->measured / (factor * w->spread);
    return gamma > 0.0 && gamma <= max_gamma ? gamma : provisional;
}

/* The width that follows the rows (docs/sorf.md, section 15): gamma = 1 / (2 q), q a running mean
   of |x|^2 over the learned rows plus OLK_PRIOR_ROWS, at most OLK_WIDTH_ROWS. q stays above
   olk_min_square per input, a thousandth of a deviation squared, so that after long constant
   readings the width is not too narrow for the next one. */
enum { OLK_PRIOR_ROWS = 32, OLK_WIDTH_ROWS = 4096 };
static const olk_scalar olk_min_square = (olk_scalar)1e-6;
/* The largest |x|^2 that counts: squares may overflow in single precision. */
static const olk_scalar olk_max_row_square = (olk_scalar)1e30;

static inline olk_scalar olk_gamma_from_square(olk_scalar q, int wide)
{
    return wide ? 1 / (2 * q) : (olk_scalar)(1.0f / (2.0f * (float)q));
}

/* Sums over a row: of |x_j|, of squares, and of squares as the features see them, clamped to `hold`
   if that is above 0. In one loop the three cost as much as one. */
typedef struct {
    olk_scalar sizes, squares, clamped;
} olk_row_sums;

/* The same in the type of rows; `wide`: doubles, else floats. */
static inline olk_row_sums olk_sums_of_row(const void *row, ptrdiff_t d, int wide, olk_scalar hold)
{
    olk_row_sums sum = {0, 0, 0};
    if (wide) {
        const double *x = row;
        for (ptrdiff_t j = 0; j < d; j++) {
            const olk_scalar size = (olk_scalar)olk_fabs(x[j]);
            const olk_scalar seen = hold > 0 && size > hold ? hold : size;
            sum.sizes += size;
            sum.squares += size * size;
            sum.clamped += seen * seen;
        }
        return sum;
    }
    const float *x = row, most = (float)hold;
    float sizes = 0.0f, squares = 0.0f, clamped = 0.0f;
    for (ptrdiff_t j = 0; j < d; j++) {
        const float size = olk_fabsf(x[j]), seen = most > 0.0f && size > most ? most : size;
        sizes += size;
        squares += size * size;
        clamped += seen * seen;
    }
    sum.sizes = (olk_scalar)sizes;
    sum.squares = (olk_scalar)squares;
    sum.clamped = (olk_scalar)clamped;
    return sum;
}

/* q after a row of d inputs, the `rows`-th, with |x|^2 = square. */
static inline olk_scalar olk_update_mean_square(olk_scalar q, olk_scalar square, ptrdiff_t d,
                                                int wide, uint64_t rows)
{
    const int32_t n = rows < OLK_WIDTH_ROWS - OLK_PRIOR_ROWS ? (int32_t)rows + OLK_PRIOR_ROWS
                                                             : OLK_WIDTH_ROWS;
    if (!(square > 0))
        return q;
    square = square < olk_max_row_square ? square : olk_max_row_square;
    if (wide) {
        const olk_scalar next = q + (square - q) / (olk_scalar)n;
        const olk_scalar floor = olk_min_square * (olk_scalar)d;
        return next > floor ? next : floor;
    }
    const float next = (float)q + ((float)square - (float)q) / (float)n;
    const float floor = (float)olk_min_square * (float)d;
    return (olk_scalar)(next > floor ? next : floor);
}
