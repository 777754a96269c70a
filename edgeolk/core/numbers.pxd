"""Numbers: their types in the block, whether they are finite, and the range that a step accepts."""

from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport fabs
from libc.stdint cimport int64_t

from edgeolk.core.c cimport (
    OLK_F32, OLK_F64, OLK_LINEAR, OLK_MAX_AS_FLOAT, OLK_SIGMOID, olk_get, olk_kernel, olk_put,
    olk_within_f32, olk_within_f64,
)
from edgeolk.core.parts cimport (
    DTYPE_FLOAT64, coefficients_max, coefficients_max_kernel, kernel_normalised,
)
from edgeolk.core.state cimport State


cdef inline int row_type(const State* s) noexcept nogil:
    """The type that rows are computed in: an index into the tables of C functions."""
    return OLK_F64 if s.c.vectors == DTYPE_FLOAT64 else OLK_F32


# Whether every number of a vector is finite, or fits a narrower type.

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
