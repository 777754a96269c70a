"""Bounds on rows that keep every result of a step finite.

Products of two rows are bounded by their squares (Cauchy-Schwarz), so only the square is checked: a
step multiplies a few kernel values and scores, never more than fit between these bounds and the
largest number of their type. Distance kernels are at most 1 for all rows.
"""

from libc.math cimport fabs

from edgeolk.core.parts cimport (
    DTYPE_FLOAT64, coefficients_max, coefficients_max_kernel, kernel_normalised,
)
from edgeolk.core.headers cimport OLK_LINEAR, OLK_SIGMOID, olk_kernel
from edgeolk.core.state cimport State


cdef inline bint may_enter(const State* s, double a) noexcept nogil:
    """Whether a coefficient is in range; False for NaN."""
    return fabs(a) <= coefficients_max(s.c.choice.coefficients)


cdef inline bint in_range(const State* s, const void* x, double f, double k_self) noexcept nogil:
    """Whether a row with this score and k(x, x) may be learned; False for NaN."""
    cdef double limit
    cdef olk_kernel inner
    if not fabs(f) <= 1e120:
        return False
    if kernel_normalised(s.c.kernel.kind):
        return True
    if not fabs(k_self) <= coefficients_max_kernel(s.c.choice.coefficients):
        return False
    if s.c.kernel.kind != OLK_SIGMOID:
        return True
    # k(x, x) does not bound the inner product it is computed from, and infinities cancel to NaN.
    inner = s.c.kernel
    inner.kind = OLK_LINEAR
    limit = 1e100 if s.c.vectors == DTYPE_FLOAT64 else 1e36
    return s.pair_fn(&inner, x, x, s.c.n_features) <= limit
