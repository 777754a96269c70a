"""What a learner that watches rows in the order of time says of the last one, as one number."""

from libc.stdint cimport uint64_t

from edgeolk.core.real cimport row_type
from edgeolk.core.state cimport State
from edgeolk.core.headers cimport OLK_VERDICT, olk_get


cdef inline double threshold_of(const State* s) noexcept nogil:
    """The threshold of the row that comes next."""
    return olk_get(row_type(s), s.structured.state.deviations, 0)


cdef inline double reason_of(const uint64_t* watch) noexcept nogil:
    """By what the last row was judged: its part, 4 what of a channel, 16 which channel."""
    cdef uint64_t bits = watch[OLK_VERDICT]
    return <double>((bits >> 1 & 3) + 4 * (bits >> 3 & 3) + 16 * (bits >> 8))
