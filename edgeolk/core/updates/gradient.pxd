"""Stochastic gradient steps in the kernel's space: -eta_t l'(f) / p."""

from libc.math cimport pow, sqrt

from edgeolk.core.losses cimport loss_derivative
from edgeolk.core.parts cimport SCHEDULE_DECAY, SCHEDULE_SQRT
from edgeolk.core.state cimport Example, Model


cdef inline double step_size(const Model* m) noexcept nogil:
    """eta_t, t counting every example from 1; a Nystrom learner has its own after the change."""
    cdef double eta = m.p.eta if m.rank == 0 else m.p.eta2
    if m.choice.schedule == SCHEDULE_SQRT:
        return eta / sqrt(<double>m.steps)
    if m.choice.schedule == SCHEDULE_DECAY:
        return eta * pow(<double>m.steps, -0.5 * (1.0 + m.p.decay))
    return eta


cdef inline bint gradient_asks(const Model* m, const Example* e) noexcept nogil:
    return loss_derivative(m.choice.loss, e.f, e.y) != 0.0


cdef inline double gradient_coefficient(const Model* m, const Example* e, double p) noexcept nogil:
    return -step_size(m) * loss_derivative(m.choice.loss, e.f, e.y) / p
