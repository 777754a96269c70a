"""Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.

The frequencies Omega lie where a ring holds its support vectors, one row per input feature, so
Omega x is the row of inner products.
"""

from libc.math cimport cos, sin, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport plain_row
from edgeolk.core.simd cimport OLK_LINEAR
from edgeolk.core.state cimport Model, State


cdef inline void fourier_features(State* s, const void* x) noexcept nogil:
    """row[:D] <- cosines, row[D:2D] <- sines."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t n = m.n
    cdef double norm = 1.0 / sqrt(<double>n)
    cdef double angle
    plain_row(s, OLK_LINEAR, x, s.row)
    for i in range(n):
        angle = s.row[i]
        s.row[i] = norm * cos(angle)
        s.row[n + i] = norm * sin(angle)
