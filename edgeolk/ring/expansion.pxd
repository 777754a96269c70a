"""The function f = sum_i alpha_i k(s_i, .): score, put, drop, scale, norm. Independent of policies.

Design. Coefficients share one lazy factor (alpha_i = scale * coef[i]), so shrinking all of them is
O(1). They are stored in columns, one per class, K = 1 for two classes: a slot has one vector and
K coefficients. The squared norm is tracked incrementally if something needs it, and recomputed
after B removals, because each removal can magnify its rounding error.
"""

from libc.math cimport INFINITY, isfinite, pow, sqrt, tanh
from libc.stdint cimport int32_t, int64_t

from edgeolk.core.c cimport OLK_DISTANCE, OLK_F64, OLK_LINEAR, OLK_POLYNOMIAL, olk_kernel
from edgeolk.core.parts cimport basis_per_member, coefficients_max_factor, kernel_normalised
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficient, coefficients, coefficients_of, copy_slot,
    diagonal_or_null, distances, gathered, kernel_values, lengths_from, mark_slot_changed,
    norms_from, set_coefficient, stored_number, take_vector, value_type, vectors_from, write_vector,
)
from edgeolk.core.rows cimport list_nonzeros
from edgeolk.core.state cimport Example, Function, Model, NO_ROW


cdef extern from *:
    # Cython's own: what is rare is not inlined, whose registers every call would save.
    bint unlikely(bint condition) nogil


