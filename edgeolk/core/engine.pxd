"""The engine: one model's block and its regions."""

from libc.stdint cimport int64_t

from edgeolk.core.arena cimport Arena
from edgeolk.core.state cimport State


cdef class Engine:
    cdef State state
    cdef readonly Arena arena
    cdef readonly object config
    # Who is inside a long call, without the interpreter lock: readers, or -1 for one who learns.
    # Read and written only with the lock held.
    cdef int users
    cdef bint warned              # that readings lay beyond the levels of int8 storage
    cdef bint warned_of_zeros     # that a matrix of mostly zeros is read in full
    cdef bint warned_of_error     # that predictions ran away from the targets
    cdef double largest_target    # |y| of those seen since this engine was made
    cdef int64_t targets_seen
    # Regions as memoryviews of their true shapes and types, by name; state's pointers point into
    # them.
    cdef dict views
    cdef dict regions

    cdef dict places(self)
    cdef const void* checked_row(self, const Py_buffer* x, bint learning=*) except NULL
    cdef double learned_row(self, object x, double y, double weight) except? -1.0
    cdef int check_forecasts(self) except -1
    cdef int unseal(self) except -1
    cdef int check_row(self, object x) except -1
    cdef int decide_row(self, object x, double* f) except -1
    cdef int take(self) except -1
    cdef void release(self) noexcept
    cdef int enter(self, State* own, void** scratch) except -1
    cdef void leave(self, void* scratch) noexcept
    cdef int idle(self) except -1
