"""The ring of support vectors: typed memoryviews over the engine's one block, made once.

Design. Number j of the vector in a slot is at [j, slot], and coefficients, kernel values and
distances are at [slot]. What may have one of two types is a pair of views, of which one is None:
coefficients, kernel values and distances have the type of coefficients; norms and single vectors
that of rows (double for float64 storage, else float). Views that a composition does not need are
None, too. Updates, policies, projections and bases are functions of ``(SupportVectorRing ring,
Example* e)`` whose loops over slots run over the views. What is fused over many numbers is C, which
is handed the start of a view by the functions at the end of this file: ``void*`` ends there.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint64_t

from edgeolk.core.c cimport (
    OLK_F32, OLK_F64, olk_evidence, olk_float_to_half, olk_float_to_level, olk_float_to_odd,
    olk_half_to_float, olk_pair_fn, olk_process, olk_quantizer, olk_row_fn, olk_simd,
    olk_sparse_fn, olk_untuned,
)
from edgeolk.core.parts cimport DTYPE_FLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64, coefficients_max
from edgeolk.core.state cimport (
    Ahead, Forgetron, Function, Halving, Hints, MAX_CHANGED, Mean, Model, Nystrom,
    Settings, State,
)


cdef class Vectors:
    """Examples as stored, (d, stride): the ring, or the window of recent examples."""
    cdef float[:, ::1] f32
    cdef double[:, ::1] f64
    cdef uint16_t[:, ::1] f16         # bits of halves
    cdef int8_t[:, ::1] i8
    cdef int dtype
    cdef int64_t d
    cdef int64_t stride
    cdef const olk_quantizer* quantizer

    cdef int attach(self, State* s, object view) except -1


cdef struct Tally:
    # What a step writes before it is certain to succeed, as it was before.
    uint16_t flags
    uint64_t rng
    int64_t mistakes
    double mean_weight, squared, absolute  # if they are kept


cdef class SupportVectorRing:
    """One model of the ring family in its block; readers of other threads have copies."""
    cdef State* s                     # what both families have, and the row of this call
    cdef Model* m                     # n, steps, counters
    cdef Settings* c
    cdef Ahead* ahead
    # facts of every step
    cdef bint wide                    # coefficients, kernel values and distances are float64
    cdef bint has_norms
    cdef bint has_row
    cdef bint uses_lengths            # whether dense rows use the norms
    cdef bint keeps_products          # whether kernel rows write the distances as a by-product
    # words, or NULL
    cdef Function* function
    cdef Mean* averaging
    cdef Forgetron* forgetron
    cdef Halving* halving
    cdef Hints* hints
    cdef Nystrom* nystrom
    cdef olk_evidence* evidence
    cdef double* novelty              # threshold rho of novelty
    # state
    cdef Vectors vectors
    cdef float[:, ::1] coef_f32       # (columns, weights) coefficients over the common scale
    cdef double[:, ::1] coef_f64
    cdef float[::1] norms_f32         # (stride,) |s_i|^2, or |s_i|_1 for the Laplacian kernel
    cdef double[::1] norms_f64
    cdef double[::1] diagonal         # (slots,)
    cdef int64_t[::1] arrival         # (slots,) step of arrival
    cdef double[::1] inverse          # packed inverse of the Gram matrix
    cdef double[::1] factor           # packed: L^-1 of the Gram matrix K = L L', or K itself
    cdef double[::1] posterior        # packed matrix of what the rows say of the coefficients
    # Of a Gaussian process in whitened coordinates, with room for B + 1.
    cdef float[::1] whitening_f32     # packed: M = L^-1 of K + jitter I = L L'
    cdef double[::1] whitening_f64
    cdef float[::1] covariance_f32    # packed: P
    cdef double[::1] covariance_f64
    cdef float[::1] posterior_factor_f32  # packed by columns: W of the covariance W W'
    cdef double[::1] posterior_factor_f64
    cdef float[::1] mean_f32          # w
    cdef double[::1] mean_f64
    cdef double[::1] scores           # (slots,) cached f(s_i) / scale
    cdef int64_t[::1] nearest         # (B,) slot of the nearest other support vector
    cdef float[::1] nearest_d2_f32    # (B,) its squared distance
    cdef double[::1] nearest_d2_f64
    cdef double[::1] nearest_k        # (B,) kernel value with it
    cdef double[:, ::1] map           # (B, B): V, then (rank, B): kernel row -> features
    cdef double[:, ::1] per_update    # (n_per_update, weights) numbers that the update stores
    cdef Vectors window               # last examples, or None
    cdef double[::1] window_y         # their labels
    cdef double[:, ::1] mean_start    # (columns, weights)
    cdef double[:, ::1] mean_sum      # (columns, weights)
    cdef double[::1] origin           # (d,) the first row of krls_auto
    cdef double[::1] recent           # (lags,) the last targets, the newest first
    cdef double[:, ::1] pending_rows       # (delay, d + lags + 2) rows without their target
    cdef float[:, ::1] input_scales_f32  # (8, d) widths and scales (c/ring_table.h)
    cdef double[:, ::1] input_scales_f64
    # scratch: nothing below is kept between calls
    cdef float[::1] column_f32        # (d,) one gathered support vector
    cdef double[::1] column_f64
    cdef float[::1] row_f32           # (weights,) k(s_i, x), or features of x
    cdef double[::1] row_f64
    cdef float[::1] distance_f32      # (stride,) ||s_i - x||^2
    cdef double[::1] distance_f64
    cdef float[:, ::1] mean_coef_f32  # (columns, weights) coefficients of the mean model
    cdef double[:, ::1] mean_coef_f64
    cdef double[:, ::1] class_scores  # (2, columns): scores, then shares of the new example
    cdef double[::1] gram             # packed lower triangle
    cdef double[:, ::1] pulls         # (columns, B // 2) right-hand sides of a halving
    cdef double[::1] work             # (slots,)
    cdef double[::1] work2            # (slots,)
    cdef double[::1] work3            # (slots,)
    cdef float[:, ::1] rows_f32       # (2, B + 1) z and h of the row, in whitened coordinates
    cdef double[:, ::1] rows_f64
    cdef float[::1] tracker_rows_f32  # of krls_auto: vectors of coordinates, a row, log variances
    cdef double[::1] tracker_rows_f64
    cdef double[:, ::1] window_kernel  # (last_rows, weights) kernel rows of the window
    cdef double[::1] window_gram      # packed, (last_rows, last_rows)
    cdef int32_t[::1] order           # (B,)
    # scratch: rows to be learned next, with their kernel values or features (lookahead.pxd)
    cdef float[:, ::1] rows_ahead_f32  # (rows, d)
    cdef double[:, ::1] rows_ahead_f64
    cdef float[:, ::1] values_ahead_f32  # (rows, weights)
    cdef double[:, ::1] values_ahead_f64
    cdef double[:, ::1] features_ahead  # (rows, rank), None without such a map
    cdef olk_process process          # of a Gaussian process
    cdef Tally before                 # here, so that a step does not carry it through its calls
    cdef olk_untuned tracker          # of krls_auto
    # functions in C for the storage type, chosen once
    cdef olk_row_fn row_fn
    cdef olk_sparse_fn sparse_fn
    cdef olk_pair_fn pair_fn
    cdef const olk_simd* simd

    cdef int attach(self, State* s, dict views) except -1
    cdef void bind(self, State* s) noexcept


# The functions of the family, compiled once (ring.pyx).

cdef int ring_learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil
cdef int ring_decide(State* s, const void* x, bint mean, double* f) noexcept nogil
cdef int64_t ring_rows_together(const State* s) noexcept nogil
cdef int64_t ring_scores(State* s, const void* rows, int64_t count, bint mean,
                         double* f) noexcept nogil
cdef void ring_construct(State* s) noexcept nogil
cdef double ring_threshold(const State* s) noexcept nogil
cdef int64_t ring_n_outputs(const State* s) noexcept nogil
cdef void ring_write_outputs(const State* s, double* numbers) noexcept nogil
cdef int64_t ring_may_wait(const State* s) noexcept nogil
cdef int ring_ask(State* s, const void* x, double* f) noexcept nogil
cdef int ring_tell(State* s, double y) noexcept nogil
cdef int64_t ring_n_pending(const State* s) noexcept nogil
cdef void ring_restart(State* s) noexcept nogil
cdef void ring_average(State* s) noexcept nogil
cdef void ring_count_asked(State* s) noexcept nogil
cdef double ring_familiarity(State* s, const void* x) noexcept nogil
cdef double ring_variance(State* s, const void* x) noexcept nogil
cdef bint ring_rebuild(State* s) noexcept nogil
cdef object ring_of(State* s, dict views)
cdef void ring_bind(State* s, object ring) noexcept
cdef dict ring_counters(const State* s)
cdef bint ring_maps_features(const State* s) noexcept nogil
cdef void ring_take_values(State* s, int64_t i, const void* x) noexcept nogil
cdef int64_t ring_rows_ahead(const State* s) noexcept nogil
cdef void ring_put_row_ahead(State* s, int64_t i, const void* x) noexcept nogil
cdef const void* ring_take_row_ahead(State* s, int64_t i) noexcept nogil
cdef void ring_compute_ahead(State* s, int64_t count) noexcept nogil
cdef bint ring_update_changed_slots(State* s, int64_t i, int64_t count) noexcept nogil


# Types.

cdef inline int value_type(SupportVectorRing ring) noexcept nogil:
    """The type of coefficients: an index into the tables of C functions."""
    return ring.c.choice.coefficients


cdef inline int row_type(SupportVectorRing ring) noexcept nogil:
    """The type that rows are computed in, likewise an index."""
    return OLK_F64 if ring.c.vectors == DTYPE_FLOAT64 else OLK_F32


cdef inline bint is_wide(SupportVectorRing ring) noexcept nogil:
    """Whether coefficients, kernel values and distances are float64."""
    return ring.wide


cdef inline bint may_enter(SupportVectorRing ring, double a) noexcept nogil:
    """Whether a coefficient is in range; False for NaN."""
    return fabs(a) <= coefficients_max(ring.c.choice.coefficients)


# Vectors.

cdef inline double stored_number(Vectors v, int64_t j, int64_t slot) noexcept nogil:
    """Number j of a vector, widened."""
    if v.dtype == DTYPE_FLOAT32:
        return v.f32[j, slot]
    if v.dtype == DTYPE_FLOAT64:
        return v.f64[j, slot]
    if v.dtype == DTYPE_FLOAT16:
        return olk_half_to_float(v.f16[j, slot])
    return v.quantizer.scale[j] * <float>v.i8[j, slot] + v.quantizer.offset[j]


cdef inline void store_number(Vectors v, int64_t j, int64_t slot, double value) noexcept nogil:
    """Round number j of a vector to storage."""
    if v.dtype == DTYPE_FLOAT32:
        v.f32[j, slot] = <float>value
    elif v.dtype == DTYPE_FLOAT64:
        v.f64[j, slot] = value
    elif v.dtype == DTYPE_FLOAT16:
        v.f16[j, slot] = olk_float_to_half(olk_float_to_odd(value))
    else:
        v.i8[j, slot] = olk_float_to_level(
            <float>value, v.quantizer.scale[j], v.quantizer.offset[j])


cdef inline void write_vector(Vectors v, int64_t slot, const void* x) noexcept nogil:
    """v[:, slot] <- x, in the row type."""
    cdef int64_t j
    cdef const float* narrow = <const float*>x
    # A loop for each type: this runs at every update.
    if v.dtype == DTYPE_FLOAT32:
        for j in range(v.d):
            v.f32[j, slot] = narrow[j]
    elif v.dtype == DTYPE_FLOAT64:
        for j in range(v.d):
            v.f64[j, slot] = (<const double*>x)[j]
    elif v.dtype == DTYPE_FLOAT16:
        for j in range(v.d):
            v.f16[j, slot] = olk_float_to_half(narrow[j])
    else:
        for j in range(v.d):
            v.i8[j, slot] = olk_float_to_level(
                narrow[j], v.quantizer.scale[j], v.quantizer.offset[j])


cdef inline const void* take_vector(SupportVectorRing ring, Vectors v,
                                    int64_t slot) noexcept nogil:
    """v[:, slot], contiguous, in the column scratch."""
    cdef int64_t j
    if v.dtype == DTYPE_FLOAT64:
        for j in range(v.d):
            ring.column_f64[j] = v.f64[j, slot]
    elif v.dtype == DTYPE_FLOAT32:
        for j in range(v.d):
            ring.column_f32[j] = v.f32[j, slot]
    else:
        for j in range(v.d):
            ring.column_f32[j] = <float>stored_number(v, j, slot)
    return gathered(ring)


cdef inline void copy_slot(SupportVectorRing ring, int64_t source, int64_t target) noexcept nogil:
    """The ring's [:, target] <- [:, source], as stored."""
    cdef int64_t j
    for j in range(ring.c.n_features):
        store_number(ring.vectors, j, target, stored_number(ring.vectors, j, source))


