"""Eigenvalues and eigenvectors of a symmetric matrix, in place: Householder, then implicit QL.

The classic pair of Bowdler, Martin, Reinsch & Wilkinson (1968), as in EISPACK's tred2 and tql2.
"""

from libc.math cimport fabs, hypot, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from edgeolk.core.simd cimport OLK_F64, olk_simd


cdef inline void tridiagonalise(const olk_simd* simd, double* v, double* d, double* e,
                                int64_t n) noexcept nogil:
    """A = Q T Q': v <- Q', d <- diagonal of T, e[1:] <- its subdiagonal.

    Columns of the published program are rows here, so that its inner loops run along memory.
    """
    cdef int64_t i, j, k
    cdef double scale, h, f, g, hh
    cdef double* row
    for j in range(n):
        d[j] = v[j * n + n - 1]
    for i in range(n - 1, 0, -1):
        scale = 0.0
        for k in range(i):
            scale += fabs(d[k])
        h = 0.0
        if scale == 0.0:
            e[i] = d[i - 1]
            for j in range(i):
                d[j] = v[j * n + i - 1]
                v[j * n + i] = 0.0
                v[i * n + j] = 0.0
        else:
            for k in range(i):
                d[k] /= scale
            h = simd.dot[OLK_F64](d, d, i)
            f = d[i - 1]
            g = -sqrt(h) if f > 0.0 else sqrt(h)
            e[i] = scale * g
            h -= f * g
            d[i - 1] = f - g
            memset(e, 0, <size_t>i * sizeof(double))
            memcpy(v + i * n, d, <size_t>i * sizeof(double))
            for j in range(i):
                row = v + j * n + j
                e[j] += simd.dot[OLK_F64](row, d + j, i - j)
                simd.axpy[OLK_F64](e + j + 1, d[j], row + 1, i - j - 1)
            for j in range(i):
                e[j] /= h
            f = simd.dot[OLK_F64](e, d, i)
            hh = f / (h + h)
            simd.axpy[OLK_F64](e, -hh, d, i)
            for j in range(i):
                row = v + j * n + j
                f = d[j]
                g = e[j]
                simd.axpy[OLK_F64](row, -f, e + j, i - j)
                simd.axpy[OLK_F64](row, -g, d + j, i - j)
                d[j] = v[j * n + i - 1]
                v[j * n + i] = 0.0
        d[i] = h
    for i in range(n - 1):
        v[i * n + n - 1] = v[i * n + i]
        v[i * n + i] = 1.0
        h = d[i + 1]
        row = v + (i + 1) * n
        if h != 0.0:
            for k in range(i + 1):
                d[k] = row[k] / h
            for j in range(i + 1):
                simd.axpy[OLK_F64](v + j * n, -simd.dot[OLK_F64](row, v + j * n, i + 1), d, i + 1)
        memset(row, 0, <size_t>(i + 1) * sizeof(double))
    for j in range(n):
        d[j] = v[j * n + n - 1]
        v[j * n + n - 1] = 0.0
    v[n * n - 1] = 1.0
    e[0] = 0.0


cdef inline void implicit_ql(const olk_simd* simd, double* v, double* d, double* e,
                             int64_t n) noexcept nogil:
    """Diagonalise T, rotating the rows of v with it: v <- eigenvectors as rows, d <- values."""
    cdef int64_t i, at, m, sweep
    cdef double f, p, r, g, h, c, c2, c3, s, s2, dl1, el1, bound
    for i in range(1, n):
        e[i - 1] = e[i]
    e[n - 1] = 0.0
    f = 0.0
    bound = 0.0
    for at in range(n):
        bound = max(bound, fabs(d[at]) + fabs(e[at]))
        m = at
        while m < n - 1 and fabs(e[m]) > 2.3e-16 * bound:
            m += 1
        sweep = 0
        while m > at and fabs(e[at]) > 2.3e-16 * bound and sweep < 60:
            sweep += 1
            g = d[at]
            p = (d[at + 1] - g) / (2.0 * e[at])
            r = hypot(p, 1.0)
            if p < 0.0:
                r = -r
            d[at] = e[at] / (p + r)
            d[at + 1] = e[at] * (p + r)
            dl1 = d[at + 1]
            h = g - d[at]
            for i in range(at + 2, n):
                d[i] -= h
            f += h
            p = d[m]
            c = 1.0
            c2 = c
            c3 = c
            el1 = e[at + 1]
            s = 0.0
            s2 = 0.0
            for i in range(m - 1, at - 1, -1):
                c3 = c2
                c2 = c
                s2 = s
                g = c * e[i]
                h = c * p
                r = hypot(p, e[i])
                e[i + 1] = s * r
                s = e[i] / r
                c = p / r
                p = c * d[i] - s * g
                d[i + 1] = h + s * (c * g + s * d[i])
                simd.rotate(v + i * n, v + (i + 1) * n, c, s, n)
            p = -s * s2 * c3 * el1 * e[at] / dl1
            e[at] = s * p
            d[at] = c * p
        d[at] += f
        e[at] = 0.0


cdef inline void symmetric_eigen(const olk_simd* simd, double* v, double* d, double* e,
                                 int64_t n) noexcept nogil:
    """v (n, n) symmetric, row-major: its rows become the eigenvectors, d[i] the value of row i."""
    tridiagonalise(simd, v, d, e, n)
    implicit_ql(simd, v, d, e, n)
