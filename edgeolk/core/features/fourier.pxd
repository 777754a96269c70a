"""Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.

The frequencies Omega lie where a ring holds its support vectors, one row per input feature, so
Omega x is the row of inner products.
"""

from libc.math cimport sqrt

from edgeolk.core.expansion cimport plain_row
from edgeolk.core.simd cimport OLK_F64, OLK_LINEAR
from edgeolk.core.state cimport Model, State


cdef inline void fourier_features(State* s, const void* x) noexcept nogil:
    """row[:D] <- cosines, row[D:2D] <- sines."""
    cdef Model* m = s.m
    plain_row(s, OLK_LINEAR, x, s.row)
    s.simd.cos_sin[OLK_F64](s.row, m.n, 1.0 / sqrt(<double>m.n))
