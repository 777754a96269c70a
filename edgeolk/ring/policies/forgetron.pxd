"""The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): shrink all, drop the oldest.

Psi(l, mu) = l^2 + 2 l - 2 l mu bounds the cost of a removal of weight l and margin mu. The
shrinking factor is the largest that keeps the running sum Q of Psi at or below 15/32 of the
mistakes.
"""

from libc.math cimport fabs, pow, sqrt
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    Evicted, alpha, drop_known, evicted, put, rescale, slot_row,
)
from edgeolk.core.c cimport OLK_F64
from edgeolk.ring.policies.replacement cimport take_oldest
from edgeolk.core.state cimport Example, Model
from edgeolk.ring.ring cimport SupportVectorRing, coefficient, coefficients, kernel_values


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


cdef inline double margin_of(SupportVectorRing ring, int64_t r, Evicted gone,
                             double a) noexcept nogil:
    """mu = y_r f'(s_r), y_r = sign(alpha_r), f' = f + a k(x, .) with the incoming vector."""
    cdef double f = gone.f + a * gone.k
    return f if coefficient(ring, 0, r) > 0.0 else -f


cdef inline double removal_cost(double weight, double mu) noexcept nogil:
    """Psi(l, mu) = l^2 + 2 l - 2 l mu."""
    return weight * weight + 2.0 * weight - 2.0 * weight * mu


cdef inline void exchange_shrunk(SupportVectorRing ring, int64_t r, Evicted gone, double phi,
                                 double a, Example* e) noexcept nogil:
    drop_known(ring, r, gone, e)
    rescale(ring, phi, e)
    put(ring, r, phi * a, e)


cdef inline double next_factor(SupportVectorRing ring, double sigma, double mu) noexcept nogil:
    """phi for a removal of weight sigma and margin mu; adds its cost to Q."""
    cdef double phi = 1.0
    if sigma > 0.0:
        phi = shrinking_factor(sigma, mu, 0.46875 * <double>ring.m.mistakes - ring.forgetron.q)
        ring.forgetron.q += removal_cost(sigma * phi, mu * phi)
    return phi


cdef inline bint admit_forgetron(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """Self-tuned: evict the oldest."""
    cdef Model* m = ring.m
    cdef int64_t r
    cdef Evicted gone
    cdef double phi
    if m.n < ring.c.budget:
        put(ring, m.n, a, e)
        return True
    r = take_oldest(ring)
    gone = evicted(ring, r, e)
    phi = next_factor(ring, fabs(alpha(ring, 0, r)), margin_of(ring, r, gone, a))
    exchange_shrunk(ring, r, gone, phi, a, e)
    return True


cdef inline bint admit_forgetron_basic(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """phi = min((B+1)^(-1/(2(B+1))), U / ||f'||); Q is a diagnostic."""
    cdef Model* m = ring.m
    cdef int64_t r
    cdef Evicted gone
    cdef double sigma, mu, norm
    cdef double b = <double>(ring.c.budget + 1)
    cdef double phi
    if m.n < ring.c.budget:
        put(ring, m.n, a, e)
        return True
    r = take_oldest(ring)
    sigma = fabs(alpha(ring, 0, r))
    gone = evicted(ring, r, e)
    mu = margin_of(ring, r, gone, a)
    norm = sqrt(max(0.0, ring.function.norm2 + 2.0 * a * e.f + a * a * e.self_kernel))
    phi = pow(b, -0.5 / b)
    if norm * phi > ring.c.p.U:
        phi = ring.c.p.U / norm
    ring.forgetron.q += removal_cost(sigma * phi, mu * phi)
    exchange_shrunk(ring, r, gone, phi, a, e)
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

cdef inline Evicted cached(SupportVectorRing ring, int64_t i) noexcept nogil:
    """As ``evicted``, from cached scores and the kernel row of the incoming vector."""
    return Evicted(ring.function.scale * ring.scores[i], ring.row_f64[i])


cdef inline int64_t cheapest_removal(SupportVectorRing ring, double a) noexcept nogil:
    """argmin of Psi over the old slots; ties go to the oldest."""
    cdef int64_t i
    cdef int64_t r = 0
    cdef double cost
    cdef double min_cost = 0.0
    for i in range(ring.m.n):
        cost = removal_cost(fabs(ring.function.scale * ring.coef_f64[0, i]),
                            margin_of(ring, i, cached(ring, i), a))
        if i == 0 or cost < min_cost or (cost == min_cost and ring.arrival[i] < ring.arrival[r]):
            min_cost = cost
            r = i
    return r


cdef inline void score_incoming(SupportVectorRing ring, int64_t slot,
                                const Example* e) noexcept nogil:
    """Update the scores for the vector just put in a slot; row is its kernel row."""
    ring.row_f64[slot] = e.self_kernel
    ring.simd.axpy[OLK_F64](
        &ring.scores[0], ring.coef_f64[0, slot], kernel_values(ring), ring.m.n)
    ring.scores[slot] = ring.simd.dot[OLK_F64](coefficients(ring), kernel_values(ring), ring.m.n)


cdef inline bint admit_forgetron_greedy(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """Self-tuned: evict the vector with the cheapest removal."""
    cdef Model* m = ring.m
    cdef int64_t i, r
    cdef Evicted gone
    cdef double phi
    if m.n < ring.c.budget:
        put(ring, m.n, a, e)
        score_incoming(ring, m.n - 1, e)
        return True
    r = cheapest_removal(ring, a)
    gone = cached(ring, r)
    phi = next_factor(ring, fabs(alpha(ring, 0, r)), margin_of(ring, r, gone, a))
    slot_row(ring, r, m.n, NULL, &ring.work[0])
    ring.simd.axpy[OLK_F64](&ring.scores[0], -ring.coef_f64[0, r], &ring.work[0], m.n)
    exchange_shrunk(ring, r, gone, phi, a, e)
    score_incoming(ring, r, e)
    i = take_oldest(ring)
    ring.scores[i] = slot_row(ring, i, m.n, coefficients(ring), NULL)
    return True
