"""The ring of POMDR (Li & Liao 2023): project while small, then merge halves."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.core.expansion cimport apply_scale, put, slot_row, squared_norm
from edgeolk.core.hints cimport window_correlation
from edgeolk.core.policies.projectron cimport (
    add_projected, grow_factor, may_be_projection, span_distance,
)
from edgeolk.core.bounds.projection cimport clamp_to_ball
from edgeolk.core.value_types cimport doubles
from edgeolk.core.state cimport Example, Model, State


cdef inline void merge_younger_half(State* s) noexcept nogil:
    """alpha_j += alpha_r, j the anchor of r: argmax of k(s_j, s_r) over the older half."""
    cdef Model* m = s.m
    cdef int64_t h = s.c.budget // 2
    cdef int64_t r, j, best
    cdef double factor
    for r in range(h, m.n):
        slot_row(s, r, h, NULL, s.row)
        best = 0
        for j in range(1, h):
            if doubles(s.row)[j] > doubles(s.row)[best]:
                best = j
        doubles(s.coef)[best] += doubles(s.coef)[r]
    memset(doubles(s.coef) + h, 0, <size_t>(m.n - h) * sizeof(double))
    m.n = h
    s.function.norm2 = squared_norm(s)
    if s.function.norm2 > 1e-12 * s.c.p.U * s.c.p.U:
        # Up to the radius, as published; a kept part that cancels out is not scaled up from noise.
        factor = s.c.p.U / sqrt(s.function.norm2)
        s.function.scale *= factor
        s.function.norm2 = s.c.p.U * s.c.p.U
    apply_scale(s)
    s.hints.error = 0.0
    s.halving.count += 1


cdef inline bint admit_anchored(State* s, double a, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double p, residual, error
    cdef double hint = e.hint * e.y / a if a != 0.0 else 0.0
    cdef bint projecting = not s.halving.anchored and <double>m.n < s.c.p.b0
    if projecting:
        residual = span_distance(s, e, &p)
        if not may_be_projection(e, p):
            return False
        if m.n > 0 and (residual == 0.0 or sqrt(residual) <= s.c.p.ald):
            add_projected(s, a, p, e)
            clamp_to_ball(s, e)
            # work is beta: the error of the hint is measured on what was added
            error = p - 2.0 * e.y * window_correlation(s, s.work)
            s.hints.error += max(0.0, error)
            return True
    if m.n == 0 and not e.self_kernel > 0.0:
        return False
    if projecting:
        grow_factor(s, residual)
    put(s, m.n, a, e)
    clamp_to_ball(s, e)
    s.hints.error += max(0.0, e.self_kernel - 2.0 * e.y * hint)
    if <double>m.n >= s.c.p.b0:
        s.halving.anchored = 1
    if m.n == s.c.budget:
        merge_younger_half(s)
    return True
