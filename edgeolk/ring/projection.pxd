"""Bounds on the function, enforced after an update."""

from libc.math cimport sqrt

from edgeolk.ring.expansion cimport apply_scale, largest_weight, rescale, squared_norm, used_length
from edgeolk.ring.policies.replacement cimport dynamic_budget
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, value_type
from edgeolk.core.state cimport Example


cdef inline void clamp_to_ball(SupportVectorRing ring, Example* e) noexcept nogil:
    """||f|| <= U, by the tracked norm."""
    if ring.function.norm2 > ring.c.p.U * ring.c.p.U:
        rescale(ring, ring.c.p.U / sqrt(ring.function.norm2), e)
        ring.function.norm2 = ring.c.p.U * ring.c.p.U


cdef inline void bound_coefficients(SupportVectorRing ring, Example* e) noexcept nogil:
    """B max |alpha_i| sqrt(k(s_i, s_i)) <= U, which bounds ||f|| (He & Kwok 2014, eq. 22)."""
    cdef double size = <double>dynamic_budget(ring) * largest_weight(ring)
    if size > ring.c.p.U:
        rescale(ring, ring.c.p.U / size, e)


cdef inline void clip_each(SupportVectorRing ring, Example* e) noexcept nogil:
    """|alpha_i| <= clip eta, by clipping each."""
    apply_scale(ring)
    ring.simd.clamp[value_type(ring)](
        coefficients(ring), used_length(ring), ring.c.p.eta * ring.c.p.clip_coefficients)
    if ring.c.tracks_norm:
        ring.function.norm2 = squared_norm(ring)


cdef inline void shrink_all(SupportVectorRing ring, Example* e) noexcept nogil:
    """max_i |alpha_i| <= clip eta, by a common factor."""
    cdef double limit = ring.c.p.eta * ring.c.p.clip_coefficients
    cdef double size = ring.function.scale * ring.simd.max_abs[value_type(ring)](
        coefficients(ring), NULL, used_length(ring))
    if size > limit:
        rescale(ring, limit / size, e)
