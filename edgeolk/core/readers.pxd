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


cdef inline void* allocate_scratch(State* reader, Py_ssize_t length) noexcept:
    """Allocate scratch for a reader and point its struct into it; NULL if memory is short.

    All scratch regions of ``configuration/regions.py`` must be listed: two readers would write to
    one left out (``tests/edgeolk/test_readers.py``).
    """
    cdef char* block = <char*>reader.m
    # Scratch starts after the saved state, whose length is in the header.
    cdef char* scratch = block + 8 * <Py_ssize_t>reader.m.eighths
    cdef char* allocated = <char*>PyMem_Malloc(2 * WIDEST + (block + length - scratch))
    cdef char* start
    cdef Py_ssize_t by
    if allocated == NULL:
        return NULL
    # With the alignment of the block.
    start = allocated + (<uintptr_t>scratch - <uintptr_t>allocated) % WIDEST
    by = start - scratch
    move_pointer(&reader.query, by)
    move_pointer(<void**>&reader.nonzero_index, by)
    move_pointer(&reader.nonzero_value, by)
    move_pointer(&reader.column, by)
    move_pointer(&reader.row, by)
    move_pointer(&reader.distance, by)
    move_pointer(&reader.products, by)
    move_pointer(&reader.mean_coef, by)
    move_pointer(<void**>&reader.class_scores, by)
    move_pointer(<void**>&reader.gram, by)
    move_pointer(<void**>&reader.pulls, by)
    move_pointer(<void**>&reader.work, by)
    move_pointer(<void**>&reader.work2, by)
    move_pointer(<void**>&reader.order, by)
    move_pointer(&reader.ahead.x, by)
    move_pointer(&reader.ahead.values, by)
    move_pointer(<void**>&reader.ahead.features, by)
    move_pointer(&reader.sorf.state.inputs, by)
    move_pointer(<void**>&reader.sorf.state.scores, by)
    move_pointer(<void**>&reader.sorf.state.recalled, by)
    move_pointer(&reader.sorf.state.row, by)
    return allocated
