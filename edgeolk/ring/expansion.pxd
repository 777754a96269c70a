"""The function f = sum_i alpha_i k(s_i, .): score, put, drop, scale, norm. Independent of policies.

Design. Coefficients share one lazy factor (alpha_i = scale * coef[i]), so shrinking all of them is
O(1). They are stored in columns, one per class, K = 1 for two classes: a slot has one vector and
K coefficients. The squared norm is tracked incrementally if something needs it, and recomputed
after B removals, because each removal can magnify its rounding error.
"""

from libc.math cimport INFINITY, isfinite, pow, sqrt, tanh
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from edgeolk.core.c cimport OLK_DISTANCE, OLK_F64, OLK_LINEAR, OLK_POLYNOMIAL, olk_fetch, olk_kernel
from edgeolk.core.parts cimport basis_per_member, coefficients_max_factor, kernel_normalised
from edgeolk.ring.ring cimport (
    copy_slot, lengths_from, mark_slot_changed, take_vector, write_vector,
)
from edgeolk.core.rows cimport list_nonzeros
from edgeolk.core.state cimport Example, Function, Model, State
from edgeolk.core.numbers cimport get, put as write, value_type


cdef inline double kernel_row_to(State* s, int64_t n, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x) over the first n slots; the kernel values go to row unless NULL.

    Squared distances go to s.products as well, unless NULL (not for rows processed as sparse).
    """
    if x == s.sparse_x and x != NULL:
        return s.sparse_fn(&s.c.kernel, s.sv, s.norms, s.c.stride, n, s.nonzeros,
                           s.nonzero_index, s.nonzero_value, value_type(s), coef, row)
    return s.row_fn(&s.c.kernel, s.sv, s.lengths, &s.quantizer, s.c.stride, n, s.c.n_features, x,
                    value_type(s), coef, row, s.products if row != NULL else NULL)


cdef inline double kernel_row(State* s, const void* x, const void* coef,
                              void* row) noexcept nogil:
    """kernel_row_to over all slots in use."""
    return kernel_row_to(s, s.m.n, x, coef, row)


cdef inline double next_row(State* s, const void* x, const void* coef,
                            void* row) noexcept nogil:
    """kernel_row, from the precomputed values of the row (lookahead.pxd) if there are any."""
    cdef const void* values = s.ahead.next
    if values == NULL:
        return kernel_row(s, x, coef, row)
    s.ahead.next = NULL
    return s.simd.cached_row[s.ahead.value_type](values, s.m.n, value_type(s), coef, row)


cdef inline double score(State* s, const void* x, void* row) noexcept nogil:
    """f(x) = sum_i alpha_i k(s_i, x)."""
    return s.function.scale * kernel_row(s, x, s.coef, row)


cdef inline void class_row(State* s, const void* x, const void* coef, double scale,
                           double* f) noexcept nogil:
    """f[k] <- scale sum_i coef_ik k(s_i, x) for every column k; keeps a row that a step reads."""
    cdef int64_t k
    cdef const void* values = s.ahead.next
    if values != NULL and not s.c.reads_row:
        s.ahead.next = NULL
        s.simd.weigh_values[value_type(s)](
            s.ahead.value_type, values, coef, s.c.weights, s.m.n, s.c.columns, f)
    else:
        next_row(s, x, NULL, s.row)
        s.simd.weigh[value_type(s)](s.row, coef, s.c.weights, s.m.n, s.c.columns, f)
    for k in range(s.c.columns):
        f[k] *= scale


cdef inline double pair_kernel(State* s, const void* a, const void* b) noexcept nogil:
    """k(a, b) for two contiguous vectors."""
    return s.pair_fn(&s.c.kernel, a, b, s.c.n_features)


cdef inline double self_kernel(State* s, const void* x) noexcept nogil:
    """k(x, x): 1 for the distance kernels."""
    if kernel_normalised(s.c.kernel.kind):
        return 1.0
    return pair_kernel(s, x, x)


cdef inline double diagonal(const State* s, int64_t slot) noexcept nogil:
    """k(s_i, s_i)."""
    return s.diagonal[slot] if s.diagonal != NULL else 1.0


cdef inline double coefficient(const State* s, int64_t at) noexcept nogil:
    """coef[at], at = column * weights + slot."""
    return get(s, s.coef, at)


cdef inline void set_coefficient(const State* s, int64_t at, double value) noexcept nogil:
    write(s, s.coef, at, value)


cdef inline int64_t used_length(const State* s) noexcept nogil:
    """Length of the coefficient array up to the last in use; gaps between columns are 0."""
    return (s.c.columns - 1) * s.c.weights + s.m.n


cdef inline double alpha(const State* s, int64_t at) noexcept nogil:
    return s.function.scale * coefficient(s, at)


cdef inline void squares(State* s) noexcept nogil:
    """work[i] <- the sum over the columns of coef^2."""
    s.simd.squares[value_type(s)](s.coef, s.c.weights, s.m.n, s.c.columns, s.work)


cdef inline double square(const State* s, int64_t slot) noexcept nogil:
    """The sum over the columns of coef^2, for one slot."""
    cdef int64_t column
    cdef double a
    cdef double total = 0.0
    for column in range(s.c.columns):
        a = coefficient(s, column * s.c.weights + slot)
        total += a * a
    return total


cdef inline double row_at(const State* s, int64_t slot) noexcept nogil:
    """k(s_i, x) from the kernel row."""
    return get(s, s.row, slot)


cdef inline const void* gather(State* s, int64_t slot) noexcept nogil:
    """The support vector of one slot, contiguous, in the column scratch."""
    return take_vector(s, s.sv, s.c.stride, slot)


cdef inline double slot_row(State* s, int64_t slot, int64_t n, const void* coef,
                            void* row) noexcept nogil:
    """kernel_row_to of a support vector, by its non-zeros if rows are. Uses the column scratch."""
    cdef const void* x = gather(s, slot)
    cdef const void* before = s.sparse_x
    cdef double total
    if s.nonzero_index == NULL:
        return kernel_row_to(s, n, x, coef, row)
    list_nonzeros(s, x)
    total = kernel_row_to(s, n, x, coef, row)
    # The column will be overwritten: its list of non-zeros must not be used for the next vector.
    s.sparse_x = NULL
    if before != NULL:
        list_nonzeros(s, before)
    return total


cdef inline double squared_norm(State* s) noexcept nogil:
    """||f||^2 = sum_i alpha_i (2 sum_{j<i} alpha_j k_ij + alpha_i k_ii), from scratch: O(n^2 d).

    Uses the column scratch, and with several columns the kernel row and the class scores.
    """
    cdef int64_t i, k
    cdef double a, below, k_self
    cdef double total = 0.0
    if s.c.columns > 1:
        for i in range(s.m.n):
            slot_row(s, i, i, NULL, s.row)
            k_self = self_kernel(s, s.column)
            s.simd.weigh[value_type(s)](s.row, s.coef, s.c.weights, i, s.c.columns, s.class_scores)
            for k in range(s.c.columns):
                a = coefficient(s, k * s.c.weights + i)
                total += a * (2.0 * s.class_scores[k] + a * k_self)
        total *= s.function.scale * s.function.scale
        return total if total > 0.0 else 0.0
    for i in range(s.m.n):
        a = coefficient(s, i)
        below = slot_row(s, i, i, s.coef, NULL)
        total += a * (2.0 * below + a * self_kernel(s, s.column))
    total *= s.function.scale * s.function.scale
    return total if total > 0.0 else 0.0


cdef inline int64_t coefficient_count(const State* s) noexcept nogil:
    """Coefficients in use per column: one per support vector, two per frequency, one per
    eigenfunction."""
    if s.nystrom != NULL and s.nystrom.rank > 0:
        return s.nystrom.rank
    return basis_per_member(s.c.choice.basis) * s.m.n


cdef inline void flush_average(State* s, int64_t at) noexcept nogil:
    """Bring the running sum of a coefficient up to date, before that coefficient changes."""
    if s.mean_sum != NULL:
        s.mean_sum[at] += coefficient(s, at) * (s.averaging.weight - s.mean_start[at])
        s.mean_start[at] = s.averaging.weight


cdef inline void apply_scale(State* s) noexcept nogil:
    """Multiply the common scale into the coefficients (and flush the running mean)."""
    cdef int64_t i, _column
    cdef int64_t n = coefficient_count(s)
    cdef int64_t at = 0
    cdef void* coef
    for _column in range(s.c.columns):
        coef = <char*>s.coef + at * s.c.coefficient_bytes
        if s.mean_sum != NULL:
            s.simd.flush_average[value_type(s)](
                coef, s.averaging.weight, s.mean_start + at, s.mean_sum + at, n)
            memset(s.mean_start + at, 0, <size_t>n * sizeof(double))
        s.simd.scale[value_type(s)](coef, n, s.function.scale)
        at += s.c.weights
    if s.mean_sum != NULL:
        s.averaging.weight = 0.0
    if s.scores != NULL:
        for i in range(n):
            s.scores[i] *= s.function.scale
    s.function.scale = 1.0


cdef inline void shift(State* s, int64_t at, double change) noexcept nogil:
    """alpha += change, for one coefficient. The caller updates the norm."""
    flush_average(s, at)
    set_coefficient(s, at, coefficient(s, at) + change / s.function.scale)


cdef inline void move(State* s, int64_t source, int64_t target) noexcept nogil:
    """Copy one slot over another: vector, coefficients, diagonal, arrival."""
    cdef int64_t column
    copy_slot(s, source, target)
    mark_slot_changed(s, target)
    for column in range(s.c.columns):
        set_coefficient(s, column * s.c.weights + target,
                        coefficient(s, column * s.c.weights + source))
    for column in range(s.c.n_per_update):
        s.per_update[column * s.c.weights + target] = s.per_update[column * s.c.weights + source]
    if s.diagonal != NULL:
        s.diagonal[target] = s.diagonal[source]
    if s.arrival != NULL:
        s.arrival[target] = s.arrival[source]


cdef inline double slot_kernel(State* s, const void* x, int64_t slot) noexcept nogil:
    """k(s_i, x) for one slot. Lanes read past it are inside the block and are ignored."""
    cdef double value
    cdef const char* start = <const char*>s.sv + slot * s.c.item
    s.row_fn(&s.c.kernel, start, lengths_from(s, slot), &s.quantizer, s.c.stride, 1, s.c.n_features,
             x, OLK_F64, NULL, &value, NULL)
    return value


cdef inline double slot_distance(State* s, const void* x, int64_t slot) noexcept nogil:
    """||s_i - x||^2 for one slot, computed as by ``distance_row``."""
    cdef olk_kernel plain
    cdef double value
    plain.kind = OLK_DISTANCE
    s.row_fn(&plain, <const char*>s.sv + slot * s.c.item, NULL, &s.quantizer, s.c.stride, 1,
             s.c.n_features, x, OLK_F64, NULL, &value, NULL)
    return value


cdef inline void plain_row(State* s, int kind, const void* x, void* row) noexcept nogil:
    """row <- squared distances or inner products, without a kernel function."""
    cdef olk_kernel plain
    plain.kind = kind
    s.row_fn(&plain, s.sv, NULL, &s.quantizer, s.c.stride, s.m.n, s.c.n_features, x, value_type(s),
             NULL, row, NULL)


cdef inline void distance_row(State* s, const void* x) noexcept nogil:
    """distance[i] <- ||s_i - x||^2 over the slots in use."""
    plain_row(s, OLK_DISTANCE, x, s.distance)


cdef inline void rescale(State* s, double factor, Example* e) noexcept nogil:
    """f <- factor * f (factor > 0), in O(1) except for the rare apply_scale."""
    cdef Function* f = s.function
    cdef double limit
    f.scale *= factor
    f.norm2 *= factor * factor
    e.f *= factor
    if s.averaging != NULL:
        # A mean relative to a scale that has shrunk far would lose all its digits.
        if not (0.015625 <= f.scale <= 64.0):
            apply_scale(s)
        return
    limit = coefficients_max_factor(s.c.choice.coefficients)
    if not (1.0 / limit <= f.scale <= limit):
        apply_scale(s)


cdef inline void shift_slot(State* s, int64_t slot, double change, const Example* e) noexcept nogil:
    """shift for every column of a slot, by the shares of the incoming example."""
    cdef int64_t column
    for column in range(s.c.columns):
        shift(s, column * s.c.weights + slot, change * e.share[column])


cdef inline void add_norm(State* s, double a, double p, Example* e) noexcept nogil:
    """Update ||f||^2 and f(x), if tracked, after f += a g, g(x) = ||g||^2 = p.

    With several columns there is one g per column; f(x) and g(x) are sums weighted by the shares.
    """
    cdef Function* f = s.function
    if s.c.tracks_norm:
        f.norm2 += a * a * p + 2.0 * a * e.f
        if f.norm2 < 0.0:
            f.norm2 = 0.0
        e.f += a * p


cdef inline void put(State* s, int64_t slot, double a, Example* e) noexcept nogil:
    """f <- f + a k(x, .), with x in the given slot: a free one (n) or one just vacated."""
    cdef Model* m = s.m
    cdef int64_t at, column
    write_vector(s, s.sv, s.c.stride, slot, e.x)
    mark_slot_changed(s, slot)
    for column in range(s.c.columns):
        at = column * s.c.weights + slot
        set_coefficient(s, at, a * e.share[column] / s.function.scale)
        if s.mean_start != NULL:
            s.mean_start[at] = s.averaging.weight
        if s.mean_sum != NULL:
            s.mean_sum[at] = 0.0
    for column in range(s.c.n_per_update):
        s.per_update[column * s.c.weights + slot] = 0.0
    if s.diagonal != NULL:
        s.diagonal[slot] = e.self_kernel
    if s.arrival != NULL:
        s.arrival[slot] = m.steps
    if slot == m.n:
        m.n += 1
    add_norm(s, a, e.self_kernel * e.power, e)


cdef struct Evicted:
    double f                  # f(s_r), without the incoming example
    double k                  # k(s_r, x)


cdef inline Evicted evicted(State* s, int64_t slot, const Example* e) noexcept nogil:
    """What a removal needs; costs a kernel row."""
    cdef double f = s.function.scale * slot_row(s, slot, s.m.n, s.coef, NULL)
    return Evicted(f, pair_kernel(s, s.column, e.x))


cdef inline void vacate_slot(State* s, int64_t slot) noexcept nogil:
    """Set the coefficients of a slot to zero."""
    cdef int64_t column
    for column in range(s.c.columns):
        set_coefficient(s, column * s.c.weights + slot, 0.0)


cdef inline void drop_known(State* s, int64_t slot, Evicted gone, Example* e) noexcept nogil:
    """f <- f - alpha_r k(s_r, .)."""
    cdef Function* f = s.function
    cdef double a
    if s.c.tracks_norm:
        a = alpha(s, slot)
        f.norm2 += a * a * diagonal(s, slot) - 2.0 * a * gone.f
        if f.norm2 < 0.0:
            f.norm2 = 0.0
        e.f -= a * gone.k
        f.removals += 1
    vacate_slot(s, slot)


cdef inline void update_for_evicted(State* s, int64_t slot, Example* e) noexcept nogil:
    """Update norm and score for the removal of one slot of several columns.

    Costs a kernel row, which overwrites that of the incoming example.
    """
    cdef Function* f = s.function
    cdef int64_t k
    cdef double a, shared
    cdef double k_self = diagonal(s, slot)
    cdef double k_incoming
    slot_row(s, slot, s.m.n, NULL, s.row)
    k_incoming = pair_kernel(s, s.column, e.x)
    s.simd.weigh[value_type(s)](s.row, s.coef, s.c.weights, s.m.n, s.c.columns, s.class_scores)
    shared = 0.0
    for k in range(s.c.columns):
        a = alpha(s, k * s.c.weights + slot)
        f.norm2 += a * a * k_self - 2.0 * a * f.scale * s.class_scores[k]
        shared += e.share[k] * a
    if f.norm2 < 0.0:
        f.norm2 = 0.0
    e.f -= shared * k_incoming
    f.removals += 1


cdef inline void drop(State* s, int64_t slot, Example* e) noexcept nogil:
    """As drop_known; costs a kernel row if the norm is tracked."""
    if s.c.columns > 1:
        if s.c.tracks_norm:
            update_for_evicted(s, slot, e)
        vacate_slot(s, slot)
    elif s.c.tracks_norm:
        drop_known(s, slot, evicted(s, slot, e), e)
    else:
        vacate_slot(s, slot)


cdef inline void compact(State* s, const int32_t* kept, int64_t h) noexcept nogil:
    """Keep the h slots listed (increasing), moved to slots 0..h-1; drop the others."""
    cdef int64_t i
    for i in range(h):
        if kept[i] != i:
            move(s, kept[i], i)
    for i in range(h, s.m.n):
        vacate_slot(s, i)
    s.m.n = <int32_t>h


cdef inline double largest_weight(State* s) noexcept nogil:
    """max_i |alpha_i| sqrt(k(s_i, s_i)), |alpha_i| the norm of a slot's coefficients."""
    cdef int64_t i
    cdef double limit = 0.0
    if s.c.columns > 1:
        for i in range(s.m.n):
            limit = max(limit, square(s, i) * diagonal(s, i))
        return s.function.scale * sqrt(limit)
    return s.function.scale * s.simd.max_abs[value_type(s)](s.coef, s.diagonal, s.m.n)


