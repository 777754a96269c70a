"""Sparse kernel logistic regression (Zhang, Jin, Chen, Bu & He 2012): -eta h'(y f), without 1/p.

The auxiliary functions h bound the loss l from above; sampling with p = l / h compensates.
"""

from libc.math cimport log

from edgeolk.core.losses cimport sigmoid
from edgeolk.core.parts cimport UPDATE_LOGISTIC_CUT, UPDATE_LOGISTIC_SCALE, UPDATE_LOGISTIC_SHIFT
from edgeolk.core.state cimport Example, State


cdef inline double auxiliary_derivative(const State* s, double z) noexcept nogil:
    """h'(z): 0 beyond delta for the cut."""
    if s.c.choice.update == UPDATE_LOGISTIC_SHIFT:
        return -sigmoid(-z - log(s.c.p.boost))
    if s.c.choice.update == UPDATE_LOGISTIC_SCALE:
        return -sigmoid(log(s.c.p.boost) - z)
    if s.c.choice.update == UPDATE_LOGISTIC_CUT and z > s.c.p.delta:
        return 0.0
    return -sigmoid(-z)


cdef inline bint logistic_asks(const State* s, const Example* e) noexcept nogil:
    if s.c.softmax:
        return e.share[e.label] > 0.0
    return auxiliary_derivative(s, e.y * e.f) != 0.0


cdef inline double logistic_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """For softmax the shares are -l'."""
    if s.c.softmax:
        return s.c.p.eta * e.weight
    return -s.c.p.eta * e.weight * e.y * auxiliary_derivative(s, e.y * e.f)
