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
    alpha, diagonal, distance_row, gather, put, row_at, shift, shift_slot, slot_distance,
    slot_kernel, square, squares,
)
from edgeolk.core.c cimport OLK_DISTANCE, OLK_F64, OLK_GAUSSIAN, olk_get, olk_kernel
from edgeolk.ring.inverse cimport (
    append_bordered, border, entry, exchange_bordered, has_pivots, refresh_inverse, spread_weight,
)
from edgeolk.ring.loss_switch cimport loss_residual, loss_sign
from edgeolk.core.parts cimport DTYPE_FLOAT64, UPDATE_PA1
from edgeolk.core.numbers cimport get, may_enter, put as write, row_type, value_type
from edgeolk.core.rows cimport list_nonzeros
from edgeolk.core.state cimport Example, Model, State


# The nearest neighbour of every support vector, kept exact through every exchange (BPA-NN).
#
# For each slot i: nearest[i], nearest_d2[i] (squared distance in input space), nearest_k[i] (kernel
# value with it); -1 if there is no other. Ties go to the lowest slot.

cdef enum:
    LOST = -2                 # the neighbour was just evicted
    MAX_CANDIDATES = 16       # one slot in 16 may be read in full, else all are


cdef inline int64_t nearest_to_incoming(const State* s, int64_t excluded) noexcept nogil:
    """argmin of the distance row, excluding one slot (-1: none); -1 if the ring is empty."""
    cdef int64_t best
    cdef double saved
    if excluded < 0:
        return s.simd.argmin[value_type(s)](s.distance, s.m.n)
    saved = get(s, s.distance, excluded)
    write(s, s.distance, excluded, INFINITY)
    best = s.simd.argmin[value_type(s)](s.distance, s.m.n)
    write(s, s.distance, excluded, saved)
    return best


cdef inline void set_nearest(State* s, int64_t slot, int64_t other, double k) noexcept nogil:
    s.nearest[slot] = other
    if other >= 0:
        write(s, s.nearest_d2, slot, get(s, s.distance, other))
        s.nearest_k[slot] = k


cdef inline void update_nearest(State* s, int64_t slot) noexcept nogil:
    """Make the vector in this slot the nearest of every slot that it is closest to."""
    cdef int64_t i
    cdef double d2
    for i in range(s.m.n):
        if i == slot or s.nearest[i] == LOST:
            continue
        d2 = get(s, s.distance, i)
        if (s.nearest[i] < 0 or d2 < get(s, s.nearest_d2, i)
                or (d2 == get(s, s.nearest_d2, i) and slot < s.nearest[i])):
            s.nearest[i] = slot
            write(s, s.nearest_d2, i, d2)
            s.nearest_k[i] = row_at(s, i)


cdef inline double squared_length(const State* s, int64_t slot) noexcept nogil:
    return olk_get(row_type(s), s.norms, slot)


cdef inline bint rescan_nonzeros(State* s, int64_t slot, const void* x) noexcept nogil:
    """The search of ``rescan`` for a mostly zero x; False if it would not pay.

    Distances from norms and products of the non-zeros leave few candidates: the slots that may be
    nearest, allowing for rounding. Only these distances are then computed exactly.
    """
    cdef olk_kernel plain
    cdef int64_t i
    cdef int64_t best = -1
    cdef int64_t left = s.m.n // MAX_CANDIDATES + 1
    cdef double x2, d2
    cdef double min_d2 = INFINITY
    cdef double bound = INFINITY
    # Maximum error of a squared distance computed in either way, relative to |x|^2 + |s|^2.
    cdef double max_error = 4.0 * <double>(s.c.n_features + 8)
    if s.c.kernel.kind != OLK_GAUSSIAN or s.norms == NULL or s.nonzero_index == NULL:
        return False
    list_nonzeros(s, x)
    if s.sparse_x != x:
        return False
    # Distances have the type of coefficients, which may be the narrower one.
    if s.c.vectors == DTYPE_FLOAT64 and value_type(s) == OLK_F64:
        max_error *= 2.0 ** -53
    else:
        max_error *= 2.0 ** -24
    plain.kind = OLK_DISTANCE
    s.sparse_fn(&plain, s.sv, s.norms, s.c.stride, s.m.n, s.nonzeros, s.nonzero_index,
                s.nonzero_value, value_type(s), NULL, s.distance)
    x2 = squared_length(s, slot)
    for i in range(s.m.n):
        if i != slot:
            bound = min(bound, get(s, s.distance, i) + max_error * (x2 + squared_length(s, i)))
    for i in range(s.m.n):
        if i == slot or get(s, s.distance, i) - max_error * (x2 + squared_length(s, i)) > bound:
            continue
        left -= 1
        if left < 0:
            return False
        write(s, s.distance, i, slot_distance(s, x, i))
        d2 = get(s, s.distance, i)
        if d2 < min_d2:
            min_d2 = d2
            best = i
    if best < 0:
        return False
    set_nearest(s, slot, best, slot_kernel(s, x, best))
    return True


