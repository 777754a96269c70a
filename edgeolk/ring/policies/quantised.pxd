"""Quantisation (QKLMS, Chen, Zhao, Zhu & Principe 2012): a near row adds to the nearest vector."""

from libc.stdint cimport int64_t

from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport distance_row, put, shift_slot
from edgeolk.ring.ring cimport SupportVectorRing, distance_at, distances, value_type


cdef inline bint admit_quantised(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """The nearest by the Euclidean distance, whatever the kernel; ties go to the lowest slot."""
    cdef int64_t n = ring.m.n
    cdef int64_t nearest
    if n > 0:
        if not ring.keeps_products or ring.s.sparse_x != NULL:
            distance_row(ring, e.x)
        nearest = ring.simd.argmin[value_type(ring)](distances(ring), n)
        if nearest < 0:
            nearest = 0  # all distances overflow: any slot will do
        if n == ring.c.budget or distance_at(ring, nearest) <= ring.c.p.radius * ring.c.p.radius:
            shift_slot(ring, nearest, a, e)
            return True
    put(ring, n, a, e)
    return True
