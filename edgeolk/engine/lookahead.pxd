"""Several rows together: scored in one pass, or learned with kernel values computed ahead."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from edgeolk.ring.bases cimport features_of, map_features, maps_features, take_values
from edgeolk.core.c cimport OLK_F64, olk_intake_measures, olk_row_outputs
from edgeolk.core.parts cimport BASIS_SUPPORT_VECTORS
from edgeolk.ring.ring cimport lengths_from
from edgeolk.core.state cimport Example, MAX_CHANGED, State
from edgeolk.engine.switches cimport update_begin
from edgeolk.ring.updates cimport threshold
from edgeolk.core.numbers cimport value_type
from edgeolk.core.together cimport dense_rows, row_bytes, rows_in_buffer


# Scores several rows together: bit for bit as one by one.

cdef inline bint pays_together(const State* s) noexcept nogil:
    """Whether dense rows are cheaper together than one by one."""
    return (s.m.n * s.c.n_features >= 256 and s.c.choice.basis == BASIS_SUPPORT_VECTORS)


cdef inline int64_t ring_rows_together(const State* s) noexcept nogil:
    if maps_features(s):
        return max(<int64_t>1, min(rows_in_buffer(s), s.ahead.rows))
    return dense_rows(s) if pays_together(s) else 1


cdef inline int64_t ring_scores(State* s, const void* rows, int64_t count, bint mean,
                                double* f) noexcept nogil:
    """Scores of rows as by ``decide``; returns the number of rows with finite scores.

    If features are computed from kernel values, these are present already (``take_values``).
    """
    cdef Example e
    cdef olk_row_outputs wanted
    cdef int64_t i, k
    cdef double scale
    scale = 1.0 if mean else s.function.scale
    wanted.dtype = value_type(s)
    wanted.coef = s.mean_coef if mean else s.coef
    wanted.columns = s.c.columns
    wanted.stride = s.c.weights
    wanted.f = f
    wanted.values = NULL
    if maps_features(s):
        map_features(s, count)
        for i in range(count):
            f[i] = s.simd.dot[OLK_F64](s.coef, features_of(s, i), s.nystrom.rank)
    else:
        s.simd.rows[s.c.vectors](&s.c.kernel, s.sv, s.lengths, &s.quantizer, s.c.stride, s.m.n,
                                 s.c.n_features, rows, s.c.n_features, count, &wanted)
    for i in range(count):
        if not mean and s.c.columns == 1:
            e.x = <const char*>rows + i * row_bytes(s)
            e.hint = 0.0
            update_begin(s, &e)
            f[i] = scale * f[i] + e.hint - threshold(s)
        elif not mean:
            for k in range(s.c.columns):
                f[i * s.c.columns + k] *= scale
        for k in range(s.c.columns):
            if not isfinite(f[i * s.c.columns + k]):
                return i
    return count


# Learns rows with the kernel values of several computed in one pass over the ring.
#
# The values of the next rows are computed with the current ring and kept (for a Nystrom basis, the
# features computed from them). The sum for a row is taken when it is learned, with the coefficients
# at that time and in the order of a kernel row. After a step that wrote to the ring, only the
# values of the changed slots are recomputed for the remaining rows. So decisions, draws and models
# are bit for bit those of learning row by row.

cdef inline int64_t rows_ahead(const State* s) noexcept nogil:
    """How many rows are worth computing ahead now, 0 for none."""
    if s.ahead.rows == 0 or not (maps_features(s) or pays_together(s)):
        return 0
    # Until the kernel width is known, any row may change it.
    if olk_intake_measures(&s.preprocessing.intake):
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
