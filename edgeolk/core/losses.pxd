"""Losses as functions of the score f, and their derivatives with respect to f."""

from libc.math cimport exp, fabs, log1p

from edgeolk.core.parts cimport LOSS_LOGISTIC, LOSS_RAMP, LOSS_SQUARE


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


cdef inline double hinge(double f, double y) noexcept nogil:
    """max(0, 1 - y f)."""
    cdef double h = 1.0 - y * f
    return h if h > 0.0 else 0.0


cdef inline double loss_derivative(int loss, double f, double y) noexcept nogil:
    """dl/df. Hinge and ramp: 0 at y f = 1 exactly; ramp: 0 wherever |f| > 1."""
    if loss == LOSS_LOGISTIC:
        return -y * sigmoid(-y * f)
    if loss == LOSS_SQUARE:
        return f - y
    if loss == LOSS_RAMP and fabs(f) > 1.0:
        return 0.0
    return -y if y * f < 1.0 else 0.0
