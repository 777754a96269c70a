"""Sampling: the probability with which an example that asks for an update gets it."""

from libc.math cimport fabs, log, pow

from edgeolk.core.losses cimport hinge, loss_derivative, sigmoid, softplus
from edgeolk.core.parts cimport (
    SAMPLING_AUXILIARY, SAMPLING_DECAY, SAMPLING_DERIVATIVE, SAMPLING_LOSS, SAMPLING_MARGIN,
    SCHEDULE_DECAY, UPDATE_LOGISTIC_SCALE, UPDATE_LOGISTIC_SHIFT,
)
from edgeolk.core.state cimport Example, Model


cdef inline double auxiliary_probability(const Model* m, double z) noexcept nogil:
    """p = l(z) / h(z), l = ln(1 + exp(-z)) (Zhang et al. 2012, section on auxiliary functions)."""
    cdef double gap = log(m.p.boost)
    cdef double h
    if m.choice.update == UPDATE_LOGISTIC_SHIFT:
        h = gap + softplus(-z - gap)
        return softplus(-z) / h if h > 0.0 else 1.0
    if m.choice.update == UPDATE_LOGISTIC_SCALE:
        h = softplus(gap - z)
        return softplus(-z) / h if h > 0.0 else 1.0 / m.p.boost
    return 1.0


cdef inline double sampling_probability(const Model* m, const Example* e) noexcept nogil:
    cdef int sampling = m.choice.sampling
    cdef double t
    if sampling == SAMPLING_LOSS:
        if not e.self_kernel > 0.0:
            return 0.0
        # rho = min(alpha, l) / beta, l the hinge loss (Lu, Zhao & Hoi 2016, algorithm 1)
        return min(m.p.alpha, hinge(e.f, e.y)) / m.p.beta
    if sampling == SAMPLING_DECAY:
        t = <double>m.steps if m.choice.schedule == SCHEDULE_DECAY else m.p.horizon
        return min(1.0, m.p.c * pow(t, -m.p.decay))
    if sampling == SAMPLING_DERIVATIVE:
        return fabs(loss_derivative(m.choice.loss, e.f, e.y)) / m.p.G
    if sampling == SAMPLING_MARGIN:
        return (2.0 - m.p.eta) / (2.0 - m.p.eta + m.p.eta * sigmoid(e.y * e.f))
    if sampling == SAMPLING_AUXILIARY:
        return auxiliary_probability(m, e.y * e.f)
    return 1.0
