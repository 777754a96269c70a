/* Linear algebra in double. Triangles are packed: row i has entries 0..i.

   Design. A single dot product is bound by the latency of its additions; several rows against one
   vector are not, so everything computes OLK_ROWS dots at once. Where a row is needed twice (for
   its dot, then for its part of a sum of rows), both are done while it is in the first cache: large
   triangles are bound by memory. For ring_unit.h, in double. */
#pragma once

#include "dots.h"

/* -- Packed triangles -- */

/* y <- A x, A of m rows `stride` apart. */
static inline void olk_matrix_vector(const double *a, ptrdiff_t stride, ptrdiff_t m, ptrdiff_t n,
                                     const double *x, double *y)
{
    olk_weigh(x, a, stride, n, m, y);
}

/* low <- c low - s high, high <- s low + c high: a Givens rotation of two rows. */
static inline void olk_rotate(double *restrict low, double *restrict high, double c, double s,
                              ptrdiff_t n)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        const double h = high[k];
        high[k] = s * low[k] + c * h;
        low[k] = c * low[k] - s * h;
    }
}

/* y += sum_r w[r] row[r], `rows` of them, a constant. */
static OLK_INLINE void olk_axpys(const int rows, double *restrict y, const double *restrict w,
                                 const double *const *row, ptrdiff_t n)
{
    ptrdiff_t j = 0;
    for (; j + OLK_LANES_F64 <= n; j += OLK_LANES_F64) {
        olk_f64s sum = olk_load_f64s(y + j);
        for (int r = 0; r < rows; r++)
            sum = olk_madd_f64s(w[r] - olk_splat_f64(0.0), olk_load_f64s(row[r] + j), sum);
        *(olk_f64s *)(y + j) = sum;
    }
    for (; j < n; j++)
        for (int r = 0; r < rows; r++)
            y[j] = olk_madd_f64(w[r], row[r][j], y[j]);
}

/* Rows i, i + 1, ... of a packed triangle. */
static OLK_INLINE void olk_rows_from(const int rows, const double *a, ptrdiff_t i,
                                     const double **row)
{
    row[0] = a + i * (i + 1) / 2;
    for (int r = 1; r < rows; r++)
        row[r] = row[r - 1] + i + r;
}

/* Rows i to i + rows - 1 of olk_symmetric_product. */
static OLK_INLINE void olk_symmetric_rows(const int rows, const double *a, ptrdiff_t i,
                                          const double *restrict x, double *restrict y)
{
    const double *row[OLK_ROWS];
    olk_rows_from(rows, a, i, row);
    olk_dots(rows, row, x, i, y + i);
    olk_axpys(rows, y, x + i, row, i);
    for (int r = 0; r < rows; r++) {
        for (int q = 0; q < r; q++) {
            y[i + r] += row[r][i + q] * x[i + q];
            y[i + q] += row[r][i + q] * x[i + r];
        }
        y[i + r] += row[r][i + r] * x[i + r];
    }
}

/* y <- A x, A symmetric, its lower triangle packed: each number is read once and used twice. */
static void olk_symmetric_product(const double *a, ptrdiff_t n, const double *x, double *y)
{
    ptrdiff_t i = 0;
    for (; i + OLK_ROWS <= n; i += OLK_ROWS)
        olk_symmetric_rows(OLK_ROWS, a, i, x, y);
    for (; i < n; i++)
        olk_symmetric_rows(1, a, i, x, y);
}

/* Rows i to i + rows - 1 of olk_solve_inverse_factor. */
static OLK_INLINE double olk_inverse_factor_rows(const int rows, const double *m, ptrdiff_t i,
                                                 const double *restrict x, double *restrict y)
{
    const double *row[OLK_ROWS];
    double w[OLK_ROWS], total = 0.0;
    olk_rows_from(rows, m, i, row);
    olk_dots(rows, row, x, i, w);
    for (int r = 0; r < rows; r++) {
        for (int q = 0; q <= r; q++)
            w[r] += row[r][i + q] * x[i + q];
        total += w[r] * w[r];
    }
    olk_axpys(rows, y, w, row, i);
    for (int q = 0; q < rows; q++) {
        y[i + q] = 0.0;
        for (int r = q; r < rows; r++)
            y[i + q] += w[r] * row[r][i + q];
    }
    return total;
}

/* y <- A^-1 x = M'w, w = M x, for A = L L' by M = L^-1, a packed lower triangle read once; returns
   |w|^2 = x'A^-1 x. */
