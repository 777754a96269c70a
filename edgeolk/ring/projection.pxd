"""Bounds on the function, enforced after an update."""

from libc.math cimport sqrt

from edgeolk.ring.expansion cimport apply_scale, largest_weight, rescale, squared_norm, used_length
from edgeolk.ring.policies.replacement cimport dynamic_budget
from edgeolk.core.numbers cimport value_type
from edgeolk.core.state cimport Example, State


cdef inline void clamp_to_ball(State* s, Example* e) noexcept nogil:
    """||f|| <= U, by the tracked norm."""
    if s.function.norm2 > s.c.p.U * s.c.p.U:
        rescale(s, s.c.p.U / sqrt(s.function.norm2), e)
        s.function.norm2 = s.c.p.U * s.c.p.U


cdef inline void bound_coefficients(State* s, Example* e) noexcept nogil:
    """B max |alpha_i| sqrt(k(s_i, s_i)) <= U, which bounds ||f|| (He & Kwok 2014, eq. 22)."""
    cdef double size = <double>dynamic_budget(s) * largest_weight(s)
    if size > s.c.p.U:
        rescale(s, s.c.p.U / size, e)


cdef inline void clip_each(State* s, Example* e) noexcept nogil:
    """|alpha_i| <= clip eta, by clipping each."""
    apply_scale(s)
    s.simd.clamp[value_type(s)](s.coef, used_length(s), s.c.p.eta * s.c.p.clip_coefficients)
    if s.c.tracks_norm:
        s.function.norm2 = squared_norm(s)


cdef inline void shrink_all(State* s, Example* e) noexcept nogil:
    """max_i |alpha_i| <= clip eta, by a common factor."""
    cdef double limit = s.c.p.eta * s.c.p.clip_coefficients
    cdef double size = s.function.scale * s.simd.max_abs[value_type(s)](
        s.coef, NULL, used_length(s))
    if size > limit:
        rescale(s, limit / size, e)
