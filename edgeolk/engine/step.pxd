"""The operations on one model: construct, learn, predict, score. Compiled once, in step.pyx."""

from edgeolk.core.state cimport State


cdef void construct(State* s) noexcept nogil
cdef int learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil
cdef int ask(State* s, const void* x, double* f) noexcept nogil
cdef int tell(State* s, double y) noexcept nogil
cdef void restart(State* s) noexcept nogil
cdef int decide(State* s, const void* x, bint mean, double* f) noexcept nogil
cdef int answer(State* s, const void* x, bint mean, bint counts, double* f) noexcept nogil
cdef void prepare_mean(State* s) noexcept nogil
cdef void skip(State* s) noexcept nogil
cdef bint asks_score(const State* s) noexcept nogil
cdef bint wants(const State* s, double f) noexcept nogil
cdef void count_asked(State* s) noexcept nogil
