"""Projectron and Projectron++ (Orabona, Keshet & Caputo, JMLR 2009): project on the ring.

The ring only grows, by one row of M per insertion: M = L^-1, packed, for the Cholesky factor
K = L L' of the Gram matrix. With it w = M k and beta = K^-1 k = M' w take one pass over the
triangle, which is the cost of such a step once M is larger than the cache. Every squared pivot
||delta||^2 but the first is at least max(sparsity^2, floor k(x, x)), which keeps M usable: the
floor is 1e-10 for float64 storage and 1e-4 if rows are computed in float32.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from edgeolk.ring.projection cimport clamp_to_ball
from edgeolk.ring.expansion cimport add_norm, apply_scale, put, shift, slot_row, squared_norm
from edgeolk.ring.updates cimport window_correlation
from edgeolk.core.parts cimport DTYPE_FLOAT64, UPDATE_PROJECTRON_ICML, UPDATE_PROJECTRON_JMLR
from edgeolk.core.state cimport Example, Model
from edgeolk.ring.ring cimport SupportVectorRing, kernel_values


cdef inline double rounding_floor(SupportVectorRing ring) noexcept nogil:
    """Relative squared distance to the span that is rounding noise of the kernel row."""
    return 1e-10 if ring.c.choice.dtype == DTYPE_FLOAT64 else 1e-4


cdef inline double span_distance(SupportVectorRing ring, const Example* e,
                                 double* p) noexcept nogil:
    """work <- beta = K^-1 k; p <- ||P k||^2; returns ||delta||^2 = k(x,x) - p, 0 if in the span."""
    cdef Model* m = ring.m
    cdef double residual
    p[0] = ring.simd.solve_inverse_factor(
        &ring.factor[0], m.n, &ring.row_f64[0], &ring.work[0])
    residual = e.self_kernel - p[0]
    # Duplicates leave rounding noise, possibly negative: treat it as in the span.
    if residual <= rounding_floor(ring) * e.self_kernel:
        return 0.0
    return residual


cdef inline bint may_be_projection(const Example* e, double p) noexcept nogil:
    """Whether ||P k||^2 can be p: a projection is never longer than the vector.

    If it is far longer, the factor does not match this ring (a forged file); False for NaN.
    """
    return p <= 4.0 * e.self_kernel


cdef inline void grow_factor(SupportVectorRing ring, double residual) noexcept nogil:
    """Append the row (-beta', 1) / ||delta|| for the incoming vector, next in slot n."""
    cdef int64_t n = ring.m.n
    cdef int64_t i
    cdef double root = sqrt(residual)
    cdef int64_t line = n * (n + 1) // 2
    for i in range(n):
        ring.factor[line + i] = -ring.work[i] / root
    ring.factor[line + n] = 1.0 / root


cdef inline void add_projected(SupportVectorRing ring, double a, double p,
                               Example* e) noexcept nogil:
    """f <- f + a P k: alpha += a beta, beta in work."""
    cdef int64_t i
    for i in range(ring.m.n):
        shift(ring, 0, i, a * ring.work[i])
    add_norm(ring, a, p, e)


cdef inline double margin_step(SupportVectorRing ring, double loss, double p,
                               double residual) noexcept nogil:
    """Step size tau for a margin error, 0 for no step."""
    cdef double tau
    cdef double penalty = 0.0
    if residual > 0.0:
        penalty = ring.c.p.U * sqrt(residual)
    if ring.c.choice.update == UPDATE_PROJECTRON_ICML:
        tau = min(loss / p, 1.0)
        return tau if 2.0 * loss - tau * p - 2.0 * penalty >= 0.0 else 0.0
    if not loss > penalty:
        return 0.0
    return min(min(loss / p, 2.0 * (loss - penalty) / p), 1.0)


cdef inline bint admit_span(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef Model* m = ring.m
    cdef double p, residual, tau
    cdef double z = e.y * e.f
    cdef bint margin_error = z > 0.0 and (ring.c.choice.update == UPDATE_PROJECTRON_JMLR
                                          or ring.c.choice.update == UPDATE_PROJECTRON_ICML)
    residual = span_distance(ring, e, &p)
    if not may_be_projection(e, p):
        return False
    if margin_error:
        if p <= rounding_floor(ring) * e.self_kernel:
            return False
        tau = margin_step(ring, 1.0 - z, p, residual)
        if tau == 0.0:
            return False
        add_projected(ring, tau * a, p, e)
        return True
    if m.n == 0 and not e.self_kernel > 0.0:
        return False
    # The first is stored, however short: there is nothing to project on.
    if m.n == ring.c.budget or (m.n > 0 and residual <= ring.c.p.sparsity * ring.c.p.sparsity):
        add_projected(ring, a, p, e)
        return True
    grow_factor(ring, residual)
    put(ring, m.n, a, e)
    return True


# The ring of POMDR (Li & Liao 2023): project while small, then merge halves.

cdef inline void merge_younger_half(SupportVectorRing ring) noexcept nogil:
    """alpha_j += alpha_r, j the anchor of r: argmax of k(s_j, s_r) over the older half."""
    cdef Model* m = ring.m
    cdef int64_t h = ring.c.budget // 2
    cdef int64_t r, j, best
    cdef double factor
    for r in range(h, m.n):
        slot_row(ring, r, h, NULL, kernel_values(ring))
        best = 0
        for j in range(1, h):
            if ring.row_f64[j] > ring.row_f64[best]:
                best = j
        ring.coef_f64[0, best] += ring.coef_f64[0, r]
    for r in range(h, m.n):
        ring.coef_f64[0, r] = 0.0
    m.n = h
    ring.function.norm2 = squared_norm(ring)
    if ring.function.norm2 > 1e-12 * ring.c.p.U * ring.c.p.U:
        # Up to the radius, as published; a kept part that cancels out is not scaled up from noise.
        factor = ring.c.p.U / sqrt(ring.function.norm2)
        ring.function.scale *= factor
        ring.function.norm2 = ring.c.p.U * ring.c.p.U
    apply_scale(ring)
    ring.hints.error = 0.0
    ring.halving.count += 1


cdef inline bint admit_anchored(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef Model* m = ring.m
    cdef double p, residual, error
    cdef double hint = e.hint * e.y / a if a != 0.0 else 0.0
    cdef bint projecting = not ring.halving.anchored and <double>m.n < ring.c.p.b0
    if projecting:
        residual = span_distance(ring, e, &p)
        if not may_be_projection(e, p):
            return False
        if m.n > 0 and (residual == 0.0 or sqrt(residual) <= ring.c.p.ald):
            add_projected(ring, a, p, e)
            clamp_to_ball(ring, e)
            # work is beta: the error of the hint is measured on what was added
            error = p - 2.0 * e.y * window_correlation(ring, &ring.work[0])
            ring.hints.error += max(0.0, error)
            return True
    if m.n == 0 and not e.self_kernel > 0.0:
        return False
    if projecting:
        grow_factor(ring, residual)
    put(ring, m.n, a, e)
    clamp_to_ball(ring, e)
    ring.hints.error += max(0.0, e.self_kernel - 2.0 * e.y * hint)
    if <double>m.n >= ring.c.p.b0:
        ring.halving.anchored = 1
    if m.n == ring.c.budget:
        merge_younger_half(ring)
    return True
