"""The nearest neighbour of every support vector, kept exact through every exchange (BPA-NN).

For each slot i: nearest[i], nearest_d2[i] (squared distance in input space), nearest_k[i] (kernel
value with it); -1 if there is no other. Ties go to the lowest slot.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport distance_row, gather, row_at, slot_distance, slot_kernel
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.value_types cimport get, put as write, row_type, value_type
from edgeolk.core.ring cimport list_nonzeros
from edgeolk.core.headers cimport OLK_DISTANCE, OLK_F64, OLK_GAUSSIAN, olk_get, olk_kernel
from edgeolk.core.state cimport Model, State


cdef enum:
    LOST = -2                 # the neighbour was just evicted
    MAX_CANDIDATES = 16       # one slot in 16 may be read in full, else all are


cdef inline int64_t nearest_to_incoming(const State* s, int64_t excluded) noexcept nogil:
    """argmin of the distance row, excluding one slot (-1: none); -1 if the ring is empty."""
    cdef int64_t best
    cdef double saved
    if excluded < 0:
        return s.simd.argmin[value_type(s)](s.distance, s.m.n)
    saved = get(s, s.distance, excluded)
    write(s, s.distance, excluded, INFINITY)
    best = s.simd.argmin[value_type(s)](s.distance, s.m.n)
    write(s, s.distance, excluded, saved)
    return best


cdef inline void set_nearest(State* s, int64_t slot, int64_t other, double k) noexcept nogil:
    s.nearest[slot] = other
    if other >= 0:
        write(s, s.nearest_d2, slot, get(s, s.distance, other))
        s.nearest_k[slot] = k


cdef inline void update_nearest(State* s, int64_t slot) noexcept nogil:
    """Make the vector in this slot the nearest of every slot that it is closest to."""
    cdef int64_t i
    cdef double d2
    for i in range(s.m.n):
        if i == slot or s.nearest[i] == LOST:
            continue
        d2 = get(s, s.distance, i)
        if (s.nearest[i] < 0 or d2 < get(s, s.nearest_d2, i)
                or (d2 == get(s, s.nearest_d2, i) and slot < s.nearest[i])):
            s.nearest[i] = slot
            write(s, s.nearest_d2, i, d2)
            s.nearest_k[i] = row_at(s, i)


cdef inline double squared_length(const State* s, int64_t slot) noexcept nogil:
    return olk_get(row_type(s), s.norms, slot)


cdef inline bint rescan_nonzeros(State* s, int64_t slot, const void* x) noexcept nogil:
    """The search of ``rescan`` for a mostly zero x; False if it would not pay.

    Distances from norms and products of the non-zeros leave few candidates: the slots that may be
    nearest, allowing for rounding. Only these distances are then computed exactly.
    """
    cdef olk_kernel plain
    cdef int64_t i
    cdef int64_t best = -1
    cdef int64_t left = s.m.n // MAX_CANDIDATES + 1
    cdef double x2, d2
    cdef double min_d2 = INFINITY
    cdef double bound = INFINITY
    # Maximum error of a squared distance computed in either way, relative to |x|^2 + |s|^2.
    cdef double max_error = 4.0 * <double>(s.c.n_features + 8)
    if s.c.kernel.kind != OLK_GAUSSIAN or s.norms == NULL or s.nonzero_index == NULL:
        return False
    list_nonzeros(s, x)
    if s.sparse_x != x:
        return False
    # Distances have the type of coefficients, which may be the narrower one.
    if s.c.vectors == DTYPE_FLOAT64 and value_type(s) == OLK_F64:
        max_error *= 2.0 ** -53
    else:
        max_error *= 2.0 ** -24
    plain.kind = OLK_DISTANCE
    s.sparse_fn(&plain, s.sv, s.norms, s.c.stride, s.m.n, s.nonzeros, s.nonzero_index,
                s.nonzero_value, value_type(s), NULL, s.distance)
    x2 = squared_length(s, slot)
    for i in range(s.m.n):
        if i != slot:
            bound = min(bound, get(s, s.distance, i) + max_error * (x2 + squared_length(s, i)))
    for i in range(s.m.n):
        if i == slot or get(s, s.distance, i) - max_error * (x2 + squared_length(s, i)) > bound:
            continue
        left -= 1
        if left < 0:
            return False
        write(s, s.distance, i, slot_distance(s, x, i))
        d2 = get(s, s.distance, i)
        if d2 < min_d2:
            min_d2 = d2
            best = i
    if best < 0:
        return False
    set_nearest(s, slot, best, slot_kernel(s, x, best))
    return True


cdef inline void rescan(State* s, int64_t slot) noexcept nogil:
    """Search all slots for the nearest of one, O(B d)."""
    cdef const void* x = gather(s, slot)
    cdef int64_t best
    if rescan_nonzeros(s, slot, x):
        return
    distance_row(s, x)
    best = nearest_to_incoming(s, slot)
    set_nearest(s, slot, best, slot_kernel(s, x, best) if best >= 0 else 0.0)


cdef inline void neighbours_admit(State* s) noexcept nogil:
    """Before the incoming vector is put in slot n of a ring that is not full."""
    cdef int64_t n = s.m.n
    cdef int64_t best = nearest_to_incoming(s, -1)
    set_nearest(s, n, best, row_at(s, best) if best >= 0 else 0.0)
    update_nearest(s, n)


cdef inline void neighbours_replace(State* s, int64_t r) noexcept nogil:
    """After the incoming vector replaced slot r; row and distance are still of the old ring."""
    cdef Model* m = s.m
    cdef const void* before = s.sparse_x
    cdef int64_t i
    cdef int64_t best = nearest_to_incoming(s, r)
    for i in range(m.n):
        if i != r and s.nearest[i] == r:
            s.nearest[i] = LOST
    set_nearest(s, r, best, row_at(s, best) if best >= 0 else 0.0)
    update_nearest(s, r)
    # Search again for slots that lost their neighbour: about one per exchange, but many if rows are
    # mostly zeros and a short row is the nearest of all.
    for i in range(m.n):
        if s.nearest[i] == LOST:
            rescan(s, i)
    if s.sparse_x != before:
        s.sparse_x = NULL
        if before != NULL:
            list_nonzeros(s, before)
