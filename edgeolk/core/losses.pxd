"""Losses of the score f, their derivatives with respect to f, and residuals.

With several classes f is the margin and y = 1; for novelty y is the threshold."""

from libc.math cimport exp, fabs, log1p

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


cdef inline double label(const State* s, const Example* e) noexcept nogil:
    """The sign of the new coefficient under a loss of the margin."""
    return e.y


cdef inline double hinge(const State* s, const Example* e) noexcept nogil:
    """max(0, 1 - y f)."""
    cdef double h = 1.0 - e.y * e.f
    return h if h > 0.0 else 0.0


cdef inline double hinge_slope(const State* s, const Example* e) noexcept nogil:
    """0 at y f = 1 exactly."""
    return -e.y if e.y * e.f < 1.0 else 0.0


cdef inline double ramp_slope(const State* s, const Example* e) noexcept nogil:
    """The slope of the hinge, 0 wherever |f| > 1."""
    return 0.0 if fabs(e.f) > 1.0 else hinge_slope(s, e)


cdef inline double logistic_slope(const State* s, const Example* e) noexcept nogil:
    return -e.y * sigmoid(-e.y * e.f)


cdef inline double square_slope(const State* s, const Example* e) noexcept nogil:
    return e.f - e.y


cdef inline double novelty_slope(const State* s, const Example* e) noexcept nogil:
    return -1.0 if e.f < e.y else 0.0


cdef inline double epsilon(const State* s, const Example* e) noexcept nogil:
    """max(0, |y - f| - epsilon)."""
    cdef double h = fabs(e.y - e.f) - s.c.p.epsilon
    return h if h > 0.0 else 0.0


cdef inline double epsilon_sign(const State* s, const Example* e) noexcept nogil:
    return 1.0 if e.y > e.f else -1.0


cdef inline double epsilon_slope(const State* s, const Example* e) noexcept nogil:
    """0 on the edge of the tolerance."""
    return -epsilon_sign(s, e) if epsilon(s, e) > 0.0 else 0.0