cdef inline double kernel_row_to(SupportVectorRing ring, int64_t n, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x) over the first n slots; the kernel values go to row unless NULL.

    Squared distances go to the distance row as well, if the ring keeps them (not for rows processed
    as sparse).
    """
    if x == ring.s.sparse_x and x != NULL:
        return ring.sparse_fn(
            &ring.c.kernel, vectors_from(ring.vectors, 0), norms_from(ring, 0), ring.c.stride, n,
            ring.s.nonzeros, ring.s.nonzero_index, ring.s.nonzero_value, value_type(ring), coef,
            row)
    return ring.row_fn(
        &ring.c.kernel, vectors_from(ring.vectors, 0), lengths_from(ring, 0), &ring.s.quantizer,
        ring.c.stride, n, ring.c.n_features, x, value_type(ring), coef, row,
        distances(ring) if row != NULL and ring.keeps_products else NULL)


cdef inline double kernel_row(SupportVectorRing ring, const void* x, const void* coef,
                              void* row) noexcept nogil:
    """kernel_row_to over all slots in use."""
    return kernel_row_to(ring, ring.m.n, x, coef, row)


cdef inline double next_row(SupportVectorRing ring, const void* x, const void* coef,
                            void* row) noexcept nogil:
    """kernel_row, from the precomputed values of the row (lookahead.pxd) if there are any."""
    if ring.ahead.next < 0:
        return kernel_row(ring, x, coef, row)
    return ring.simd.cached_row[ring.ahead.value_type](
        take_values_ahead(ring), ring.m.n, value_type(ring), coef, row)


cdef inline void* value_ahead(SupportVectorRing ring, int64_t i, int64_t slot) noexcept nogil:
    """Kernel values of row i ahead, from a slot on."""
    if ring.values_ahead_f64 is not None:
        return &ring.values_ahead_f64[i, slot]
    return &ring.values_ahead_f32[i, slot]


cdef inline const void* take_values_ahead(SupportVectorRing ring) noexcept nogil:
    """Kernel values of the row about to be learned, which are used once."""
    cdef int64_t i = ring.ahead.next
    ring.ahead.next = NO_ROW
    return value_ahead(ring, i, 0)


cdef inline double score(SupportVectorRing ring, const void* x, void* row) noexcept nogil:
    """f(x) = sum_i alpha_i k(s_i, x)."""
    return ring.function.scale * kernel_row(ring, x, coefficients(ring), row)


cdef inline void class_row(SupportVectorRing ring, const void* x, const void* coef, double scale,
                           double* f) noexcept nogil:
    """f[k] <- scale sum_i coef_ik k(s_i, x) for every column k; keeps a row that a step reads."""
    cdef int64_t k
    if ring.ahead.next >= 0 and not ring.c.reads_row:
        ring.simd.weigh_values[value_type(ring)](
            ring.ahead.value_type, take_values_ahead(ring), coef, ring.c.weights, ring.m.n,
            ring.c.columns, f)
    else:
        next_row(ring, x, NULL, kernel_values(ring))
        ring.simd.weigh[value_type(ring)](
            kernel_values(ring), coef, ring.c.weights, ring.m.n, ring.c.columns, f)
    for k in range(ring.c.columns):
        f[k] *= scale


cdef inline double pair_kernel(SupportVectorRing ring, const void* a, const void* b) noexcept nogil:
    """k(a, b) for two contiguous vectors."""
    return ring.pair_fn(&ring.c.kernel, a, b, ring.c.n_features)


cdef inline double self_kernel(SupportVectorRing ring, const void* x) noexcept nogil:
    """k(x, x): 1 for the distance kernels."""
    if kernel_normalised(ring.c.kernel.kind):
        return 1.0
    return pair_kernel(ring, x, x)


cdef inline double diagonal(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """k(s_i, s_i)."""
    return ring.diagonal[slot] if ring.diagonal is not None else 1.0


cdef inline int64_t used_length(SupportVectorRing ring) noexcept nogil:
    """Length of the coefficient array up to the last in use; gaps between columns are 0."""
    return (ring.c.columns - 1) * ring.c.weights + ring.m.n


cdef inline double alpha(SupportVectorRing ring, int64_t column, int64_t slot) noexcept nogil:
    return ring.function.scale * coefficient(ring, column, slot)


cdef inline void squares(SupportVectorRing ring) noexcept nogil:
    """work[i] <- the sum over the columns of coef^2."""
    ring.simd.squares[value_type(ring)](
        coefficients(ring), ring.c.weights, ring.m.n, ring.c.columns, &ring.work[0])


cdef inline double square(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """The sum over the columns of coef^2, for one slot."""
    cdef int64_t column
    cdef double a
    cdef double total = 0.0
    for column in range(ring.c.columns):
        a = coefficient(ring, column, slot)
        total += a * a
    return total


cdef inline const void* gather(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """The support vector of one slot, contiguous, in the column scratch."""
    return take_vector(ring, ring.vectors, slot)


cdef inline double slot_row(SupportVectorRing ring, int64_t slot, int64_t n, const void* coef,
                            void* row) noexcept nogil:
    """kernel_row_to of a support vector, by its non-zeros if rows are. Uses the column scratch."""
    cdef const void* x = gather(ring, slot)
    cdef const void* before = ring.s.sparse_x
    cdef double total
    if ring.s.nonzero_index == NULL:
        return kernel_row_to(ring, n, x, coef, row)
    list_nonzeros(ring.s, x)
    total = kernel_row_to(ring, n, x, coef, row)
    # The column will be overwritten: its list of non-zeros must not be used for the next vector.
    ring.s.sparse_x = NULL
    if before != NULL:
        list_nonzeros(ring.s, before)
    return total


cdef inline double squared_norm(SupportVectorRing ring) noexcept nogil:
    """||f||^2 = sum_i alpha_i (2 sum_{j<i} alpha_j k_ij + alpha_i k_ii), from scratch: O(n^2 d).

    Uses the column scratch, and with several columns the kernel row and the class scores.
    """
    cdef int64_t i, k
    cdef double a, below, k_self
    cdef double total = 0.0
    if ring.c.columns > 1:
        for i in range(ring.m.n):
            slot_row(ring, i, i, NULL, kernel_values(ring))
            k_self = self_kernel(ring, gathered(ring))
            ring.simd.weigh[value_type(ring)](
                kernel_values(ring), coefficients(ring), ring.c.weights, i, ring.c.columns,
                &ring.class_scores[0, 0])
            for k in range(ring.c.columns):
                a = coefficient(ring, k, i)
                total += a * (2.0 * ring.class_scores[0, k] + a * k_self)
        total *= ring.function.scale * ring.function.scale
        return total if total > 0.0 else 0.0
    for i in range(ring.m.n):
        a = coefficient(ring, 0, i)
        below = slot_row(ring, i, i, coefficients(ring), NULL)
        total += a * (2.0 * below + a * self_kernel(ring, gathered(ring)))
    total *= ring.function.scale * ring.function.scale
    return total if total > 0.0 else 0.0


cdef inline int64_t coefficient_count(SupportVectorRing ring) noexcept nogil:
    """Coefficients in use per column: one per support vector, two per frequency, one per
    eigenfunction."""
    if ring.nystrom != NULL and ring.nystrom.rank > 0:
        return ring.nystrom.rank
    return basis_per_member(ring.c.choice.basis) * ring.m.n


cdef inline void flush_average(SupportVectorRing ring, int64_t column,
                               int64_t slot) noexcept nogil:
    """Bring the running sum of a coefficient up to date, before that coefficient changes."""
    if ring.mean_sum is not None:
        ring.mean_sum[column, slot] += coefficient(ring, column, slot) * (
            ring.averaging.weight - ring.mean_start[column, slot])
        ring.mean_start[column, slot] = ring.averaging.weight


cdef inline void apply_scale(SupportVectorRing ring) noexcept nogil:
    """Multiply the common scale into the coefficients (and flush the running mean)."""
    cdef int64_t i, k
    cdef int64_t n = coefficient_count(ring)
    for k in range(ring.c.columns):
        if ring.mean_sum is not None:
            ring.simd.flush_average[value_type(ring)](
                coefficients_of(ring, k), ring.averaging.weight, &ring.mean_start[k, 0],
                &ring.mean_sum[k, 0], n)
            for i in range(n):
                ring.mean_start[k, i] = 0.0
        ring.simd.scale[value_type(ring)](coefficients_of(ring, k), n, ring.function.scale)
    if ring.mean_sum is not None:
        ring.averaging.weight = 0.0
    if ring.scores is not None:
        for i in range(n):
            ring.scores[i] *= ring.function.scale
    ring.function.scale = 1.0


cdef inline void shift(SupportVectorRing ring, int64_t column, int64_t slot,
                       double change) noexcept nogil:
    """alpha += change, for one coefficient. The caller updates the norm."""
    flush_average(ring, column, slot)
    set_coefficient(ring, column, slot,
                    coefficient(ring, column, slot) + change / ring.function.scale)


cdef inline void move_vector(SupportVectorRing ring, int64_t source,
                             int64_t target) noexcept nogil:
    """Copy a vector over another, with its diagonal and its arrival."""
    copy_slot(ring, source, target)
    mark_slot_changed(ring, target)
    if ring.diagonal is not None:
        ring.diagonal[target] = ring.diagonal[source]
    if ring.arrival is not None:
        ring.arrival[target] = ring.arrival[source]


cdef inline void move(SupportVectorRing ring, int64_t source, int64_t target) noexcept nogil:
    """Copy one slot over another: vector, coefficients, diagonal, arrival."""
    cdef int64_t column
    move_vector(ring, source, target)
    for column in range(ring.c.columns):
        set_coefficient(ring, column, target, coefficient(ring, column, source))
    for column in range(ring.c.n_per_update):
        ring.per_update[column, target] = ring.per_update[column, source]


cdef inline double slot_kernel(SupportVectorRing ring, const void* x, int64_t slot) noexcept nogil:
    """k(s_i, x) for one slot. Lanes read past it are inside the block and are ignored."""
    cdef double value
    ring.row_fn(&ring.c.kernel, vectors_from(ring.vectors, slot), lengths_from(ring, slot),
                &ring.s.quantizer, ring.c.stride, 1, ring.c.n_features, x, OLK_F64, NULL, &value,
                NULL)
    return value


cdef inline double slot_distance(SupportVectorRing ring, const void* x,
                                 int64_t slot) noexcept nogil:
    """||s_i - x||^2 for one slot, computed as by ``distance_row``."""
    cdef olk_kernel plain
    cdef double value
    plain.kind = OLK_DISTANCE
    ring.row_fn(&plain, vectors_from(ring.vectors, slot), NULL, &ring.s.quantizer, ring.c.stride, 1,
                ring.c.n_features, x, OLK_F64, NULL, &value, NULL)
    return value


cdef inline void plain_row(SupportVectorRing ring, int kind, const void* x,
                           void* row) noexcept nogil:
    """row <- squared distances or inner products, without a kernel function."""
    cdef olk_kernel plain
    plain.kind = kind
    ring.row_fn(&plain, vectors_from(ring.vectors, 0), NULL, &ring.s.quantizer, ring.c.stride,
                ring.m.n, ring.c.n_features, x, value_type(ring), NULL, row, NULL)


cdef inline void distance_row(SupportVectorRing ring, const void* x) noexcept nogil:
    """distance[i] <- ||s_i - x||^2 over the slots in use."""
    plain_row(ring, OLK_DISTANCE, x, distances(ring))


cdef inline void rescale(SupportVectorRing ring, double factor, Example* e) noexcept nogil:
    """f <- factor * f (factor > 0), in O(1) except for the rare apply_scale."""
    cdef Function* f = ring.function
    cdef double limit
    f.scale *= factor
    f.norm2 *= factor * factor
    e.f *= factor
    if ring.averaging != NULL:
        # A mean relative to a scale that has shrunk far would lose all its digits.
        if unlikely(not (0.015625 <= f.scale <= 64.0)):
            apply_scale(ring)
        return
    limit = coefficients_max_factor(ring.c.choice.coefficients)
    if unlikely(not (1.0 / limit <= f.scale <= limit)):
        apply_scale(ring)


cdef inline void shift_slot(SupportVectorRing ring, int64_t slot, double change,
                            const Example* e) noexcept nogil:
    """shift for every column of a slot, by the shares of the incoming example."""
    cdef int64_t column
    for column in range(ring.c.columns):
        shift(ring, column, slot, change * e.share[column])


cdef inline void add_norm(SupportVectorRing ring, double a, double p, Example* e) noexcept nogil:
    """Update ||f||^2 and f(x), if tracked, after f += a g, g(x) = ||g||^2 = p.

    With several columns there is one g per column; f(x) and g(x) are sums weighted by the shares.
    """
    cdef Function* f = ring.function
    if ring.c.tracks_norm:
        f.norm2 += a * a * p + 2.0 * a * e.f
        if f.norm2 < 0.0:
            f.norm2 = 0.0
        e.f += a * p


cdef inline void place(SupportVectorRing ring, int64_t slot, Example* e) noexcept nogil:
    """Store x in a slot, a free one (n) or one just vacated, and leave coefficients as they are."""
    write_vector(ring.vectors, slot, e.x)
    mark_slot_changed(ring, slot)
    if ring.diagonal is not None:
        ring.diagonal[slot] = e.self_kernel
    if ring.arrival is not None:
        ring.arrival[slot] = ring.m.steps
    if slot == ring.m.n:
        ring.m.n += 1


cdef inline void put(SupportVectorRing ring, int64_t slot, double a, Example* e) noexcept nogil:
    """f <- f + a k(x, .), with x in the given slot: a free one (n) or one just vacated."""
    cdef int64_t column
    place(ring, slot, e)
    for column in range(ring.c.columns):
        set_coefficient(ring, column, slot, a * e.share[column] / ring.function.scale)
        if ring.mean_start is not None:
            ring.mean_start[column, slot] = ring.averaging.weight
        if ring.mean_sum is not None:
            ring.mean_sum[column, slot] = 0.0
    for column in range(ring.c.n_per_update):
        ring.per_update[column, slot] = 0.0
    add_norm(ring, a, e.self_kernel * e.power, e)


cdef struct Evicted:
    double f                  # f(s_r), without the incoming example
    double k                  # k(s_r, x)


cdef inline Evicted evicted(SupportVectorRing ring, int64_t slot, const Example* e) noexcept nogil:
    """What a removal needs; costs a kernel row."""
    cdef double f = ring.function.scale * slot_row(ring, slot, ring.m.n, coefficients(ring), NULL)
    return Evicted(f, pair_kernel(ring, gathered(ring), e.x))


cdef inline void vacate_slot(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """Set the coefficients of a slot to zero."""
    cdef int64_t column
    for column in range(ring.c.columns):
        set_coefficient(ring, column, slot, 0.0)


cdef inline void drop_known(SupportVectorRing ring, int64_t slot, Evicted gone,
                            Example* e) noexcept nogil:
    """f <- f - alpha_r k(s_r, .)."""
    cdef Function* f = ring.function
    cdef double a
    if ring.c.tracks_norm:
        a = alpha(ring, 0, slot)
        f.norm2 += a * a * diagonal(ring, slot) - 2.0 * a * gone.f
        if f.norm2 < 0.0:
            f.norm2 = 0.0
        e.f -= a * gone.k
        f.removals += 1
    vacate_slot(ring, slot)


cdef inline void update_for_evicted(SupportVectorRing ring, int64_t slot,
                                    Example* e) noexcept nogil:
    """Update norm and score for the removal of one slot of several columns.

    Costs a kernel row, which overwrites that of the incoming example.
    """
    cdef Function* f = ring.function
    cdef int64_t k
    cdef double a, shared
    cdef double k_self = diagonal(ring, slot)
    cdef double k_incoming
    slot_row(ring, slot, ring.m.n, NULL, kernel_values(ring))
    k_incoming = pair_kernel(ring, gathered(ring), e.x)
    ring.simd.weigh[value_type(ring)](
        kernel_values(ring), coefficients(ring), ring.c.weights, ring.m.n, ring.c.columns,
        &ring.class_scores[0, 0])
    shared = 0.0
    for k in range(ring.c.columns):
        a = alpha(ring, k, slot)
        f.norm2 += a * a * k_self - 2.0 * a * f.scale * ring.class_scores[0, k]
        shared += e.share[k] * a
    if f.norm2 < 0.0:
        f.norm2 = 0.0
    e.f -= shared * k_incoming
    f.removals += 1


cdef inline void drop(SupportVectorRing ring, int64_t slot, Example* e) noexcept nogil:
    """As drop_known; costs a kernel row if the norm is tracked."""
    if ring.c.columns > 1:
        if ring.c.tracks_norm:
            update_for_evicted(ring, slot, e)
        vacate_slot(ring, slot)
    elif ring.c.tracks_norm:
        drop_known(ring, slot, evicted(ring, slot, e), e)
    else:
        vacate_slot(ring, slot)


cdef inline void compact(SupportVectorRing ring, int64_t h) noexcept nogil:
    """Keep the first h slots of ``order`` (increasing), moved to slots 0..h-1; drop the others."""
    cdef int64_t i
    for i in range(h):
        if ring.order[i] != i:
            move(ring, ring.order[i], i)
    for i in range(h, ring.m.n):
        vacate_slot(ring, i)
    ring.m.n = <int32_t>h


cdef inline double largest_weight(SupportVectorRing ring) noexcept nogil:
    """max_i |alpha_i| sqrt(k(s_i, s_i)), |alpha_i| the norm of a slot's coefficients."""
    cdef int64_t i
    cdef double limit = 0.0
    if ring.c.columns > 1:
        for i in range(ring.m.n):
            limit = max(limit, square(ring, i) * diagonal(ring, i))
        return ring.function.scale * sqrt(limit)
    return ring.function.scale * ring.simd.max_abs[value_type(ring)](
        coefficients(ring), diagonal_or_null(ring), ring.m.n)


