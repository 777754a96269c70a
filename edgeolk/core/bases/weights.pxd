"""Shared by the bases of features: f is a weighted sum of features z(x)."""

from edgeolk.core.expansion cimport coefficient_count
from edgeolk.core.value_types cimport value_type
from edgeolk.core.state cimport Example, State


cdef inline bint admit_features(State* s, double a, Example* e) noexcept nogil:
    """w <- w + a z(x), with the z that the score wrote to the kernel row."""
    return add_features(s, a, e, s.row)


cdef inline bint add_features(State* s, double a, Example* e, const void* z) noexcept nogil:
    """w <- w + a z, z = z(x) in the type of coefficients."""
    if s.mean_sum != NULL:
        s.simd.flush_average[value_type(s)](s.coef, s.averaging.weight, s.mean_start, s.mean_sum,
                                            coefficient_count(s))
    s.simd.axpy[value_type(s)](s.coef, a / s.function.scale, z, coefficient_count(s))
    if s.c.tracks_norm:
        s.function.norm2 = max(
            0.0, s.function.norm2 + a * a * e.self_kernel + 2.0 * a * e.f)
        e.f += a * e.self_kernel
    return True
