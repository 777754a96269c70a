"""The kept inverse of the Gram matrix of the ring, bordered by a newcomer in O(n^2).

With Ki = (K + ridge I)^-1, u = Ki k and delta = k(x,x) + ridge - k'u, the inverse M with the
newcomer t as last index is [Ki + u u'/delta, -u/delta; -u'/delta, 1/delta]. Taking r out of it
again is M_SS - c_S c_S' / c_r with c = M e_r. Rounding grows with every exchange, so the matrix is
computed afresh every 10 B exchanges.
"""

from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport gather, kernel_row, shift
from edgeolk.core.linalg cimport invert_positive
from edgeolk.core.state cimport Example, Model, State


cdef inline double border(State* s, double ridge, const Example* e) noexcept nogil:
    """work <- u = Ki k; returns delta. Rows of the inverse are n_slots = budget apart."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    for i in range(n):
        s.work[i] = s.dot(s.inverse + i * s.m.budget, s.row, n)
    return e.self_kernel + ridge - s.dot(s.work, s.row, n)


cdef inline void append_bordered(State* s, double delta) noexcept nogil:
    """The newcomer joins as index n (before it is put there)."""
    cdef int64_t i, j
    cdef int64_t n = s.m.n
    cdef int64_t b = s.m.budget
    cdef double x
    for i in range(n):
        x = s.work[i] / delta
        for j in range(n):
            s.inverse[i * b + j] += x * s.work[j]
        s.inverse[i * b + n] = -x
        s.inverse[n * b + i] = -x
    s.inverse[n * b + n] = 1.0 / delta


cdef inline void exchange_bordered(State* s, int64_t r, double delta) noexcept nogil:
    """Index r leaves, the newcomer takes its place. work2 <- M e_r without its last entry."""
    cdef int64_t i, j
    cdef int64_t n = s.m.n
    cdef int64_t b = s.m.budget
    cdef double* u = s.work
    cdef double* c = s.work2
    cdef double ct = -u[r] / delta
    cdef double cr, x, y
    for i in range(n):
        c[i] = s.inverse[i * b + r] + u[i] * u[r] / delta
    cr = c[r]
    for i in range(n):
        if i == r:
            continue
        x = u[i] / delta
        y = c[i] / cr
        for j in range(n):
            s.inverse[i * b + j] += x * u[j] - y * c[j]
        s.inverse[i * b + r] = -x - y * ct
        s.inverse[r * b + i] = -x - y * ct
    s.inverse[r * b + r] = 1.0 / delta - ct * ct / cr


cdef inline double spread_weight(State* s, int64_t r, double a, double delta) noexcept nogil:
    """Spread a k(s_r, .) over the others and the newcomer (call before the exchange).

    alpha_i += a (-c_i / c_r) for i != r; returns the newcomer's share a (-c_t / c_r).
    """
    cdef int64_t i
    cdef int64_t b = s.m.budget
    cdef double* u = s.work
    cdef double cr = s.inverse[r * b + r] + u[r] * u[r] / delta
    cdef double ci
    for i in range(s.m.n):
        if i != r:
            ci = s.inverse[i * b + r] + u[i] * u[r] / delta
            shift(s, i, -a * ci / cr)
    return a * u[r] / (delta * cr)


cdef inline void refresh_inverse(State* s, double ridge) noexcept nogil:
    """Ki from the support vectors, O(n^2 d + n^3)."""
    cdef int64_t i, j
    cdef Model* m = s.m
    cdef int64_t n = m.n
    cdef int64_t b = m.budget
    if n != b:
        return
    for i in range(n):
        kernel_row(s, gather(s, i), NULL, s.row)
        for j in range(n):
            s.inverse[i * b + j] = s.row[j]
        s.inverse[i * b + i] += ridge
    invert_positive(s.inverse, n)
    m.removals = 0
