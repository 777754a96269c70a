"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from edgeolk.ring.losses cimport (
    epsilon,
    epsilon_sign,
    epsilon_slope,
    hinge,
    hinge_slope,
    label,
    logistic_slope,
    novelty_slope,
    ramp_slope,
    square_slope,
)
from edgeolk.core.parts cimport (
    LOSS_EPSILON,
    LOSS_HINGE,
    LOSS_LOGISTIC,
    LOSS_NOVELTY,
    LOSS_RAMP,
    LOSS_SQUARE,
)
from edgeolk.core.state cimport Example, State


cdef inline double loss_slope(const State* s, const Example* e) noexcept nogil:
    cdef int part = s.c.choice.loss
    if part == LOSS_HINGE:
        return hinge_slope(s, e)
    if part == LOSS_RAMP:
        return ramp_slope(s, e)
    if part == LOSS_LOGISTIC:
        return logistic_slope(s, e)
    if part == LOSS_SQUARE:
        return square_slope(s, e)
    if part == LOSS_NOVELTY:
        return novelty_slope(s, e)
    if part == LOSS_EPSILON:
        return epsilon_slope(s, e)
    return 0.0


cdef inline double loss_residual(const State* s, const Example* e) noexcept nogil:
    cdef int part = s.c.choice.loss
    if part == LOSS_HINGE or part == LOSS_RAMP:
        return hinge(s, e)
    if part == LOSS_EPSILON:
        return epsilon(s, e)
    return 0.0


cdef inline double loss_sign(const State* s, const Example* e) noexcept nogil:
    cdef int part = s.c.choice.loss
    if part == LOSS_HINGE or part == LOSS_RAMP:
        return label(s, e)
    if part == LOSS_EPSILON:
        return epsilon_sign(s, e)
    return 0.0
