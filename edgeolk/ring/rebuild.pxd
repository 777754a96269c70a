"""Recomputes everything that derives from vectors and coefficients, after an interrupted step.

Counts, vectors and coefficients have been checked; the regions written here have not, and are not
read.
"""

from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    coefficient_count, gather, kernel_row_to, self_kernel, slot_row, squared_norm,
)
from edgeolk.ring.inverse cimport refresh_inverse
from edgeolk.core.parts cimport (
    POLICY_ANCHOR, POLICY_LIGHTEST_PROJECT, POLICY_SPAN, basis_starts_full,
)
from edgeolk.ring.policies.budgeted_pa cimport rescan
from edgeolk.ring.policies.projectron cimport grow_factor, span_distance
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficient, coefficients, gathered, kernel_values, update_slot_norm,
)
from edgeolk.core.state cimport Example


cdef inline double weights_norm(SupportVectorRing ring) noexcept nogil:
    """|w|^2 of a weighted sum of features."""
    cdef int64_t i
    cdef double w
    cdef double total = 0.0
    for i in range(coefficient_count(ring)):
        w = ring.function.scale * coefficient(ring, 0, i)
        total += w * w
    return total


cdef inline bint refactor(SupportVectorRing ring) noexcept nogil:
    """Recompute the factor row by row; False if the vectors have none."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef Example e
    cdef double p, residual
    if ring.c.choice.policy == POLICY_LIGHTEST_PROJECT:
        for i in range(n):
            slot_row(ring, i, i + 1, NULL, &ring.factor[i * (i + 1) // 2])
        return True
    if ring.halving != NULL and ring.halving.anchored:
        return True
    for i in range(n):
        e.self_kernel = self_kernel(ring, gather(ring, i))
        kernel_row_to(ring, i, gathered(ring), NULL, kernel_values(ring))
        # Slot i relative to a ring of the slots before it.
        ring.m.n = <int>i
        residual = span_distance(ring, &e, &p)
        if not residual > 0.0:
            ring.m.n = <int>n
            return False
        grow_factor(ring, residual)
    ring.m.n = <int>n
    return True


cdef inline bint rebuild_derived(SupportVectorRing ring) noexcept nogil:
    """Norms, arrivals, neighbours, scores, inverse, factor; False if no factor exists."""
    cdef int64_t i
    cdef int64_t n = ring.m.n
    cdef bint rebuilt = True
    ring.s.sparse_x = NULL
    for i in range(n):
        update_slot_norm(ring, i)
        if ring.diagonal is not None:
            ring.diagonal[i] = self_kernel(ring, gather(ring, i))
        if ring.arrival is not None:
            ring.arrival[i] = max(0, min(ring.arrival[i], ring.m.steps))
        if ring.nearest is not None:
            ring.nearest[i] = -1
    for i in range(n):
        if ring.nearest is not None:
            rescan(ring, i)
        if ring.scores is not None:
            ring.scores[i] = slot_row(ring, i, n, coefficients(ring), NULL)
    if ring.inverse is not None:
        refresh_inverse(ring, ring.c.added)
    if ring.factor is not None and n > 0:
        rebuilt = refactor(ring)
    if ring.c.tracks_norm:
        if basis_starts_full(ring.c.choice.basis) or (
                ring.nystrom != NULL and ring.nystrom.rank > 0):
            ring.function.norm2 = weights_norm(ring)
        else:
            ring.function.norm2 = squared_norm(ring)
    ring.s.sparse_x = NULL
    return rebuilt
