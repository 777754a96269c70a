"""The inverse of the Gram matrix of the ring, bordered by an incoming vector in O(n^2).

With Ki = (K + ridge I)^-1, u = Ki k and delta = k(x,x) + ridge - k'u, the inverse M with the
incoming vector t as last index is [Ki + u u'/delta, -u/delta; -u'/delta, 1/delta]. Removing r from
it is M_SS - c_S c_S' / c_r with c = M e_r. Rounding errors grow with every exchange, so the matrix
is recomputed every 10 B exchanges. Only its lower triangle is stored, packed: a step costs as much
as reading it.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.ring.expansion cimport alpha, gather, kernel_row, self_kernel, shift
from edgeolk.core.c cimport OLK_F64
from edgeolk.core.parts cimport kernel_normalised
from edgeolk.core.state cimport Example, Model, State
from edgeolk.core.numbers cimport doubles


# Small dense linear algebra in place, composed of the functions in edgeolk/c.

cdef inline void solve_packed(const State* s, const double* l, double* b, int64_t n) noexcept nogil:
    """b <- (L L')^-1 b, L a packed lower triangle."""
    s.simd.solve_lower(l, b, n)
    s.simd.solve_lower_transposed(l, b, n)


cdef inline int64_t entry(int64_t i, int64_t j) noexcept nogil:
    """Index of entry (i, j) of a symmetric matrix in its packed lower triangle."""
    return i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i


cdef inline double border(State* s, double ridge, const Example* e) noexcept nogil:
    """work <- u = Ki k; returns delta."""
    cdef int64_t n = s.m.n
    s.simd.symmetric_product(s.inverse, n, doubles(s.row), s.work)
    return e.self_kernel + ridge - s.simd.dot[OLK_F64](s.work, s.row, n)


cdef inline void append_bordered(State* s, double delta) noexcept nogil:
    """Extend the inverse by the incoming vector as index n (before it is put there)."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    cdef double* line = s.inverse + entry(n, 0)
    s.simd.rank_two_update(s.inverse, n, 1.0 / delta, s.work, 0.0, s.work)
    for i in range(n):
        line[i] = -s.work[i] / delta
    line[n] = 1.0 / delta


cdef inline double column_entry(const State* s, int64_t i, int64_t r, double delta) noexcept nogil:
    """M_ir with the incoming vector in M, u = work."""
    return s.inverse[entry(i, r)] + s.work[i] * s.work[r] / delta


cdef inline void exchange_bordered(State* s, int64_t r, double delta) noexcept nogil:
    """Replace index r by the incoming vector: M_ij - c_i c_j / c_r. Overwrites row and work2."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    cdef double ct = -s.work[r] / delta
    cdef double cr = column_entry(s, r, r, delta)
    for i in range(n):
        s.work2[i] = column_entry(s, i, r, delta)
    # The column of the incoming vector is kept in row until those of r are no longer needed.
    for i in range(n):
        doubles(s.row)[i] = -s.work[i] / delta - s.work2[i] * ct / cr
    doubles(s.row)[r] = 1.0 / delta - ct * ct / cr
    s.simd.rank_two_update(s.inverse, n, 1.0 / delta, s.work, 1.0 / cr, s.work2)
    for i in range(n):
        s.inverse[entry(i, r)] = doubles(s.row)[i]


cdef inline bint has_pivots(const State* s) noexcept nogil:
    """Whether the diagonal can be that of an inverse; it may not be after a forged file.

    (K^-1)_ii is at least 1 / K_ii: the bound, which files are checked against too, is far below it.
    """
    cdef int64_t i
    cdef double min_pivot = 0.0
    if kernel_normalised(s.c.kernel.kind):
        min_pivot = 1e-3
    for i in range(s.m.n):
        if not s.inverse[entry(i, i)] > min_pivot:
            return False
    return True


cdef inline double spread_weight(State* s, int64_t r, int64_t column,
                                 double delta) noexcept nogil:
    """Distribute a k(s_r, .), a = alpha_r of that column, over the others and the incoming vector.

    Call before the exchange. alpha_i += a (-c_i / c_r) for i != r; returns a (-c_t / c_r), the part
    of the incoming vector.
    """
    cdef int64_t i
    cdef int64_t at = column * s.c.weights
    cdef double a = alpha(s, at + r)
    cdef double cr = column_entry(s, r, r, delta)
    for i in range(s.m.n):
        if i != r:
            shift(s, at + i, -a * column_entry(s, i, r, delta) / cr)
    return a * s.work[r] / (delta * cr)


cdef inline void fill_gram(State* s, double ridge) noexcept nogil:
    """inverse <- K + ridge I."""
    cdef int64_t i, j
    cdef double* line = s.inverse
    for i in range(s.m.n):
        kernel_row(s, gather(s, i), NULL, s.row)
        for j in range(i + 1):
            line[j] = doubles(s.row)[j]
        line[i] += ridge
        line += i + 1


cdef inline void refresh_inverse(State* s, double ridge) noexcept nogil:
    """Ki from the support vectors, O(n^2 d + n^3); the ridge is raised until an inverse exists."""
    cdef int64_t i
    cdef Model* m = s.m
    s.function.removals = 0
    while isfinite(ridge):
        fill_gram(s, ridge)
        if s.simd.invert(s.inverse, m.n, s.work2):
            return
        ridge = max(10.0 * ridge, 1e-14 * self_kernel(s, gather(s, 0)), 1e-300)
    # No ridge makes the Gram matrix invertible: use the inverse of its diagonal.
    memset(s.inverse, 0, <size_t>entry(m.n, 0) * sizeof(double))
    for i in range(m.n):
        s.inverse[entry(i, i)] = 1.0 / self_kernel(s, gather(s, i))
