"""Updates by sign or margin: the perceptron, and its aggressive variant (Ahpatron, algorithm 1)."""

from libc.math cimport sqrt

from edgeolk.core.expansion cimport rescale
from edgeolk.core.state cimport Example, State


cdef inline bint perceptron_asks(const State* s, const Example* e) noexcept nogil:
    """y f <= 0, written so that NaN counts as a mistake."""
    return not (e.y * e.f > 0.0)


cdef inline bint margin_asks(const State* s, const Example* e) noexcept nogil:
    """y f < 1; a hint counts as part of the prediction."""
    return e.y * (e.f + e.hint) < 1.0


cdef inline double unit_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    return e.y


cdef inline double shifting_rate(const State* s) noexcept nogil:
    """l_n = shift / (shift + n), n updates so far (Cavallanti, Cesa-Bianchi & Gentile 2007)."""
    return s.c.p.shift / (s.c.p.shift + <double>s.m.updates)


cdef inline double shifting_coefficient(const State* s, const Example* e,
                                        double p) noexcept nogil:
    return e.y * shifting_rate(s)


cdef inline void shifting_shrink(State* s, double a, Example* e) noexcept nogil:
    """f <- (1 - l_n) f at every mistake but the first."""
    if a != 0.0 and s.m.updates > 0:
        rescale(s, 1.0 - shifting_rate(s), e)


cdef inline bint aggressive_asks(const State* s, const Example* e) noexcept nogil:
    """y f < 1 - eps."""
    return e.y * e.f < 1.0 - s.c.p.eps


cdef inline double aggressive_coefficient(const State* s, const Example* e,
                                          double p) noexcept nogil:
    """rate y; with rate = 0, U / sqrt(n) y at the n-th update."""
    if s.c.p.rate > 0.0:
        return e.y * s.c.p.rate
    return e.y * s.c.p.U / sqrt(<double>(s.m.updates + 1))
