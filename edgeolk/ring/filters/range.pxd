"""The numbers of a filter stay in the range that a file may hold, or it starts again.

Steps of any sensible size stay far within it. Beyond it lead states of forged files, and options
such as a step size of 1e308.
"""

from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64, olk_max_entry
from edgeolk.core.parts cimport coefficients_max, kernel_normalised
from edgeolk.core.state cimport MAX_CHANGED
from edgeolk.ring.expansion cimport vacate_slot
from edgeolk.ring.inverse cimport entry, has_pivots
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, value_type


cdef inline bint within(SupportVectorRing ring, int type, const void* x, int64_t n,
                        double limit) noexcept nogil:
    """Whether |x| <= limit; False for NaN."""
    return ring.simd.dot[type](x, x, n) <= limit * limit


cdef inline bint is_sound(SupportVectorRing ring) noexcept nogil:
    """Whether coefficients, matrices and sums are in range."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t packed = entry(n, 0)
    cdef double limit = olk_max_entry(True, kernel_normalised(ring.c.kernel.kind))
    if ring.evidence != NULL:
        ring.process.n = n
        return ring.simd.process_is_sound[value_type(ring)](&ring.process)
    if not within(ring, value_type(ring), coefficients(ring), n,
                  coefficients_max(ring.c.choice.coefficients)):
        return False
    if ring.per_update is not None and not within(ring, OLK_F64, &ring.per_update[0, 0], n, 1e150):
        return False
    if ring.inverse is not None and n > 0 and not (
            within(ring, OLK_F64, &ring.inverse[0], packed, limit) and has_pivots(ring)):
        return False
    if ring.posterior is not None and not within(
            ring, OLK_F64, &ring.posterior[0], packed, limit):
        return False
    if ring.factor is not None:
        if not within(ring, OLK_F64, &ring.factor[0], packed, limit):
            return False
        for i in range(n):
            if not (ring.factor[entry(i, i)] > 0.0 and ring.posterior[entry(i, i)] > 0.0):
                return False
    return True


cdef inline void start_again(SupportVectorRing ring) noexcept nogil:
    """Forget the function; counters and the rows of a window stay."""
    cdef int64_t i, k
    for i in range(ring.m.n):
        vacate_slot(ring, i)
        for k in range(ring.c.n_per_update):
            ring.per_update[k, i] = 0.0
    ring.m.n = 0
    ring.function.scale = 1.0
    ring.function.cursor = 0
    ring.function.removals = 0
    if ring.evidence != NULL:
        ring.evidence.error = 0.0
        ring.evidence.weight = 0.0
        ring.evidence.scale = 1.0
    ring.ahead.n_changed = MAX_CHANGED + 1
