"""Gaussian processes on a budget: KRLS-T (Van Vaerenbergh et al. 2012), SOGP (Csato & Opper 2002).

The posterior of the function has the mean k'a and the covariance K - K C K. ``inverse`` has Q, the
inverse of K + jitter I; ``posterior`` has C over a common scale, so that forgetting is one product.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64
from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport alpha, kernel_row, put, self_kernel, shift
from edgeolk.ring.inverse cimport entry, has_pivots, refresh_inverse
from edgeolk.ring.ring cimport SupportVectorRing, kernel_values


cdef inline double posterior_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    """(num / den) (noise + kx - k'C k), of the state as it is; infinite before the first row."""
    cdef int64_t n = ring.m.n
    cdef double within
    if not ring.evidence.weight > 0.0:
        return INFINITY
    kernel_row(ring, x, NULL, kernel_values(ring))
    ring.simd.symmetric_product(&ring.posterior[0], n, &ring.row_f64[0], &ring.work[0])
    within = ring.evidence.scale * ring.simd.dot[OLK_F64](&ring.row_f64[0], &ring.work[0], n)
    return ring.evidence.error / ring.evidence.weight * (
        ring.c.p.noise + max(self_kernel(ring, x) + ring.c.p.jitter - within, 0.0))


cdef inline void clear_entries(double[::1] m, int64_t r, int64_t n) noexcept nogil:
    """Row and column r of a packed matrix become 0."""
    cdef int64_t i
    for i in range(n):
        m[entry(i, r)] = 0.0


cdef inline void fold_scale(SupportVectorRing ring) noexcept nogil:
    """Multiply the common scale into C before its inverse overflows."""
    cdef int64_t i
    for i in range(entry(ring.m.n, 0)):
        ring.posterior[i] *= ring.evidence.scale
    ring.evidence.scale = 1.0


cdef inline void exchange_posterior(SupportVectorRing ring, Example* e, double g) noexcept nogil:
    """The row enters, and takes the slot whose vector is marginalised.

    q = work, c = work2. The columns of the slot after the row is learned, w of Q and d of C, are
    formed in work3 and the kernel row.
    """
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t r = e.slot
    cdef double scale = ring.evidence.scale
    cdef double qr = ring.work[r]
    cdef double cr = ring.work2[r]
    cdef double ar = alpha(ring, 0, r) - g * cr
    cdef double wr, dr
    for i in range(n):
        ring.work3[i] = ring.inverse[entry(i, r)] + ring.work[i] * qr / e.distance
        ring.row_f64[i] = (
            scale * ring.posterior[entry(i, r)] + ring.work2[i] * cr / e.variance)
    wr = ring.work3[r]
    dr = ring.row_f64[r]
    for i in range(n):
        shift(ring, 0, i, -g * ring.work2[i])
    # From here on the slot is that of the row.
    ring.work3[r] = -qr / e.distance
    ring.row_f64[r] = -cr / e.variance
    ring.work[r] = -1.0
    ring.work2[r] = -1.0  # v = -c, whose sign does not matter in v v'
    put(ring, r, g, e)
    for i in range(n):
        shift(ring, 0, i, -ar * ring.work3[i] / wr)
    clear_entries(ring.inverse, r, n)
    clear_entries(ring.posterior, r, n)
    ring.simd.rank_two_update(
        &ring.inverse[0], n, 1.0 / e.distance, &ring.work[0], 1.0 / wr, &ring.work3[0])
    if dr > 0.0:
        ring.simd.rank_two_update(
            &ring.posterior[0], n, 1.0 / (e.variance * scale), &ring.work2[0],
            1.0 / (dr * scale), &ring.row_f64[0])
        for i in range(n):
            ring.work3[i] = -ring.work3[i] / wr + ring.row_f64[i] / dr
        ring.simd.rank_two_update(
            &ring.posterior[0], n, dr / scale, &ring.work3[0], 0.0, &ring.work3[0])
    else:
        ring.simd.rank_two_update(
            &ring.posterior[0], n, 1.0 / (e.variance * scale), &ring.work2[0], 0.0,
            &ring.work2[0])


cdef inline bint posterior_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """q = work, c = work2, the squared distance and the variance were set by the policy."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef int64_t line = entry(n, 0)
    cdef double g = (e.y - e.f) / e.variance
    cdef double scale
    if ring.evidence.scale < 1e-20:
        fold_scale(ring)
    scale = ring.evidence.scale
    if e.slot < 0:  # the row is learned within the span
        for i in range(n):
            ring.work[i] -= ring.work2[i]
            shift(ring, 0, i, g * ring.work[i])
        ring.simd.rank_two_update(
            &ring.posterior[0], n, 1.0 / (e.variance * scale), &ring.work[0], 0.0, &ring.work[0])
        return True
    if e.slot < n:
        exchange_posterior(ring, e, g)
        ring.function.removals += 1
        if ring.function.removals >= 10 * ring.c.budget or not has_pivots(ring):
            refresh_inverse(ring, ring.c.p.jitter)
        return True
    for i in range(n):
        shift(ring, 0, i, -g * ring.work2[i])
        ring.inverse[line + i] = 0.0
        ring.posterior[line + i] = 0.0
    ring.inverse[line + n] = 0.0
    ring.posterior[line + n] = 0.0
    ring.work[n] = -1.0
    ring.work2[n] = -1.0
    put(ring, n, g, e)
    ring.simd.rank_two_update(
        &ring.inverse[0], n + 1, 1.0 / e.distance, &ring.work[0], 0.0, &ring.work[0])
    ring.simd.rank_two_update(
        &ring.posterior[0], n + 1, 1.0 / (e.variance * scale), &ring.work2[0], 0.0,
        &ring.work2[0])
    return True


cdef inline void posterior_construct(SupportVectorRing ring) noexcept nogil:
    ring.evidence.scale = 1.0