# Similarity of a row to the learned rows: the largest cosine with a support vector.

cdef enum:
    CHUNK = 64  # slots at a time: their kernel row is on the stack


cdef inline double slot_self_kernel(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """k(s_i, s_i), computed from the vector if no diagonal is stored."""
    cdef int64_t j
    cdef double v
    cdef double total = 0.0
    if ring.diagonal is not None:
        return ring.diagonal[slot]
    if kernel_normalised(ring.c.kernel.kind):
        return 1.0
    for j in range(ring.c.n_features):
        v = stored_number(ring.vectors, j, slot)
        total += v * v
    if ring.c.kernel.kind == OLK_LINEAR:
        return total
    total = ring.c.kernel.scale * total + ring.c.kernel.offset
    if ring.c.kernel.kind == OLK_POLYNOMIAL:
        return pow(total, ring.c.kernel.degree)
    return tanh(total)


cdef inline double familiarity(SupportVectorRing ring, const void* x) noexcept nogil:
    """max_i k(s_i, x) / sqrt(k_ii k_xx) over i with k_ii > 0; 0 if there are none."""
    cdef double row[CHUNK]
    cdef int64_t i, n
    cdef int64_t start = 0
    cdef double k_self
    cdef double best = -INFINITY
    cdef double k_row = self_kernel(ring, x)
    if not k_row > 0.0:
        return 0.0
    while start < ring.m.n:
        n = min(<int64_t>CHUNK, ring.m.n - start)
        ring.row_fn(&ring.c.kernel, vectors_from(ring.vectors, start), lengths_from(ring, start),
                    &ring.s.quantizer, ring.c.stride, n, ring.c.n_features, x, OLK_F64, NULL, row,
                    NULL)
        for i in range(n):
            k_self = slot_self_kernel(ring, start + i)
            if k_self > 0.0:
                best = max(best, row[i] / (sqrt(k_self) * sqrt(k_row)))
        start += n
    return best if isfinite(best) else 0.0
