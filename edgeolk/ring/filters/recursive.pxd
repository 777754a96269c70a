"""Kernel recursive least squares (Engel, Mannor & Meir 2004), in whitened coordinates.

M = L^-1 of K = L L' is in ``factor``, R, the inverse of the sum of z z' over all rows, in
``posterior``, and v in ``per_update``: with z = M k the answer is z'v, so a = M'v. The published
recursion keeps K^-1 instead, which diverges in float64 on clean series.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64
from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport put
from edgeolk.ring.filters.linear cimport transposed_product
from edgeolk.ring.ring cimport SupportVectorRing


cdef inline bint recursive_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """z = work, set by the policy; h = R z in work2."""
    cdef int64_t i, line
    cdef int64_t n = ring.m.n
    cdef double along, length
    cdef double error = e.y - e.f
    if n == 0 and e.slot < 0:
        return False  # zero in the feature space: it says nothing
    ring.simd.symmetric_product(&ring.posterior[0], n, &ring.work[0], &ring.work2[0])
    along = ring.simd.dot[OLK_F64](&ring.work[0], &ring.work2[0], n)
    if e.slot >= 0:
        length = sqrt(e.distance)
        line = n * (n + 1) // 2
        transposed_product(ring, ring.factor, &ring.work[0], &ring.row_f64[0])
        for i in range(n):
            ring.posterior[line + i] = -ring.work2[i] / length
            ring.factor[line + i] = -ring.row_f64[i] / length
        ring.posterior[line + n] = (1.0 + along) / e.distance
        ring.factor[line + n] = 1.0 / length
        put(ring, e.slot, 0.0, e)
        ring.per_update[0, n] = error / length
    else:
        ring.simd.rank_two_update(
            &ring.posterior[0], n, 0.0, &ring.work2[0], 1.0 / (1.0 + along), &ring.work2[0])
        ring.simd.axpy[OLK_F64](
            &ring.per_update[0, 0], error / (1.0 + along), &ring.work2[0], n)
    transposed_product(ring, ring.factor, &ring.per_update[0, 0], &ring.coef_f64[0, 0])
    return True
