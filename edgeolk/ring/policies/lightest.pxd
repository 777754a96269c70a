"""Budgeted SGD maintenance (Wang, Crammer & Vucetic 2012): evict the lightest of old and incoming.

The incoming vector is judged in a spare slot B, so the ring has B + 1 slots. Weight is
|beta_i| sqrt(k(s_i, s_i)); ties go to the earliest arrival, else the incoming vector would be
evicted every time.
"""

from libc.math cimport INFINITY, exp, isfinite
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    alpha, distance_row, gather, move, put, shift, squares, vacate_slot,
)
from edgeolk.ring.inverse cimport solve_packed
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficient, coefficients, diagonal_or_null, distance_at, distances,
    mark_slot_changed, may_enter, set_coefficient, store_number, stored_number, value_type,
)
from edgeolk.core.c cimport OLK_F64
from edgeolk.core.state cimport Example, Model


cdef inline int64_t lightest_slot(SupportVectorRing ring) noexcept nogil:
    cdef int64_t i
    if ring.c.columns > 1:
        squares(ring)
        if ring.diagonal is not None:
            for i in range(ring.m.n):
                ring.work[i] *= ring.diagonal[i]
        return ring.simd.argmin_abs[OLK_F64](&ring.work[0], NULL, &ring.arrival[0], ring.m.n)
    return ring.simd.argmin_abs[value_type(ring)](
        coefficients(ring), diagonal_or_null(ring), &ring.arrival[0], ring.m.n)


cdef inline void vacate(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """Free a slot: the incoming vector, last, moves there unless the slot is its own."""
    cdef int64_t last = ring.m.n - 1
    if slot != last:
        move(ring, last, slot)
    vacate_slot(ring, last)
    ring.m.n = last


cdef inline void write_between(SupportVectorRing ring, int64_t p, int64_t other, double h,
                               int64_t z) noexcept nogil:
    """s_z <- h s_p + (1 - h) s_other."""
    cdef int64_t j
    cdef double sp, sj
    for j in range(ring.c.n_features):
        sp = stored_number(ring.vectors, j, p)
        sj = stored_number(ring.vectors, j, other)
        store_number(ring.vectors, j, z, h * sp + (1.0 - h) * sj)


cdef inline bint merge_lightest(SupportVectorRing ring, int64_t p) noexcept nogil:
    """Merge p with the partner of equal sign that loses least; False if there is none."""
    cdef Model* m = ring.m
    cdef int64_t best, keep, free
    cdef double bp = coefficient(ring, 0, p)
    cdef double spread, h
    distance_row(ring, gather(ring, p))
    ring.simd.merge(value_type(ring), bp, ring.c.kernel.gamma, <int64_t>ring.c.p.iters,
                    coefficients(ring), distances(ring), m.n, &ring.work[0], &ring.work2[0])
    ring.work2[p] = INFINITY
    best = ring.simd.argmin[OLK_F64](&ring.work2[0], m.n)
    if best < 0:
        return False
    h = ring.work[best]
    spread = ring.c.kernel.gamma * distance_at(ring, best)
    keep = min(p, best)
    free = max(p, best)
    write_between(ring, p, best, h, keep)
    mark_slot_changed(ring, keep)
    set_coefficient(ring, 0, keep, bp * exp(-spread * (1.0 - h) * (1.0 - h))
                    + coefficient(ring, 0, best) * exp(-spread * h * h))
    ring.arrival[keep] = m.steps
    vacate(ring, free)
    return True


cdef inline bint evict(SupportVectorRing ring, int64_t p, double norm2) noexcept nogil:
    """Free slot p; if the incoming vector itself is evicted, nothing changes."""
    vacate(ring, p)
    if p == ring.c.budget:
        ring.function.norm2 = norm2
        return False
    return True


cdef inline bint admit_lightest_removed(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """The lightest is removed."""
    cdef double norm2 = ring.function.norm2
    put(ring, ring.m.n, a, e)
    return ring.m.n <= ring.c.budget or evict(ring, lightest_slot(ring), norm2)


cdef inline bint admit_lightest_merged(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """The lightest is merged with another of its class, or removed if there is none."""
    cdef int64_t p
    cdef double norm2 = ring.function.norm2
    put(ring, ring.m.n, a, e)
    if ring.m.n <= ring.c.budget:
        return True
    p = lightest_slot(ring)
    return merge_lightest(ring, p) or evict(ring, p, norm2)


cdef inline void write_gram_row(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """gram[slot, :] <- kernel row of the vector now in that slot (packed lower triangle)."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    for i in range(slot + 1):
        ring.factor[slot * (slot + 1) // 2 + i] = ring.row_f64[i]
    for i in range(slot + 1, n):
        ring.factor[i * (i + 1) // 2 + slot] = ring.row_f64[i]


cdef inline double gram_entry(SupportVectorRing ring, int64_t i, int64_t j) noexcept nogil:
    return ring.factor[i * (i + 1) // 2 + j] if i >= j else ring.factor[j * (j + 1) // 2 + i]


cdef inline void project_on_others(SupportVectorRing ring, int64_t p) noexcept nogil:
    """beta_S += (K_SS + ridge I)^-1 k_Sp beta_p, S = all but p; O(B^3).

    By a new factorisation: a condition number of 1/ridge is too large for a stored inverse.
    """
    cdef Model* m = ring.m
    cdef int64_t n = m.n - 1
    cdef int64_t i, j, line, column
    cdef int64_t target
    cdef double ridge = ring.c.p.ridge
    cdef bint done = False
    while not done:
        if not isfinite(ridge):
            # The Gram matrix overflows: p is removed without compensation.
            return
        target = 0
        for i in range(n):
            line = i if i < p else i + 1
            for j in range(i + 1):
                column = j if j < p else j + 1
                ring.gram[target + j] = gram_entry(ring, line, column)
            ring.gram[target + i] += ridge
            target += i + 1
        done = ring.simd.cholesky(&ring.gram[0], n)
        ridge = max(10.0 * ridge, 1e-300, 1e-15 * gram_entry(ring, p, p))
    for i in range(n):
        ring.work[i] = gram_entry(ring, i if i < p else i + 1, p)
    solve_packed(ring, &ring.gram[0], &ring.work[0], n)
    for column in range(ring.c.columns):
        for i in range(n):
            line = i if i < p else i + 1
            if not may_enter(
                    ring, alpha(ring, column, line) + alpha(ring, column, p) * ring.work[i]):
                # The Gram matrix is from a forged file: p is removed without compensation.
                return
    for column in range(ring.c.columns):
        for i in range(n):
            shift(ring, column, i if i < p else i + 1, alpha(ring, column, p) * ring.work[i])


cdef inline bint admit_lightest_project(SupportVectorRing ring, double a,
                                        Example* e) noexcept nogil:
    """The lightest is projected on the others before it goes."""
    cdef Model* m = ring.m
    cdef int64_t p
    put(ring, m.n, a, e)
    ring.row_f64[m.n - 1] = e.self_kernel
    write_gram_row(ring, m.n - 1)
    if m.n <= ring.c.budget:
        return True
    p = lightest_slot(ring)
    project_on_others(ring, p)
    vacate(ring, p)
    if p < m.n:
        # The incoming vector has moved to slot p: its kernel row, with k(x, x) in place of p.
        ring.row_f64[p] = e.self_kernel
        write_gram_row(ring, p)
    return True
