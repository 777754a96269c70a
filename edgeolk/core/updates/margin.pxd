"""Updates by sign or margin: the perceptron, and its aggressive variant (Ahpatron, algorithm 1)."""

from libc.math cimport sqrt

from edgeolk.core.state cimport Example, Model


cdef inline bint perceptron_asks(const Example* e) noexcept nogil:
    """y f <= 0, so written that a NaN would count as a mistake."""
    return not (e.y * e.f > 0.0)


cdef inline bint margin_asks(const Example* e) noexcept nogil:
    """y f < 1; a hint, where there is one, counts as part of the prediction."""
    return e.y * (e.f + e.hint) < 1.0


cdef inline double shifting_rate(const Model* m) noexcept nogil:
    """l_n = shift / (shift + n), n updates so far (Cavallanti, Cesa-Bianchi & Gentile 2007)."""
    return m.p.shift / (m.p.shift + <double>m.updates)


cdef inline bint aggressive_asks(const Model* m, const Example* e) noexcept nogil:
    """y f < 1 - eps."""
    return e.y * e.f < 1.0 - m.p.eps


cdef inline double aggressive_coefficient(const Model* m, const Example* e) noexcept nogil:
    """rate y, or U / sqrt(n) y at the n-th update where the rate is left to the radius (0)."""
    if m.p.rate > 0.0:
        return e.y * m.p.rate
    return e.y * m.p.U / sqrt(<double>(m.updates + 1))
