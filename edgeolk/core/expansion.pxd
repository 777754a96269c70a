"""The function f = sum_i alpha_i k(s_i, .): score, put, drop, scale, norm. Knows no policy.

Design. Coefficients share one lazy factor (alpha_i = scale * coef[i]), so shrinking all of them is
O(1). The squared norm is kept by increments where something needs it, and set afresh after B
removals, because each removal can magnify its rounding error.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from edgeolk.core.parts cimport AVERAGING_MEAN, BASIS_FOURIER
from edgeolk.core.ring cimport (
    copy_slot, note_nonzeros, note_norm, take_vector, write_vector,
)
from edgeolk.core.simd cimport OLK_DISTANCE, OLK_F64, OLK_GAUSSIAN, OLK_LAPLACIAN, olk_kernel
from edgeolk.core.state cimport Example, Model, State


cdef inline double kernel_row_to(State* s, int64_t n, const void* x, const double* coef,
                                 double* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x) over the first n slots; the kernel values go to row unless NULL.

    Squared distances go to s.products, unless NULL, with them (not for rows taken as sparse).
    """
    cdef Model* m = s.m
    if x == s.sparse_x and x != NULL:
        return s.sparse_fn(&m.kernel, s.sv, s.norms, m.stride, n, s.nonzeros, s.nonzero_index,
                           s.nonzero_value, OLK_F64, coef, row)
    return s.row_fn(&m.kernel, s.sv, &s.quantum, m.stride, n, m.n_features, x, OLK_F64,
                    coef, row, s.products if row != NULL else NULL)


cdef inline double kernel_row(State* s, const void* x, const double* coef,
                              double* row) noexcept nogil:
    """The same over all the slots in use."""
    return kernel_row_to(s, s.m.n, x, coef, row)


cdef inline double score(State* s, const void* x, double* row) noexcept nogil:
    """f(x) = sum_i alpha_i k(s_i, x)."""
    return s.m.scale * kernel_row(s, x, s.coef, row)


cdef inline double pair_kernel(State* s, const void* a, const void* b) noexcept nogil:
    """k(a, b) for two contiguous vectors."""
    return s.pair_fn(&s.m.kernel, a, b, s.m.n_features)


cdef inline double self_kernel(State* s, const void* x) noexcept nogil:
    """k(x, x): 1 for the distance kernels."""
    if s.m.kernel.kind == OLK_GAUSSIAN or s.m.kernel.kind == OLK_LAPLACIAN:
        return 1.0
    return pair_kernel(s, x, x)


cdef inline double diagonal(const State* s, int64_t slot) noexcept nogil:
    """k(s_i, s_i)."""
    return s.diagonal[slot] if s.diagonal != NULL else 1.0


cdef inline double alpha(State* s, int64_t slot) noexcept nogil:
    return s.m.scale * s.coef[slot]


cdef inline const void* gather(State* s, int64_t slot) noexcept nogil:
    """The support vector of one slot, contiguous, in the column scratch."""
    return take_vector(s, s.sv, s.m.stride, slot)


cdef inline double slot_row(State* s, int64_t slot, int64_t n, const double* coef,
                            double* row) noexcept nogil:
    """kernel_row_to of a support vector, by its non-zeros where rows are. Uses the column."""
    cdef const void* x = gather(s, slot)
    cdef const void* before = s.sparse_x
    cdef double total
    if s.nonzero_index == NULL:
        return kernel_row_to(s, n, x, coef, row)
    note_nonzeros(s, x)
    total = kernel_row_to(s, n, x, coef, row)
    # The column will hold another one: its list is not to be taken for that one's.
    s.sparse_x = NULL
    if before != NULL:
        note_nonzeros(s, before)
    return total


cdef inline double squared_norm(State* s) noexcept nogil:
    """||f||^2 = sum_i alpha_i (2 sum_{j<i} alpha_j k_ij + alpha_i k_ii), from scratch: O(n^2 d).

    Uses the column scratch.
    """
    cdef Model* m = s.m
    cdef int64_t i
    cdef double below
    cdef double total = 0.0
    for i in range(m.n):
        below = slot_row(s, i, i, s.coef, NULL)
        total += s.coef[i] * (2.0 * below + s.coef[i] * self_kernel(s, s.column))
    total *= m.scale * m.scale
    return total if total > 0.0 else 0.0


cdef inline int64_t coefficient_count(const Model* m) noexcept nogil:
    """Coefficients in use: one a support vector, two a frequency, one an eigenfunction."""
    if m.choice.basis == BASIS_FOURIER:
        return 2 * m.n
    return m.rank if m.rank > 0 else m.n


cdef inline void fold(State* s) noexcept nogil:
    """Multiply the common scale into the coefficients (and settle the running mean)."""
    cdef int64_t i
    cdef Model* m = s.m
    cdef int64_t n = coefficient_count(m)
    if s.mean_sum != NULL:
        for i in range(n):
            s.mean_sum[i] += s.coef[i] * (m.mean_weight - s.mean_start[i])
            s.mean_start[i] = 0.0
        m.mean_weight = 0.0
    for i in range(n):
        s.coef[i] *= m.scale
    if s.scores != NULL:
        for i in range(n):
            s.scores[i] *= m.scale
    m.scale = 1.0


