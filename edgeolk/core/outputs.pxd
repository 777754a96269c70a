"""Outputs for the last row in addition to its score."""

from libc.stdint cimport uint64_t

from edgeolk.core.headers cimport OLK_VERDICT, olk_get
from edgeolk.core.value_types cimport row_type
from edgeolk.core.state cimport State


cdef inline double threshold_of(const State* s) noexcept nogil:
    """Novelty over time: the threshold for the next row."""
    return olk_get(row_type(s), s.sorf.state.deviations, 0)


cdef inline double reason_of(const uint64_t* watch) noexcept nogil:
    """What decided the verdict on the last row: part + 4 kind + 16 channel."""
    cdef uint64_t bits = watch[OLK_VERDICT]
    return <double>((bits >> 1 & 3) + 4 * (bits >> 3 & 3) + 16 * (bits >> 8))


cdef inline Py_ssize_t n_outputs(const State* s) noexcept nogil:
    """Number of additional outputs per row, 0 if there is only the score."""
    if s.forecast.on:
        return s.forecast.config.n_levels + 2 + (s.forecast.config.kernel != 0)
    return s.sorf.state.watch != NULL


cdef inline void write_outputs(const State* s, double* numbers) noexcept nogil:
    """Half widths of the intervals of a forecast, then the weights of its experts; for novelty over
    time the reason of the verdict."""
    cdef Py_ssize_t k
    cdef Py_ssize_t levels = s.forecast.config.n_levels
    if not s.forecast.on:
        numbers[0] = reason_of(s.sorf.state.watch)
        return
    for k in range(levels):
        numbers[k] = s.forecast.last.half_width[k]
    for k in range(n_outputs(s) - levels):
        numbers[levels + k] = s.forecast.last.share[k]
