"""The engine: one model's block and its regions."""

from libc.stdint cimport int64_t

from edgeolk.core.arena cimport Arena
from edgeolk.core.state cimport State
from edgeolk.ring.ring cimport SupportVectorRing


cdef class Engine:
    cdef State state
    cdef readonly Arena arena
    cdef readonly object config
    cdef SupportVectorRing ring   # of the ring family, or None
    cdef SupportVectorRing first_reader  # the same regions, for the first thread that reads
    # Threads inside a long call without the interpreter lock: number of readers, or -1 for a
    # learner. Read and written only with the lock of the interpreter or of the engine held.
    cdef int users
    cdef bint warned              # of readings outside the range of int8 storage
    cdef bint warned_of_zeros     # of a mostly zero matrix that is read in full
    cdef bint warned_of_error     # of predictions that diverge from the targets
    cdef double largest_target    # largest |y| since this engine was created
    cdef int64_t targets_seen
    # Regions as memoryviews of their actual shapes and types, by name; the pointers of state point
    # into them.
    cdef dict views
    cdef dict regions

    cdef dict places(self)
    cdef object view_of(self, object region, object memory, Py_ssize_t start)
    cdef object other_scratch(self, State* reader)
    cdef const void* check_row(self, const Py_buffer* x, bint learning=*) except NULL
    cdef double learn_checked(self, object x, double y, double weight) except? -1.0
    cdef int check_forecasts(self) except -1
    cdef int check_pending(self) except -1
    cdef int ask_placed(self, object x, double* f) except -1
    cdef bint forecasts(self) noexcept
    cdef int check_variance(self) except -1
    cdef int unseal(self) except -1
    cdef int refuse_bad_row(self, object x) except -1
    cdef int decide_row(self, object x, double* f) except -1
    cdef int take(self) except -1
    cdef void release(self) noexcept
    cdef object enter(self, State* reader, int64_t* answers_left)
    cdef void leave(self, int64_t answers) noexcept
    cdef int idle(self) except -1
    cdef int readable(self) except -1
