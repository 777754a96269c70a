"""Sets the pointers of the struct to the regions of a block, once.

``places`` maps the name of each region to its address.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t

from edgeolk.core.c cimport (
    OLK_GAUSSIAN, olk_forecast_state, olk_intake_attach, olk_intake_start_width, olk_sorf,
    olk_sorf_state,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.state cimport (
    Errors, Forgetron, Function, Halving, Hints, MODEL_RUNS, Mean, Model, Nystrom, Skipped, State,
)
from edgeolk.core.preprocessing cimport use_width


cdef inline void* at(dict places, str name) except? NULL:
    """Address of a region, or NULL."""
    return <void*><size_t>places.get(name, 0)


cdef inline int attach(State* s, dict places) except -1:
    """Pointers that all kinds of learners have."""
    cdef int dtype = s.c.choice.dtype
    s.row_fn = s.simd.row[dtype]
    s.sparse_fn = s.simd.sparse[dtype]
    s.pair_fn = s.simd.pair[dtype]
    s.function = <Function*>at(places, "function")
    s.averaging = <Mean*>at(places, "averaging")
    s.errors = <Errors*>at(places, "errors")
    s.forgetron = <Forgetron*>at(places, "forgetron")
    s.halving = <Halving*>at(places, "halving")
    s.hints = <Hints*>at(places, "hints")
    s.nystrom = <Nystrom*>at(places, "nystrom")
    s.skipped = <Skipped*>at(places, "skipped")
    s.novelty = <double*>at(places, "novelty")
    s.sv = at(places, "support_vectors")
    s.coef = at(places, "coefficients")
    s.quantizer.scale = <const float*>at(places, "levels")
    s.quantizer.offset = NULL
    if s.quantizer.scale != NULL:
        s.quantizer.offset = s.quantizer.scale + s.c.n_features
    s.diagonal = <double*>at(places, "diagonal")
    s.arrival = <int64_t*>at(places, "arrivals")
    s.inverse = <double*>at(places, "inverse")
    s.factor = <double*>at(places, "factor")
    s.scores = <double*>at(places, "scores")
    s.nearest = <int64_t*>at(places, "nearest")
    s.nearest_d2 = at(places, "nearest_distance")
    s.nearest_k = <double*>at(places, "nearest_kernel")
    s.map = <double*>at(places, "feature_map")
    s.window = at(places, "window")
    s.window_y = <double*>at(places, "window_labels")
    s.mean_start = <double*>at(places, "mean_start")
    s.mean_sum = <double*>at(places, "mean_sum")
    s.per_update = <double*>at(places, "per_update")
    s.norms = at(places, "norms")
    s.query = at(places, "query")
    s.nonzero_index = <int32_t*>at(places, "nonzero_index")
    s.nonzero_value = at(places, "nonzero_value")
    s.column = at(places, "column")
    s.row = at(places, "kernel_row")
    s.distance = at(places, "distance_row")
    s.products = s.distance if s.c.kernel.kind == OLK_GAUSSIAN else NULL
    # Policies that compare distances need all of them computed in the same way.
    s.lengths = s.norms if s.distance == NULL else NULL
    s.mean_coef = at(places, "mean_coefficients")
    s.class_scores = <double*>at(places, "class_scores")
    s.pulls = <double*>at(places, "pulls")
    s.gram = <double*>at(places, "gram")
    s.ahead.x = at(places, "rows_ahead")
    s.ahead.values = at(places, "values_ahead")
    s.ahead.features = <double*>at(places, "features_ahead")
    s.work = <double*>at(places, "work")
    s.work2 = <double*>at(places, "work2")
    s.order = <int32_t*>at(places, "order")
    return 0


cdef inline int attach_forecast(State* s, dict places) except -1:
    """Pointers of a forecaster into the block; its kernel has a separate row counter."""
    cdef olk_forecast_state* t = &s.forecast.state
    t.history = at(places, "history")
    t.diagonal = at(places, "forecaster")
    t.head = at(places, "head")
    t.ml_poly = at(places, "ml_poly")
    t.pending = at(places, "pending")
    t.season = at(places, "season")
    t.n_asked = <uint64_t*>&s.m.steps
    t.flags = &s.m.flags
    s.sorf.state.t = <uint64_t*>at(places, "kernel_rows")
    return 0


cdef inline int attach_structured(State* s, dict places) except -1:
    """Pointers of a learner on structured features into the block."""
    cdef olk_sorf* p = &s.sorf.config
    cdef olk_sorf_state* t = &s.sorf.state
    cdef Model* m = s.m
    cdef Py_ssize_t item = 8 if s.c.choice.dtype == DTYPE_FLOAT64 else 4
    cdef Py_ssize_t row = item * p.d
    cdef Py_ssize_t row_and_bias = row + item
    t.w = at(places, "weights")
    t.a = at(places, "mean_weights")
    t.L = <double*>at(places, "blend")
    if t.L != NULL:
        t.n = t.L + p.groups * p.n_blends + p.linear + p.last_label
    t.t = <uint64_t*>&m.steps
    t.mistakes = <uint64_t*>&m.mistakes
    t.updates = <uint64_t*>&m.updates
    t.rounding = &m.rng
    t.flags = &m.flags
    t.target = <double*>at(places, "target")
    t.last = <double*>at(places, "last_label")
    s.sorf.answers = t.last + 1 if s.sorf.lapse > 0.0 and t.last != NULL else NULL
    t.novelty = <double*>at(places, "novelty")
    t.wl = at(places, "linear")
    t.Sl = NULL if t.wl == NULL else <char*>t.wl + row_and_bias
    t.log_scale = at(places, "relevance")
    t.gradient_square = NULL if t.log_scale == NULL else <char*>t.log_scale + row
    t.shared = at(places, "shared_relevance")
    t.drift = at(places, "drift")
    t.gradient_steps = <uint64_t*>at(places, "gradient_steps")
    t.memory_rows = <uint8_t*>at(places, "row_memory")
    t.memory_held = <uint64_t*>at(places, "memory_state")
    if t.memory_held != NULL:
        t.memory_mistakes = <double*>(t.memory_held + 1)
    t.memory_narrow = <double*>at(places, "memory_narrow")
    t.inputs = at(places, "inputs")
    if s.query == NULL:
        s.query = t.inputs  # relevance scales a row in place
    elif t.inputs == NULL and s.setup.preprocessing.clamp > 0.0:
        t.inputs = s.query  # a single row, learned or scored, is placed here
    t.channels = at(places, "channels")
    t.readings = <uint32_t*>at(places, "channel_counts")
    t.deviations = at(places, "deviations")
    t.watch = <uint64_t*>at(places, "watch")
    if t.watch != NULL:
        # A converted row is placed in the part of inputs that is not yet written.
        s.query = <char*>t.inputs + 2 * item * s.c.n_features
    t.scores = <double*>at(places, "class_scores")
    t.recalled = <double*>at(places, "recalled")
    t.row = at(places, "feature_row")
    if s.forecast.on:
        attach_forecast(s, places)
    return 0


cdef inline int attach_preprocessing(State* s, dict regions) except -1:
    """Places of the preprocessing, and the width if it is known."""
    cdef Py_ssize_t end = -1
    cdef int count = -1
    olk_intake_attach(&s.preprocessing.intake, &s.setup, <uint8_t*>s.m)
    s.preprocessing.intake.learn_readings = s.simd.learn_readings
    if s.setup.preprocessing.follows:
        olk_intake_start_width(&s.preprocessing.intake, s.sorf.config.d)
    if s.setup.preprocessing.follows or s.setup.preprocessing.gamma_rows > 0:
        use_width(s)
    if s.setup.preprocessing.gamma_rows == 0:
        return 0
    for region in regions.values():
        if (not region.stays and region.element
                and region.offset < s.m.eighths * 8):
            if region.offset != end:
                count += 1
                if count == MODEL_RUNS:
                    raise RuntimeError(f"the regions to reset form more than {MODEL_RUNS} runs")
                s.preprocessing.model[count].start = <char*>s.m + <Py_ssize_t>region.offset
            end = region.offset + region.nbytes
            s.preprocessing.model[count].nbytes = (
                <char*>s.m + end - s.preprocessing.model[count].start)
    return 0
