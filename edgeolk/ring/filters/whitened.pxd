"""Gaussian processes on a budget in whitened coordinates: KRLS-T and SOGP where Q and C diverge.

With K + jitter I = L L', M = L^-1 and z = M k the answer is z'w; the posterior of the coordinates
is N(w, P), with the prior N(0, I). The arrays have the type of coefficients. Slots are in the order
of arrival, since M is triangular: a vector that leaves closes the gap.
"""

from libc.math cimport INFINITY, fabs, hypot, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F32, OLK_F64
from edgeolk.core.numbers cimport floating
from edgeolk.core.parts cimport POLICY_LEAST_DIVERGENCE
from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport kernel_row, move, put, self_kernel
from edgeolk.ring.inverse cimport entry
from edgeolk.ring.ring cimport SupportVectorRing, is_wide, kernel_values


cdef inline double dot(SupportVectorRing ring, const floating* x, const floating* y,
                       int64_t n) noexcept nogil:
    return ring.simd.dot[OLK_F32 if floating is float else OLK_F64](x, y, n)


cdef inline void add_multiple(SupportVectorRing ring, floating* y, double a, const floating* x,
                              int64_t n) noexcept nogil:
    ring.simd.axpy[OLK_F32 if floating is float else OLK_F64](y, a, x, n)


cdef inline double whiten(SupportVectorRing ring, floating[::1] m, floating[:, ::1] rows,
                          const floating* k) noexcept nogil:
    """rows[0] <- z = M k; returns z'z."""
    cdef int64_t i
    for i in range(ring.m.n):
        rows[0, i] = <floating>dot(ring, &m[entry(i, 0)], k, i + 1)
    return dot(ring, &rows[0, 0], &rows[0, 0], ring.m.n)


