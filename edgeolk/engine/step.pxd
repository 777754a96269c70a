"""The operations on one model. Compiled once, in step.pyx."""

from edgeolk.core.state cimport Family, State


cdef const Family* family_of(int number) noexcept
cdef void construct(State* s) noexcept nogil
cdef int learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil
cdef int answer(State* s, const void* x, bint mean, bint counts, double* f) noexcept nogil
cdef void skip(State* s) noexcept nogil
cdef bint asks_score(const State* s) noexcept nogil
cdef bint wants(const State* s, double f) noexcept nogil