cdef inline void rescan(State* s, int64_t slot) noexcept nogil:
    """Search all slots for the nearest of one, O(B d)."""
    cdef const void* x = gather(s, slot)
    cdef int64_t best
    if rescan_nonzeros(s, slot, x):
        return
    distance_row(s, x)
    best = nearest_to_incoming(s, slot)
    set_nearest(s, slot, best, slot_kernel(s, x, best) if best >= 0 else 0.0)


cdef inline void neighbours_admit(State* s) noexcept nogil:
    """Before the incoming vector is put in slot n of a ring that is not full."""
    cdef int64_t n = s.m.n
    cdef int64_t best = nearest_to_incoming(s, -1)
    set_nearest(s, n, best, row_at(s, best) if best >= 0 else 0.0)
    update_nearest(s, n)


cdef inline void neighbours_replace(State* s, int64_t r) noexcept nogil:
    """After the incoming vector replaced slot r; row and distance are still of the old ring."""
    cdef Model* m = s.m
    cdef const void* before = s.sparse_x
    cdef int64_t i
    cdef int64_t best = nearest_to_incoming(s, r)
    for i in range(m.n):
        if i != r and s.nearest[i] == r:
            s.nearest[i] = LOST
    set_nearest(s, r, best, row_at(s, best) if best >= 0 else 0.0)
    update_nearest(s, r)
    # Search again for slots that lost their neighbour: about one per exchange, but many if rows are
    # mostly zeros and a short row is the nearest of all.
    for i in range(m.n):
        if s.nearest[i] == LOST:
            rescan(s, i)
    if s.sparse_x != before:
        s.sparse_x = NULL
        if before != NULL:
            list_nonzeros(s, before)


cdef inline bint may_skip(const State* s) noexcept nogil:
    return s.c.p.allow_skip != 0.0 and s.c.choice.update == UPDATE_PA1


cdef inline double cost_with_incoming(const State* s, double min_loss, double a,
                                      const Example* e) noexcept nogil:
    """Q of the best removal of an old vector: min_loss = min_r alpha_r^2 d_r."""
    cdef double h = loss_residual(s, e)
    cdef double tau = fabs(a)
    cdef double norm2 = e.self_kernel * e.power
    return 0.5 * min_loss + 0.5 * tau * tau * norm2 + s.c.p.C * e.weight * (h - tau * norm2)


cdef inline double cost_without(const State* s, double projected, double* tau,
                                const Example* e) noexcept nogil:
    """Q of leaving out the incoming vector, projected = ||P_S Phi_t||^2; sets its step tau_t."""
    cdef double h = loss_residual(s, e)
    cdef double norm2 = projected * e.power
    tau[0] = min(s.c.p.C * e.weight, h / norm2) if norm2 > 0.0 else 0.0
    return 0.5 * tau[0] * tau[0] * norm2 + s.c.p.C * e.weight * (h - tau[0] * norm2)


cdef inline const double* slot_weights(State* s) noexcept nogil:
    """Sums of squares of the coefficients of each slot; NULL for one column."""
    if s.c.columns == 1:
        return NULL
    squares(s)
    return s.work


