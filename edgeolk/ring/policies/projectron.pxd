"""Projectron and Projectron++ (Orabona, Keshet & Caputo, JMLR 2009): project on the ring.

The ring only grows, by one row of M per insertion: M = L^-1, packed, for the Cholesky factor
K = L L' of the Gram matrix. With it w = M k and beta = K^-1 k = M' w take one pass over the
triangle, which is the cost of such a step once M is larger than the cache. Every squared pivot
||delta||^2 but the first is at least max(sparsity^2, floor k(x, x)), which keeps M usable: the
floor is 1e-10 for float64 storage and 1e-4 if rows are computed in float32.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.ring.projection cimport clamp_to_ball
from edgeolk.ring.expansion cimport add_norm, apply_scale, put, shift, slot_row, squared_norm
from edgeolk.ring.updates cimport window_correlation
from edgeolk.core.parts cimport DTYPE_FLOAT64, UPDATE_PROJECTRON_ICML, UPDATE_PROJECTRON_JMLR
from edgeolk.core.state cimport Example, Model, State
from edgeolk.core.numbers cimport doubles


cdef inline double rounding_floor(const State* s) noexcept nogil:
    """Relative squared distance to the span that is rounding noise of the kernel row."""
    return 1e-10 if s.c.choice.dtype == DTYPE_FLOAT64 else 1e-4


cdef inline double span_distance(State* s, const Example* e, double* p) noexcept nogil:
    """work <- beta = K^-1 k; p <- ||P k||^2; returns ||delta||^2 = k(x,x) - p, 0 if in the span."""
    cdef Model* m = s.m
    cdef double residual
    p[0] = s.simd.solve_inverse_factor(s.factor, m.n, doubles(s.row), s.work)
    residual = e.self_kernel - p[0]
    # Duplicates leave rounding noise, possibly negative: treat it as in the span.
    if residual <= rounding_floor(s) * e.self_kernel:
        return 0.0
    return residual


cdef inline bint may_be_projection(const Example* e, double p) noexcept nogil:
    """Whether ||P k||^2 can be p: a projection is never longer than the vector.

    If it is far longer, the factor does not match this ring (a forged file); False for NaN.
    """
    return p <= 4.0 * e.self_kernel


cdef inline void grow_factor(State* s, double residual) noexcept nogil:
    """Append the row (-beta', 1) / ||delta|| for the incoming vector, next in slot n."""
    cdef int64_t n = s.m.n
    cdef int64_t i
    cdef double root = sqrt(residual)
    cdef double* line = s.factor + n * (n + 1) // 2
    for i in range(n):
        line[i] = -s.work[i] / root
    line[n] = 1.0 / root


cdef inline void add_projected(State* s, double a, double p, Example* e) noexcept nogil:
    """f <- f + a P k: alpha += a beta, beta in work."""
    cdef int64_t i
    for i in range(s.m.n):
        shift(s, i, a * s.work[i])
    add_norm(s, a, p, e)


cdef inline double margin_step(const State* s, double loss, double p,
                               double residual) noexcept nogil:
    """Step size tau for a margin error, 0 for no step."""
    cdef double tau
    cdef double penalty = 0.0
    if residual > 0.0:
        penalty = s.c.p.U * sqrt(residual)
    if s.c.choice.update == UPDATE_PROJECTRON_ICML:
        tau = min(loss / p, 1.0)
        return tau if 2.0 * loss - tau * p - 2.0 * penalty >= 0.0 else 0.0
    if not loss > penalty:
        return 0.0
    return min(min(loss / p, 2.0 * (loss - penalty) / p), 1.0)


cdef inline bint admit_span(State* s, double a, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double p, residual, tau
    cdef double z = e.y * e.f
    cdef bint margin_error = z > 0.0 and (s.c.choice.update == UPDATE_PROJECTRON_JMLR
                                          or s.c.choice.update == UPDATE_PROJECTRON_ICML)
    residual = span_distance(s, e, &p)
    if not may_be_projection(e, p):
        return False
    if margin_error:
        if p <= rounding_floor(s) * e.self_kernel:
            return False
        tau = margin_step(s, 1.0 - z, p, residual)
        if tau == 0.0:
            return False
        add_projected(s, tau * a, p, e)
        return True
    if m.n == 0 and not e.self_kernel > 0.0:
        return False
    # The first is stored, however short: there is nothing to project on.
    if m.n == s.c.budget or (m.n > 0 and residual <= s.c.p.sparsity * s.c.p.sparsity):
        add_projected(s, a, p, e)
        return True
    grow_factor(s, residual)
    put(s, m.n, a, e)
    return True


# The ring of POMDR (Li & Liao 2023): project while small, then merge halves.

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
