"""Concurrent readers of one model: each has a copy of the struct, and separate scratch.

The struct stores properties of the current row, so readers cannot share it. The first reader uses
the scratch of the block; the copies of the others point into separate memory.
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
    """Allocate scratch for a reader and point its struct into it; NULL if memory is short.

    All scratch regions of ``configuration/regions.py`` must be listed: two readers would write to
    one left out (``tests/edgeolk/test_readers.py``).
    """
    cdef char* block = <char*>own.m
    # Scratch starts after the saved state, whose length is in the header.
    cdef char* scratch = block + 8 * <Py_ssize_t>own.m.eighths
    cdef char* made = <char*>PyMem_Malloc(2 * WIDEST + (block + length - scratch))
    cdef char* start
    cdef Py_ssize_t by
    if made == NULL:
        return NULL
    # With the alignment of the block.
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
