"""Policies that evict one support vector and give its slot to the incoming one."""

from libc.math cimport floor, sqrt
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport apply_scale, drop, put, rescale, squares
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, diagonal_or_null, value_type
from edgeolk.core.c cimport OLK_F64, olk_uniform, olk_uniform_index
from edgeolk.core.state cimport Example, Model


cdef inline int64_t take_oldest(SupportVectorRing ring) noexcept nogil:
    """The oldest slot: with one eviction per admission they cycle 0, 1, ..., B-1."""
    cdef int64_t slot = ring.function.cursor
    ring.function.cursor = (slot + 1) % ring.c.budget
    return slot


cdef inline int64_t smallest_slot(SupportVectorRing ring) noexcept nogil:
    """The smallest |alpha|, or sum of squares over the columns; ties go to the oldest."""
    if ring.c.columns > 1:
        squares(ring)
        return ring.simd.argmin_abs[OLK_F64](&ring.work[0], NULL, &ring.arrival[0], ring.m.n)
    return ring.simd.argmin_abs[value_type(ring)](
        coefficients(ring), NULL, &ring.arrival[0], ring.m.n)


cdef inline bint admit_free(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """Append; never called for a full ring."""
    put(ring, ring.m.n, a, e)
    return True


cdef inline bint replace(SupportVectorRing ring, int64_t slot, double a, Example* e) noexcept nogil:
    drop(ring, slot, e)
    put(ring, slot, a, e)
    return True


cdef inline bint admit_replacing_oldest(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """Append, or replace the oldest."""
    if ring.m.n < ring.c.budget:
        return admit_free(ring, a, e)
    return replace(ring, take_oldest(ring), a, e)


cdef inline bint admit_replacing_smallest(SupportVectorRing ring, double a,
                                          Example* e) noexcept nogil:
    """Append, or replace the one with the smallest |alpha|."""
    if ring.m.n < ring.c.budget:
        return admit_free(ring, a, e)
    return replace(ring, smallest_slot(ring), a, e)


cdef inline bint admit_replacing_random(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """Append, or replace a random one, by one draw."""
    if ring.m.n < ring.c.budget:
        return admit_free(ring, a, e)
    return replace(ring, olk_uniform_index(&ring.m.rng, ring.m.n), a, e)


cdef inline int64_t dynamic_budget(SupportVectorRing ring) noexcept nogil:
    """B_t = min(B, max(2, floor(3/2 + g sqrt(t)))), B without growth g (He & Kwok, section 4)."""
    cdef double grown
    if not ring.c.p.growth > 0.0:
        return ring.c.budget
    grown = floor(1.0 + ring.c.p.growth * sqrt(<double>ring.m.steps) + 0.5)
    if grown >= <double>ring.c.budget:
        return ring.c.budget
    return max(<int64_t>2, <int64_t>grown)


cdef inline bint admit_unbiased(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """Evict a random one and scale the others by B/(B-1): unbiased (algorithm 3)."""
    cdef Model* m = ring.m
    cdef int64_t r
    cdef int64_t limit = dynamic_budget(ring)
    if m.n < limit:
        put(ring, m.n, a, e)
        return True
    r = olk_uniform_index(&m.rng, limit)
    drop(ring, r, e)
    rescale(ring, <double>limit / <double>(limit - 1), e)
    put(ring, r, a, e)
    return True


cdef inline double keeping_factor(SupportVectorRing ring) noexcept nogil:
    """c with sum_i min(1, c w_i) = B - 1, w_i = work[i]: the heaviest are never evicted."""
    cdef Py_ssize_t before = -1
    cdef ptrdiff_t certain = 0
    cdef int64_t n = ring.m.n
    cdef double c = 0.0
    cdef double rest = ring.simd.sum_uncertain(&ring.work[0], n, c, &certain)
    # Iterate until the set of certain ones is stable; rounding may leave one, which is evicted.
    while before < certain < n - 1:
        before = certain
        c = <double>(n - 1 - certain) / rest
        rest = ring.simd.sum_uncertain(&ring.work[0], n, c, &certain)
    return c


cdef inline bint admit_unbiased_by_size(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """Slot i stays with probability pi_i = min(1, c w_i); the others are scaled by 1 / pi_i.

    w_i = |alpha_i| sqrt(k(s_i, s_i)) (BOGD++, Zhao et al. 2012, with probabilities capped at 1),
    without the common scale. A slot of weight 0 is evicted first, without loss and without a draw.
    """
    cdef Model* m = ring.m
    cdef int64_t r
    cdef double c
    if m.n < ring.c.budget:
        put(ring, m.n, a, e)
        return True
    if ring.mean_sum is not None:
        apply_scale(ring)
    if ring.simd.sizes[value_type(ring)](
            coefficients(ring), diagonal_or_null(ring), m.n, &ring.work[0]) == 0.0:
        r = ring.simd.argmin[OLK_F64](&ring.work[0], m.n)
    else:
        c = keeping_factor(ring)
        r = max(<int64_t>0,
                ring.simd.sample_evicted(&ring.work[0], m.n, c, olk_uniform(&m.rng)))
        ring.simd.divide_by_probability[value_type(ring)](
            coefficients(ring), &ring.work[0], m.n, c)
    drop(ring, r, e)
    put(ring, r, a, e)
    return True
