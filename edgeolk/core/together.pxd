"""How many dense rows are scored together."""

from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_BLOCK, OLK_MAX_BATCH_ROWS, OLK_SUMS_OF_BLOCK, olk_dtype_bytes
from edgeolk.core.numbers cimport row_type
from edgeolk.core.state cimport State


cdef enum:
    NUMBERS_OF_BLOCK = 2048   # stack buffer for the rows of a block, in doubles


cdef inline int64_t row_bytes(const State* s) noexcept nogil:
    """Bytes of one row in the row type."""
    return s.c.n_features * olk_dtype_bytes(row_type(s))


cdef inline int64_t rows_in_buffer(const State* s) noexcept nogil:
    """How many rows fit into the buffer of a block."""
    return min(<int64_t>OLK_BLOCK, <int64_t>(8 * NUMBERS_OF_BLOCK) // row_bytes(s))


cdef inline int64_t dense_rows(const State* s) noexcept nogil:
    """How many rows the loops score in one pass; 1 if one by one is no slower."""
    cdef int64_t max_rows = rows_in_buffer(s)
    # Fewer rows than the loops process at a time gain nothing; the sums of a block are on the
    # stack, including padding.
    if (max_rows < OLK_MAX_BATCH_ROWS
            or s.c.columns * 2 * OLK_MAX_BATCH_ROWS > OLK_SUMS_OF_BLOCK):
        return 1
    return max_rows - max_rows % OLK_MAX_BATCH_ROWS
