"""Budgeted passive-aggressive maintenance (Wang & Vucetic 2010): who is lost, who repairs it.

Losing support vector r costs alpha_r^2 d_r / 2 besides a part that is the same for every r, where
d_r = ||Phi_r - P_S Phi_r||^2 is the squared distance of Phi_r to the span that may repair it.
"""

from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport alpha, diagonal, put
from edgeolk.core.losses cimport hinge
from edgeolk.core.parts cimport UPDATE_PA1
from edgeolk.core.state cimport Example, Model, State


cdef inline bint admit_simple(State* s, double a, Example* e) noexcept nogil:
    """BPA-S: r is projected on the newcomer alone, S = {t}. Needs k(x, x) > 0."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t r = 0
    cdef double k, d, cost, tau, h
    cdef double least = 0.0
    if m.n < m.budget:
        put(s, m.n, a, e)
        return True
    for i in range(m.n):
        k = s.row[i]
        d = diagonal(s, i) - k * k / e.self_kernel
        cost = alpha(s, i) * alpha(s, i) * (d if d > 0.0 else 0.0)
        if i == 0 or cost < least:
            least = cost
            r = i
    if m.p.allow_skip != 0.0 and m.choice.update == UPDATE_PA1:
        # Q of leaving the model as it is against Q of the best removal; ties keep the newcomer.
        h = hinge(e.f, e.y)
        tau = e.y * a
        if m.p.C * h < (0.5 * least + 0.5 * tau * tau * e.self_kernel
                        + m.p.C * (h - tau * e.self_kernel)):
            return False
    put(s, r, alpha(s, r) * s.row[r] / e.self_kernel + a, e)
    return True
