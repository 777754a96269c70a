"""Budgeted passive-aggressive maintenance (Wang & Vucetic 2010): removal with compensation.

Removing support vector r costs alpha_r^2 d_r / 2 plus a term that is the same for every old r,
where d_r = ||Phi_r - P_S Phi_r||^2 is the squared distance of Phi_r to the span of the vectors S
that may compensate for it. Leaving out the incoming vector (r = t) is compensated by S without it;
that option exists for PA-I. With several columns alpha_r^2 is the sum of the squares, and the
compensation is the same for each.
"""

from libc.math cimport INFINITY, copysign, fabs
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport (
    alpha, diagonal, distance_row, gather, put, shift, shift_slot, slot_distance, slot_kernel,
    square, squares,
)
from edgeolk.core.c cimport OLK_DISTANCE, OLK_F64, OLK_GAUSSIAN, olk_kernel
from edgeolk.ring.inverse cimport (
    append_bordered, border, entry, exchange_bordered, has_pivots, refresh_inverse, spread_weight,
)
from edgeolk.ring.loss_switch cimport loss_residual, loss_sign
from edgeolk.core.parts cimport DTYPE_FLOAT64, UPDATE_PA1
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficients, diagonal_or_null, distance_at, distances, kernel_values,
    may_enter, norm_at, norms_from, row_at, set_distance, value_type, vectors_from,
)
from edgeolk.core.rows cimport list_nonzeros
from edgeolk.core.state cimport Example, Model


# The nearest neighbour of every support vector, kept exact through every exchange (BPA-NN).
#
# For each slot i: nearest[i], nearest_d2[i] (squared distance in input space), nearest_k[i] (kernel
# value with it); -1 if there is no other. Ties go to the lowest slot.

cdef enum:
    LOST = -2                 # the neighbour was just evicted
    MAX_CANDIDATES = 16       # one slot in 16 may be read in full, else all are


cdef inline int64_t nearest_to_incoming(SupportVectorRing ring, int64_t excluded) noexcept nogil:
    """argmin of the distance row, excluding one slot (-1: none); -1 if the ring is empty."""
    cdef int64_t best
    cdef double saved
    if excluded < 0:
        return ring.simd.argmin[value_type(ring)](distances(ring), ring.m.n)
    saved = distance_at(ring, excluded)
    set_distance(ring, excluded, INFINITY)
    best = ring.simd.argmin[value_type(ring)](distances(ring), ring.m.n)
    set_distance(ring, excluded, saved)
    return best


cdef inline double nearest_d2_at(SupportVectorRing ring, int64_t slot) noexcept nogil:
    return (ring.nearest_d2_f64[slot] if ring.nearest_d2_f64 is not None
            else ring.nearest_d2_f32[slot])


cdef inline void set_nearest_d2(SupportVectorRing ring, int64_t slot, double d2) noexcept nogil:
    if ring.nearest_d2_f64 is not None:
        ring.nearest_d2_f64[slot] = d2
    else:
        ring.nearest_d2_f32[slot] = <float>d2


cdef inline void set_nearest(SupportVectorRing ring, int64_t slot, int64_t other,
                             double k) noexcept nogil:
    ring.nearest[slot] = other
    if other >= 0:
        set_nearest_d2(ring, slot, distance_at(ring, other))
        ring.nearest_k[slot] = k


