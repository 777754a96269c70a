"""Sparse kernel logistic regression (Zhang, Jin, Chen, Bu & He 2012): -eta h'(y f), never by 1/p.

The auxiliary functions h are at least the loss l; sampling with p = l / h makes up for their step.
"""

from libc.math cimport log

from edgeolk.core.losses cimport sigmoid
from edgeolk.core.parts cimport UPDATE_LOGISTIC_CUT, UPDATE_LOGISTIC_SCALE, UPDATE_LOGISTIC_SHIFT
from edgeolk.core.state cimport Example, Model


cdef inline double auxiliary_derivative(const Model* m, double z) noexcept nogil:
    """h'(z): 0 beyond delta for the cut."""
    if m.choice.update == UPDATE_LOGISTIC_SHIFT:
        return -sigmoid(-z - log(m.p.boost))
    if m.choice.update == UPDATE_LOGISTIC_SCALE:
        return -sigmoid(log(m.p.boost) - z)
    if m.choice.update == UPDATE_LOGISTIC_CUT and z > m.p.delta:
        return 0.0
    return -sigmoid(-z)


cdef inline bint logistic_asks(const Model* m, const Example* e) noexcept nogil:
    return auxiliary_derivative(m, e.y * e.f) != 0.0


cdef inline double logistic_coefficient(const Model* m, const Example* e) noexcept nogil:
    return -m.p.eta * e.y * auxiliary_derivative(m, e.y * e.f)
