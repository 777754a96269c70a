"""Policies that evict one support vector and give its slot to the incoming one."""

from libc.math cimport floor, sqrt
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport apply_scale, drop, put, rescale, squares
from edgeolk.core.numbers cimport value_type
from edgeolk.core.c cimport OLK_F64, olk_uniform, olk_uniform_index
from edgeolk.core.state cimport Example, Model, State


cdef inline int64_t take_oldest(State* s) noexcept nogil:
    """The oldest slot: with one eviction per admission they cycle 0, 1, ..., B-1."""
    cdef int64_t slot = s.function.cursor
    s.function.cursor = (slot + 1) % s.c.budget
    return slot


cdef inline int64_t smallest_slot(State* s) noexcept nogil:
    """The smallest |alpha|, or sum of squares over the columns; ties go to the oldest."""
    if s.c.columns > 1:
        squares(s)
        return s.simd.argmin_abs[OLK_F64](s.work, NULL, s.arrival, s.m.n)
    return s.simd.argmin_abs[value_type(s)](s.coef, NULL, s.arrival, s.m.n)


cdef inline bint admit_free(State* s, double a, Example* e) noexcept nogil:
    """Append; never called for a full ring."""
    put(s, s.m.n, a, e)
    return True


cdef inline bint replace(State* s, int64_t slot, double a, Example* e) noexcept nogil:
    drop(s, slot, e)
    put(s, slot, a, e)
    return True


cdef inline bint admit_replacing_oldest(State* s, double a, Example* e) noexcept nogil:
    """Append, or replace the oldest."""
    if s.m.n < s.c.budget:
        return admit_free(s, a, e)
    return replace(s, take_oldest(s), a, e)


cdef inline bint admit_replacing_smallest(State* s, double a, Example* e) noexcept nogil:
    """Append, or replace the one with the smallest |alpha|."""
    if s.m.n < s.c.budget:
        return admit_free(s, a, e)
    return replace(s, smallest_slot(s), a, e)


cdef inline bint admit_replacing_random(State* s, double a, Example* e) noexcept nogil:
    """Append, or replace a random one, by one draw."""
    if s.m.n < s.c.budget:
        return admit_free(s, a, e)
    return replace(s, olk_uniform_index(&s.m.rng, s.m.n), a, e)


cdef inline int64_t dynamic_budget(const State* s) noexcept nogil:
    """B_t = min(B, max(2, floor(3/2 + g sqrt(t)))), B without growth g (He & Kwok, section 4)."""
    cdef double grown
    if not s.c.p.growth > 0.0:
        return s.c.budget
    grown = floor(1.0 + s.c.p.growth * sqrt(<double>s.m.steps) + 0.5)
    if grown >= <double>s.c.budget:
        return s.c.budget
    return max(<int64_t>2, <int64_t>grown)


cdef inline bint admit_unbiased(State* s, double a, Example* e) noexcept nogil:
    """Evict a random one and scale the others by B/(B-1): unbiased (algorithm 3)."""
    cdef Model* m = s.m
    cdef int64_t r
    cdef int64_t limit = dynamic_budget(s)
    if m.n < limit:
        put(s, m.n, a, e)
        return True
    r = olk_uniform_index(&m.rng, limit)
    drop(s, r, e)
    rescale(s, <double>limit / <double>(limit - 1), e)
    put(s, r, a, e)
    return True


cdef inline double keeping_factor(State* s) noexcept nogil:
    """c with sum_i min(1, c w_i) = B - 1, w_i = work[i]: the heaviest are never evicted."""
    cdef Py_ssize_t before = -1
    cdef ptrdiff_t certain = 0
    cdef int64_t n = s.m.n
    cdef double c = 0.0
    cdef double rest = s.simd.sum_uncertain(s.work, n, c, &certain)
    # Iterate until the set of certain ones is stable; rounding may leave one, which is evicted.
    while before < certain < n - 1:
        before = certain
        c = <double>(n - 1 - certain) / rest
        rest = s.simd.sum_uncertain(s.work, n, c, &certain)
    return c


cdef inline bint admit_unbiased_by_size(State* s, double a, Example* e) noexcept nogil:
    """Slot i stays with probability pi_i = min(1, c w_i); the others are scaled by 1 / pi_i.

    w_i = |alpha_i| sqrt(k(s_i, s_i)) (BOGD++, Zhao et al. 2012, with probabilities capped at 1),
    without the common scale. A slot of weight 0 is evicted first, without loss and without a draw.
    """
    cdef Model* m = s.m
    cdef int64_t r
    cdef double c
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        return True
    if s.mean_sum != NULL:
        apply_scale(s)
    if s.simd.sizes[value_type(s)](s.coef, s.diagonal, m.n, s.work) == 0.0:
        r = s.simd.argmin[OLK_F64](s.work, m.n)
    else:
        c = keeping_factor(s)
        r = max(<int64_t>0, s.simd.sample_evicted(s.work, m.n, c, olk_uniform(&m.rng)))
        s.simd.divide_by_probability[value_type(s)](s.coef, s.work, m.n, c)
    drop(s, r, e)
    put(s, r, a, e)
    return True