cdef inline double spread(SupportVectorRing ring, floating[::1] p,
                          floating[:, ::1] rows) noexcept nogil:
    """rows[1] <- h = P z; returns z'h."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    for i in range(n):
        rows[1, i] = <floating>dot(ring, &p[entry(i, 0)], &rows[0, 0], i + 1)
        add_multiple(ring, &rows[1, 0], rows[0, i], &p[entry(i, 0)], i)
    return dot(ring, &rows[0, 0], &rows[1, 0], n)


cdef inline double span_part(SupportVectorRing ring, double kx, double along) noexcept nogil:
    """delta = max(kx - z'z, jitter / 2): without rounding it is at least the jitter."""
    return max(kx - along, 0.5 * ring.c.p.jitter)


cdef inline double variance_of(SupportVectorRing ring, floating[::1] m, floating[::1] p,
                               floating[:, ::1] rows, const floating* k,
                               double kx) noexcept nogil:
    cdef double delta = span_part(ring, kx, whiten(ring, m, rows, k))
    return ring.c.p.noise + delta + max(spread(ring, p, rows), 0.0)


cdef inline double whitened_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    """(num / den) (noise + delta + z'P z), of the state as it is; infinite before the first row."""
    cdef double variance
    cdef double kx = self_kernel(ring, x) + ring.c.p.jitter
    if not ring.evidence.weight > 0.0:
        return INFINITY
    kernel_row(ring, x, NULL, kernel_values(ring))
    if is_wide(ring):
        variance = variance_of(ring, ring.whitening_f64, ring.covariance_f64, ring.rows_f64,
                               &ring.row_f64[0], kx)
    else:
        variance = variance_of(ring, ring.whitening_f32, ring.covariance_f32, ring.rows_f32,
                               &ring.row_f32[0], kx)
    return ring.evidence.error / ring.evidence.weight * variance


cdef inline void forget(SupportVectorRing ring, floating[::1] p,
                        floating[::1] mean) noexcept nogil:
    """w *= sqrt lam, P = lam P + (1 - lam) I."""
    cdef int64_t i, j
    cdef double lam = ring.c.p.forgetting
    for i in range(ring.m.n):
        mean[i] = <floating>(sqrt(lam) * mean[i])
        for j in range(i + 1):
            p[entry(i, j)] = <floating>(lam * p[entry(i, j)])
        p[entry(i, i)] = <floating>(p[entry(i, i)] + 1.0 - lam)


cdef inline bint is_outside_whitened(SupportVectorRing ring, Example* e) noexcept nogil:
    """Forgets, then delta >= jitter. Sets z and h."""
    cdef double weight = 1.0
    cdef double along, error
    cdef double kx = e.self_kernel + ring.c.p.jitter
    if ring.m.n > 0 and ring.c.p.forgetting < 1.0:
        weight = ring.c.p.forgetting
        e.f *= sqrt(weight)
        if is_wide(ring):
            forget(ring, ring.covariance_f64, ring.mean_f64)
        else:
            forget(ring, ring.covariance_f32, ring.mean_f32)
    if is_wide(ring):
        along = whiten(ring, ring.whitening_f64, ring.rows_f64, &ring.row_f64[0])
        e.variance = spread(ring, ring.covariance_f64, ring.rows_f64)
    else:
        along = whiten(ring, ring.whitening_f32, ring.rows_f32, &ring.row_f32[0])
        e.variance = spread(ring, ring.covariance_f32, ring.rows_f32)
    e.distance = span_part(ring, kx, along)
    e.variance = ring.c.p.noise + e.distance + max(e.variance, 0.0)
    error = e.y - e.f
    ring.evidence.error += weight * error * error / e.variance
    ring.evidence.weight += weight
    return ring.m.n == 0 or e.distance >= ring.c.p.jitter


cdef inline void condition(SupportVectorRing ring, floating[::1] p, floating[::1] mean,
                           floating[:, ::1] rows, int64_t n, double variance,
                           double g) noexcept nogil:
    """P -= h h' / sy2, w += g h, over n coordinates."""
    cdef int64_t i
    for i in range(n):
        add_multiple(ring, &p[entry(i, 0)], -rows[1, i] / variance, &rows[1, 0], i + 1)
    add_multiple(ring, &mean[0], g, &rows[1, 0], n)


cdef inline void join(SupportVectorRing ring, floating[::1] m, floating[::1] p,
                      floating[::1] mean, floating[:, ::1] rows, double delta) noexcept nogil:
    """One more coordinate, in which the row is sqrt delta."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t line = entry(n, 0)
    cdef double length = sqrt(delta)
    for i in range(n + 1):
        m[line + i] = 0.0
        p[line + i] = 0.0
    for i in range(n):
        add_multiple(ring, &m[line], -rows[0, i] / length, &m[entry(i, 0)], i + 1)
    m[line + n] = <floating>(1.0 / length)
    p[line + n] = 1.0
    mean[n] = 0.0
    rows[1, n] = <floating>length


cdef inline double removal_cost(SupportVectorRing ring, floating[::1] m, floating[::1] p,
                                floating[::1] mean, int64_t r, int64_t n) noexcept nogil:
    """|a_r| / (M'M)_rr; of SOGP a_r^2 / (M'P M)_rr."""
    cdef int64_t i, j
    cdef double a = 0.0
    cdef double size = 0.0
    cdef double line
    for i in range(r, n):
        a += <double>m[entry(i, r)] * mean[i]
        if ring.c.choice.policy == POLICY_LEAST_DIVERGENCE:
            line = 0.0
            for j in range(r, i):
                line += <double>p[entry(i, j)] * m[entry(j, r)]
            size += m[entry(i, r)] * (2.0 * line + p[entry(i, i)] * m[entry(i, r)])
        else:
            size += <double>m[entry(i, r)] * m[entry(i, r)]
    if ring.c.choice.policy == POLICY_LEAST_DIVERGENCE:
        return a * a / max(size, 1e-30)
    return fabs(a) / size


cdef inline int64_t cheapest(SupportVectorRing ring, floating[::1] m, floating[::1] p,
                             floating[::1] mean, int64_t n) noexcept nogil:
    cdef int64_t r
    cdef int64_t best = 0
    cdef double cost
    cdef double min_cost = INFINITY
    for r in range(n):
        cost = removal_cost(ring, m, p, mean, r, n)
        if cost < min_cost:
            min_cost = cost
            best = r
    return best


cdef inline void rotate(floating[::1] p, floating[::1] mean, int64_t i, double c, double s,
                        int64_t n) noexcept nogil:
    """Rotate coordinates i and i + 1 of P and w."""
    cdef int64_t j
    cdef double top, bottom, a, b, d
    for j in range(n):
        if j == i or j == i + 1:
            continue
        top = p[entry(i, j)]
        bottom = p[entry(i + 1, j)]
        p[entry(i, j)] = <floating>(c * top - s * bottom)
        p[entry(i + 1, j)] = <floating>(s * top + c * bottom)
    a = p[entry(i, i)]
    b = p[entry(i + 1, i)]
    d = p[entry(i + 1, i + 1)]
    p[entry(i, i)] = <floating>(c * c * a - 2.0 * c * s * b + s * s * d)
    p[entry(i + 1, i)] = <floating>(c * s * (a - d) + (c * c - s * s) * b)
    p[entry(i + 1, i + 1)] = <floating>(s * s * a + 2.0 * c * s * b + c * c * d)
    top = mean[i]
    bottom = mean[i + 1]
    mean[i] = <floating>(c * top - s * bottom)
    mean[i + 1] = <floating>(s * top + c * bottom)


cdef inline void marginalise(SupportVectorRing ring, floating[::1] m, floating[::1] p,
                             floating[::1] mean, floating[:, ::1] rows, int64_t r,
                             int64_t n) noexcept nogil:
    """Take vector r of n out: neighbouring rows of M are rotated until only the last contains it.

    rows[0] has the row of M that still contains r, which is dropped in the end.
    """
    cdef int64_t i, j, at
    cdef double length, c, s, top, bottom
    for j in range(r + 1):
        rows[0, j] = m[entry(r, j)]
    for i in range(r, n - 1):
        length = hypot(rows[0, r], m[entry(i + 1, r)])
        c = m[entry(i + 1, r)] / length
        s = rows[0, r] / length
        rows[0, i + 1] = 0.0
        at = entry(i, 0)
        for j in range(i + 2):
            top = rows[0, j]
            bottom = m[entry(i + 1, j)]
            if j != r:  # the column of r goes
                m[at] = <floating>(c * top - s * bottom)
                at += 1
            rows[0, j] = <floating>(s * top + c * bottom)
        rotate(p, mean, i, c, s, n)


cdef inline bint learn_whitened(SupportVectorRing ring, Example* e, floating[::1] m,
                                floating[::1] p, floating[::1] mean, floating[:, ::1] rows,
                                floating[:, ::1] coef) noexcept nogil:
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t r
    cdef double g = (e.y - e.f) / e.variance
    if e.slot < 0:
        condition(ring, p, mean, rows, n, e.variance, g)
    else:
        join(ring, m, p, mean, rows, e.distance)
        condition(ring, p, mean, rows, n + 1, e.variance, g)
        if n < ring.c.budget:
            put(ring, n, 0.0, e)
        else:
            r = cheapest(ring, m, p, mean, n + 1)
            marginalise(ring, m, p, mean, rows, r, n + 1)
            if r < n:
                for i in range(r, n - 1):
                    move(ring, i + 1, i)
                put(ring, n - 1, 0.0, e)
    n = ring.m.n
    for i in range(n):
        coef[0, i] = 0.0
    for i in range(n):
        add_multiple(ring, &coef[0, 0], mean[i], &m[entry(i, 0)], i + 1)
    return True


cdef inline bint whitened_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """z, h, the squared distance and the variance were set by the policy."""
    if is_wide(ring):
        return learn_whitened(ring, e, ring.whitening_f64, ring.covariance_f64, ring.mean_f64,
                              ring.rows_f64, ring.coef_f64)
    return learn_whitened(ring, e, ring.whitening_f32, ring.covariance_f32, ring.mean_f32,
                          ring.rows_f32, ring.coef_f32)
