"""Pegasos (Shalev-Shwartz et al. 2011): f = (1 / (lam t)) sum beta_i k_i with beta exact."""

from edgeolk.core.state cimport Example, State


cdef inline double pegasos_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """y times the scale 1 / (lam t) that f has from this step on: a coefficient of exactly y."""
    return e.y * (1.0 / (s.c.p.lam * <double>s.m.steps))


cdef inline void pegasos_shrink(State* s, double a, Example* e) noexcept nogil:
    """The scale is set, not multiplied: no rounding piles up."""
    cdef double scale = 1.0 / (s.c.p.lam * <double>s.m.steps)
    cdef double factor = scale / s.function.scale
    e.f *= factor
    s.function.norm2 *= factor * factor
    s.function.scale = scale
