"""The threshold subtracted from f."""

from edgeolk.core.state cimport State


cdef inline double threshold(const State* s) noexcept nogil:
    """rho for novelty, else 0."""
    return s.novelty[0] if s.novelty != NULL else 0.0