static inline double olk_solve_inverse_factor(const double *m, ptrdiff_t n, const double *x,
                                              double *y)
{
    double total = 0.0;
    ptrdiff_t i = 0;
    for (; i + OLK_ROWS <= n; i += OLK_ROWS)
        total += olk_inverse_factor_rows(OLK_ROWS, m, i, x, y);
    for (; i < n; i++)
        total += olk_inverse_factor_rows(1, m, i, x, y);
    return total;
}

/* A += p u u' - q c c' on a packed lower triangle. */
static void olk_rank_two_update(double *restrict a, ptrdiff_t n, double p, const double *restrict u,
                                double q, const double *restrict c)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const double x = p * u[i], y = q * c[i];
        for (ptrdiff_t j = 0; j <= i; j++)
            a[j] += x * u[j] - y * c[j];
        a += i + 1;
    }
}

/* b <- L^-1 b. */
static inline void olk_solve_lower(const double *l, double *b, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        b[i] = (b[i] - olk_dot(l, b, i)) / l[i];
        l += i + 1;
    }
}

/* b <- L'^-1 b. */
static inline void olk_solve_lower_transposed(const double *l, double *b, ptrdiff_t n)
{
    const double *row = l + n * (n + 1) / 2;
    for (ptrdiff_t i = n - 1; i >= 0; i--) {
        row -= i + 1;
        b[i] /= row[i];
        olk_axpy(b, -b[i], row, i);
    }
}

/* A pivot below this share of its diagonal is lost to rounding. */
static const double olk_min_pivot = 1e-14;

/* A = L L', in place, packed. Returns 0 (A is then invalid) if a pivot is not positive or is lost
   to rounding. OLK_ROWS rows advance together through the columns before them. */
static inline int olk_cholesky(double *a, ptrdiff_t n)
{
    double part[OLK_ROWS];
    const double *at[OLK_ROWS];
    for (ptrdiff_t i = 0; i < n; i += OLK_ROWS) {
        const int rows = (int)(n - i < OLK_ROWS ? n - i : OLK_ROWS);
        const double *above = a;
        double *row[OLK_ROWS];
        olk_rows_from(OLK_ROWS, a, i, at);
        for (int r = 0; r < OLK_ROWS; r++)
            row[r] = (double *)at[r];
        for (ptrdiff_t j = 0; j < i; j++) {
            if (rows == OLK_ROWS)
                olk_dots(OLK_ROWS, at, above, j, part);
            else
                for (int r = 0; r < rows; r++)
                    part[r] = olk_dot(at[r], above, j);
            for (int r = 0; r < rows; r++)
                row[r][j] = (row[r][j] - part[r]) / above[j];
            above += j + 1;
        }
        for (int r = 0; r < rows; r++) {
            for (int q = 0; q < r; q++)
                row[r][i + q] = (row[r][i + q] - olk_dot(row[r], row[q], i + q)) / row[q][i + q];
            const double pivot = row[r][i + r] - olk_dot(row[r], row[r], i + r);
            if (!(pivot > olk_min_pivot * row[r][i + r]))
                return 0;
            row[r][i + r] = olk_sqrt(pivot);
        }
    }
    return 1;
}

/* A <- A^-1, A symmetric positive definite, packed: the factor, its inverse M row by row, then M'M.
   Returns 0 (A is then invalid) if the factor does not exist. */
static inline int olk_invert(double *restrict a, ptrdiff_t n, double *restrict work)
{
    if (!olk_cholesky(a, n))
        return 0;
    double *row = a;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double *above = a;
        const double pivot_inverse = 1.0 / row[i];
        for (ptrdiff_t j = 0; j < i; j++)
            work[j] = 0.0;
        for (ptrdiff_t j = 0; j < i; j++) {
            olk_axpy(work, -pivot_inverse * row[j], above, j + 1);
            above += j + 1;
        }
        for (ptrdiff_t j = 0; j < i; j++)
            row[j] = work[j];
        row[i] = pivot_inverse;
        row += i + 1;
    }
    row = a;
    for (ptrdiff_t k = 0; k < n; k++) {
        double *above = a;
        for (ptrdiff_t i = 0; i < k; i++) {
            olk_axpy(above, row[i], row, i + 1);
            above += i + 1;
        }
        const double pivot_inverse = row[k];
        for (ptrdiff_t j = 0; j <= k; j++)
            row[j] *= pivot_inverse;
        row += k + 1;
    }
    return 1;
}

/* -- A matrix with several vectors --
   Products of a matrix with several vectors.

   Design. A matrix too large for the nearest caches is read once for all vectors, some of its rows
   at a time; a tile of rows and vectors fills the registers with sums, so that each number read is
   used several times. Every dot is summed in the order of olk_weigh: its bits are the same. */

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