cdef inline void mark_slot_changed(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """After a slot of the ring was written: update its norm, record the change."""
    if ring.ahead.n_changed < MAX_CHANGED:
        ring.ahead.changed[ring.ahead.n_changed] = <int32_t>slot
    ring.ahead.n_changed += 1
    update_slot_norm(ring, slot)


cdef inline void update_slot_norm(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """norms[slot] <- norm of the vector as stored, if norms are kept."""
    cdef double norm
    if ring.has_norms:
        norm = ring.simd.norm[ring.c.vectors](&ring.c.kernel, vectors_from(ring.vectors, slot),
                                              ring.c.stride, ring.c.n_features)
        if ring.norms_f64 is not None:
            ring.norms_f64[slot] = norm
        else:
            ring.norms_f32[slot] = <float>norm


cdef inline double norm_at(SupportVectorRing ring, int64_t slot) noexcept nogil:
    return ring.norms_f64[slot] if ring.norms_f64 is not None else ring.norms_f32[slot]


# Numbers of slots that have the type of coefficients.

cdef inline double coefficient(SupportVectorRing ring, int64_t column,
                               int64_t slot) noexcept nogil:
    """The coefficient of a slot over the common scale."""
    return ring.coef_f64[column, slot] if is_wide(ring) else ring.coef_f32[column, slot]


cdef inline void set_coefficient(SupportVectorRing ring, int64_t column, int64_t slot,
                                 double value) noexcept nogil:
    if is_wide(ring):
        ring.coef_f64[column, slot] = value
    else:
        ring.coef_f32[column, slot] = <float>value


cdef inline double row_at(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """k(s_i, x) from the kernel row."""
    return ring.row_f64[slot] if is_wide(ring) else ring.row_f32[slot]


cdef inline double distance_at(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """||s_i - x||^2 from the distance row."""
    return ring.distance_f64[slot] if is_wide(ring) else ring.distance_f32[slot]


cdef inline void set_distance(SupportVectorRing ring, int64_t slot, double value) noexcept nogil:
    if is_wide(ring):
        ring.distance_f64[slot] = value
    else:
        ring.distance_f32[slot] = <float>value


# For C: the start of a view, NULL for one that a composition does not have where that is legal.

cdef inline void* vectors_from(Vectors v, int64_t slot) noexcept nogil:
    if v.dtype == DTYPE_FLOAT32:
        return &v.f32[0, slot]
    if v.dtype == DTYPE_FLOAT64:
        return &v.f64[0, slot]
    if v.dtype == DTYPE_FLOAT16:
        return &v.f16[0, slot]
    return &v.i8[0, slot]


cdef inline const void* lengths_from(SupportVectorRing ring, int64_t slot) noexcept nogil:
    """The norms of the ring from a slot on, if dense rows use them."""
    return norms_from(ring, slot) if ring.uses_lengths else NULL


cdef inline const void* norms_from(SupportVectorRing ring, int64_t slot) noexcept nogil:
    if not ring.has_norms:
        return NULL
    if ring.norms_f64 is not None:
        return &ring.norms_f64[slot]
    return &ring.norms_f32[slot]


cdef inline void* gathered(SupportVectorRing ring) noexcept nogil:
    if ring.c.vectors == DTYPE_FLOAT64:
        return &ring.column_f64[0]
    return &ring.column_f32[0]


cdef inline void* coefficients(SupportVectorRing ring) noexcept nogil:
    return coefficients_of(ring, 0)


cdef inline void* coefficients_of(SupportVectorRing ring, int64_t column) noexcept nogil:
    if is_wide(ring):
        return &ring.coef_f64[column, 0]
    return &ring.coef_f32[column, 0]


cdef inline void* mean_coefficients(SupportVectorRing ring) noexcept nogil:
    if is_wide(ring):
        return &ring.mean_coef_f64[0, 0]
    return &ring.mean_coef_f32[0, 0]


cdef inline void* kernel_values(SupportVectorRing ring) noexcept nogil:
    """The kernel row, or features."""
    if not ring.has_row:
        return NULL
    if is_wide(ring):
        return &ring.row_f64[0]
    return &ring.row_f32[0]


cdef inline void* distances(SupportVectorRing ring) noexcept nogil:
    if is_wide(ring):
        return &ring.distance_f64[0]
    return &ring.distance_f32[0]


cdef inline double* diagonal_or_null(SupportVectorRing ring) noexcept nogil:
    return &ring.diagonal[0] if ring.diagonal is not None else NULL
