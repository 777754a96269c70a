"""What f is a sum of: support vectors, or features. One switch a row."""

from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport coefficient_count, kernel_row, settle
from edgeolk.core.features.fourier cimport fourier_features
from edgeolk.core.features.nystrom cimport nystrom_features
from edgeolk.core.parts cimport BASIS_FOURIER, BASIS_SUPPORT_VECTORS
from edgeolk.core.simd cimport OLK_F64
from edgeolk.core.state cimport Example, Model, State


cdef inline bint uses_features(const Model* m) noexcept nogil:
    """Whether f is a weighted sum of features now (a Nystrom learner starts with a ring)."""
    return m.choice.basis == BASIS_FOURIER or m.rank > 0


cdef inline double evaluate(State* s, const void* x, const double* coef,
                            double* row) noexcept nogil:
    """sum_i coef[i] phi_i(x), the common scale left out; kernel values go to row unless NULL."""
    cdef Model* m = s.m
    if m.choice.basis == BASIS_SUPPORT_VECTORS or not uses_features(m):
        return kernel_row(s, x, coef, row)
    if m.choice.basis == BASIS_FOURIER:
        fourier_features(s, x)
        return s.simd.dot[OLK_F64](coef, s.row, 2 * m.n)
    nystrom_features(s, x)
    return s.simd.dot[OLK_F64](coef, s.work, m.rank)


cdef inline bint admit_features(State* s, double a, Example* e) noexcept nogil:
    """w <- w + a z(x), z as evaluate left it."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef double step = a / m.scale
    cdef const double* z = s.row if m.choice.basis == BASIS_FOURIER else s.work
    if s.mean_sum != NULL:
        for i in range(coefficient_count(m)):
            settle(s, i)
    s.simd.axpy[OLK_F64](s.coef, step, z, coefficient_count(m))
    if m.tracks_norm:
        m.norm2 = max(0.0, m.norm2 + a * a * e.self_kernel + 2.0 * a * e.f)
        e.f += a * e.self_kernel
    return True
