/* The width of the kernel from the first rows, where it is not given.

   Gaussian: gamma = 1 / (2 sum of the variances) = 1 / (mean squared distance of two rows), by
   Welford's recurrence on whole rows: only the mean is kept of each feature. Laplacian: 1 / (sqrt(2)
   sum of the mean distances from the running mean), which for normal features is 1 / (mean distance
   of two rows). Rows that are all alike, or so near each other that features cannot be made with their
   width, leave the provisional one. */
#ifndef EDGEOLK_WIDTH_H
#define EDGEOLK_WIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "roots.h"

/* Words of a block, part of the file format. */
typedef struct {
    double gamma;     /* of the kernel once it is known, 0 before */
    double spread;    /* sum of squared (Laplacian: absolute) distances from the mean */
    int64_t measured; /* rows in it */
    int64_t steps;    /* counters of the model that had the provisional width */
    int64_t mistakes;
    int64_t updates;
    int64_t capacity_hits;
} olk_width;

/* A row into the spread; mean is that of the rows before, in the type of rows. */
#define OLK_MEASURE_ROW(name, type)                                                                \
    static inline void name(olk_width *w, type *mean, const type *x, ptrdiff_t d, int laplacian)   \
    {                                                                                              \
        w->measured++;                                                                             \
        for (ptrdiff_t j = 0; j < d; j++) {                                                        \
            /* Squares of what is larger would not be finite. */                                   \
            const double below = (double)x[j] < 1e140 ? (double)x[j] : 1e140;                      \
            const double reading = below > -1e140 ? below : -1e140;                                \
            if (w->measured == 1) /* there is no mean that it is far from */                       \
                mean[j] = (type)reading;                                                           \
            const double before = reading - (double)mean[j];                                       \
            mean[j] = (type)(mean[j] + (type)(before / (double)w->measured));                      \
            const double after = reading - (double)mean[j];                                        \
            w->spread += OLK_FABS(laplacian ? before : before * after);                            \
        }                                                                                          \
    }
OLK_MEASURE_ROW(olk_measure_row_f32, float)
OLK_MEASURE_ROW(olk_measure_row_f64, double)

/* The width from what was measured; `provisional` where rows were all alike, or it is above `most`. */
static inline double olk_gamma_of(const olk_width *w, int laplacian, double most,
                                  double provisional)
{
    const double turn = laplacian ? 1.41421356237309504880 : 2.0;
    const double gamma = (double)w->measured / (turn * w->spread);
    return gamma > 0.0 && gamma <= most ? gamma : provisional;
}

#endif
