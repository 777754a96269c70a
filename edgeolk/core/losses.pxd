"""Losses as functions of the score f, and their derivatives with respect to f.

With several classes f is the margin and y = 1; for novelty y is the threshold."""

from libc.math cimport exp, fabs, log1p

from edgeolk.core.parts cimport (
    LOSS_EPSILON, LOSS_HINGE, LOSS_LOGISTIC, LOSS_NOVELTY, LOSS_SQUARE,
)
from edgeolk.core.state cimport Example, State


cdef inline double sigmoid(double u) noexcept nogil:
    """1 / (1 + exp(-u)), without overflow."""
    cdef double e
    if u >= 0.0:
        return 1.0 / (1.0 + exp(-u))
    e = exp(u)
    return e / (1.0 + e)


cdef inline double softplus(double u) noexcept nogil:
    """log(1 + exp(u)), without overflow."""
    return (u if u > 0.0 else 0.0) + log1p(exp(-fabs(u)))


cdef inline double piecewise_loss(const State* s, const Example* e) noexcept nogil:
    """max(0, 1 - y f), or max(0, |y - f| - epsilon): what passive-aggressive steps mend."""
    cdef double h
    if s.c.choice.loss == LOSS_EPSILON:
        h = fabs(e.y - e.f) - s.c.p.epsilon
    else:
        h = 1.0 - e.y * e.f
    return h if h > 0.0 else 0.0


cdef inline double direction(const State* s, const Example* e) noexcept nogil:
    """The sign of a newcomer's coefficient under such a loss."""
    if s.c.choice.loss == LOSS_EPSILON:
        return 1.0 if e.y > e.f else -1.0
    return e.y


cdef inline double loss_derivative(const State* s, const Example* e) noexcept nogil:
    """dl/df, along the shares with several classes.

    Hinge and ramp: 0 at y f = 1 exactly; ramp: 0 wherever |f| > 1; the tolerance: 0 on its edge.
    """
    cdef int loss = s.c.choice.loss
    if loss == LOSS_HINGE:
        return -e.y if e.y * e.f < 1.0 else 0.0
    if loss == LOSS_LOGISTIC:
        return -e.y * sigmoid(-e.y * e.f)
    if loss == LOSS_SQUARE:
        return e.f - e.y
    if loss == LOSS_EPSILON:
        return -direction(s, e) if piecewise_loss(s, e) > 0.0 else 0.0
    if loss == LOSS_NOVELTY:
        return -1.0 if e.f < e.y else 0.0
    # The ramp: the hinge, flat beyond 1.
    return -e.y if e.y * e.f < 1.0 and not fabs(e.f) > 1.0 else 0.0
