"""The engine: one model's block and its regions."""

from edgeolk.core.arena cimport Arena
from edgeolk.core.state cimport State


cdef bint is_label(const State* s, double label) noexcept nogil
cdef str labels_allowed(const State* s)


cdef class Engine:
    cdef State state
    cdef readonly Arena arena
    cdef readonly object config
    cdef bint busy
    cdef bint warned              # that readings lay beyond the levels of int8 storage
    # Regions as typed memoryviews of their true shapes and types, by name; state's pointers point
    # into them.
    cdef dict views
    cdef dict regions

    cdef void* at(self, str name) except? NULL
    cdef int attach_structured(self) except -1
    cdef const void* checked_row(self, const Py_buffer* x) except NULL
    cdef int decide_row(self, object x, double* f) except -1
    cdef int take(self) except -1
    cdef void release(self) noexcept
