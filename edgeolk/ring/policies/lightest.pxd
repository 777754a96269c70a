"""Budgeted SGD maintenance (Wang, Crammer & Vucetic 2012): evict the lightest of old and incoming.

The incoming vector is judged in a spare slot B, so the ring has B + 1 slots. Weight is
|beta_i| sqrt(k(s_i, s_i)); ties go to the earliest arrival, else the incoming vector would be
evicted every time.
"""

from libc.math cimport INFINITY, exp, isfinite
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    alpha, coefficient, distance_row, gather, move, put, set_coefficient, shift, squares,
    vacate_slot,
)
from edgeolk.ring.inverse cimport solve_packed
from edgeolk.core.numbers cimport doubles, get, may_enter, value_type
from edgeolk.ring.ring cimport mark_slot_changed
from edgeolk.core.c cimport OLK_F64, olk_fetch, olk_store
from edgeolk.core.state cimport Example, Model, State


cdef inline int64_t lightest_slot(State* s) noexcept nogil:
    cdef int64_t i
    if s.c.columns > 1:
        squares(s)
        if s.diagonal != NULL:
            for i in range(s.m.n):
                s.work[i] *= s.diagonal[i]
        return s.simd.argmin_abs[OLK_F64](s.work, NULL, s.arrival, s.m.n)
    return s.simd.argmin_abs[value_type(s)](s.coef, s.diagonal, s.arrival, s.m.n)


cdef inline void vacate(State* s, int64_t slot) noexcept nogil:
    """Free a slot: the incoming vector, last, moves there unless the slot is its own."""
    cdef int64_t last = s.m.n - 1
    if slot != last:
        move(s, last, slot)
    vacate_slot(s, last)
    s.m.n = last


cdef inline void write_between(State* s, int64_t p, int64_t other, double h,
                               int64_t z) noexcept nogil:
    """s_z <- h s_p + (1 - h) s_other."""
    cdef int64_t j
    cdef int64_t line
    cdef int dtype = s.c.choice.dtype
    cdef double sp, sj
    for j in range(s.c.n_features):
        line = j * s.c.stride
        sp = olk_fetch(dtype, s.sv, line + p, j, &s.quantizer)
        sj = olk_fetch(dtype, s.sv, line + other, j, &s.quantizer)
        olk_store(dtype, s.sv, line + z, j, h * sp + (1.0 - h) * sj, &s.quantizer)


cdef inline bint merge_lightest(State* s, int64_t p) noexcept nogil:
    """Merge p with the partner of equal sign that loses least; False if there is none."""
    cdef Model* m = s.m
    cdef int64_t best, keep, free
    cdef double bp = coefficient(s, p)
    cdef double spread, h
    distance_row(s, gather(s, p))
    s.simd.merge(value_type(s), bp, s.c.kernel.gamma, <int64_t>s.c.p.iters, s.coef, s.distance, m.n,
                 s.work, s.work2)
    s.work2[p] = INFINITY
    best = s.simd.argmin[OLK_F64](s.work2, m.n)
    if best < 0:
        return False
    h = s.work[best]
    spread = s.c.kernel.gamma * get(s, s.distance, best)
    keep = min(p, best)
    free = max(p, best)
    write_between(s, p, best, h, keep)
    mark_slot_changed(s, keep)
    set_coefficient(s, keep, bp * exp(-spread * (1.0 - h) * (1.0 - h))
                    + coefficient(s, best) * exp(-spread * h * h))
    s.arrival[keep] = m.steps
    vacate(s, free)
    return True


cdef inline bint evict(State* s, int64_t p, double norm2) noexcept nogil:
    """Free slot p; if the incoming vector itself is evicted, nothing changes."""
    vacate(s, p)
    if p == s.c.budget:
        s.function.norm2 = norm2
        return False
    return True


cdef inline bint admit_lightest_removed(State* s, double a, Example* e) noexcept nogil:
    """The lightest is removed."""
    cdef double norm2 = s.function.norm2
    put(s, s.m.n, a, e)
    return s.m.n <= s.c.budget or evict(s, lightest_slot(s), norm2)


cdef inline bint admit_lightest_merged(State* s, double a, Example* e) noexcept nogil:
    """The lightest is merged with another of its class, or removed if there is none."""
    cdef int64_t p
    cdef double norm2 = s.function.norm2
    put(s, s.m.n, a, e)
    if s.m.n <= s.c.budget:
        return True
    p = lightest_slot(s)
    return merge_lightest(s, p) or evict(s, p, norm2)


cdef inline void write_gram_row(State* s, int64_t slot) noexcept nogil:
    """gram[slot, :] <- kernel row of the vector now in that slot (packed lower triangle)."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    for i in range(slot + 1):
        s.factor[slot * (slot + 1) // 2 + i] = doubles(s.row)[i]
    for i in range(slot + 1, n):
        s.factor[i * (i + 1) // 2 + slot] = doubles(s.row)[i]


cdef inline double gram_entry(const State* s, int64_t i, int64_t j) noexcept nogil:
    return s.factor[i * (i + 1) // 2 + j] if i >= j else s.factor[j * (j + 1) // 2 + i]


cdef inline void project_on_others(State* s, int64_t p) noexcept nogil:
    """beta_S += (K_SS + ridge I)^-1 k_Sp beta_p, S = all but p; O(B^3).

    By a new factorisation: a condition number of 1/ridge is too large for a stored inverse.
    """
    cdef Model* m = s.m
    cdef int64_t n = m.n - 1
    cdef int64_t i, j, line, column, at
    cdef double ridge = s.c.p.ridge
    cdef double* target
    cdef bint done = False
    while not done:
        if not isfinite(ridge):
            # The Gram matrix overflows: p is removed without compensation.
            return
        target = s.gram
        for i in range(n):
            line = i if i < p else i + 1
            for j in range(i + 1):
                column = j if j < p else j + 1
                target[j] = gram_entry(s, line, column)
            target[i] += ridge
            target += i + 1
        done = s.simd.cholesky(s.gram, n)
        ridge = max(10.0 * ridge, 1e-300, 1e-15 * gram_entry(s, p, p))
    for i in range(n):
        s.work[i] = gram_entry(s, i if i < p else i + 1, p)
    solve_packed(s, s.gram, s.work, n)
    for column in range(s.c.columns):
        at = column * s.c.weights
        for i in range(n):
            line = at + (i if i < p else i + 1)
            if not may_enter(s, alpha(s, line) + alpha(s, at + p) * s.work[i]):
                # The Gram matrix is from a forged file: p is removed without compensation.
                return
    for column in range(s.c.columns):
        at = column * s.c.weights
        for i in range(n):
            shift(s, at + (i if i < p else i + 1), alpha(s, at + p) * s.work[i])


cdef inline bint admit_lightest_project(State* s, double a, Example* e) noexcept nogil:
    """The lightest is projected on the others before it goes."""
    cdef Model* m = s.m
    cdef int64_t p
    put(s, m.n, a, e)
    doubles(s.row)[m.n - 1] = e.self_kernel
    write_gram_row(s, m.n - 1)
    if m.n <= s.c.budget:
        return True
    p = lightest_slot(s)
    project_on_others(s, p)
    vacate(s, p)
    if p < m.n:
        # The incoming vector has moved to slot p: its kernel row, with k(x, x) in place of p.
        doubles(s.row)[p] = e.self_kernel
        write_gram_row(s, p)
    return True
