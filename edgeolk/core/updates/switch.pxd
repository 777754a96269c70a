"""Switches a row over the updates: is the example used, with what coefficient, what shrinks."""

from libc.math cimport fabs

from edgeolk.core.parts cimport (
    LOSS_RAMP, UPDATE_AGGRESSIVE, UPDATE_GRADIENT, UPDATE_LOGISTIC, UPDATE_LOGISTIC_CUT,
    UPDATE_MARGIN, UPDATE_OPTIMISTIC, UPDATE_PEGASOS, UPDATE_PERCEPTRON, UPDATE_PROJECTRON_ICML,
    UPDATE_PROJECTRON_JMLR, UPDATE_SHIFTING,
)
from edgeolk.core.state cimport Example, Model
from edgeolk.core.updates.gradient cimport gradient_asks, gradient_coefficient
from edgeolk.core.updates.logistic cimport logistic_asks, logistic_coefficient
from edgeolk.core.updates.margin cimport (
    aggressive_asks, aggressive_coefficient, margin_asks, perceptron_asks, shifting_rate,
)
from edgeolk.core.updates.optimistic cimport optimistic_coefficient
from edgeolk.core.updates.passive_aggressive cimport (
    passive_aggressive_asks, passive_aggressive_coefficient,
)


cdef inline bint is_logistic(int update) noexcept nogil:
    return UPDATE_LOGISTIC <= update <= UPDATE_LOGISTIC_CUT


cdef inline bint update_asks(const Model* m, const Example* e) noexcept nogil:
    cdef int update = m.choice.update
    if m.choice.loss == LOSS_RAMP and fabs(e.f) > 1.0:
        return False
    if update == UPDATE_PERCEPTRON or update == UPDATE_SHIFTING:
        return perceptron_asks(e)
    if update == UPDATE_AGGRESSIVE:
        return aggressive_asks(m, e)
    if update == UPDATE_GRADIENT:
        return gradient_asks(m, e)
    if is_logistic(update):
        return logistic_asks(m, e)
    if (update == UPDATE_MARGIN or update == UPDATE_PEGASOS or update == UPDATE_PROJECTRON_JMLR
            or update == UPDATE_PROJECTRON_ICML or update == UPDATE_OPTIMISTIC):
        return margin_asks(e)
    return passive_aggressive_asks(m, e)


cdef inline double update_coefficient(const Model* m, const Example* e, double p) noexcept nogil:
    """The newcomer's alpha, given that it was drawn with probability p."""
    cdef int update = m.choice.update
    if update == UPDATE_AGGRESSIVE:
        return aggressive_coefficient(m, e)
    if update == UPDATE_GRADIENT:
        return gradient_coefficient(m, e, p)
    if is_logistic(update):
        return logistic_coefficient(m, e)
    if update == UPDATE_SHIFTING:
        return e.y * shifting_rate(m)
    if update == UPDATE_PEGASOS:
        # y times the scale 1 / (lam t) that f has from this step on: a coefficient of exactly y
        return e.y * (1.0 / (m.p.lam * <double>m.steps))
    if update == UPDATE_OPTIMISTIC:
        return optimistic_coefficient(m, e)
    if (update == UPDATE_PERCEPTRON or update == UPDATE_MARGIN or update == UPDATE_PROJECTRON_JMLR
            or update == UPDATE_PROJECTRON_ICML):
        return e.y
    return passive_aggressive_coefficient(m, e, p)


cdef inline double update_shrinkage(const Model* m, double a) noexcept nogil:
    """Factor on f before the newcomer enters with coefficient a (0: it does not)."""
    if m.choice.update == UPDATE_GRADIENT:
        return 1.0 - m.p.eta * m.p.lam
    if m.choice.update == UPDATE_SHIFTING and a != 0.0 and m.updates > 0:
        return 1.0 - shifting_rate(m)
    return 1.0
