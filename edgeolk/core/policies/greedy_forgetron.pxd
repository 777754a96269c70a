"""The Forgetron that evicts the cheapest vector, in O(B d), with cached scores.

scores[i] = f(s_i) / scale is updated at each exchange by two kernel rows, of the incoming and the
evicted vector; a search from scratch would take B of them. To keep rounding errors from
accumulating, each exchange recomputes one slot, in turn.

The method itself magnifies a difference tenfold in some hundred steps, even in exact arithmetic:
the evicted vector depends on f, and f on earlier evictions. Variants that round differently diverge
after one or two thousand rows in double, a few hundred in float; neither is less correct
(tests/test_twins_self.py).
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport Evicted, alpha, put, slot_row
from edgeolk.core.policies.forgetron cimport (
    exchange_shrunk, margin_of, next_factor, removal_cost,
)
from edgeolk.core.policies.replacement cimport take_oldest
from edgeolk.core.headers cimport OLK_F64
from edgeolk.core.value_types cimport doubles
from edgeolk.core.state cimport Example, Model, State


cdef inline Evicted cached(const State* s, int64_t i) noexcept nogil:
    """As ``evicted``, from cached scores and the kernel row of the incoming vector."""
    return Evicted(s.function.scale * s.scores[i], doubles(s.row)[i])


cdef inline int64_t cheapest_removal(const State* s, double a) noexcept nogil:
    """argmin of Psi over the old slots; ties go to the oldest."""
    cdef int64_t i
    cdef int64_t r = 0
    cdef double cost
    cdef double min_cost = 0.0
    for i in range(s.m.n):
        cost = removal_cost(fabs(s.function.scale * doubles(s.coef)[i]),
                            margin_of(s, i, cached(s, i), a))
        if i == 0 or cost < min_cost or (cost == min_cost and s.arrival[i] < s.arrival[r]):
            min_cost = cost
            r = i
    return r


cdef inline void score_incoming(State* s, int64_t slot, const Example* e) noexcept nogil:
    """Update the scores for the vector just put in a slot; row is its kernel row."""
    doubles(s.row)[slot] = e.self_kernel
    s.simd.axpy[OLK_F64](s.scores, doubles(s.coef)[slot], s.row, s.m.n)
    s.scores[slot] = s.simd.dot[OLK_F64](s.coef, s.row, s.m.n)


cdef inline bint admit_forgetron_greedy(State* s, double a, Example* e) noexcept nogil:
    """Self-tuned: evict the vector with the cheapest removal."""
    cdef Model* m = s.m
    cdef int64_t i, r
    cdef Evicted gone
    cdef double phi
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        score_incoming(s, m.n - 1, e)
        return True
    r = cheapest_removal(s, a)
    gone = cached(s, r)
    phi = next_factor(s, fabs(alpha(s, r)), margin_of(s, r, gone, a))
    slot_row(s, r, m.n, NULL, s.work)
    s.simd.axpy[OLK_F64](s.scores, -doubles(s.coef)[r], s.work, m.n)
    exchange_shrunk(s, r, gone, phi, a, e)
    score_incoming(s, r, e)
    i = take_oldest(s)
    s.scores[i] = slot_row(s, i, m.n, s.coef, NULL)
    return True