cdef inline bint admit_simple(State* s, double a, Example* e) noexcept nogil:
    """BPA-S: r is projected on the incoming vector only, S = {t}. Needs k(x, x) > 0."""
    cdef Model* m = s.m
    cdef int64_t r, column
    cdef double min_loss, tau, share
    if m.n < s.c.budget:
        put(s, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = s.simd.argmin_line[value_type(s)](s.coef, slot_weights(s), s.diagonal, s.row, e.self_kernel,
                                          m.n, &min_loss)
    if r < 0:
        # All costs overflow: any slot will do.
        r = 0
    min_loss *= s.function.scale * s.function.scale
    if may_skip(s) and cost_without(s, 0.0, &tau, e) < cost_with_incoming(s, min_loss, a, e):
        return False
    for column in range(s.c.columns):
        share = alpha(s, column * s.c.weights + r) * row_at(s, r) / e.self_kernel
        add_share(s, e, column, share, a)
    put(s, r, 1.0, e)
    return True


cdef inline void add_share(const State* s, Example* e, int64_t column, double share,
                           double a) noexcept nogil:
    """Add a share of the removed vector to the new coefficient of a column, if in range."""
    cdef double added = a * e.share[column]
    e.share[column] = share + added if may_enter(s, share + added) else added


cdef inline void nearest_shares(const State* s, int64_t r, const Example* e, double* share_n,
                                double* share_t) noexcept nogil:
    """Coefficients of Phi_r projected on S = {t, n}, n its nearest old vector; the cost is computed
    by argmin_plane."""
    cdef int64_t n = s.nearest[r]
    cdef double k_rt = row_at(s, r)
    cdef double k_tt = e.self_kernel
    cdef double k_nn, k_nt, k_rn, det
    share_n[0] = 0.0
    share_t[0] = k_rt / k_tt
    if n < 0:
        return
    k_nn = diagonal(s, n)
    k_nt = row_at(s, n)
    k_rn = s.nearest_k[r]
    det = k_nn * k_tt - k_nt * k_nt
    if det > s.c.p.singular * k_nn * k_tt:
        share_n[0] = (k_tt * k_rn - k_nt * k_rt) / det
        share_t[0] = (k_nn * k_rt - k_nt * k_rn) / det


cdef inline bint admit_nearest(State* s, double a, Example* e) noexcept nogil:
    """BPA-NN: r is projected on the incoming vector and r's nearest neighbour, S = {t, n}."""
    cdef Model* m = s.m
    cdef int64_t r, j, column, at
    cdef double share_n, share_t, tau, projected, removed, min_loss
    cdef bint in_bounds = True
    if s.products == NULL or s.sparse_x != NULL:
        distance_row(s, e.x)
    if m.n < s.c.budget:
        neighbours_admit(s)
        put(s, m.n, a, e)
        return True
    if not e.self_kernel > 0.0:
        return False
    r = s.simd.argmin_plane[value_type(s)](
        s.coef, slot_weights(s), s.diagonal, s.row, e.self_kernel, s.nearest, s.nearest_k,
        s.c.p.singular, m.n, &min_loss)
    if r < 0:
        r = 0
    min_loss *= s.function.scale * s.function.scale
    if may_skip(s):
        j = nearest_to_incoming(s, -1)
        # No slot is nearest if all distances are infinite: then no coefficient is adjusted.
        projected = 0.0
        if j >= 0 and diagonal(s, j) > 0.0:
            projected = row_at(s, j) * row_at(s, j) / diagonal(s, j)
        if cost_without(s, projected, &tau, e) < cost_with_incoming(s, min_loss, a, e):
            if tau == 0.0:
                return False
            shift_slot(s, j, copysign(tau, a) * row_at(s, j) / diagonal(s, j), e)
            return True
    nearest_shares(s, r, e, &share_n, &share_t)
    for column in range(s.c.columns):
        at = column * s.c.weights
        removed = alpha(s, at + r)
        if not (may_enter(s, removed * share_t + a * e.share[column]) and (
                share_n == 0.0 or may_enter(s, alpha(s, at + s.nearest[r]) + removed * share_n))):
            in_bounds = False
    if not in_bounds:
        # Out of range: r is removed without compensation.
        share_n = share_t = 0.0
    for column in range(s.c.columns):
        at = column * s.c.weights
        removed = alpha(s, at + r)
        if share_n != 0.0:
            shift(s, at + s.nearest[r], removed * share_n)
        add_share(s, e, column, removed * share_t, a)
    put(s, r, 1.0, e)
    neighbours_replace(s, r)
    return True


cdef inline void add_in_span(State* s, double a, const Example* e) noexcept nogil:
    """alpha += a u, u = work."""
    cdef int64_t i
    for i in range(s.m.n):
        shift_slot(s, i, a * s.work[i], e)


cdef inline double weight_of(const State* s, int64_t slot) noexcept nogil:
    """alpha_i^2."""
    if s.c.columns > 1:
        return s.function.scale * s.function.scale * square(s, slot)
    return alpha(s, slot) * alpha(s, slot)


cdef inline bint admit_project(State* s, double a, Example* e) noexcept nogil:
    """BPA-P: r is projected on all other vectors, by the stored inverse in O(B^2)."""
    cdef Model* m = s.m
    cdef int64_t i
    cdef int64_t column
    cdef int64_t r = 0
    cdef double delta, cost, projected, tau
    cdef double min_loss = 0.0
    delta = border(s, 0.0, e)
    projected = e.self_kernel - delta
    if not fabs(projected) <= 4.0 * e.self_kernel:
        # A projection is never longer than the vector: the inverse is invalid.
        refresh_inverse(s, 0.0)
        return False
    if delta <= s.c.p.singular * e.self_kernel or delta < 1e-300:
        # In the span (duplicates): no projection error, whichever vector would be removed. The same
        # if delta is too small to be inverted.
        if not projected > 0.0:
            return False
        tau = a
        if s.c.choice.update == UPDATE_PA1:
            tau = loss_sign(s, e) * min(s.c.p.C * e.weight,
                                        loss_residual(s, e) / (projected * e.power))
        add_in_span(s, tau, e)
        return True
    if m.n < s.c.budget:
        append_bordered(s, delta)
        put(s, m.n, a, e)
        return True
    for i in range(m.n):
        cost = weight_of(s, i) / (
            s.inverse[entry(i, i)] + s.work[i] * s.work[i] / delta)
        if i == 0 or cost < min_loss:
            min_loss = cost
            r = i
    if may_skip(s) and cost_without(s, projected, &tau, e) < cost_with_incoming(s, min_loss, a, e):
        if tau == 0.0:
            return False
        add_in_span(s, copysign(tau, a), e)
        return True
    for column in range(s.c.columns):
        add_share(s, e, column, spread_weight(s, r, column, delta), a)
    exchange_bordered(s, r, delta)
    put(s, r, 1.0, e)
    s.function.removals += 1
    if s.function.removals >= 10 * s.c.budget or not has_pivots(s):
        refresh_inverse(s, 0.0)
    return True
