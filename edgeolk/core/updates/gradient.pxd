"""Stochastic gradient steps in the kernel's space: -eta_t l'(f) / p."""

from libc.math cimport sqrt

from edgeolk.core.losses cimport loss_derivative
from edgeolk.core.parts cimport SCHEDULE_SQRT
from edgeolk.core.state cimport Example, Model


cdef inline bint gradient_asks(const Model* m, const Example* e) noexcept nogil:
    return loss_derivative(m.choice.loss, e.f, e.y) != 0.0


cdef inline double gradient_coefficient(const Model* m, const Example* e, double p) noexcept nogil:
    """eta_t = eta or eta / sqrt(t), t counting every example from 1."""
    cdef double eta = m.p.eta
    if m.choice.schedule == SCHEDULE_SQRT:
        eta /= sqrt(<double>m.steps)
    return -eta * loss_derivative(m.choice.loss, e.f, e.y) / p
