"""Pegasos (Shalev-Shwartz et al. 2011): f = (1 / (lam t)) sum beta_i k_i with beta exact."""

from edgeolk.core.state cimport Example, State


cdef inline double pegasos_scale(const State* s) noexcept nogil:
    """1 / (lam t), above 0 for any lam: coefficients are divided by it."""
    return max(1.0 / (s.c.p.lam * <double>s.m.steps), 1e-300)


cdef inline double pegasos_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """y times the scale 1 / (lam t) of f from this step on, which stores exactly y."""
    return e.y * pegasos_scale(s)


cdef inline void pegasos_shrink(State* s, double a, Example* e) noexcept nogil:
    """The scale is set, not multiplied, so that rounding does not accumulate."""
    cdef double scale = pegasos_scale(s)
    cdef double factor = scale / s.function.scale
    e.f *= factor
    # In this order: the square of factor may overflow while the norm is 0.
    s.function.norm2 = s.function.norm2 * factor * factor
    s.function.scale = scale
