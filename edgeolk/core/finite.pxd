"""Whether every number of a vector is finite, or fits a narrower type."""

from libc.float cimport DBL_MAX, FLT_MAX
from libc.stdint cimport int64_t

from edgeolk.core.headers cimport OLK_MAX_AS_FLOAT, olk_within_f32, olk_within_f64

ctypedef fused floating:
    float
    double


cdef inline bint all_within(const floating* x, int64_t d, double limit) noexcept nogil:
    """Every |x_j| <= most, representable in the type of x; False for NaN."""
    if floating is float:
        return olk_within_f32(x, d, <float>limit)
    else:
        return olk_within_f64(x, d, limit)


cdef inline bint all_finite(const floating* x, int64_t d) noexcept nogil:
    """No NaN, no infinity; only then is 0 * x_j exactly 0."""
    if floating is float:
        return olk_within_f32(x, d, FLT_MAX)
    else:
        return olk_within_f64(x, d, DBL_MAX)


cdef inline bint finite_as_float(const double* x, int64_t d) noexcept nogil:
    """Every |x_j| fits a float32."""
    return olk_within_f64(x, d, OLK_MAX_AS_FLOAT)
