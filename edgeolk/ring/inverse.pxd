"""The inverse of the Gram matrix of the ring, bordered by an incoming vector in O(n^2).

With Ki = (K + ridge I)^-1, u = Ki k and delta = k(x,x) + ridge - k'u, the inverse M with the
incoming vector t as last index is [Ki + u u'/delta, -u/delta; -u'/delta, 1/delta]. Removing r from
it is M_SS - c_S c_S' / c_r with c = M e_r. Rounding errors grow with every exchange, so the matrix
is recomputed every 10 B exchanges. Only its lower triangle is stored, packed: a step costs as much
as reading it.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport alpha, gather, kernel_row, self_kernel, shift
from edgeolk.core.c cimport OLK_F64, olk_lowest_pivot, olk_raised_ridge
from edgeolk.core.parts cimport kernel_normalised
from edgeolk.core.state cimport Example, Model
from edgeolk.ring.ring cimport SupportVectorRing, kernel_values


# Small dense linear algebra in place, composed of the functions in edgeolk/c.

cdef inline void solve_packed(SupportVectorRing ring, const double* l, double* b,
                              int64_t n) noexcept nogil:
    """b <- (L L')^-1 b, L a packed lower triangle."""
    ring.simd.solve_lower(l, b, n)
    ring.simd.solve_lower_transposed(l, b, n)


cdef inline int64_t entry(int64_t i, int64_t j) noexcept nogil:
    """Index of entry (i, j) of a symmetric matrix in its packed lower triangle."""
    return i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i


cdef inline double border(SupportVectorRing ring, double ridge, const Example* e) noexcept nogil:
    """work <- u = Ki k; returns delta."""
    cdef int64_t n = ring.m.n
    ring.simd.symmetric_product(&ring.inverse[0], n, &ring.row_f64[0], &ring.work[0])
    return e.self_kernel + ridge - ring.simd.dot[OLK_F64](&ring.work[0], &ring.row_f64[0], n)


cdef inline void append_bordered(SupportVectorRing ring, double delta) noexcept nogil:
    """Extend the inverse by the incoming vector as index n (before it is put there)."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t line = entry(n, 0)
    ring.simd.rank_two_update(&ring.inverse[0], n, 1.0 / delta, &ring.work[0], 0.0, &ring.work[0])
    for i in range(n):
        ring.inverse[line + i] = -ring.work[i] / delta
    ring.inverse[line + n] = 1.0 / delta


cdef inline double column_entry(SupportVectorRing ring, int64_t i, int64_t r,
                                double delta) noexcept nogil:
    """M_ir with the incoming vector in M, u = work."""
    return ring.inverse[entry(i, r)] + ring.work[i] * ring.work[r] / delta


cdef inline void exchange_bordered(SupportVectorRing ring, int64_t r, double delta) noexcept nogil:
    """Replace index r by the incoming vector: M_ij - c_i c_j / c_r. Overwrites row and work2."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef double ct = -ring.work[r] / delta
    cdef double cr = column_entry(ring, r, r, delta)
    for i in range(n):
        ring.work2[i] = column_entry(ring, i, r, delta)
    # The column of the incoming vector is kept in row until those of r are no longer needed.
    for i in range(n):
        ring.row_f64[i] = -ring.work[i] / delta - ring.work2[i] * ct / cr
    ring.row_f64[r] = 1.0 / delta - ct * ct / cr
    ring.simd.rank_two_update(
        &ring.inverse[0], n, 1.0 / delta, &ring.work[0], 1.0 / cr, &ring.work2[0])
    for i in range(n):
        ring.inverse[entry(i, r)] = ring.row_f64[i]


cdef inline double min_pivot(SupportVectorRing ring) noexcept nogil:
    """What every pivot of an inverse is above."""
    return olk_lowest_pivot(kernel_normalised(ring.c.kernel.kind), ring.c.added)


cdef inline bint has_pivots(SupportVectorRing ring) noexcept nogil:
    """Whether the diagonal can be that of an inverse; it may not be after a forged file."""
    cdef int64_t i
    cdef double least = min_pivot(ring)
    for i in range(ring.m.n):
        if not ring.inverse[entry(i, i)] > least:
            return False
    return True


cdef inline double spread_weight(SupportVectorRing ring, int64_t r, int64_t column,
                                 double delta) noexcept nogil:
    """Distribute a k(s_r, .), a = alpha_r of that column, over the others and the incoming vector.

    Call before the exchange. alpha_i += a (-c_i / c_r) for i != r; returns a (-c_t / c_r), the part
    of the incoming vector.
    """
    cdef int64_t i
    cdef double a = alpha(ring, column, r)
    cdef double cr = column_entry(ring, r, r, delta)
    for i in range(ring.m.n):
        if i != r:
            shift(ring, column, i, -a * column_entry(ring, i, r, delta) / cr)
    return a * ring.work[r] / (delta * cr)


cdef inline void fill_gram(SupportVectorRing ring, double ridge) noexcept nogil:
    """inverse <- K + ridge I."""
    cdef int64_t i, j
    cdef int64_t line = 0
    for i in range(ring.m.n):
        kernel_row(ring, gather(ring, i), NULL, kernel_values(ring))
        for j in range(i + 1):
            ring.inverse[line + j] = ring.row_f64[j]
        ring.inverse[line + i] += ridge
        line += i + 1


cdef inline void refresh_inverse(SupportVectorRing ring, double ridge) noexcept nogil:
    """Ki from the support vectors, O(n^2 d + n^3); the ridge is raised until an inverse exists."""
    cdef int64_t i
    cdef Model* m = ring.m
    ring.function.removals = 0
    while isfinite(ridge):
        fill_gram(ring, ridge)
        if ring.simd.invert(&ring.inverse[0], m.n, &ring.work2[0]):
            return
        ridge = olk_raised_ridge(ridge, self_kernel(ring, gather(ring, 0)))
    # No ridge makes the Gram matrix invertible: use the inverse of its diagonal.
    for i in range(entry(m.n, 0)):
        ring.inverse[i] = 0.0
    for i in range(m.n):
        ring.inverse[entry(i, i)] = 1.0 / self_kernel(ring, gather(ring, i))
