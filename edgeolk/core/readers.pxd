"""Several threads that only read one model: each has a copy of its struct, and scratch of its own.

The struct notes things about the row that is placed, so no two readers may share one. The first
reader uses the block's scratch; the copies of the others point into memory of their own.
"""

from cpython.mem cimport PyMem_Malloc
from libc.stdint cimport uintptr_t

from edgeolk.core.state cimport State

cdef enum:
    WIDEST = 64


cdef inline void move_pointer(void** pointer, Py_ssize_t by) noexcept nogil:
    if pointer[0] != NULL:
        pointer[0] = <char*>pointer[0] + by


cdef inline void* with_own_scratch(State* own, Py_ssize_t length) noexcept:
    """Memory that the scratch pointers of a reader's struct then point into, or NULL.

    Every region of ``configuration/regions.py`` that is no state is moved: what is left out here is
    written by two readers (``tests/edgeolk/test_readers.py``).
    """
    cdef char* block = <char*>own.m
    # State is what a file holds, and the header knows how long that is.
    cdef char* scratch = block + 8 * <Py_ssize_t>own.m.eighths
    cdef char* made = <char*>PyMem_Malloc(2 * WIDEST + (block + length - scratch))
    cdef char* start
    cdef Py_ssize_t by
    if made == NULL:
        return NULL
    # Aligned as in the block.
    start = made + (<uintptr_t>scratch - <uintptr_t>made) % WIDEST
    by = start - scratch
    move_pointer(&own.query, by)
    move_pointer(<void**>&own.nonzero_index, by)
    move_pointer(&own.nonzero_value, by)
    move_pointer(&own.column, by)
    move_pointer(&own.row, by)
    move_pointer(&own.distance, by)
    move_pointer(&own.products, by)
    move_pointer(&own.mean_coef, by)
    move_pointer(<void**>&own.class_scores, by)
    move_pointer(<void**>&own.gram, by)
    move_pointer(<void**>&own.pulls, by)
    move_pointer(<void**>&own.work, by)
    move_pointer(<void**>&own.work2, by)
    move_pointer(<void**>&own.order, by)
    move_pointer(&own.ahead.x, by)
    move_pointer(&own.ahead.values, by)
    move_pointer(<void**>&own.ahead.features, by)
    move_pointer(&own.structured.state.inputs, by)
    move_pointer(<void**>&own.structured.state.scores, by)
    move_pointer(<void**>&own.structured.state.recalled, by)
    move_pointer(&own.structured.state.row, by)
    return made
