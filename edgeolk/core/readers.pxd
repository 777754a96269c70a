"""Several threads that only read one model: each has scratch of its own.

The first uses the block's; the others a copy of the struct whose scratch pointers point behind it.
"""

from cpython.mem cimport PyMem_Malloc
from libc.stdint cimport uintptr_t

from edgeolk.core.state cimport State

cdef enum:
    WIDEST = 64


cdef inline void move_pointer(void** pointer, Py_ssize_t by) noexcept nogil:
    if pointer[0] != NULL:
        pointer[0] = <char*>pointer[0] + by


cdef inline State* with_own_scratch(const State* s, Py_ssize_t length) noexcept:
    """A copy of a model's struct and of the scratch behind its state; one allocation, or NULL."""
    cdef char* block = <char*>s.m
    # State is what a file holds, and the header knows how long that is.
    cdef char* scratch = block + 8 * <Py_ssize_t>s.m.eighths
    cdef char* made = <char*>PyMem_Malloc(sizeof(State) + 2 * WIDEST + (block + length - scratch))
    cdef char* start
    cdef State* own
    cdef Py_ssize_t by
    if made == NULL:
        return NULL
    own = <State*>made
    own[0] = s[0]
    # Aligned as in the block.
    start = made + sizeof(State)
    start += (<uintptr_t>scratch - <uintptr_t>start) % WIDEST
    by = start - scratch
    own.sparse_x = NULL
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
    move_pointer(&own.structured.state.inputs, by)
    move_pointer(<void**>&own.structured.state.scores, by)
    move_pointer(&own.structured.state.row, by)
    return own
