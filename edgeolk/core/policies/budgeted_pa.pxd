"""Budgeted passive-aggressive maintenance (Wang & Vucetic 2010): who is lost, who repairs it.

Losing support vector r costs alpha_r^2 d_r / 2 besides a part that is the same for every old r,
where d_r = ||Phi_r - P_S Phi_r||^2 is the squared distance of Phi_r to the span that may repair it.
Losing the newcomer itself (r = t) leaves it a repair by S without it; that choice is a PA-I one.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport alpha, diagonal, distance_row, put, row_at, shift
from edgeolk.core.inverse cimport (
    append_bordered, border, entry, exchange_bordered, refresh_inverse, spread_weight,
)
from edgeolk.core.losses cimport hinge
from edgeolk.core.parts cimport UPDATE_PA1
from edgeolk.core.policies.neighbours cimport (
    nearest_to_newcomer, neighbours_admit, neighbours_replace,
)
from edgeolk.core.real cimport real
from edgeolk.core.state cimport Example, Model, State


cdef inline bint may_skip(const State* s) noexcept nogil:
    return s.c.p.allow_skip != 0.0 and s.c.choice.update == UPDATE_PA1


cdef inline double cost_with_newcomer(const State* s, double least, double a,
                                      const Example* e) noexcept nogil:
    """Q of the best removal of an old one: least = min_r alpha_r^2 d_r."""
    cdef double h = hinge(e.f, e.y)
    cdef double tau = e.y * a
    return (0.5 * least + 0.5 * tau * tau * e.self_kernel
            + s.c.p.C * (h - tau * e.self_kernel))


cdef inline double cost_without(const State* s, double reach, double* tau,
                                const Example* e) noexcept nogil:
    """Q of dropping the newcomer when S reaches reach = ||P_S Phi_t||^2; its step tau_t."""
    cdef double h = hinge(e.f, e.y)
    tau[0] = min(s.c.p.C, h / reach) if reach > 0.0 else 0.0
    return 0.5 * tau[0] * tau[0] * reach + s.c.p.C * (h - tau[0] * reach)


cdef inline bint admit_simple(State* s, double a, Example* e) noexcept nogil:
    """BPA-S: r is projected on the newcomer alone, S = {t}. Needs k(x, x) > 0."""
    cdef Model* m = s.m
    cdef int64_t r
    cdef double least, tau, share
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = s.simd.argmin_line_residual[real(s)](s.coef, s.diagonal, s.row, e.self_kernel, m.n, &least)
    if r < 0:
        # All of them beyond the range of numbers: any will do.
        r = 0
    least *= s.function.scale * s.function.scale
    if may_skip(s) and cost_without(s, 0.0, &tau, e) < cost_with_newcomer(s, least, a, e):
        return False
    share = alpha(s, r) * row_at(s, r) / e.self_kernel
    put(s, r, share + a if isfinite(share + a) else a, e)
    return True


cdef inline void nearest_shares(const State* s, int64_t r, const Example* e, double* share_n,
                                double* share_t) noexcept nogil:
    """What n, the nearest other old one, and t take over of Phi_r, S = {t, n}; the cost is judged
    by argmin_plane_residual."""
    cdef int64_t n = s.nearest[r]
    cdef double k_rt = row_at(s, r)
    cdef double k_tt = e.self_kernel
    cdef double k_nn, k_nt, k_rn, det
    share_n[0] = 0.0
    share_t[0] = k_rt / k_tt
    if n < 0:
        return
    k_nn = diagonal(s, n)
    k_nt = row_at(s, n)
    k_rn = s.nearest_k[r]
    det = k_nn * k_tt - k_nt * k_nt
    if det > s.c.p.singular * k_nn * k_tt:
        share_n[0] = (k_tt * k_rn - k_nt * k_rt) / det
        share_t[0] = (k_nn * k_rt - k_nt * k_rn) / det


cdef inline bint admit_nearest(State* s, double a, Example* e) noexcept nogil:
    """BPA-NN: r is projected on the newcomer and its nearest neighbour, S = {t, n}."""
    cdef Model* m = s.m
    cdef int64_t r, j
    cdef double share_n, share_t, tau, reach, lost, least
    if s.products == NULL or s.sparse_x != NULL:
        distance_row(s, e.x)
    if m.n < s.c.budget:
        neighbours_admit(s)
        put(s, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = s.simd.argmin_plane_residual[real(s)](s.coef, s.diagonal, s.row, e.self_kernel, s.nearest,
                                              s.nearest_k, s.c.p.singular, m.n, &least)
    if r < 0:
        r = 0
    least *= s.function.scale * s.function.scale
    if may_skip(s):
        j = nearest_to_newcomer(s, -1)
        # No slot is nearest where all the distances are infinite: then none is adjusted.
        reach = 0.0
        if j >= 0 and diagonal(s, j) > 0.0:
            reach = row_at(s, j) * row_at(s, j) / diagonal(s, j)
        if cost_without(s, reach, &tau, e) < cost_with_newcomer(s, least, a, e):
            if tau == 0.0:
                return False
            shift(s, j, tau * e.y * row_at(s, j) / diagonal(s, j))
            return True
    nearest_shares(s, r, e, &share_n, &share_t)
    lost = alpha(s, r)
    if not (isfinite(lost * share_t + a)
            and (share_n == 0.0 or isfinite(alpha(s, s.nearest[r]) + lost * share_n))):
        # Beyond the range of numbers: r goes without a stand-in.
        share_n = share_t = 0.0
    if share_n != 0.0:
        shift(s, s.nearest[r], lost * share_n)
    put(s, r, lost * share_t + a, e)
    neighbours_replace(s, r)
    return True


cdef inline void add_in_span(State* s, double a) noexcept nogil:
    """alpha += a u, u = work."""
    cdef int64_t i
    for i in range(s.m.n):
        shift(s, i, a * s.work[i])


cdef inline bint admit_project(State* s, double a, Example* e) noexcept nogil:
    """BPA-P: r is projected on everyone else, by the kept inverse in O(B^2)."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t r = 0
    cdef double delta, cost, reach, tau, share
    cdef double least = 0.0
    delta = border(s, 0.0, e)
    reach = e.self_kernel - delta
    if delta <= s.c.p.singular * e.self_kernel or delta < 1e-300:
        # In the span (duplicates): no projection error is paid, whoever was to be lost. So is what
        # is too small to be inverted.
        if not reach > 0.0:
            return False
        tau = a
        if s.c.choice.update == UPDATE_PA1:
            tau = e.y * min(s.c.p.C, hinge(e.f, e.y) / reach)
        add_in_span(s, tau)
        return True
    if m.n < s.c.budget:
        append_bordered(s, delta)
        put(s, m.n, a, e)
        return True
    for i in range(m.n):
        cost = alpha(s, i) * alpha(s, i) / (
            s.inverse[entry(i, i)] + s.work[i] * s.work[i] / delta)
        if i == 0 or cost < least:
            least = cost
            r = i
    if may_skip(s) and cost_without(s, reach, &tau, e) < cost_with_newcomer(s, least, a, e):
        if tau == 0.0:
            return False
        add_in_span(s, tau * e.y)
        return True
    share = spread_weight(s, r, alpha(s, r), delta)
    exchange_bordered(s, r, delta)
    put(s, r, share + a, e)
    s.function.removals += 1
    if s.function.removals >= 10 * s.c.budget:
        refresh_inverse(s, 0.0)
    return True
