"""The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): shrink all, drop the oldest.

Psi(l, mu) = l^2 + 2 l - 2 l mu bounds the cost of a removal of weight l and margin mu. The
shrinking factor is the largest that keeps the running sum Q of Psi at or below 15/32 of the
mistakes.
"""

from libc.math cimport fabs, pow, sqrt
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    Evicted, alpha, coefficient, drop_known, evicted, put, rescale, slot_row,
)
from edgeolk.core.c cimport OLK_F64
from edgeolk.ring.policies.replacement cimport take_oldest
from edgeolk.core.state cimport Example, Model, State
from edgeolk.core.numbers cimport doubles


cdef inline double shrinking_factor(double sigma, double mu, double slack) noexcept nogil:
    """max{p in (0, 1] : q(p) <= 0}, q(p) = a p^2 + b p - slack, slack > 0.

    One expression serves a > 0, a = 0 and a < 0: the smaller positive root, without cancellation.
    """
    cdef double a = sigma * sigma - 2.0 * sigma * mu
    cdef double b = 2.0 * sigma
    cdef double root
    if a + b - slack <= 0.0:
        return 1.0
    root = 2.0 * slack / (b + sqrt(b * b + 4.0 * a * slack))
    return root if root < 1.0 else 1.0


cdef inline double margin_of(const State* s, int64_t r, Evicted gone, double a) noexcept nogil:
    """mu = y_r f'(s_r), y_r = sign(alpha_r), f' = f + a k(x, .) with the incoming vector."""
    cdef double f = gone.f + a * gone.k
    return f if coefficient(s, r) > 0.0 else -f


cdef inline double removal_cost(double weight, double mu) noexcept nogil:
    """Psi(l, mu) = l^2 + 2 l - 2 l mu."""
    return weight * weight + 2.0 * weight - 2.0 * weight * mu


cdef inline void exchange_shrunk(State* s, int64_t r, Evicted gone, double phi, double a,
                                 Example* e) noexcept nogil:
    drop_known(s, r, gone, e)
    rescale(s, phi, e)
    put(s, r, phi * a, e)


cdef inline double next_factor(State* s, double sigma, double mu) noexcept nogil:
    """phi for a removal of weight sigma and margin mu; adds its cost to Q."""
    cdef double phi = 1.0
    if sigma > 0.0:
        phi = shrinking_factor(sigma, mu, 0.46875 * <double>s.m.mistakes - s.forgetron.q)
        s.forgetron.q += removal_cost(sigma * phi, mu * phi)
    return phi


cdef inline bint admit_forgetron(State* s, double a, Example* e) noexcept nogil:
    """Self-tuned: evict the oldest."""
    cdef Model* m = s.m
    cdef int64_t r
    cdef Evicted gone
    cdef double phi
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        return True
    r = take_oldest(s)
    gone = evicted(s, r, e)
    phi = next_factor(s, fabs(alpha(s, r)), margin_of(s, r, gone, a))
    exchange_shrunk(s, r, gone, phi, a, e)
    return True


cdef inline bint admit_forgetron_basic(State* s, double a, Example* e) noexcept nogil:
    """phi = min((B+1)^(-1/(2(B+1))), U / ||f'||); Q is a diagnostic."""
    cdef Model* m = s.m
    cdef int64_t r
    cdef Evicted gone
    cdef double sigma, mu, norm
    cdef double b = <double>(s.c.budget + 1)
    cdef double phi
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        return True
    r = take_oldest(s)
    sigma = fabs(alpha(s, r))
    gone = evicted(s, r, e)
    mu = margin_of(s, r, gone, a)
    norm = sqrt(max(0.0, s.function.norm2 + 2.0 * a * e.f + a * a * e.self_kernel))
    phi = pow(b, -0.5 / b)
    if norm * phi > s.c.p.U:
        phi = s.c.p.U / norm
    s.forgetron.q += removal_cost(sigma * phi, mu * phi)
    exchange_shrunk(s, r, gone, phi, a, e)
    return True


# The Forgetron that evicts the cheapest vector, in O(B d), with cached scores.
#
# scores[i] = f(s_i) / scale is updated at each exchange by two kernel rows, of the incoming and the
# evicted vector; a search from scratch would take B of them. To keep rounding errors from
# accumulating, each exchange recomputes one slot, in turn.
#
# The method itself magnifies a difference tenfold in some hundred steps, even in exact arithmetic:
# the evicted vector depends on f, and f on earlier evictions. Variants that round differently
# diverge after one or two thousand rows in double, a few hundred in float; neither is less correct
# (tests/support/comparison.py ends a comparison there).

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
