"""Makes the views of a ring, and compiles the functions of its family once.

The functions that other folders call take the struct of any model, whose ring is an object.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from edgeolk.core.c cimport (
    OLK_F64, OLK_GAUSSIAN, olk_begin_step, olk_end_step, olk_intake, olk_intake_keep,
    olk_intake_set_width, olk_intake_width_is_due, olk_lagging, olk_tracking,
)
from edgeolk.core.preprocessing cimport use_width
from edgeolk.core.state cimport (
    DONE, Forgetron, Function, Halving, Hints, Mean, MAX_COUNT, NO_ROW, Nystrom, State,
)
from edgeolk.ring.bases cimport maps_features, take_values
from edgeolk.ring.expansion cimport coefficient_count, familiarity
from edgeolk.ring.filters.process cimport attach_process
from edgeolk.ring.filters.untuned cimport (
    attach_tracker, is_tracker, tracker_delay, tracker_forget, tracker_pending, untuned_similarity,
)
from edgeolk.ring.lookahead cimport (
    compute_ahead, put_row_ahead, rows_ahead, rows_together, score_rows, take_row_ahead,
    update_changed_slots,
)
from edgeolk.ring.rebuild cimport rebuild_derived
from edgeolk.ring.switches cimport update_variance
from edgeolk.ring.step cimport (
    ask_tracker, average, clear, construct, decide, learn_row, tell_tracker,
)


cdef object flat(dict views, str name):
    """The only line of a region as a view of one dimension, or None."""
    view = views.get(name)
    if view is None:
        return None
    return view.cast("B").cast(view.format)


cdef void* words(dict views, str name) except? NULL:
    """The struct in a region of words, or NULL."""
    cdef int64_t[::1] view = flat(views, name)
    return &view[0] if view is not None else NULL


cdef class Vectors:
    cdef int attach(self, State* s, object view) except -1:
        cdef str code = view.format
        self.f32 = view if code == "f" else None
        self.f64 = view if code == "d" else None
        self.f16 = view if code == "H" else None
        self.i8 = view if code == "b" else None
        self.dtype = s.c.choice.dtype
        self.d = view.shape[0]
        self.stride = view.shape[1]
        self.quantizer = &s.quantizer
        return 0


cdef tuple pair(object view):
    """A view as that of float32 and that of float64, of which one is None."""
    if view is None:
        return None, None
    return (view, None) if view.format == "f" else (None, view)


cdef Vectors vectors_of(State* s, object view):
    cdef Vectors vectors
    if view is None:
        return None
    vectors = Vectors()
    vectors.attach(s, view)
    return vectors


cdef class SupportVectorRing:
    cdef int attach(self, State* s, dict views) except -1:
        """Take the regions of a block, which are in ``views`` by name."""
        cdef int dtype = s.c.choice.dtype
        self.bind(s)
        self.function = <Function*>words(views, "function")
        self.averaging = <Mean*>words(views, "averaging")
        self.forgetron = <Forgetron*>words(views, "forgetron")
        self.halving = <Halving*>words(views, "halving")
        self.hints = <Hints*>words(views, "hints")
        self.nystrom = <Nystrom*>words(views, "nystrom")
        self.evidence = <olk_evidence*>words(views, "evidence")
        self.novelty = s.novelty
        self.vectors = vectors_of(s, views.get("support_vectors"))
        self.coef_f32, self.coef_f64 = pair(views["coefficients"])
        self.norms_f32, self.norms_f64 = pair(flat(views, "norms"))
        self.diagonal = flat(views, "diagonal")
        self.arrival = flat(views, "arrivals")
        self.inverse = flat(views, "inverse")
        self.factor = flat(views, "factor")
        self.posterior = flat(views, "posterior")
        self.whitening_f32, self.whitening_f64 = pair(flat(views, "whitening"))
        self.covariance_f32, self.covariance_f64 = pair(flat(views, "covariance"))
        self.mean_f32, self.mean_f64 = pair(flat(views, "coordinates"))
        self.rows_f32, self.rows_f64 = pair(views.get("whitened_rows"))
        self.posterior_factor_f32, self.posterior_factor_f64 = pair(flat(views, "posterior_factor"))
        self.origin = flat(views, "origin")
        self.recent = flat(views, "recent_targets")
        self.pending_rows = views.get("pending_rows")
        self.input_scales_f32, self.input_scales_f64 = pair(views.get("input_scales"))
        self.tracker_rows_f32, self.tracker_rows_f64 = pair(flat(views, "tracker_rows"))
        self.scores = flat(views, "scores")
        self.nearest = flat(views, "nearest")
        self.nearest_d2_f32, self.nearest_d2_f64 = pair(flat(views, "nearest_distance"))
        self.nearest_k = flat(views, "nearest_kernel")
        self.map = views.get("feature_map")
        self.per_update = views.get("per_update")
        self.window = vectors_of(s, views.get("window"))
        self.window_y = flat(views, "window_labels")
        self.mean_start = views.get("mean_start")
        self.mean_sum = views.get("mean_sum")
        # Without scratch of its own, a vector is gathered in that of the example.
        self.column_f32, self.column_f64 = pair(flat(views, "column") or flat(views, "query"))
        self.row_f32, self.row_f64 = pair(flat(views, "kernel_row"))
        self.distance_f32, self.distance_f64 = pair(flat(views, "distance_row"))
        self.mean_coef_f32, self.mean_coef_f64 = pair(views.get("mean_coefficients"))
        self.class_scores = views.get("class_scores")
        self.gram = flat(views, "gram")
        self.pulls = views.get("pulls")
        self.work = flat(views, "work")
        self.work2 = flat(views, "work2")
        self.work3 = flat(views, "work3")
        self.window_kernel = views.get("window_kernel")
        self.window_gram = flat(views, "window_gram")
        self.order = flat(views, "order")
        self.rows_ahead_f32, self.rows_ahead_f64 = pair(views.get("rows_ahead"))
        self.values_ahead_f32, self.values_ahead_f64 = pair(views.get("values_ahead"))
        self.features_ahead = views.get("features_ahead")
        self.wide = s.c.choice.coefficients == OLK_F64
        self.has_norms = "norms" in views
        self.has_row = "kernel_row" in views
        self.keeps_products = "distance_row" in views and s.c.kernel.kind == OLK_GAUSSIAN
        # Policies that compare distances need all of them computed in the same way.
        self.uses_lengths = self.has_norms and "distance_row" not in views
        self.row_fn = s.simd.row[dtype]
        self.sparse_fn = s.simd.sparse[dtype]
        self.pair_fn = s.simd.pair[dtype]
        self.simd = s.simd
        if self.evidence != NULL:
            attach_process(self)
        if self.origin is not None:
            attach_tracker(self, <olk_tracking*>words(views, "tracking"),
                           <olk_lagging*>words(views, "lagging"))
        return 0

    cdef void bind(self, State* s) noexcept:
        """Work on this copy of the struct from now on."""
        self.s = s
        self.m = s.m
        self.c = &s.c
        self.ahead = &s.ahead
        s.ring = <PyObject*>self
        s.ahead.next = NO_ROW


# What other folders call.

cdef int ring_learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil:
    """Learn one placed row; f receives the score before."""
    cdef olk_intake* intake = &s.preprocessing.intake
    cdef int outcome = learn_row(<SupportVectorRing>s.ring, x, y, weight, f)
    if outcome == DONE and s.preprocessing.on:
        olk_intake_keep(intake)
        if olk_intake_width_is_due(intake, x):
            olk_intake_set_width(intake)
            use_width(s)
            clear(<SupportVectorRing>s.ring)
    return outcome


cdef int ring_decide(State* s, const void* x, bint mean, double* f) noexcept nogil:
    return decide(<SupportVectorRing>s.ring, x, mean, f)


cdef int64_t ring_rows_together(const State* s) noexcept nogil:
    return rows_together(<SupportVectorRing>s.ring)


cdef int64_t ring_scores(State* s, const void* rows, int64_t count, bint mean,
                         double* f) noexcept nogil:
    return score_rows(<SupportVectorRing>s.ring, rows, count, mean, f)


cdef void ring_construct(State* s) noexcept nogil:
    construct(<SupportVectorRing>s.ring)


cdef double ring_threshold(const State* s) noexcept nogil:
    return (<SupportVectorRing>s.ring).novelty[0]


cdef int64_t ring_n_outputs(const State* s) noexcept nogil:
    return 2 if ring_may_wait(s) else 0


cdef void ring_write_outputs(const State* s, double* numbers) noexcept nogil:
    """Of the last answer of a tracker with ``lags``: half the width of its interval, and the weight
    of the kernel."""
    numbers[0] = s.forecast.half_width[0]
    numbers[1] = s.forecast.share[0]


cdef int64_t ring_may_wait(const State* s) noexcept nogil:
    return tracker_delay(<SupportVectorRing>s.ring)


cdef int ring_ask(State* s, const void* x, double* f) noexcept nogil:
    return ask_tracker(<SupportVectorRing>s.ring, x, f)


cdef int ring_tell(State* s, double y) noexcept nogil:
    return tell_tracker(<SupportVectorRing>s.ring, y)


cdef int64_t ring_n_pending(const State* s) noexcept nogil:
    return tracker_pending(<SupportVectorRing>s.ring)


cdef void ring_restart(State* s) noexcept nogil:
    olk_begin_step(&s.m.flags)
    tracker_forget(<SupportVectorRing>s.ring)
    olk_end_step(&s.m.flags, 0)


cdef void ring_average(State* s) noexcept nogil:
    average(<SupportVectorRing>s.ring)


cdef void ring_count_asked(State* s) noexcept nogil:
    cdef Function* function = (<SupportVectorRing>s.ring).function
    olk_begin_step(&s.m.flags)
    function.labels_asked += function.labels_asked < MAX_COUNT
    olk_end_step(&s.m.flags, 0)


cdef double ring_familiarity(State* s, const void* x) noexcept nogil:
    if is_tracker(<SupportVectorRing>s.ring):
        return untuned_similarity(<SupportVectorRing>s.ring, x)
    return familiarity(<SupportVectorRing>s.ring, x)


cdef double ring_variance(State* s, const void* x) noexcept nogil:
    """The variance of the target of a placed row; infinite before any row was learned."""
    return update_variance(<SupportVectorRing>s.ring, x)


cdef bint ring_rebuild(State* s) noexcept nogil:
    return rebuild_derived(<SupportVectorRing>s.ring)


cdef object ring_of(State* s, dict views):
    cdef SupportVectorRing ring = SupportVectorRing()
    ring.attach(s, views)
    return ring


cdef void ring_bind(State* s, object ring) noexcept:
    (<SupportVectorRing>ring).bind(s)


cdef dict ring_counters(const State* s):
    cdef SupportVectorRing ring = <SupportVectorRing>s.ring
    return {
        "capacity_hits": ring.function.capacity_hits,
        "n_coefficients": coefficient_count(ring),
        "labels_asked": ring.function.labels_asked,
        "halvings": ring.halving.count if ring.halving != NULL else 0,
        "clipped": ring.function.clipped,
        "rank": ring.nystrom.rank if ring.nystrom != NULL else 0,
    }


# Rows ahead.

cdef bint ring_maps_features(const State* s) noexcept nogil:
    return maps_features(<SupportVectorRing>s.ring)


cdef void ring_take_values(State* s, int64_t i, const void* x) noexcept nogil:
    take_values(<SupportVectorRing>s.ring, i, x)


cdef int64_t ring_rows_ahead(const State* s) noexcept nogil:
    return rows_ahead(<SupportVectorRing>s.ring)


cdef void ring_put_row_ahead(State* s, int64_t i, const void* x) noexcept nogil:
    put_row_ahead(<SupportVectorRing>s.ring, i, x)


cdef const void* ring_take_row_ahead(State* s, int64_t i) noexcept nogil:
    return take_row_ahead(<SupportVectorRing>s.ring, i)


cdef void ring_compute_ahead(State* s, int64_t count) noexcept nogil:
    compute_ahead(<SupportVectorRing>s.ring, count)


cdef bint ring_update_changed_slots(State* s, int64_t i, int64_t count) noexcept nogil:
    return update_changed_slots(<SupportVectorRing>s.ring, i, count)