cdef inline void update_nearest(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """Make the vector in this slot the nearest of every slot that it is closest to."""
    cdef int64_t i
    cdef double d2
    for i in range(ring.m.n):
        if i == slot or ring.nearest[i] == LOST:
            continue
        d2 = distance_at(ring, i)
        if (ring.nearest[i] < 0 or d2 < nearest_d2_at(ring, i)
                or (d2 == nearest_d2_at(ring, i) and slot < ring.nearest[i])):
            ring.nearest[i] = slot
            set_nearest_d2(ring, i, d2)
            ring.nearest_k[i] = row_at(ring, i)


cdef inline bint rescan_nonzeros(SupportVectorRing ring, int64_t slot,
                                 const void* x) noexcept nogil:
    """The search of ``rescan`` for a mostly zero x; False if it would not pay.

    Distances from norms and products of the non-zeros leave few candidates: the slots that may be
    nearest, allowing for rounding. Only these distances are then computed exactly.
    """
    cdef olk_kernel plain
    cdef int64_t i
    cdef int64_t best = -1
    cdef int64_t left = ring.m.n // MAX_CANDIDATES + 1
    cdef double x2, d2
    cdef double min_d2 = INFINITY
    cdef double bound = INFINITY
    # Maximum error of a squared distance computed in either way, relative to |x|^2 + |s|^2.
    cdef double max_error = 4.0 * <double>(ring.c.n_features + 8)
    if ring.c.kernel.kind != OLK_GAUSSIAN or not ring.has_norms or ring.s.nonzero_index == NULL:
        return False
    list_nonzeros(ring.s, x)
    if ring.s.sparse_x != x:
        return False
    # Distances have the type of coefficients, which may be the narrower one.
    if ring.c.vectors == DTYPE_FLOAT64 and value_type(ring) == OLK_F64:
        max_error *= 2.0 ** -53
    else:
        max_error *= 2.0 ** -24
    plain.kind = OLK_DISTANCE
    ring.sparse_fn(&plain, vectors_from(ring.vectors, 0), norms_from(ring, 0), ring.c.stride,
                   ring.m.n, ring.s.nonzeros, ring.s.nonzero_index, ring.s.nonzero_value,
                   value_type(ring), NULL, distances(ring))
    x2 = norm_at(ring, slot)
    for i in range(ring.m.n):
        if i != slot:
            bound = min(bound, distance_at(ring, i) + max_error * (x2 + norm_at(ring, i)))
    for i in range(ring.m.n):
        if i == slot or distance_at(ring, i) - max_error * (x2 + norm_at(ring, i)) > bound:
            continue
        left -= 1
        if left < 0:
            return False
        set_distance(ring, i, slot_distance(ring, x, i))
        d2 = distance_at(ring, i)
        if d2 < min_d2:
            min_d2 = d2
            best = i
    if best < 0:
        return False
    set_nearest(ring, slot, best, slot_kernel(ring, x, best))
    return True


cdef inline void rescan(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """Search all slots for the nearest of one, O(B d)."""
    cdef const void* x = gather(ring, slot)
    cdef int64_t best
    if rescan_nonzeros(ring, slot, x):
        return
    distance_row(ring, x)
    best = nearest_to_incoming(ring, slot)
    set_nearest(ring, slot, best, slot_kernel(ring, x, best) if best >= 0 else 0.0)


cdef inline void neighbours_admit(SupportVectorRing ring) noexcept nogil:
    """Before the incoming vector is put in slot n of a ring that is not full."""
    cdef int64_t n = ring.m.n
    cdef int64_t best = nearest_to_incoming(ring, -1)
    set_nearest(ring, n, best, row_at(ring, best) if best >= 0 else 0.0)
    update_nearest(ring, n)


cdef inline void neighbours_replace(SupportVectorRing ring, int64_t r) noexcept nogil:
    """After the incoming vector replaced slot r; row and distance are still of the old ring."""
    cdef Model* m = ring.m
    cdef const void* before = ring.s.sparse_x
    cdef int64_t i
    cdef int64_t best = nearest_to_incoming(ring, r)
    for i in range(m.n):
        if i != r and ring.nearest[i] == r:
            ring.nearest[i] = LOST
    set_nearest(ring, r, best, row_at(ring, best) if best >= 0 else 0.0)
    update_nearest(ring, r)
    # Search again for slots that lost their neighbour: about one per exchange, but many if rows are
    # mostly zeros and a short row is the nearest of all.
    for i in range(m.n):
        if ring.nearest[i] == LOST:
            rescan(ring, i)
    if ring.s.sparse_x != before:
        ring.s.sparse_x = NULL
        if before != NULL:
            list_nonzeros(ring.s, before)


cdef inline bint may_skip(SupportVectorRing ring) noexcept nogil:
    return ring.c.p.allow_skip != 0.0 and ring.c.choice.update == UPDATE_PA1


cdef inline double cost_with_incoming(SupportVectorRing ring, double min_loss, double a,
                                      const Example* e) noexcept nogil:
    """Q of the best removal of an old vector: min_loss = min_r alpha_r^2 d_r."""
    cdef double h = loss_residual(ring, e)
    cdef double tau = fabs(a)
    cdef double norm2 = e.self_kernel * e.power
    return 0.5 * min_loss + 0.5 * tau * tau * norm2 + ring.c.p.C * e.weight * (h - tau * norm2)


cdef inline double cost_without(SupportVectorRing ring, double projected, double* tau,
                                const Example* e) noexcept nogil:
    """Q of leaving out the incoming vector, projected = ||P_S Phi_t||^2; sets its step tau_t."""
    cdef double h = loss_residual(ring, e)
    cdef double norm2 = projected * e.power
    tau[0] = min(ring.c.p.C * e.weight, h / norm2) if norm2 > 0.0 else 0.0
    return 0.5 * tau[0] * tau[0] * norm2 + ring.c.p.C * e.weight * (h - tau[0] * norm2)


cdef inline const double* slot_weights(SupportVectorRing ring) noexcept nogil:
    """Sums of squares of the coefficients of each slot; NULL for one column."""
    if ring.c.columns == 1:
        return NULL
    squares(ring)
    return &ring.work[0]


cdef inline bint admit_simple(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """BPA-S: r is projected on the incoming vector only, S = {t}. Needs k(x, x) > 0."""
    cdef Model* m = ring.m
    cdef int64_t r, column
    cdef double min_loss, tau, share
    if m.n < ring.c.budget:
        put(ring, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = ring.simd.argmin_line[value_type(ring)](
        coefficients(ring), slot_weights(ring), diagonal_or_null(ring), kernel_values(ring),
        e.self_kernel, m.n, &min_loss)
    if r < 0:
        # All costs overflow: any slot will do.
        r = 0
    min_loss *= ring.function.scale * ring.function.scale
    if may_skip(ring) and (cost_without(ring, 0.0, &tau, e)
                           < cost_with_incoming(ring, min_loss, a, e)):
        return False
    for column in range(ring.c.columns):
        share = alpha(ring, column, r) * row_at(ring, r) / e.self_kernel
        add_share(ring, e, column, share, a)
    put(ring, r, 1.0, e)
    return True


cdef inline void add_share(SupportVectorRing ring, Example* e, int64_t column, double share,
                           double a) noexcept nogil:
    """Add a share of the removed vector to the new coefficient of a column, if in range."""
    cdef double added = a * e.share[column]
    e.share[column] = share + added if may_enter(ring, share + added) else added


cdef inline void nearest_shares(SupportVectorRing ring, int64_t r, const Example* e,
                                double* share_n, double* share_t) noexcept nogil:
    """Coefficients of Phi_r projected on S = {t, n}, n its nearest old vector; the cost is computed
    by argmin_plane."""
    cdef int64_t n = ring.nearest[r]
    cdef double k_rt = row_at(ring, r)
    cdef double k_tt = e.self_kernel
    cdef double k_nn, k_nt, k_rn, det
    share_n[0] = 0.0
    share_t[0] = k_rt / k_tt
    if n < 0:
        return
    k_nn = diagonal(ring, n)
    k_nt = row_at(ring, n)
    k_rn = ring.nearest_k[r]
    det = k_nn * k_tt - k_nt * k_nt
    if det > ring.c.p.singular * k_nn * k_tt:
        share_n[0] = (k_tt * k_rn - k_nt * k_rt) / det
        share_t[0] = (k_nn * k_rt - k_nt * k_rn) / det


cdef inline bint admit_nearest(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """BPA-NN: r is projected on the incoming vector and r's nearest neighbour, S = {t, n}."""
    cdef Model* m = ring.m
    cdef int64_t r, j, column
    cdef double share_n, share_t, tau, projected, removed, min_loss
    cdef bint in_bounds = True
    if not ring.keeps_products or ring.s.sparse_x != NULL:
        distance_row(ring, e.x)
    if m.n < ring.c.budget:
        neighbours_admit(ring)
        put(ring, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = ring.simd.argmin_plane[value_type(ring)](
        coefficients(ring), slot_weights(ring), diagonal_or_null(ring), kernel_values(ring),
        e.self_kernel, &ring.nearest[0], &ring.nearest_k[0], ring.c.p.singular, m.n, &min_loss)
    if r < 0:
        r = 0
    min_loss *= ring.function.scale * ring.function.scale
    if may_skip(ring):
        j = nearest_to_incoming(ring, -1)
        # No slot is nearest if all distances are infinite: then no coefficient is adjusted.
        projected = 0.0
        if j >= 0 and diagonal(ring, j) > 0.0:
            projected = row_at(ring, j) * row_at(ring, j) / diagonal(ring, j)
        if cost_without(ring, projected, &tau, e) < cost_with_incoming(ring, min_loss, a, e):
            if tau == 0.0:
                return False
            shift_slot(ring, j, copysign(tau, a) * row_at(ring, j) / diagonal(ring, j), e)
            return True
    nearest_shares(ring, r, e, &share_n, &share_t)
    for column in range(ring.c.columns):
        removed = alpha(ring, column, r)
        if not (may_enter(ring, removed * share_t + a * e.share[column]) and (
                share_n == 0.0
                or may_enter(ring, alpha(ring, column, ring.nearest[r]) + removed * share_n))):
            in_bounds = False
    if not in_bounds:
        # Out of range: r is removed without compensation.
        share_n = share_t = 0.0
    for column in range(ring.c.columns):
        removed = alpha(ring, column, r)
        if share_n != 0.0:
            shift(ring, column, ring.nearest[r], removed * share_n)
        add_share(ring, e, column, removed * share_t, a)
    put(ring, r, 1.0, e)
    neighbours_replace(ring, r)
    return True


cdef inline void add_in_span(SupportVectorRing ring, double a, const Example* e) noexcept nogil:
    """alpha += a u, u = work."""
    cdef int64_t i
    for i in range(ring.m.n):
        shift_slot(ring, i, a * ring.work[i], e)


cdef inline double weight_of(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """alpha_i^2."""
    if ring.c.columns > 1:
        return ring.function.scale * ring.function.scale * square(ring, slot)
    return alpha(ring, 0, slot) * alpha(ring, 0, slot)


cdef inline bint admit_project(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """BPA-P: r is projected on all other vectors, by the stored inverse in O(B^2)."""
    cdef Model* m = ring.m
    cdef int64_t i
    cdef int64_t column
    cdef int64_t r = 0
    cdef double delta, cost, projected, tau
    cdef double min_loss = 0.0
    delta = border(ring, 0.0, e)
    projected = e.self_kernel - delta
    if not fabs(projected) <= 4.0 * e.self_kernel:
        # A projection is never longer than the vector: the inverse is invalid.
        refresh_inverse(ring, 0.0)
        return False
    if delta <= ring.c.p.singular * e.self_kernel or delta < 1e-300:
        # In the span (duplicates): no projection error, whichever vector would be removed. The same
        # if delta is too small to be inverted.
        if not projected > 0.0:
            return False
        tau = a
        if ring.c.choice.update == UPDATE_PA1:
            tau = loss_sign(ring, e) * min(ring.c.p.C * e.weight,
                                           loss_residual(ring, e) / (projected * e.power))
        add_in_span(ring, tau, e)
        return True
    if m.n < ring.c.budget:
        append_bordered(ring, delta)
        put(ring, m.n, a, e)
        return True
    for i in range(m.n):
        cost = weight_of(ring, i) / (
            ring.inverse[entry(i, i)] + ring.work[i] * ring.work[i] / delta)
        if i == 0 or cost < min_loss:
            min_loss = cost
            r = i
    if may_skip(ring) and (cost_without(ring, projected, &tau, e)
                           < cost_with_incoming(ring, min_loss, a, e)):
        if tau == 0.0:
            return False
        add_in_span(ring, copysign(tau, a), e)
        return True
    for column in range(ring.c.columns):
        add_share(ring, e, column, spread_weight(ring, r, column, delta), a)
    exchange_bordered(ring, r, delta)
    put(ring, r, 1.0, e)
    ring.function.removals += 1
    if ring.function.removals >= 10 * ring.c.budget or not has_pivots(ring):
        refresh_inverse(ring, 0.0)
    return True
