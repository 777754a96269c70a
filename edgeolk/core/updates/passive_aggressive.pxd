"""Passive-aggressive updates: the smallest step that mends the hinge loss H = max(0, 1 - y f)."""

from edgeolk.core.losses cimport hinge
from edgeolk.core.parts cimport SAMPLING_LOSS, UPDATE_PA1, UPDATE_PA2, UPDATE_SPARSE_PA
from edgeolk.core.state cimport Example, State


cdef inline bint passive_aggressive_asks(const State* s, const Example* e) noexcept nogil:
    """H > 0; a row with k(x, x) = 0 cannot mend anything (sampling refuses it later)."""
    if s.c.choice.sampling == SAMPLING_LOSS:
        return hinge(e.f, e.y) > 0.0
    return hinge(e.f, e.y) > 0.0 and e.self_kernel > 0.0


cdef inline double passive_aggressive_coefficient(const State* s, const Example* e,
                                                  double p) noexcept nogil:
    """y tau; tau = H/k(x,x) cut at C (PA-I), at eta/p (sparse PA), or damped by 1/(2C) (PA-II)."""
    cdef double h = hinge(e.f, e.y)
    if s.c.choice.update == UPDATE_PA1:
        return e.y * min(s.c.p.C, h / e.self_kernel)
    if s.c.choice.update == UPDATE_PA2:
        return e.y * h / (e.self_kernel + 0.5 / s.c.p.C)
    if s.c.choice.update == UPDATE_SPARSE_PA:
        return e.y * min(s.c.p.eta / p, h / e.self_kernel)
    return e.y * h / e.self_kernel
