"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from libc.stdint cimport int64_t

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
from edgeolk.core.state cimport Example, NO_SLOT
from edgeolk.ring.ring cimport SupportVectorRing


cdef inline double loss_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    cdef int part = ring.c.choice.loss
    if part == LOSS_HINGE:
        return hinge_slope(ring, e)
    if part == LOSS_RAMP:
        return ramp_slope(ring, e)
    if part == LOSS_LOGISTIC:
        return logistic_slope(ring, e)
    if part == LOSS_SQUARE:
        return square_slope(ring, e)
    if part == LOSS_NOVELTY:
        return novelty_slope(ring, e)
    if part == LOSS_EPSILON:
        return epsilon_slope(ring, e)
    return 0.0


cdef inline double loss_residual(SupportVectorRing ring, const Example* e) noexcept nogil:
    cdef int part = ring.c.choice.loss
    if part == LOSS_HINGE or part == LOSS_RAMP:
        return hinge(ring, e)
    if part == LOSS_EPSILON:
        return epsilon(ring, e)
    return 0.0


cdef inline double loss_sign(SupportVectorRing ring, const Example* e) noexcept nogil:
    cdef int part = ring.c.choice.loss
    if part == LOSS_HINGE or part == LOSS_RAMP:
        return label(ring, e)
    if part == LOSS_EPSILON:
        return epsilon_sign(ring, e)
    return 0.0
