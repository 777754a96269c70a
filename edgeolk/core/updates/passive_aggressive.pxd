"""Passive-aggressive updates: the smallest step that reduces the residual loss H to 0.

H = max(0, 1 - y f), or with a tolerance max(0, |y - f| - epsilon), where the sign of y - f replaces
y. tau is the size of the step."""

from edgeolk.core.loss_switch cimport loss_residual, loss_sign
from edgeolk.core.parts cimport SAMPLING_LOSS
from edgeolk.core.state cimport Example, State


cdef inline bint passive_aggressive_asks(const State* s, const Example* e) noexcept nogil:
    """H > 0; a row with k(x, x) = 0 cannot reduce H (sampling refuses it later)."""
    if s.c.choice.sampling == SAMPLING_LOSS:
        return loss_residual(s, e) > 0.0
    return loss_residual(s, e) > 0.0 and e.self_kernel > 0.0


cdef inline double loss_drop(const Example* e) noexcept nogil:
    """Decrease of H per unit of tau: k(x, x), over all columns."""
    return e.self_kernel * e.power


cdef inline double pa_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """tau = H / k(x, x)."""
    return loss_sign(s, e) * loss_residual(s, e) / loss_drop(e)


cdef inline double pa1_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """... cut at C."""
    return loss_sign(s, e) * min(s.c.p.C * e.weight, loss_residual(s, e) / loss_drop(e))


cdef inline double pa2_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """... damped by 1 / (2C)."""
    return loss_sign(s, e) * loss_residual(s, e) / (loss_drop(e) + 0.5 / (s.c.p.C * e.weight))


cdef inline double sparse_pa_coefficient(const State* s, const Example* e, double p) noexcept nogil:
    """... cut at eta / p."""
    return loss_sign(s, e) * min(s.c.p.eta / p, loss_residual(s, e) / loss_drop(e))
