"""The Forgetron that lets the cheapest one go, in O(B d): f of every support vector is kept.

scores[i] = f(s_i) / scale follows each exchange by two kernel rows, the newcomer's and the
leaver's, where a search from scratch would take B of them. So that rounding errors do not pile up,
one slot an exchange is computed afresh, in turn.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport drop, put, rescale, slot_row
from edgeolk.core.policies.forgetron cimport next_factor, removal_cost
from edgeolk.core.policies.replacement cimport take_oldest
from edgeolk.core.state cimport Example, Model, State


cdef inline double kept_margin(const State* s, int64_t i, double a) noexcept nogil:
    """mu_i = y_i f'(s_i), f' = f + a k(x, .), y_i = sign(alpha_i)."""
    cdef double f = s.m.scale * s.scores[i] + a * s.row[i]
    return f if s.coef[i] > 0.0 else -f


cdef inline int64_t cheapest_removal(const State* s, double a) noexcept nogil:
    """argmin of Psi over the old slots, ties to the oldest."""
    cdef int64_t i
    cdef int64_t r = 0
    cdef double cost
    cdef double least = 0.0
    for i in range(s.m.n):
        cost = removal_cost(s.m.scale * fabs(s.coef[i]), kept_margin(s, i, a))
        if i == 0 or cost < least or (cost == least and s.arrival[i] < s.arrival[r]):
            least = cost
            r = i
    return r


cdef inline void score_newcomer(State* s, int64_t slot, const Example* e) noexcept nogil:
    """The newcomer is in its slot; row is its kernel row with the others."""
    cdef int64_t i
    cdef double c = s.coef[slot]
    s.row[slot] = e.self_kernel
    for i in range(s.m.n):
        s.scores[i] += c * s.row[i]
    s.scores[slot] = s.simd.dot(s.coef, s.row, s.m.n)


cdef inline void rescore(State* s, int64_t slot) noexcept nogil:
    s.scores[slot] = slot_row(s, slot, s.m.n, s.coef, NULL)


cdef inline void rescore_all(State* s) noexcept nogil:
    """After coefficients have moved on their own: O(B^2 d)."""
    cdef int64_t i
    for i in range(s.m.n):
        rescore(s, i)


cdef inline bint admit_forgetron_greedy(State* s, double a, Example* e) noexcept nogil:
    """Self-tuned: the one whose removal costs least leaves."""
    cdef Model* m = s.m
    cdef int64_t i, r
    cdef double phi, c
    if m.n < m.budget:
        put(s, m.n, a, e)
        score_newcomer(s, m.n - 1, e)
        return True
    r = cheapest_removal(s, a)
    phi = next_factor(m, m.scale * fabs(s.coef[r]), kept_margin(s, r, a))
    c = s.coef[r]
    slot_row(s, r, m.n, NULL, s.work)
    for i in range(m.n):
        s.scores[i] -= c * s.work[i]
    drop(s, r, e)
    rescale(s, phi, e)
    put(s, r, phi * a, e)
    score_newcomer(s, r, e)
    rescore(s, take_oldest(m))
    return True
