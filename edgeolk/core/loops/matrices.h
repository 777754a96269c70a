/* Products of a matrix with several vectors.

   Design. A matrix too large for the nearest caches is read once for all vectors, some of its rows
   at a time; a tile of rows and vectors fills the registers with sums, so that each number read is
   used several times. Every dot is summed in the order of olk_weigh: its bits are the same. */
#pragma once

#include "dots.h"

/* Rows and vectors of a tile: eight sums each. */
enum { OLK_TILE_ROWS = OLK_BYTES == 64 ? 4 : 2 };
enum {
    OLK_TILE_COLUMNS = OLK_BYTES == 0
        ? 1
        : (OLK_32_REGISTERS ? (int)OLK_TILE_ROWS : 1 + (OLK_BYTES == 32))
};
/* Rows multiplied with all vectors before the next are read: as many as olk_weigh takes at once. */
enum { olk_group = 12 };

/* y[i * pitch + r] <- <row r, vector i> of a tile. */
static OLK_INLINE void olk_dots_of_tile(const double *restrict a, ptrdiff_t stride, ptrdiff_t n,
                                        const double *restrict x, ptrdiff_t x_pitch,
                                        double *restrict y, ptrdiff_t pitch)
{
    olk_f64s sum[OLK_TILE_ROWS][OLK_TILE_COLUMNS][OLK_SUMS];
    ptrdiff_t j = 0;
    for (int r = 0; r < OLK_TILE_ROWS; r++)
        for (int i = 0; i < OLK_TILE_COLUMNS; i++)
            for (int k = 0; k < OLK_SUMS; k++)
                sum[r][i][k] = olk_splat_f64(0.0);
    for (; j + 8 <= n; j += 8)
        for (int k = 0; k < OLK_SUMS; k++) {
            olk_f64s x_here[OLK_TILE_COLUMNS];
            for (int i = 0; i < OLK_TILE_COLUMNS; i++)
                x_here[i] = olk_load_f64s(x + i * x_pitch + j + k * OLK_LANES_F64);
            for (int r = 0; r < OLK_TILE_ROWS; r++) {
                const olk_f64s row = olk_load_f64s(a + r * stride + j + k * OLK_LANES_F64);
                for (int i = 0; i < OLK_TILE_COLUMNS; i++)
                    sum[r][i][k] = olk_madd_f64s(row, x_here[i], sum[r][i][k]);
            }
        }
    for (int r = 0; r < OLK_TILE_ROWS; r++)
        for (int i = 0; i < OLK_TILE_COLUMNS; i++) {
            OLK_ALIGNED(64) double lane[8];
            for (int k = 0; k < OLK_SUMS; k++)
                ((olk_f64s *)lane)[k] = sum[r][i][k];
            for (ptrdiff_t k = 0; j + k < n; k++)
                lane[k] = olk_madd_f64(a[r * stride + j + k], x[i * x_pitch + j + k], lane[k]);
            y[i * pitch + r] = olk_total(lane);
        }
}

/* y[i * pitch + r] <- <row r of A, vector i>: A has m rows at a pitch of `stride`, the `count`
   vectors one of `x_pitch`. */
static OLK_NOINLINE void olk_matrix_vectors(const double *a, ptrdiff_t stride, ptrdiff_t m,
                                            ptrdiff_t n, const double *x, ptrdiff_t x_pitch,
                                            ptrdiff_t count, double *y, ptrdiff_t pitch)
{
    for (ptrdiff_t first = 0; first < m; first += olk_group) {
        const ptrdiff_t left = m - first;
        const ptrdiff_t rows = left < olk_group ? left : olk_group;
        const double *group = a + first * stride;
        ptrdiff_t i = 0;
        if (rows == olk_group)
            for (; i + OLK_TILE_COLUMNS <= count && OLK_TILE_COLUMNS > 1; i += OLK_TILE_COLUMNS)
                for (ptrdiff_t r = 0; r < rows; r += OLK_TILE_ROWS)
                    olk_dots_of_tile(group + r * stride, stride, n, x + i * x_pitch, x_pitch,
                                     y + i * pitch + first + r, pitch);
        for (; i < count; i++)
            olk_weigh(x + i * x_pitch, group, stride, n, rows, y + i * pitch + first);
    }
}
