"""The one block of memory behind a learner or a scaler."""


cdef struct Claim:
    # A buffer in use, as a node of an intrusive list.
    char* start
    char* end
    Claim* next


cdef bint overlaps_model(const char* start, const char* end) noexcept


cdef class Arena:
    cdef char* base               # the block, on a boundary of 8 to 64 bytes
    cdef readonly Py_ssize_t nbytes     # total: block and alignment slack
    cdef Py_ssize_t length        # of the block
    cdef void* owned
    cdef Py_buffer lent
    cdef bint borrowed
    cdef Claim claim
