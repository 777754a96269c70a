"""Rows given by their non-zeros: what storage can hold of them."""

from libc.stdint cimport int32_t, int64_t

from edgeolk.boundary.batches cimport Batch, first_bad_dense
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
    if n == 0:
        return True
    if s.c.vectors == DTYPE_FLOAT64 or s.intake.reshapes:
        return all_finite(value, n)
    if s.c.vectors == DTYPE_FLOAT16:
        return all_within(value, n, half_most())
    return finite_as_float(value, n)


cdef inline Py_ssize_t first_bad_row(State* s, const Batch* rows, Py_ssize_t first) noexcept:
    """The first row, from there on, with a number that storage cannot hold, or their number."""
    cdef Py_ssize_t i
    cdef int64_t start
    if rows.start == NULL:
        return first_bad_dense(s, rows, first)
    start = rows.start[first]
    # Mostly nothing is bad: all numbers in one go, once.
    if first == 0 and values_fit(s, rows.value + start, rows.start[rows.n] - start):
        return rows.n
    for i in range(first, rows.n):
        if not values_fit(s, rows.value + rows.start[i], rows.start[i + 1] - rows.start[i]):
            return i
    return rows.n
