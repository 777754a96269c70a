"""What a learner says of the last row beside its score, as numbers."""

from edgeolk.core.state cimport State
from edgeolk.core.watched cimport reason_of


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
