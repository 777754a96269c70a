"""Eigenvalues and eigenvectors of a symmetric matrix, in place: Householder, then implicit QL.

The classic pair of Bowdler, Martin, Reinsch & Wilkinson (1968), as in EISPACK's tred2 and tql2.
"""

from libc.math cimport fabs, hypot
from libc.stdint cimport int64_t


cdef inline void tridiagonalise(double* v, double* d, double* e, int64_t n) noexcept nogil:
    """A = Q T Q': v <- Q, d <- diagonal of T, e[1:] <- its subdiagonal."""
    cdef int64_t i, j, k
    cdef double scale, h, f, g, hh
    for j in range(n):
        d[j] = v[(n - 1) * n + j]
    for i in range(n - 1, 0, -1):
        scale = 0.0
        h = 0.0
        for k in range(i):
            scale += fabs(d[k])
        if scale == 0.0:
            e[i] = d[i - 1]
            for j in range(i):
                d[j] = v[(i - 1) * n + j]
                v[i * n + j] = 0.0
                v[j * n + i] = 0.0
        else:
            for k in range(i):
                d[k] /= scale
                h += d[k] * d[k]
            f = d[i - 1]
            g = -(h ** 0.5) if f > 0.0 else h ** 0.5
            e[i] = scale * g
            h -= f * g
            d[i - 1] = f - g
            for j in range(i):
                e[j] = 0.0
            for j in range(i):
                f = d[j]
                v[j * n + i] = f
                g = e[j] + v[j * n + j] * f
                for k in range(j + 1, i):
                    g += v[k * n + j] * d[k]
                    e[k] += v[k * n + j] * f
                e[j] = g
            f = 0.0
            for j in range(i):
                e[j] /= h
                f += e[j] * d[j]
            hh = f / (h + h)
            for j in range(i):
                e[j] -= hh * d[j]
            for j in range(i):
                f = d[j]
                g = e[j]
                for k in range(j, i):
                    v[k * n + j] -= f * e[k] + g * d[k]
                d[j] = v[(i - 1) * n + j]
                v[i * n + j] = 0.0
        d[i] = h
    for i in range(n - 1):
        v[(n - 1) * n + i] = v[i * n + i]
        v[i * n + i] = 1.0
        h = d[i + 1]
        if h != 0.0:
            for k in range(i + 1):
                d[k] = v[k * n + i + 1] / h
            for j in range(i + 1):
                g = 0.0
                for k in range(i + 1):
                    g += v[k * n + i + 1] * v[k * n + j]
                for k in range(i + 1):
                    v[k * n + j] -= g * d[k]
        for k in range(i + 1):
            v[k * n + i + 1] = 0.0
    for j in range(n):
        d[j] = v[(n - 1) * n + j]
        v[(n - 1) * n + j] = 0.0
    v[n * n - 1] = 1.0
    e[0] = 0.0


cdef inline void transpose(double* v, int64_t n) noexcept nogil:
    cdef int64_t i, j
    cdef double t
    for i in range(n):
        for j in range(i):
            t = v[i * n + j]
            v[i * n + j] = v[j * n + i]
            v[j * n + i] = t


cdef inline void implicit_ql(double* v, double* d, double* e, int64_t n) noexcept nogil:
    """Diagonalise T, turning the rows of v with it: v <- eigenvectors as rows, d <- values."""
    cdef int64_t i, k, at, m, sweep
    cdef double f, p, r, g, h, c, c2, c3, s, s2, dl1, el1, bound
    cdef double* low
    cdef double* high
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
                low = v + i * n
                high = low + n
                for k in range(n):
                    h = high[k]
                    high[k] = s * low[k] + c * h
                    low[k] = c * low[k] - s * h
            p = -s * s2 * c3 * el1 * e[at] / dl1
            e[at] = s * p
            d[at] = c * p
        d[at] += f
        e[at] = 0.0


cdef inline void symmetric_eigen(double* v, double* d, double* e, int64_t n) noexcept nogil:
    """v (n, n) symmetric, row-major: its rows become the eigenvectors, d[i] the value of row i."""
    tridiagonalise(v, d, e, n)
    transpose(v, n)
    implicit_ql(v, d, e, n)
