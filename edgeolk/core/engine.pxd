"""The engine: one model's block, and the step that runs any composition of parts."""

from libc.stdint cimport int32_t, int64_t

from edgeolk.core.arena cimport Arena
from edgeolk.core.state cimport Example, State


cdef class Engine:
    cdef State state
    cdef readonly Arena arena
    cdef bint busy
    # Typed views of the arena's regions; state's pointers point into them.
    cdef unsigned char[::1] sv
    cdef double[::1] coef
    cdef dict regions
    cdef Py_ssize_t window_stride

    cdef char* region(self, str name) except? NULL
    cdef int step(self, const void* x, double y, double* f) noexcept nogil
    cdef void shrink(self, double a, Example* e) noexcept nogil
    cdef bint wants(self, double f) noexcept nogil
    cdef int decide(self, const void* x, bint mean, double* f) noexcept nogil
    cdef void prepare_mean(self) noexcept nogil
    cdef const void* checked_row(self, const double[::1] x) except NULL
    cdef int take(self) except -1
    cdef void release(self) noexcept
