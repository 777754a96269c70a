"""Ahpatron's halving (algorithm 2): the half with small |alpha| is projected on the other half."""

from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t

from edgeolk.ring.expansion cimport (
    apply_scale, class_row, compact, put, score, slot_row, square, squared_norm,
)
from edgeolk.ring.losses cimport share_weighted_score
from edgeolk.core.c cimport olk_kth_largest
from edgeolk.ring.inverse cimport solve_packed
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, kernel_values
from edgeolk.core.state cimport Example, Model


cdef inline double size_of(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """The key that slots are ordered by."""
    return fabs(ring.coef_f64[0, slot]) if ring.c.columns == 1 else square(ring, slot)


cdef inline void split_by_weight(SupportVectorRing ring, int64_t h) noexcept nogil:
    """order[:h] = the h slots with the largest |alpha| (ties: lower slot), order[h:] = the others.

    Both in increasing slot order. With several columns |alpha|^2 is the sum of the squares.
    """
    cdef int64_t i, ties
    cdef int64_t n = ring.m.n
    cdef int64_t kept = 0
    cdef int64_t gone = h
    cdef double w, bar
    for i in range(n):
        ring.work[i] = size_of(ring, i)
    bar = olk_kth_largest(&ring.work[0], n, h)
    ties = h
    for i in range(n):
        if size_of(ring, i) > bar:
            ties -= 1
    for i in range(n):
        w = size_of(ring, i)
        if w > bar or (w == bar and ties > 0):
            if w == bar:
                ties -= 1
            ring.order[kept] = <int32_t>i
            kept += 1
        else:
            ring.order[gone] = <int32_t>i
            gone += 1


cdef inline double* pulls_of(SupportVectorRing ring, int64_t column) noexcept nogil:
    """The right-hand side of a column; in work if there is one column."""
    return &ring.work[0] if ring.c.columns == 1 else &ring.pulls[column, 0]


cdef inline double fill_system(SupportVectorRing ring, int64_t h, double ridge) noexcept nogil:
    """gram <- K[keep, keep] + ridge I (packed lower), pulls <- K[keep, gone] coef[gone] for every
    column.

    Returns the mean of k(ring, ring) over the kept.
    """
    cdef int64_t p, q, column
    cdef int64_t n = ring.m.n
    cdef int64_t line = 0
    cdef double pull
    cdef double trace = 0.0
    for p in range(h):
        slot_row(ring, ring.order[p], n, NULL, kernel_values(ring))
        for q in range(p + 1):
            ring.gram[line + q] = ring.row_f64[ring.order[q]]
        trace += ring.gram[line + p]
        ring.gram[line + p] += ridge
        line += p + 1
        for column in range(ring.c.columns):
            pull = 0.0
            for q in range(h, n):
                pull += ring.coef_f64[column, ring.order[q]] * ring.row_f64[ring.order[q]]
            pulls_of(ring, column)[p] = pull
    return trace / <double>h


cdef inline void halve(SupportVectorRing ring) noexcept nogil:
    """theta = (K[keep,keep] + ridge I)^-1 K[keep,gone] alpha[gone]; alpha[keep] += theta."""
    cdef int64_t p, column
    cdef int64_t h = ring.c.budget // 2
    cdef double ridge = ring.c.p.ridge
    cdef double mean, before, factor
    cdef bint solved = True
    split_by_weight(ring, h)
    mean = fill_system(ring, h, ridge)
    # Duplicates make K singular; raise the ridge until the factor exists.
    while not ring.simd.cholesky(&ring.gram[0], h):
        ridge = max(10.0 * ridge, 1e-12 * mean)
        if not ridge > 0.0:
            ridge = 1e-300
        if not isfinite(ridge):
            # The Gram matrix overflows: the lighter half is removed without compensation.
            solved = False
            break
        fill_system(ring, h, ridge)
    if solved:
        for column in range(ring.c.columns):
            solve_packed(ring, &ring.gram[0], pulls_of(ring, column), h)
            for p in range(h):
                ring.coef_f64[column, ring.order[p]] += pulls_of(ring, column)[p]
    compact(ring, h)
    before = ring.function.norm2
    ring.function.norm2 = squared_norm(ring)
    if ring.c.p.rescale != 0.0 and ring.function.norm2 > 1e-12 * before:
        # The authors' program keeps the norm; a kept part that cancels out is not scaled up from
        # noise.
        factor = sqrt(before / ring.function.norm2)
        ring.function.scale *= factor
        ring.function.norm2 = before
    apply_scale(ring)
    ring.halving.count += 1


cdef inline bint admit_halving(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef Model* m = ring.m
    cdef double factor
    if m.n == ring.c.budget:
        halve(ring)
        if ring.function.norm2 > ring.c.p.U * ring.c.p.U:
            factor = ring.c.p.U / sqrt(ring.function.norm2)
            ring.function.scale *= factor
            ring.function.norm2 = ring.c.p.U * ring.c.p.U
        if ring.c.columns > 1:
            class_row(ring, e.x, coefficients(ring), ring.function.scale, &ring.class_scores[0, 0])
            e.f = share_weighted_score(ring, e)
        else:
            e.f = score(ring, e.x, NULL)
    put(ring, m.n, a, e)
    return True
