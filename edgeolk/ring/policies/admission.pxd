"""Kernel adaptive filters: which rows enter, and who leaves a full ring.

Symbols as in the papers: k the kernel row, kx = k(x, x), a the coefficients, e the error of the
row, delta the squared distance of k(x, .) from the span of the support vectors.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64, olk_process
from edgeolk.core.state cimport Example, NO_SLOT
from edgeolk.ring.expansion cimport alpha, diagonal
from edgeolk.ring.filters.linear cimport triangle_product
from edgeolk.ring.inverse cimport border, entry
from edgeolk.ring.policies.replacement cimport take_oldest
from edgeolk.ring.ring cimport SupportVectorRing, may_enter, value_type


cdef inline bint is_incoherent(SupportVectorRing ring, Example* e) noexcept nogil:
    """max_i |k_i| / sqrt(kx k_ii) <= coherence, while there is room (Richard et al. 2009).

    A row with kx = 0 is zero in the feature space: it enters only as the first.
    """
    cdef int64_t i
    if ring.m.n == 0:
        return True
    if ring.m.n == ring.c.budget or not e.self_kernel > 0.0:
        return False
    for i in range(ring.m.n):
        if not (fabs(ring.row_f64[i])
                <= ring.c.p.coherence * sqrt(max(0.0, e.self_kernel * diagonal(ring, i)))):
            return False
    return True


cdef inline bint is_independent(SupportVectorRing ring, Example* e) noexcept nogil:
    """delta > dependence, while there is room (Engel et al. 2004). Sets work to z = M k.

    A row so short that its coefficient e / delta would be out of range does not enter.
    """
    cdef int64_t n = ring.m.n
    triangle_product(ring, ring.factor, &ring.row_f64[0], &ring.work[0])
    e.distance = e.self_kernel - ring.simd.dot[OLK_F64](&ring.work[0], &ring.work[0], n)
    if n == ring.c.budget or not e.distance > (ring.c.p.dependence if n > 0 else 0.0):
        return False
    return may_enter(ring, (e.y - e.f) / e.distance)


cdef inline bint is_bordered(SupportVectorRing ring, Example* e) noexcept nogil:
    """Every row enters. Sets work to Ki k, for the bordered inverse of K + ridge I."""
    e.distance = border(ring, ring.c.p.ridge, e)
    return True


cdef inline int64_t oldest(SupportVectorRing ring, Example* e) noexcept nogil:
    return take_oldest(ring)


cdef inline int64_t least_error(SupportVectorRing ring, Example* e) noexcept nogil:
    """argmin |a_i| / [(K + ridge I)^-1]_ii over the ring and the row, after the row is learned."""
    cdef int64_t i
    cdef int64_t best = NO_SLOT
    cdef double cost
    cdef double g = (e.y - e.f) / e.distance
    cdef double min_cost = fabs(g) * e.distance
    for i in range(ring.m.n - 1, -1, -1):  # of equal ones the lowest slot
        cost = fabs(alpha(ring, 0, i) - ring.work[i] * g) / (
            ring.inverse[entry(i, i)] + ring.work[i] * ring.work[i] / e.distance)
        if cost <= min_cost:
            min_cost = cost
            best = i
    return best


cdef inline bint is_outside(SupportVectorRing ring, Example* e) noexcept nogil:
    """Forgets, then whether the distance from the span is the jitter at least."""
    cdef olk_process* g = &ring.process
    g.n = ring.m.n
    g.y = e.y
    g.f = e.f
    g.self_kernel = e.self_kernel
    g.slot = NO_SLOT
    return ring.simd.process_outside[value_type(ring)](g)


cdef inline int64_t least_needed(SupportVectorRing ring, Example* e) noexcept nogil:
    """The slot of the vector that is needed least, or of none."""
    return ring.simd.process_victim[value_type(ring)](&ring.process)
