"""Rows given by their non-zeros: what storage can hold of them."""

from libc.stdint cimport int32_t, int64_t

from edgeolk.boundary.batches cimport Batch
from edgeolk.core.finite cimport all_finite, all_within, finite_as_float
from edgeolk.core.parts cimport DTYPE_FLOAT16, DTYPE_FLOAT64
from edgeolk.core.rows cimport half_most
from edgeolk.core.state cimport State


cdef inline bint indices_increase(const int32_t* index, Py_ssize_t n, int64_t d) noexcept:
    """0 <= index[0] < index[1] < ... < d."""
    cdef Py_ssize_t k
    cdef int64_t before = -1
    for k in range(n):
        if not before < index[k] < d:
            return False
        before = index[k]
    return True


cdef inline bint values_fit(State* s, const double* value, Py_ssize_t n) noexcept:
    """Each of n numbers, as if each were a row's only one."""
    if s.c.vectors == DTYPE_FLOAT64 or s.intake.reshapes:
        return all_finite(value, n)
    if s.c.vectors == DTYPE_FLOAT16:
        return all_within(value, n, half_most())
    return finite_as_float(value, n)


cdef inline Py_ssize_t first_bad_value(State* s, const Batch* rows) noexcept:
    """The first entry of a sparse batch that storage cannot hold, or -1."""
    cdef Py_ssize_t k
    cdef Py_ssize_t n = rows.start[rows.n]
    if values_fit(s, rows.value, n):
        return -1
    for k in range(n):
        if not values_fit(s, rows.value + k, 1):
            return k
    return -1
