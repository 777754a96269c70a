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


# Single numbers in arrays of the coefficient type or the row type.
#
# Loops over such arrays are C functions compiled for each type (c/dots.h).

cdef inline int value_type(const State* s) noexcept nogil:
    """The type of coefficients: an index into the tables of C functions."""
    return s.c.choice.coefficients


cdef inline int row_type(const State* s) noexcept nogil:
    """The type that rows are computed in, likewise an index."""
    return OLK_F64 if s.c.vectors == DTYPE_FLOAT64 else OLK_F32


cdef inline double get(const State* s, const void* v, int64_t i) noexcept nogil:
    return olk_get(value_type(s), v, i)


cdef inline void put(const State* s, void* v, int64_t i, double value) noexcept nogil:
    olk_put(value_type(s), v, i, value)


cdef inline double* doubles(void* v) noexcept nogil:
    """The array of a model whose coefficients are float64."""
    return <double*>v


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


# Bounds on rows that keep every result of a step finite.
#
# Products of two rows are bounded by their squares (Cauchy-Schwarz), so only the square is checked:
# a step multiplies a few kernel values and scores, never more than fit between these bounds and the
# largest number of their type. Distance kernels are at most 1 for all rows.

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
