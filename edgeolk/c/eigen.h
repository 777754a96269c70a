/* Eigenvalues and eigenvectors of a symmetric matrix, in place: Householder, then implicit QL, the
   classic pair of Bowdler, Martin, Reinsch & Wilkinson (1968), as in EISPACK's tred2 and tql2.
   Columns of the published programs are rows here, so that the inner loops run along memory. */
#pragma once

#include "ring_table.h"

/* First half of A = Q T Q', the reduction: v receives the vectors of the reflections, d their
   scales, e[1:] the subdiagonal of T. */
static inline void olk_reduce(const olk_simd *simd, double *v, double *d, double *e, ptrdiff_t n)
{
    for (ptrdiff_t j = 0; j < n; j++)
        d[j] = v[j * n + n - 1];
    for (ptrdiff_t i = n - 1; i > 0; i--) {
        double scale = 0.0, h = 0.0;
        for (ptrdiff_t k = 0; k < i; k++)
            scale += fabs(d[k]);
        if (scale == 0.0) {
            e[i] = d[i - 1];
            for (ptrdiff_t j = 0; j < i; j++) {
                d[j] = v[j * n + i - 1];
                v[j * n + i] = 0.0;
                v[i * n + j] = 0.0;
            }
            d[i] = 0.0;
            continue;
        }
        for (ptrdiff_t k = 0; k < i; k++)
            d[k] /= scale;
        h = simd->dot[OLK_F64](d, d, i);
        const double f = d[i - 1], g = f > 0.0 ? -sqrt(h) : sqrt(h);
        e[i] = scale * g;
        h -= f * g;
        d[i - 1] = f - g;
        memset(e, 0, (size_t)i * sizeof(double));
        memcpy(v + i * n, d, (size_t)i * sizeof(double));
        for (ptrdiff_t j = 0; j < i; j++) {
            const double *row = v + j * n + j;
            e[j] += simd->dot[OLK_F64](row, d + j, i - j);
            simd->axpy[OLK_F64](e + j + 1, d[j], row + 1, i - j - 1);
        }
        for (ptrdiff_t j = 0; j < i; j++)
            e[j] /= h;
        simd->axpy[OLK_F64](e, -simd->dot[OLK_F64](e, d, i) / (h + h), d, i);
        for (ptrdiff_t j = 0; j < i; j++) {
            double *row = v + j * n + j;
            const double of_e = d[j], of_d = e[j];
            simd->axpy[OLK_F64](row, -of_e, e + j, i - j);
            simd->axpy[OLK_F64](row, -of_d, d + j, i - j);
            d[j] = v[j * n + i - 1];
            v[j * n + i] = 0.0;
        }
        d[i] = h;
    }
}

/* A = Q T Q': v <- Q', d <- diagonal of T, e[1:] <- its subdiagonal. */
static inline void olk_tridiagonalise(const olk_simd *simd, double *v, double *d, double *e,
                                      ptrdiff_t n)
{
    olk_reduce(simd, v, d, e, n);
    for (ptrdiff_t i = 0; i + 1 < n; i++) {
        double *row = v + (i + 1) * n;
        const double h = d[i + 1];
        v[i * n + n - 1] = v[i * n + i];
        v[i * n + i] = 1.0;
        if (h != 0.0) {
            for (ptrdiff_t k = 0; k <= i; k++)
                d[k] = row[k] / h;
            for (ptrdiff_t j = 0; j <= i; j++)
                simd->axpy[OLK_F64](v + j * n, -simd->dot[OLK_F64](row, v + j * n, i + 1), d,
                                    i + 1);
        }
        memset(row, 0, (size_t)(i + 1) * sizeof(double));
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        d[j] = v[j * n + n - 1];
        v[j * n + n - 1] = 0.0;
    }
    v[n * n - 1] = 1.0;
    e[0] = 0.0;
}

/* One sweep of implicit QL on rows row_at to m of T; the rows of v are rotated with it. Returns the
   shift of the diagonal. */
static inline double olk_ql_sweep(const olk_simd *simd, double *v, double *d, double *e,
                                  ptrdiff_t n, ptrdiff_t row_at, ptrdiff_t m)
{
    double g = d[row_at], p = (d[row_at + 1] - g) / (2.0 * e[row_at]), r = hypot(p, 1.0);
    if (p < 0.0)
        r = -r;
    d[row_at] = e[row_at] / (p + r);
    d[row_at + 1] = e[row_at] * (p + r);
    const double next = d[row_at + 1], shift = g - d[row_at], below = e[row_at + 1];
    for (ptrdiff_t i = row_at + 2; i < n; i++)
        d[i] -= shift;
    p = d[m];
    double c = 1.0, c2 = c, c3 = c, s = 0.0, s2 = 0.0;
    for (ptrdiff_t i = m - 1; i >= row_at; i--) {
        c3 = c2;
        c2 = c;
        s2 = s;
        g = c * e[i];
        const double h = c * p;
        r = hypot(p, e[i]);
        e[i + 1] = s * r;
        s = e[i] / r;
        c = p / r;
        p = c * d[i] - s * g;
        d[i + 1] = h + s * (c * g + s * d[i]);
        simd->rotate(v + i * n, v + (i + 1) * n, c, s, n);
    }
    p = -s * s2 * c3 * below * e[row_at] / next;
    e[row_at] = s * p;
    d[row_at] = c * p;
    return shift;
}

/* Subdiagonal entries below this share of the largest numbers count as 0; the maximum of sweeps per
   eigenvalue. */
static const double olk_min_share = 2.3e-16;
enum { OLK_MAX_SWEEPS = 60 };

/* Diagonalises T: the rows of v become eigenvectors, d their values. */
static inline void olk_implicit_ql(const olk_simd *simd, double *v, double *d, double *e,
                                   ptrdiff_t n)
{
    double shift = 0.0, bound = 0.0;
    for (ptrdiff_t i = 1; i < n; i++)
        e[i - 1] = e[i];
    e[n - 1] = 0.0;
    for (ptrdiff_t row_at = 0; row_at < n; row_at++) {
        const double size = fabs(d[row_at]) + fabs(e[row_at]);
        bound = size > bound ? size : bound;
        ptrdiff_t m = row_at;
        while (m < n - 1 && fabs(e[m]) > olk_min_share * bound)
            m++;
        for (int sweep = 0;
             m > row_at && fabs(e[row_at]) > olk_min_share * bound && sweep < OLK_MAX_SWEEPS;
             sweep++)
            shift += olk_ql_sweep(simd, v, d, e, n, row_at, m);
        d[row_at] += shift;
        e[row_at] = 0.0;
    }
}

/* v (n, n) symmetric, row-major, n > 0: its rows become the eigenvectors, d[i] the eigenvalue of
   row i; d and e have n numbers each. */
static inline void olk_symmetric_eigen(const olk_simd *simd, double *v, double *d, double *e,
                                       ptrdiff_t n)
{
    olk_tridiagonalise(simd, v, d, e, n);
    olk_implicit_ql(simd, v, d, e, n);
}
