"""The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): shrink all, drop the oldest.

Psi(l, mu) = l^2 + 2 l - 2 l mu bounds the cost of a removal of weight l and margin mu. The
shrinking factor is the largest that keeps the running sum Q of Psi at or below 15/32 of the
mistakes.
"""

from libc.math cimport fabs, pow, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport Evicted, alpha, coefficient, drop_known, evicted, put, rescale
from edgeolk.core.policies.replacement cimport take_oldest
from edgeolk.core.state cimport Example, Model, State


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
