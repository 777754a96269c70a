"""Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.

The frequencies Omega lie where a ring holds its support vectors, one row per input feature, so
Omega x is the row of inner products.
"""

from libc.math cimport cos, sin, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.parts cimport DTYPE_FLOAT32
from edgeolk.core.simd cimport OLK_LINEAR, olk_kernel
from edgeolk.core.state cimport Model, State


cdef inline void fourier_features(State* s, const void* x) noexcept nogil:
    """row[:D] <- cosines, row[D:2D] <- sines."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t n = m.n
    cdef double norm = 1.0 / sqrt(<double>n)
    cdef double angle
    cdef olk_kernel inner
    inner.kind = OLK_LINEAR
    if m.choice.dtype == DTYPE_FLOAT32:
        s.row_f32(&inner, <const float*>s.sv, m.stride, n, m.n_features, <const float*>x, NULL,
                  s.row)
    else:
        s.row_f64(&inner, <const double*>s.sv, m.stride, n, m.n_features, <const double*>x, NULL,
                  s.row)
    for i in range(n):
        angle = s.row[i]
        s.row[i] = norm * cos(angle)
        s.row[n + i] = norm * sin(angle)
