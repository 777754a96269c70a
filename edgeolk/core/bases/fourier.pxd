"""Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.

The frequencies Omega are stored in place of the support vectors of a ring, one row per input
feature, so Omega x is the row of inner products.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport plain_row
from edgeolk.core.headers cimport (
    OLK_LINEAR, olk_pcg64, olk_pcg64_seed, olk_standard_normal, olk_store,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.value_types cimport put, value_type
from edgeolk.core.state cimport State


cdef inline double fourier_score(State* s, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """w . z(x); sets s.row[:D] to the cosines and s.row[D:2D] to the sines."""
    cdef int64_t n = s.m.n
    plain_row(s, OLK_LINEAR, x, s.row)
    s.simd.cos_sin[value_type(s)](s.row, n, 1.0 / sqrt(<double>n))
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)


cdef inline double drawn_score(State* s, const void* x, const void* coef,
                               void* row) noexcept nogil:
    """As fourier_score, with Omega regenerated instead of stored: the same numbers."""
    cdef int64_t j, k
    cdef int64_t n = s.m.n
    cdef double width = sqrt(2.0 * s.c.kernel.gamma)
    cdef double angle
    cdef olk_pcg64 generator
    olk_pcg64_seed(&generator, s.m.seed)
    for k in range(n):
        angle = 0.0
        if s.c.vectors == DTYPE_FLOAT64:
            for j in range(s.c.n_features):
                angle += olk_standard_normal(&generator) * width * (<const double*>x)[j]
        else:
            for j in range(s.c.n_features):
                angle += <double><float>(
                    olk_standard_normal(&generator) * width) * (<const float*>x)[j]
        put(s, s.row, k, angle)
    s.simd.cos_sin[value_type(s)](s.row, n, 1.0 / sqrt(<double>n))
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)


cdef inline void fourier_construct(State* s) noexcept nogil:
    """Omega = standard normal (D, d) * sqrt(2 gamma), bit for bit as by numpy's PCG64 generator."""
    cdef int64_t j, k
    cdef double width = sqrt(2.0 * s.c.kernel.gamma)
    cdef olk_pcg64 generator
    olk_pcg64_seed(&generator, s.m.seed)
    for k in range(s.c.budget):
        for j in range(s.c.n_features):
            olk_store(s.c.vectors, s.sv, j * s.c.stride + k, j,
                      olk_standard_normal(&generator) * width, &s.quantizer)
