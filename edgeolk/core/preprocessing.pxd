"""Preprocessing of a row: c/intake.h, then placing in the storage type; the kernel's width.

The row passed in is only read. The learner sees it where it is, or in ``query``.
"""

from libc.stdint cimport int64_t

from edgeolk.core.numbers cimport floating
from edgeolk.core.c cimport (
    olk_indices, olk_intake_gamma, olk_intake_row, olk_model_set_width, olk_raw_row,
)
from edgeolk.core.rows cimport place, place_sparse
from edgeolk.core.state cimport State


# The kernel width, if it is not given.

cdef inline void use_width(State* s) noexcept nogil:
    """Copy the width in the block to the kernel."""
    s.c.kernel.gamma = olk_intake_gamma(&s.preprocessing.intake)
    olk_model_set_width(&s.sorf, s.c.kernel.gamma)


# A row.

cdef inline const void* preprocess(State* s, olk_raw_row* row, bint learning) noexcept nogil:
    """The preprocessed row; NULL if it has changed since it was checked."""
    if not olk_intake_row(&s.preprocessing.intake, row, learning, s.query):
        return NULL
    if row.wide != NULL:
        return place(s, row.wide)
    if row.narrow != NULL:
        return place(s, row.narrow)
    return place_sparse(s, row.index, row.value, row.count)


cdef inline const void* take_dense(State* s, const floating* x, bint learning) noexcept nogil:
    """The preprocessed row, in place or in scratch; NULL if it has changed since it was checked.

    ``learning``: whether it will be learned, not only scored.
    """
    cdef olk_raw_row row = olk_raw_row(NULL, NULL, olk_indices(NULL, NULL), NULL, 0)
    if not s.preprocessing.reshapes:
        return place(s, x)
    if floating is double:
        row.wide = x
    else:
        row.narrow = x
    return preprocess(s, &row, learning)


cdef inline const void* take_sparse(State* s, olk_indices index, const double* value,
                                    int64_t count, bint learning) noexcept nogil:
    cdef olk_raw_row row = olk_raw_row(NULL, NULL, index, value, count)
    if not s.preprocessing.reshapes:
        return place_sparse(s, index, value, count)
    return preprocess(s, &row, learning)
