"""Checks of rows given by their non-zeros."""

from libc.stdint cimport int64_t

from edgeolk.boundary.batches cimport Batch, first_bad_dense, has_entries
from edgeolk.core.engine cimport Engine
from edgeolk.core.parts cimport BASIS_SUPPORT_VECTORS, DTYPE_INT8
from edgeolk.core.rows cimport accepts
from edgeolk.core.state cimport State


cdef enum:
    LONG = 16384  # numbers in a ring from which on dense processing is slow


cdef inline int warn_of_zeros(Engine engine, const Batch* rows) except -1:
    """Warn once of a mostly zero matrix for a ring that is read in full for every row."""
    cdef const State* s = &engine.state
    cdef str remedy
    if (rows.start == NULL or s.nonzero_index != NULL or engine.warned_of_zeros
            or s.c.choice.basis != BASIS_SUPPORT_VECTORS
            or s.c.n_features * s.c.budget < LONG
            or 4 * rows.entries > rows.n * s.c.n_features or rows.n == 0):
        return 0
    import warnings

    engine.warned_of_zeros = True
    if engine.config.preprocessing.method:
        remedy = "scaled rows have no zeros; omit scale= for such rows"
    elif s.c.choice.dtype == DTYPE_INT8:
        remedy = "int8 has no zero to skip; dtype='float16' with sparse=True does"
    else:
        remedy = "sparse=True skips the zeros"
    warnings.warn(f"X is mostly zeros, but every number is read: {remedy}", stacklevel=2)
    return 0


cdef inline bint numbers_fit(State* s, const double* value, Py_ssize_t n) noexcept:
    """Whether storage can represent each of n numbers."""
    if n == 0:
        return True
    return accepts(s, value, n)


cdef inline Py_ssize_t first_bad_row(State* s, const Batch* rows, Py_ssize_t first) noexcept:
    """Index of the first row from ``first`` that storage cannot represent, or rows.n."""
    cdef Py_ssize_t i
    cdef int64_t start, end
    if rows.start == NULL:
        return first_bad_dense(s, rows, first)
    # Bad rows are rare: first check all numbers at once.
    if first == 0 and numbers_fit(s, rows.value, rows.entries):
        return rows.n
    for i in range(first, rows.n):
        if (not has_entries(rows, i, &start, &end)
                or not numbers_fit(s, rows.value + start, end - start)):
            return i
    return rows.n
