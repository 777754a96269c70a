/* Eigenvalues and eigenvectors of a symmetric matrix, in place: Householder, then implicit QL, the
   classic pair of Bowdler, Martin, Reinsch & Wilkinson (1968), as in EISPACK's tred2 and tql2.
   A column of a matrix in the published programs is a row here, so that inner loops read memory in
   order. */
#pragma once

#include "ring_table.h"

/* The first half of olk_tridiagonalise, the reduction by reflections: v receives their vectors, d
   their scales, e[1:] the subdiagonal of T. */
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
            /* the rank-two update A - d e' - e d', row j from the diagonal on */
            const double d_j = d[j], e_j = e[j];
            simd->axpy[OLK_F64](row, -d_j, e + j, i - j);
            simd->axpy[OLK_F64](row, -e_j, d + j, i - j);
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

/* One sweep of implicit QL on rows start to m of T, which no entry connects to other rows; the rows
   of v are rotated with it. Returns the shift, which was subtracted from d[start] to d[n - 1]. */
static inline double olk_ql_sweep(const olk_simd *simd, double *v, double *d, double *e,
                                  ptrdiff_t n, ptrdiff_t start, ptrdiff_t m)
{
    double g = d[start], p = (d[start + 1] - g) / (2.0 * e[start]), r = hypot(p, 1.0);
    if (p < 0.0)
        r = -r;
    d[start] = e[start] / (p + r);
    d[start + 1] = e[start] * (p + r);
    const double next = d[start + 1], shift = g - d[start], below = e[start + 1];
    for (ptrdiff_t i = start + 2; i < n; i++)
        d[i] -= shift;
    p = d[m];
    /* cosine and sine of this rotation: c, s; of the previous one: c2, s2; before that: c3 */
    double c = 1.0, c2 = c, c3 = c, s = 0.0, s2 = 0.0;
    for (ptrdiff_t i = m - 1; i >= start; i--) {
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
    p = -s * s2 * c3 * below * e[start] / next;
    e[start] = s * p;
    d[start] = c * p;
    return shift;
}

/* A subdiagonal entry counts as 0 up to this share of the largest |d| + |e| of the rows so far; the
   maximum of sweeps per eigenvalue. */
static const double olk_negligible_share = 2.3e-16;
enum { OLK_MAX_SWEEPS = 60 };

/* Diagonalises T, with v = Q': the rows of v become the eigenvectors of A, d the eigenvalues. */
static inline void olk_implicit_ql(const olk_simd *simd, double *v, double *d, double *e,
                                   ptrdiff_t n)
{
    double shift = 0.0, bound = 0.0;
    for (ptrdiff_t i = 1; i < n; i++)
        e[i - 1] = e[i];
    e[n - 1] = 0.0;
    for (ptrdiff_t start = 0; start < n; start++) {
        const double size = fabs(d[start]) + fabs(e[start]);
        bound = size > bound ? size : bound;
        ptrdiff_t m = start;
        while (m < n - 1 && fabs(e[m]) > olk_negligible_share * bound)
            m++;
        for (int sweep = 0;
             m > start && fabs(e[start]) > olk_negligible_share * bound && sweep < OLK_MAX_SWEEPS;
             sweep++)
            shift += olk_ql_sweep(simd, v, d, e, n, start, m);
        d[start] += shift;
        e[start] = 0.0;
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
