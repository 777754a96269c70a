"""Recomputes everything that derives from vectors and coefficients, after an interrupted step.

Counts, vectors and coefficients have been checked; the regions written here have not, and are not
read.
"""

from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    coefficient, coefficient_count, kernel_row_to, self_kernel, slot_row, squared_norm,
)
from edgeolk.ring.inverse cimport refresh_inverse
from edgeolk.core.parts cimport (
    POLICY_ANCHOR, POLICY_LIGHTEST_PROJECT, POLICY_SPAN, basis_starts_full,
)
from edgeolk.ring.policies.budgeted_pa cimport rescan
from edgeolk.ring.policies.projectron cimport grow_factor, span_distance
from edgeolk.core.numbers cimport doubles
from edgeolk.ring.ring cimport take_vector, update_slot_norm
from edgeolk.core.state cimport Example, State


cdef inline double weights_norm(const State* s) noexcept nogil:
    """|w|^2 of a weighted sum of features."""
    cdef int64_t i
    cdef double w
    cdef double total = 0.0
    for i in range(coefficient_count(s)):
        w = s.function.scale * coefficient(s, i)
        total += w * w
    return total


cdef inline bint refactor(State* s) noexcept nogil:
    """Recompute the factor row by row; False if the vectors have none."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    cdef Example e
    cdef double p, residual
    if s.c.choice.policy == POLICY_LIGHTEST_PROJECT:
        for i in range(n):
            slot_row(s, i, i + 1, NULL, s.factor + i * (i + 1) // 2)
        return True
    if s.halving != NULL and s.halving.anchored:
        return True
    for i in range(n):
        take_vector(s, s.sv, s.c.stride, i)
        e.self_kernel = self_kernel(s, s.column)
        kernel_row_to(s, i, s.column, NULL, s.row)
        # Slot i relative to a ring of the slots before it.
        s.m.n = <int>i
        residual = span_distance(s, &e, &p)
        if not residual > 0.0:
            s.m.n = <int>n
            return False
        grow_factor(s, residual)
    s.m.n = <int>n
    return True


cdef inline bint rebuild_derived(State* s) noexcept nogil:
    """Norms, arrivals, neighbours, scores, inverse, factor; False if no factor exists."""
    cdef int64_t i
    cdef int64_t n = s.m.n
    cdef void* column = s.column
    cdef bint rebuilt = True
    if s.function == NULL:
        return True
    s.sparse_x = NULL
    if s.column == NULL:
        # Without column scratch, gather support vectors in that of the example.
        s.column = s.query
    for i in range(n):
        update_slot_norm(s, i)
        if s.diagonal != NULL:
            s.diagonal[i] = self_kernel(s, take_vector(s, s.sv, s.c.stride, i))
        if s.arrival != NULL:
            s.arrival[i] = max(0, min(s.arrival[i], s.m.steps))
        if s.nearest != NULL:
            s.nearest[i] = -1
    for i in range(n):
        if s.nearest != NULL:
            rescan(s, i)
        if s.scores != NULL:
            s.scores[i] = slot_row(s, i, n, s.coef, NULL)
    if s.inverse != NULL:
        refresh_inverse(s, 0.0)
    if s.factor != NULL and n > 0:
        rebuilt = refactor(s)
    if s.c.tracks_norm:
        if basis_starts_full(s.c.choice.basis) or (s.nystrom != NULL and s.nystrom.rank > 0):
            s.function.norm2 = weights_norm(s)
        else:
            s.function.norm2 = squared_norm(s)
    s.sparse_x = NULL
    s.column = column
    return rebuilt
