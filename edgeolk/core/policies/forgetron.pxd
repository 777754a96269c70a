"""The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): shrink all, drop the oldest.

Psi(l, mu) = l^2 + 2 l - 2 l mu bounds what a removal of weight l and margin mu costs; the shrinking
factor is the largest that keeps the running sum Q of Psi at or below 15/32 of the mistakes.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport alpha, gather, pair_kernel, drop, put, rescale, score
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


cdef inline bint admit_forgetron(State* s, double a, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef int64_t r
    cdef double sigma, sign, mu, phi, shrunk
    cdef const void* sr
    if m.n < m.budget:
        put(s, m.n, a, e)
        return True
    r = take_oldest(m)
    sigma = fabs(alpha(s, r))
    phi = 1.0
    if sigma > 0.0:
        sign = 1.0 if s.coef[r] > 0.0 else -1.0
        sr = gather(s, r)
        # mu = y_r f'(s_r), f' the function with the newcomer in it
        mu = sign * (score(s, sr, NULL) + a * pair_kernel(s, e.x, sr))
        phi = shrinking_factor(sigma, mu, 0.46875 * <double>m.mistakes - m.forgetron_q)
        shrunk = sigma * phi
        m.forgetron_q += shrunk * shrunk + 2.0 * shrunk - 2.0 * shrunk * phi * mu
    drop(s, r, e)
    rescale(s, phi, e)
    put(s, r, phi * a, e)
    return True
