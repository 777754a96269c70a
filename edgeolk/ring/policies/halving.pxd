"""Ahpatron's halving (algorithm 2): the half with small |alpha| is projected on the other half."""

from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t

from edgeolk.ring.expansion cimport (
    apply_scale, class_row, compact, put, score, slot_row, square, squared_norm,
)
from edgeolk.ring.losses cimport share_weighted_score
from edgeolk.core.c cimport olk_kth_largest
from edgeolk.ring.inverse cimport solve_packed
from edgeolk.core.numbers cimport doubles
from edgeolk.core.state cimport Example, Model, State


cdef inline double size_of(const State* s, int64_t slot) noexcept nogil:
    """The key that slots are ordered by."""
    return fabs(doubles(s.coef)[slot]) if s.c.columns == 1 else square(s, slot)


cdef inline void split_by_weight(State* s, int64_t h) noexcept nogil:
    """order[:h] = the h slots with the largest |alpha| (ties: lower slot), order[h:] = the others.

    Both in increasing slot order. With several columns |alpha|^2 is the sum of the squares.
    """
    cdef int64_t i, ties
    cdef int64_t n = s.m.n
    cdef int64_t kept = 0
    cdef int64_t gone = h
    cdef double w, bar
    for i in range(n):
        s.work[i] = size_of(s, i)
    bar = olk_kth_largest(s.work, n, h)
    ties = h
    for i in range(n):
        if size_of(s, i) > bar:
            ties -= 1
    for i in range(n):
        w = size_of(s, i)
        if w > bar or (w == bar and ties > 0):
            if w == bar:
                ties -= 1
            s.order[kept] = <int32_t>i
            kept += 1
        else:
            s.order[gone] = <int32_t>i
            gone += 1


cdef inline double* pulls_of(State* s, int64_t column, int64_t h) noexcept nogil:
    """The right-hand side of a column; in work if there is one column."""
    return s.work if s.c.columns == 1 else s.pulls + column * h


cdef inline double fill_system(State* s, int64_t h, double ridge) noexcept nogil:
    """gram <- K[keep, keep] + ridge I (packed lower), pulls <- K[keep, gone] coef[gone] for every
    column.

    Returns the mean of k(s, s) over the kept.
    """
    cdef int64_t p, q, column
    cdef const double* coef
    cdef int64_t n = s.m.n
    cdef double* line = s.gram
    cdef double pull
    cdef double trace = 0.0
    for p in range(h):
        slot_row(s, s.order[p], n, NULL, s.row)
        for q in range(p + 1):
            line[q] = doubles(s.row)[s.order[q]]
        trace += line[p]
        line[p] += ridge
        line += p + 1
        for column in range(s.c.columns):
            coef = doubles(s.coef) + column * s.c.weights
            pull = 0.0
            for q in range(h, n):
                pull += coef[s.order[q]] * doubles(s.row)[s.order[q]]
            pulls_of(s, column, h)[p] = pull
    return trace / <double>h


cdef inline void halve(State* s) noexcept nogil:
    """theta = (K[keep,keep] + ridge I)^-1 K[keep,gone] alpha[gone]; alpha[keep] += theta."""
    cdef int64_t p, column
    cdef int64_t h = s.c.budget // 2
    cdef double ridge = s.c.p.ridge
    cdef double mean, before, factor
    cdef bint solved = True
    split_by_weight(s, h)
    mean = fill_system(s, h, ridge)
    # Duplicates make K singular; raise the ridge until the factor exists.
    while not s.simd.cholesky(s.gram, h):
        ridge = max(10.0 * ridge, 1e-12 * mean)
        if not ridge > 0.0:
            ridge = 1e-300
        if not isfinite(ridge):
            # The Gram matrix overflows: the lighter half is removed without compensation.
            solved = False
            break
        fill_system(s, h, ridge)
    if solved:
        for column in range(s.c.columns):
            solve_packed(s, s.gram, pulls_of(s, column, h), h)
            for p in range(h):
                doubles(s.coef)[column * s.c.weights + s.order[p]] += pulls_of(s, column, h)[p]
    compact(s, s.order, h)
    before = s.function.norm2
    s.function.norm2 = squared_norm(s)
    if s.c.p.rescale != 0.0 and s.function.norm2 > 1e-12 * before:
        # The authors' program keeps the norm; a kept part that cancels out is not scaled up from
        # noise.
        factor = sqrt(before / s.function.norm2)
        s.function.scale *= factor
        s.function.norm2 = before
    apply_scale(s)
    s.halving.count += 1


cdef inline bint admit_halving(State* s, double a, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double factor
    if m.n == s.c.budget:
        halve(s)
        if s.function.norm2 > s.c.p.U * s.c.p.U:
            factor = s.c.p.U / sqrt(s.function.norm2)
            s.function.scale *= factor
            s.function.norm2 = s.c.p.U * s.c.p.U
        if s.c.columns > 1:
            class_row(s, e.x, s.coef, s.function.scale, s.class_scores)
            e.f = share_weighted_score(s, e)
        else:
            e.f = score(s, e.x, NULL)
    put(s, m.n, a, e)
    return True
