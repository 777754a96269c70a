"""What a learner says of the last row beside its score, as numbers."""

from libc.stdint cimport uint64_t

from edgeolk.core.headers cimport OLK_VERDICT, olk_get
from edgeolk.core.real cimport row_type
from edgeolk.core.state cimport State


cdef inline double threshold_of(const State* s) noexcept nogil:
    """Where rows are watched in the order of time: the threshold of the one that comes next."""
    return olk_get(row_type(s), s.structured.state.deviations, 0)


cdef inline double reason_of(const uint64_t* watch) noexcept nogil:
    """By what the last row was judged: its part, 4 what of a channel, 16 which channel."""
    cdef uint64_t bits = watch[OLK_VERDICT]
    return <double>((bits >> 1 & 3) + 4 * (bits >> 3 & 3) + 16 * (bits >> 8))


cdef inline Py_ssize_t numbers_said(const State* s) noexcept nogil:
    """How many they are: 0 where the score says all."""
    if s.forecast.on:
        return s.forecast.made.n_levels + 2 + (s.forecast.made.kernel != 0)
    return s.structured.state.watch != NULL


cdef inline void note_said(const State* s, double* numbers) noexcept nogil:
    """How far the intervals of a forecast reach, then the shares of its candidates; else by what a
    row was judged that is watched in the order of time."""
    cdef Py_ssize_t k
    cdef Py_ssize_t levels = s.forecast.made.n_levels
    if not s.forecast.on:
        numbers[0] = reason_of(s.structured.state.watch)
        return
    for k in range(levels):
        numbers[k] = s.forecast.said.reach[k]
    for k in range(numbers_said(s) - levels):
        numbers[levels + k] = s.forecast.said.share[k]
