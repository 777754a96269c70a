"""Stochastic gradient steps in the kernel's space: -eta_t l'(f) / p."""

from libc.math cimport pow, sqrt

from edgeolk.core.expansion cimport rescale
from edgeolk.core.loss_switch cimport loss_slope
from edgeolk.core.parts cimport SCHEDULE_DECAY, SCHEDULE_SQRT
from edgeolk.core.state cimport Example, State


cdef inline double step_size(const State* s) noexcept nogil:
    """eta_t, t counting every example from 1; a Nystrom learner has eta2 once it has features."""
    cdef double eta = s.c.p.eta
    if s.nystrom != NULL and s.nystrom.rank > 0:
        eta = s.c.p.eta2
    if s.c.choice.schedule == SCHEDULE_SQRT:
        return eta / sqrt(<double>s.m.steps)
    if s.c.choice.schedule == SCHEDULE_DECAY:
        return eta * pow(<double>s.m.steps, -0.5 * (1.0 + s.c.p.decay))
    return eta


cdef inline bint gradient_asks(const State* s, const Example* e) noexcept nogil:
    if s.c.softmax:
        return e.share[e.label] > 0.0
    return loss_slope(s, e) != 0.0


cdef inline double gradient_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """-eta_t l' / p; for softmax the shares are -l'."""
    cdef double step = step_size(s) * e.weight
    if s.c.softmax:
        return step / p
    return -step * loss_slope(s, e) / p


cdef inline void gradient_shrink(State* s, double a, Example* e) noexcept nogil:
    """f <- (1 - eta lam) f, every step; the threshold of novelty moves too."""
    cdef double factor = 1.0 - s.c.p.eta * s.c.p.lam
    cdef double step
    if factor != 1.0:
        rescale(s, factor, e)
    if s.novelty != NULL:
        step = step_size(s) * e.weight
        if a != 0.0:
            s.novelty[0] -= step * (1.0 - s.c.p.nu)
        else:
            s.novelty[0] += step * s.c.p.nu
