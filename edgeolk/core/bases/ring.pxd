"""The ring of support vectors as a basis: f is a sum of kernels."""

from edgeolk.core.expansion cimport next_row
from edgeolk.core.state cimport State


cdef inline double ring_score(State* s, const void* x, const void* coef,
                              void* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x); the kernel values go to row unless NULL."""
    return next_row(s, x, coef, row)
