"""One switch a row over the updates: does the example ask to be used, and with what coefficient."""

from libc.math cimport fabs

from edgeolk.core.parts cimport (
    LOSS_RAMP, UPDATE_AGGRESSIVE, UPDATE_GRADIENT, UPDATE_PERCEPTRON,
)
from edgeolk.core.state cimport Example, Model
from edgeolk.core.updates.gradient cimport gradient_asks, gradient_coefficient
from edgeolk.core.updates.margin cimport (
    aggressive_asks, aggressive_coefficient, perceptron_asks,
)
from edgeolk.core.updates.passive_aggressive cimport (
    passive_aggressive_asks, passive_aggressive_coefficient,
)


cdef inline bint update_asks(const Model* m, const Example* e) noexcept nogil:
    cdef int update = m.choice.update
    if m.choice.loss == LOSS_RAMP and fabs(e.f) > 1.0:
        return False
    if update == UPDATE_PERCEPTRON:
        return perceptron_asks(e)
    if update == UPDATE_AGGRESSIVE:
        return aggressive_asks(m, e)
    if update == UPDATE_GRADIENT:
        return gradient_asks(m, e)
    return passive_aggressive_asks(m, e)


cdef inline double update_coefficient(const Model* m, const Example* e, double p) noexcept nogil:
    """The newcomer's alpha, given that it was drawn with probability p."""
    cdef int update = m.choice.update
    if update == UPDATE_PERCEPTRON:
        return e.y
    if update == UPDATE_AGGRESSIVE:
        return aggressive_coefficient(m, e)
    if update == UPDATE_GRADIENT:
        return gradient_coefficient(m, e, p)
    return passive_aggressive_coefficient(m, e, p)
