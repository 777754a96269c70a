"""Several rows together: scored in one pass, or learned with kernel values computed ahead."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t

from libc.string cimport memcpy

from edgeolk.ring.bases cimport map_features, maps_features, take_values
from edgeolk.core.c cimport OLK_F64, olk_intake_measures, olk_row_outputs
from edgeolk.core.parts cimport BASIS_SUPPORT_VECTORS
from edgeolk.core.state cimport Example, MAX_CHANGED
from edgeolk.ring.switches cimport update_begin
from edgeolk.ring.updates cimport threshold
from edgeolk.ring.expansion cimport value_ahead
from edgeolk.ring.filters.untuned cimport is_tracker
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficients, lengths_from, mean_coefficients, value_type, vectors_from,
)
from edgeolk.core.together cimport dense_rows, row_bytes, rows_in_buffer


# Scores several rows together: bit for bit as one by one.

cdef inline bint pays_together(SupportVectorRing ring) noexcept nogil:
    """Whether dense rows are cheaper together than one by one."""
    return (ring.m.n * ring.c.n_features >= 256
            and ring.c.choice.basis == BASIS_SUPPORT_VECTORS and not is_tracker(ring))


cdef inline int64_t rows_together(SupportVectorRing ring) noexcept nogil:
    if maps_features(ring):
        return max(<int64_t>1, min(rows_in_buffer(ring.s), ring.ahead.rows))
    return dense_rows(ring.s) if pays_together(ring) else 1


cdef inline int64_t score_rows(SupportVectorRing ring, const void* rows, int64_t count, bint mean,
                               double* f) noexcept nogil:
    """Scores of rows as by ``decide``; returns the number of rows with finite scores.

    If features are computed from kernel values, these are present already (``take_values``).
    """
    cdef Example e
    cdef olk_row_outputs wanted
    cdef int64_t i, k
    cdef double scale
    scale = 1.0 if mean else ring.function.scale
    wanted.dtype = value_type(ring)
    wanted.coef = mean_coefficients(ring) if mean else coefficients(ring)
    wanted.columns = ring.c.columns
    wanted.stride = ring.c.weights
    wanted.f = f
    wanted.values = NULL
    if maps_features(ring):
        map_features(ring, count)
        for i in range(count):
            f[i] = ring.simd.dot[OLK_F64](
                coefficients(ring), &ring.features_ahead[i, 0], ring.nystrom.rank)
    else:
        ring.simd.rows[ring.c.vectors](
            &ring.c.kernel, vectors_from(ring.vectors, 0), lengths_from(ring, 0),
            &ring.s.quantizer, ring.c.stride, ring.m.n, ring.c.n_features, rows,
            ring.c.n_features, count, &wanted)
    for i in range(count):
        if not mean and ring.c.columns == 1:
            e.x = <const char*>rows + i * row_bytes(ring.s)
            e.hint = 0.0
            update_begin(ring, &e)
            f[i] = scale * f[i] + e.hint - threshold(ring)
        elif not mean:
            for k in range(ring.c.columns):
                f[i * ring.c.columns + k] *= scale
        for k in range(ring.c.columns):
            if not isfinite(f[i * ring.c.columns + k]):
                return i
    return count


# Learns rows with the kernel values of several computed in one pass over the ring.
#
# The values of the next rows are computed with the current ring and kept (for a Nystrom basis, the
# features computed from them). The sum for a row is taken when it is learned, with the coefficients
# at that time and in the order of a kernel row. After a step that wrote to the ring, only the
# values of the changed slots are recomputed for the remaining rows. So decisions, draws and models
# are bit for bit those of learning row by row.

cdef inline int64_t rows_ahead(SupportVectorRing ring) noexcept nogil:
    """How many rows are worth computing ahead now, 0 for none."""
    if ring.ahead.rows == 0 or not (maps_features(ring) or pays_together(ring)):
        return 0
    # Until the kernel width is known, any row may change it.
    if olk_intake_measures(&ring.s.preprocessing.intake):
        return 0
    return ring.ahead.rows


cdef inline void* row_ahead(SupportVectorRing ring, int64_t i) noexcept nogil:
    if ring.rows_ahead_f64 is not None:
        return &ring.rows_ahead_f64[i, 0]
    return &ring.rows_ahead_f32[i, 0]


cdef inline void compute_values(SupportVectorRing ring, int64_t first, int64_t n, int64_t i,
                                int64_t count) noexcept nogil:
    """Compute values of rows i .. i + count - 1 with slots first .. first + n - 1."""
    cdef olk_row_outputs wanted
    wanted.dtype = ring.ahead.value_type
    wanted.coef = NULL
    wanted.columns = 1
    wanted.values = value_ahead(ring, i, first)
    wanted.values_pitch = ring.c.weights
    ring.simd.rows[ring.c.vectors](
        &ring.c.kernel, vectors_from(ring.vectors, first), lengths_from(ring, first),
        &ring.s.quantizer, ring.c.stride, n, ring.c.n_features, row_ahead(ring, i),
        ring.c.n_features, count, &wanted)


cdef inline void put_row_ahead(SupportVectorRing ring, int64_t i, const void* x) noexcept nogil:
    """Store the row just placed as row i ahead."""
    memcpy(row_ahead(ring, i), x, <size_t>row_bytes(ring.s))
    ring.ahead.beyond[i] = <int32_t>ring.s.beyond
    if maps_features(ring):
        take_values(ring, i, x)


cdef inline const void* take_row_ahead(SupportVectorRing ring, int64_t i) noexcept nogil:
    """Make row i the next to be learned."""
    ring.ahead.next = i
    ring.s.beyond = ring.ahead.beyond[i]
    return row_ahead(ring, i)


cdef inline void compute_ahead(SupportVectorRing ring, int64_t count) noexcept nogil:
    """Compute the values of all rows ahead with the whole ring, or their features."""
    ring.s.sparse_x = NULL
    ring.ahead.n_changed = 0
    if maps_features(ring):
        map_features(ring, count)
    else:
        compute_values(ring, 0, ring.m.n, 0, count)


cdef inline bint update_changed_slots(SupportVectorRing ring, int64_t i,
                                      int64_t count) noexcept nogil:
    """Recompute values of rows i .. count - 1 with changed slots; False: recompute all of them."""
    cdef int64_t k
    if ring.ahead.n_changed > MAX_CHANGED:
        return False
    for k in range(ring.ahead.n_changed):
        if ring.ahead.changed[k] < ring.m.n:
            compute_values(ring, ring.ahead.changed[k], 1, i, count - i)
    ring.ahead.n_changed = 0
    return True
