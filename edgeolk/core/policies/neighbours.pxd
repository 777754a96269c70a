"""Who is whose nearest support vector, kept exactly through every exchange (BPA-NN).

For each slot i: nearest[i], nearest_d2[i] (squared distance in input space), nearest_k[i] (kernel
with it); -1 where there is no other. Ties go to the lowest slot.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport distance_row, gather, row_at, slot_kernel
from edgeolk.core.real cimport get, put as write, real
from edgeolk.core.state cimport Model, State


cdef enum:
    LOST = -2  # the neighbour has just left


cdef inline int64_t nearest_to_newcomer(const State* s, int64_t but) noexcept nogil:
    """argmin of the distance row, one slot left out (-1: none); -1 if there is none."""
    cdef int64_t best
    cdef double own
    if but < 0:
        return s.simd.argmin[real(s)](s.distance, s.m.n)
    own = get(s, s.distance, but)
    write(s, s.distance, but, INFINITY)
    best = s.simd.argmin[real(s)](s.distance, s.m.n)
    write(s, s.distance, but, own)
    return best


cdef inline void set_nearest(State* s, int64_t slot, int64_t other, double k) noexcept nogil:
    s.nearest[slot] = other
    if other >= 0:
        write(s, s.nearest_d2, slot, get(s, s.distance, other))
        s.nearest_k[slot] = k


cdef inline void offer(State* s, int64_t slot) noexcept nogil:
    """The newcomer, in its slot, becomes the nearest of whoever it is closer to."""
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


cdef inline void rescan(State* s, int64_t slot) noexcept nogil:
    """Full search for one slot's nearest, O(B d)."""
    cdef const void* x = gather(s, slot)
    cdef int64_t best
    distance_row(s, x)
    best = nearest_to_newcomer(s, slot)
    set_nearest(s, slot, best, slot_kernel(s, x, best) if best >= 0 else 0.0)


cdef inline void neighbours_admit(State* s) noexcept nogil:
    """The newcomer is about to take slot n of a ring that is not full."""
    cdef int64_t n = s.m.n
    cdef int64_t best = nearest_to_newcomer(s, -1)
    set_nearest(s, n, best, row_at(s, best) if best >= 0 else 0.0)
    offer(s, n)


cdef inline void neighbours_replace(State* s, int64_t r) noexcept nogil:
    """The newcomer has replaced slot r; row and distance are still those of the old ring."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t best = nearest_to_newcomer(s, r)
    for i in range(m.n):
        if i != r and s.nearest[i] == r:
            s.nearest[i] = LOST
    set_nearest(s, r, best, row_at(s, best) if best >= 0 else 0.0)
    offer(s, r)
    # Those who lost their neighbour look again: about one an exchange.
    for i in range(m.n):
        if s.nearest[i] == LOST:
            rescan(s, i)
