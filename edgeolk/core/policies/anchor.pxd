"""POMDR's ring (Li & Liao 2023): project while small, fold the younger half on the older one."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.core.expansion cimport fold, put, slot_row, squared_norm
from edgeolk.core.hints cimport window_correlation
from edgeolk.core.policies.projectron cimport add_projected, grow_factor, span_distance
from edgeolk.core.projection cimport clamp_to_ball
from edgeolk.core.state cimport Example, Model, State


cdef inline void fold_younger_half(State* s) noexcept nogil:
    """alpha_j += alpha_r, j the anchor of r: argmax of k(s_j, s_r) over the older half."""
    cdef Model* m = s.m
    cdef int64_t h = m.budget // 2
    cdef int64_t r, j, best
    cdef double factor
    for r in range(h, m.n):
        slot_row(s, r, h, NULL, s.row)
        best = 0
        for j in range(1, h):
            if s.row[j] > s.row[best]:
                best = j
        s.coef[best] += s.coef[r]
    memset(s.coef + h, 0, <size_t>(m.n - h) * sizeof(double))
    m.n = h
    m.norm2 = squared_norm(s)
    if m.norm2 > 1e-12 * m.p.U * m.p.U:
        # Up to the radius, as published; a kept part that cancels is not blown up from noise.
        factor = m.p.U / sqrt(m.norm2)
        m.scale *= factor
        m.norm2 = m.p.U * m.p.U
    fold(s)
    m.hint_error = 0.0
    m.halvings += 1


cdef inline bint admit_anchored(State* s, double a, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double p, rest, error
    cdef double hint = e.hint * e.y / a if a != 0.0 else 0.0
    cdef bint projecting = not m.anchored and <double>m.n < m.p.b0
    if projecting:
        rest = span_distance(s, e, &p)
        if m.n > 0 and (rest == 0.0 or sqrt(rest) <= m.p.ald):
            add_projected(s, a, p, e)
            clamp_to_ball(s, e)
            # work holds beta: the error of the hint is measured on what was added
            error = p - 2.0 * e.y * window_correlation(s, s.work)
            m.hint_error += max(0.0, error)
            return True
    if m.n == 0 and not e.self_kernel > 0.0:
        return False
    if projecting:
        grow_factor(s, rest)
    put(s, m.n, a, e)
    clamp_to_ball(s, e)
    m.hint_error += max(0.0, e.self_kernel - 2.0 * e.y * hint)
    if <double>m.n >= m.p.b0:
        m.anchored = 1
    if m.n == m.budget:
        fold_younger_half(s)
    return True