# Similarity of a row to the learned rows: the largest cosine with a support vector.

cdef enum:
    CHUNK = 64  # slots at a time: their kernel row is on the stack


cdef inline double slot_self_kernel(const State* s, int64_t slot) noexcept nogil:
    """k(s_i, s_i), computed from the vector if no diagonal is stored."""
    cdef int64_t j
    cdef double v
    cdef double total = 0.0
    if s.diagonal != NULL:
        return s.diagonal[slot]
    if kernel_normalised(s.c.kernel.kind):
        return 1.0
    for j in range(s.c.n_features):
        v = olk_fetch(s.c.vectors, s.sv, j * s.c.stride + slot, j, &s.quantizer)
        total += v * v
    if s.c.kernel.kind == OLK_LINEAR:
        return total
    total = s.c.kernel.scale * total + s.c.kernel.offset
    if s.c.kernel.kind == OLK_POLYNOMIAL:
        return pow(total, s.c.kernel.degree)
    return tanh(total)


cdef inline double familiarity(State* s, const void* x) noexcept nogil:
    """max_i k(s_i, x) / sqrt(k_ii k_xx) over i with k_ii > 0; 0 if there are none."""
    cdef double row[CHUNK]
    cdef int64_t i, n
    cdef int64_t start = 0
    cdef double k_self
    cdef double best = -INFINITY
    cdef double k_row = self_kernel(s, x)
    if not k_row > 0.0:
        return 0.0
    while start < s.m.n:
        n = min(<int64_t>CHUNK, s.m.n - start)
        s.row_fn(&s.c.kernel, <const char*>s.sv + start * s.c.item, lengths_from(s, start),
                 &s.quantizer, s.c.stride, n, s.c.n_features, x, OLK_F64, NULL, row, NULL)
        for i in range(n):
            k_self = slot_self_kernel(s, start + i)
            if k_self > 0.0:
                best = max(best, row[i] / (sqrt(k_self) * sqrt(k_row)))
        start += n
    return best if isfinite(best) else 0.0
