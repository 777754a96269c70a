"""Passive-aggressive updates: the smallest step that mends the hinge loss H = max(0, 1 - y f).

With the tolerance H = max(0, |y - f| - epsilon), and the sign of y - f stands for y."""

from edgeolk.core.losses cimport direction, piecewise_loss
from edgeolk.core.parts cimport SAMPLING_LOSS, UPDATE_PA1, UPDATE_PA2, UPDATE_SPARSE_PA
from edgeolk.core.state cimport Example, State


cdef inline bint passive_aggressive_asks(const State* s, const Example* e) noexcept nogil:
    """H > 0; a row with k(x, x) = 0 cannot mend anything (sampling refuses it later)."""
    if s.c.choice.sampling == SAMPLING_LOSS:
        return piecewise_loss(s, e) > 0.0
    return piecewise_loss(s, e) > 0.0 and e.self_kernel > 0.0


cdef inline double passive_aggressive_coefficient(const State* s, const Example* e,
                                                  double p) noexcept nogil:
    """y tau; tau = H/k(x,x) cut at C (PA-I), at eta/p (sparse PA), or damped by 1/(2C) (PA-II)."""
    cdef double h = piecewise_loss(s, e)
    cdef double y = direction(s, e)
    cdef double reach = e.self_kernel * e.power
    if s.c.choice.update == UPDATE_PA1:
        return y * min(s.c.p.C * e.weight, h / reach)
    if s.c.choice.update == UPDATE_PA2:
        return y * h / (reach + 0.5 / (s.c.p.C * e.weight))
    if s.c.choice.update == UPDATE_SPARSE_PA:
        return y * min(s.c.p.eta / p, h / reach)
    return y * h / reach
