"""Sampling: the probability that an example which calls for an update is used."""

from libc.math cimport fabs, log, pow

from edgeolk.core.loss_switch cimport loss_residual, loss_slope
from edgeolk.core.losses cimport sigmoid, softplus
from edgeolk.core.parts cimport (
    SAMPLING_AUXILIARY, SAMPLING_DECAY, SAMPLING_DERIVATIVE, SAMPLING_LOSS, SAMPLING_MARGIN,
    SCHEDULE_DECAY, UPDATE_LOGISTIC_SCALE, UPDATE_LOGISTIC_SHIFT,
)
from edgeolk.core.state cimport Example, State


cdef inline double auxiliary_probability(const State* s, double z) noexcept nogil:
    """p = l(z) / h(z), l = ln(1 + exp(-z)) (Zhang et al. 2012, section on auxiliary functions)."""
    cdef double gap = log(s.c.p.boost)
    cdef double h
    if s.c.choice.update == UPDATE_LOGISTIC_SHIFT:
        h = gap + softplus(-z - gap)
        return softplus(-z) / h if h > 0.0 else 1.0
    if s.c.choice.update == UPDATE_LOGISTIC_SCALE:
        h = softplus(gap - z)
        return softplus(-z) / h if h > 0.0 else 1.0 / s.c.p.boost
    return 1.0


cdef inline double sampling_probability(const State* s, const Example* e) noexcept nogil:
    cdef int sampling = s.c.choice.sampling
    cdef double t
    if sampling == SAMPLING_LOSS:
        if not e.self_kernel > 0.0:
            return 0.0
        # rho = min(alpha, l) / beta, l the hinge loss (Lu, Zhao & Hoi 2016, algorithm 1)
        return min(s.c.p.alpha, loss_residual(s, e)) / s.c.p.beta
    if sampling == SAMPLING_DECAY:
        t = <double>s.m.steps if s.c.choice.schedule == SCHEDULE_DECAY else s.c.p.horizon
        return min(1.0, s.c.p.c * pow(t, -s.c.p.decay))
    if sampling == SAMPLING_DERIVATIVE:
        if s.c.softmax:
            return e.share[e.label] / s.c.p.G  # 1 - p, the derivative by the score of the class
        return fabs(loss_slope(s, e)) / s.c.p.G
    if sampling == SAMPLING_MARGIN:
        return (2.0 - s.c.p.eta) / (2.0 - s.c.p.eta + s.c.p.eta * sigmoid(e.y * e.f))
    if sampling == SAMPLING_AUXILIARY:
        return auxiliary_probability(s, e.y * e.f)
    return 1.0
