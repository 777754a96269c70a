"""Learns rows with the kernel values of several computed in one pass over the ring.

The values of the next rows are computed with the current ring and kept (for a Nystrom basis, the
features computed from them). The sum for a row is taken when it is learned, with the coefficients
at that time and in the order of a kernel row. After a step that wrote to the ring, only the values
of the changed slots are recomputed for the remaining rows. So decisions, draws and models are bit
for bit those of learning row by row.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from edgeolk.core.bases.nystrom cimport features_of, map_features, maps_features, take_values
from edgeolk.core.ring cimport lengths_from
from edgeolk.core.headers cimport olk_row_outputs
from edgeolk.core.state cimport MAX_CHANGED, State
from edgeolk.core.block_scores cimport pays_together, row_bytes


cdef inline int64_t rows_ahead(const State* s) noexcept nogil:
    """How many rows are worth computing ahead now, 0 for none."""
    if s.ahead.rows == 0 or not (maps_features(s) or pays_together(s)):
        return 0
    # Until the kernel width is known, any row may change it.
    if s.preprocessing.width != NULL and not s.preprocessing.width.gamma > 0.0:
        return 0
    return s.ahead.rows


cdef inline void* row_ahead(const State* s, int64_t i) noexcept nogil:
    return <char*>s.ahead.x + i * row_bytes(s)


cdef inline char* values_ahead(const State* s, int64_t i) noexcept nogil:
    return <char*>s.ahead.values + i * s.c.weights * s.ahead.value_bytes


cdef inline void compute_values(State* s, int64_t first, int64_t n, int64_t i,
                                int64_t count) noexcept nogil:
    """Compute values of rows i .. i + count - 1 with slots first .. first + n - 1."""
    cdef olk_row_outputs wanted
    wanted.dtype = s.ahead.value_type
    wanted.coef = NULL
    wanted.columns = 1
    wanted.values = values_ahead(s, i) + first * s.ahead.value_bytes
    wanted.values_pitch = s.c.weights
    s.simd.rows[s.c.vectors](
        &s.c.kernel, <const char*>s.sv + first * s.c.item, lengths_from(s, first), &s.quantizer,
        s.c.stride, n, s.c.n_features, row_ahead(s, i), s.c.n_features, count, &wanted)


cdef inline void put_row_ahead(State* s, int64_t i, const void* x) noexcept nogil:
    """Store the row just placed as row i ahead."""
    memcpy(row_ahead(s, i), x, <size_t>row_bytes(s))
    s.ahead.beyond[i] = <int32_t>s.beyond
    if maps_features(s):
        take_values(s, i, x)


cdef inline const void* take_row_ahead(State* s, int64_t i) noexcept nogil:
    """Make row i the next to be learned."""
    if maps_features(s):
        s.ahead.next = features_of(s, i)
    else:
        s.ahead.next = values_ahead(s, i)
    s.beyond = s.ahead.beyond[i]
    return row_ahead(s, i)


cdef inline void compute_ahead(State* s, int64_t count) noexcept nogil:
    """Compute the values of all rows ahead with the whole ring, or their features."""
    s.sparse_x = NULL
    s.ahead.n_changed = 0
    if maps_features(s):
        map_features(s, count)
    else:
        compute_values(s, 0, s.m.n, 0, count)


cdef inline bint update_changed_slots(State* s, int64_t i, int64_t count) noexcept nogil:
    """Recompute values of rows i .. count - 1 with changed slots; False: recompute all of them."""
    cdef int64_t k
    if s.ahead.n_changed > MAX_CHANGED:
        return False
    for k in range(s.ahead.n_changed):
        if s.ahead.changed[k] < s.m.n:
            compute_values(s, s.ahead.changed[k], 1, i, count - i)
    s.ahead.n_changed = 0
    return True
