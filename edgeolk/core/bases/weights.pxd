"""What bases of features share: f is a weighted sum of features z(x)."""

from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport coefficient_count, settle
from edgeolk.core.real cimport real
from edgeolk.core.state cimport Example, State


cdef inline bint add_features(State* s, double a, Example* e, const void* z) noexcept nogil:
    """w <- w + a z, z = z(x) in the coefficients' type."""
    cdef int64_t i
    if s.mean_sum != NULL:
        for i in range(coefficient_count(s)):
            settle(s, i)
    s.simd.axpy[real(s)](s.coef, a / s.function.scale, z, coefficient_count(s))
    if s.c.tracks_norm:
        s.function.norm2 = max(
            0.0, s.function.norm2 + a * a * e.self_kernel + 2.0 * a * e.f)
        e.f += a * e.self_kernel
    return True