cdef inline void settle(State* s, int64_t slot) noexcept nogil:
    """Bring a slot's running sum up to date, before its coefficient changes on its own."""
    cdef Model* m = s.m
    if s.mean_sum != NULL:
        s.mean_sum[slot] += s.coef[slot] * (m.mean_weight - s.mean_start[slot])
        s.mean_start[slot] = m.mean_weight


cdef inline void shift(State* s, int64_t slot, double change) noexcept nogil:
    """alpha_i += change. The caller answers for the norm."""
    settle(s, slot)
    s.coef[slot] += change / s.m.scale


cdef inline void move(State* s, int64_t source, int64_t target) noexcept nogil:
    """Copy one slot over another: vector, coefficient, diagonal, arrival."""
    copy_slot(s, source, target)
    note_norm(s, target)
    s.coef[target] = s.coef[source]
    if s.diagonal != NULL:
        s.diagonal[target] = s.diagonal[source]
    if s.arrival != NULL:
        s.arrival[target] = s.arrival[source]


cdef inline double slot_kernel(State* s, const void* x, int64_t slot) noexcept nogil:
    """k(s_i, x) for one slot. The lanes read beyond it lie inside the block and are not used."""
    cdef Model* m = s.m
    cdef double value
    cdef const char* start = <const char*>s.sv + slot * s.item
    s.row_fn(&m.kernel, start, &s.quantum, m.stride, 1, m.n_features, x, OLK_F64, NULL,
             &value, NULL)
    return value


cdef inline void plain_row(State* s, int kind, const void* x, double* row) noexcept nogil:
    """row <- the products themselves: squared distances, or inner products."""
    cdef Model* m = s.m
    cdef olk_kernel plain
    plain.kind = kind
    s.row_fn(&plain, s.sv, &s.quantum, m.stride, m.n, m.n_features, x, OLK_F64, NULL, row,
             NULL)


cdef inline void distance_row(State* s, const void* x) noexcept nogil:
    """distance[i] <- ||s_i - x||^2 over the slots in use."""
    plain_row(s, OLK_DISTANCE, x, s.distance)


cdef inline void rescale(State* s, double factor, Example* e) noexcept nogil:
    """f <- factor * f, in O(1) but for the rare fold (0 < factor)."""
    cdef Model* m = s.m
    m.scale *= factor
    m.norm2 *= factor * factor
    e.f *= factor
    if m.choice.averaging == AVERAGING_MEAN:
        # A mean kept against a far-shrunk scale would lose all its digits.
        if not (0.015625 <= m.scale <= 64.0):
            fold(s)
    elif not (1e-100 <= m.scale <= 1e100):
        fold(s)


cdef inline void put(State* s, int64_t slot, double a, Example* e) noexcept nogil:
    """f <- f + a k(x, .), with x in the given slot: a free one (n) or one just dropped."""
    cdef Model* m = s.m
    write_vector(s, s.sv, m.stride, slot, e.x)
    note_norm(s, slot)
    s.coef[slot] = a / m.scale
    if s.diagonal != NULL:
        s.diagonal[slot] = e.self_kernel
    if s.arrival != NULL:
        s.arrival[slot] = m.steps
    if s.mean_start != NULL:
        s.mean_start[slot] = m.mean_weight
    if s.mean_sum != NULL:
        s.mean_sum[slot] = 0.0
    if slot == m.n:
        m.n += 1
    if m.tracks_norm:
        m.norm2 += a * a * e.self_kernel + 2.0 * a * e.f
        if m.norm2 < 0.0:
            m.norm2 = 0.0
        e.f += a * e.self_kernel


cdef struct Leaver:
    double f                  # f(s_r), the newcomer not yet in f
    double k                  # k(s_r, x)


cdef inline Leaver leaver(State* s, int64_t slot, const Example* e) noexcept nogil:
    """What a removal has to know: a kernel row."""
    cdef double f = s.m.scale * slot_row(s, slot, s.m.n, s.coef, NULL)
    return Leaver(f, pair_kernel(s, s.column, e.x))


cdef inline void drop_known(State* s, int64_t slot, Leaver gone, Example* e) noexcept nogil:
    """f <- f - alpha_r k(s_r, .). The slot keeps a zero coefficient until it is put again."""
    cdef Model* m = s.m
    cdef double a
    if m.tracks_norm:
        a = alpha(s, slot)
        m.norm2 += a * a * diagonal(s, slot) - 2.0 * a * gone.f
        if m.norm2 < 0.0:
            m.norm2 = 0.0
        e.f -= a * gone.k
        m.removals += 1
    s.coef[slot] = 0.0


cdef inline void drop(State* s, int64_t slot, Example* e) noexcept nogil:
    """As drop_known; costs a kernel row where the norm is tracked."""
    if s.m.tracks_norm:
        drop_known(s, slot, leaver(s, slot, e), e)
    else:
        s.coef[slot] = 0.0


cdef inline void compact(State* s, const int32_t* kept, int64_t h) noexcept nogil:
    """Keep the h slots listed (increasing), moved to slots 0..h-1; the others are gone."""
    cdef int64_t i
    cdef Model* m = s.m
    for i in range(h):
        if kept[i] != i:
            move(s, kept[i], i)
    if m.n > h:
        memset(s.coef + h, 0, <size_t>(m.n - h) * sizeof(double))
    m.n = h


cdef inline double largest_weight(State* s) noexcept nogil:
    """max_i |alpha_i| sqrt(k(s_i, s_i))."""
    return s.m.scale * s.simd.max_abs[OLK_F64](s.coef, s.diagonal, s.m.n)
