"""What is taken from f before it is compared with 0."""

from edgeolk.core.state cimport State


cdef inline double threshold(const State* s) noexcept nogil:
    """What a score is held against: rho of novelty."""
    return s.novelty[0] if s.novelty != NULL else 0.0
