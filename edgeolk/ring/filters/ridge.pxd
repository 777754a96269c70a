"""Kernel ridge regression on the rows of the ring (SW-KRLS and FB-KRLS).

The coefficients solve (K + ridge I) a = targets; ``inverse`` has the inverse, ``per_update`` the
targets.
"""

from libc.stdint cimport int64_t

from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport put
from edgeolk.ring.inverse cimport append_bordered, exchange_bordered, has_pivots, refresh_inverse
from edgeolk.ring.ring cimport SupportVectorRing


cdef inline bint ridge_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """work = Ki k and the squared distance, ridge included, were set by the policy."""
    cdef int64_t slot = e.slot
    cdef int64_t n = ring.m.n
    cdef bint sound = e.distance > 0.0
    if slot < 0:
        return True  # of all, the row itself is needed least
    if slot == n:
        if sound:
            append_bordered(ring, e.distance)
    else:
        if sound:
            exchange_bordered(ring, slot, e.distance)
        ring.function.removals += 1
    put(ring, slot, 0.0, e)
    ring.per_update[0, slot] = e.y
    if not sound or ring.function.removals >= ring.c.budget or not has_pivots(ring):
        refresh_inverse(ring, ring.c.p.ridge)
    ring.simd.symmetric_product(
        &ring.inverse[0], ring.m.n, &ring.per_update[0, 0], &ring.coef_f64[0, 0])
    return True
