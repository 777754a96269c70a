"""Products with the packed lower triangle of a filter, of which ``n`` rows are in use."""

from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64
from edgeolk.ring.ring cimport SupportVectorRing


cdef inline void triangle_product(SupportVectorRing ring, double[::1] m, const double* x,
                                  double* y) noexcept nogil:
    """y <- M x."""
    cdef int64_t i
    for i in range(ring.m.n):
        y[i] = ring.simd.dot[OLK_F64](&m[i * (i + 1) // 2], x, i + 1)


cdef inline void transposed_product(SupportVectorRing ring, double[::1] m, const double* x,
                                    double* y) noexcept nogil:
    """y <- M' x."""
    cdef int64_t i
    for i in range(ring.m.n):
        y[i] = 0.0
    for i in range(ring.m.n):
        ring.simd.axpy[OLK_F64](y, x[i], &m[i * (i + 1) // 2], i + 1)
