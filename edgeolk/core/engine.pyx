"""The engine: a shell around one model's C struct.

Design. The step is free functions over the struct (step.pxd); this class decodes the configuration
once, holds the regions as typed memoryviews for its life, and keeps two threads apart. It knows
neither numpy nor the catalogue, so a process without numpy can run it.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release
from cpython.mem cimport PyMem_Free
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from edgeolk.errors import BadRowError
from edgeolk.parts import elements

from edgeolk.core.arena cimport Arena
from edgeolk.core.borrowed cimport borrow
from edgeolk.core.decode cimport (
    decode, decode_features, decode_forecast, decode_preprocessing, decode_structured,
)
from edgeolk.core.expansion cimport coefficient_count
from edgeolk.core.forecasting cimport rows_waiting
from edgeolk.core.preprocessing cimport take_f64
from edgeolk.core.parts cimport BASIS_STRUCTURED, DTYPE_FLOAT64
from edgeolk.core.simd cimport OLK_GAUSSIAN, olk_simd
from edgeolk.core.labels cimport check_weight, is_label, labels_allowed
from edgeolk.core.marks cimport begin_step, end_step
from edgeolk.core.mend cimport mend
from edgeolk.core.readers cimport with_own_scratch
from edgeolk.core.refused cimport label_error, not_finite, outcome_error, wrong_length
from edgeolk.core.rows cimport accepts_f64
from edgeolk.core.scaling cimport olk_scaler
from edgeolk.core.state cimport (
    DONE, MODEL_RUNS, Errors, Forgetron, Function, Halving, Hints, Mean, Model, Nystrom, Skipped,
    State, Width,
)
from edgeolk.core.step cimport (
    ask, construct, count_asked, decide, learn, prepare_mean, restart, skip, tell, wants,
)
from edgeolk.core.structs cimport (
    OLK_EVENT_ROWS, OLK_EVENTS, OLK_QUIET_ROWS, OLK_VERDICT, olk_common, olk_forecast_answer,
    olk_forecast_state, olk_sorf, olk_sorf_state, olk_two_numbers,
)
from edgeolk.core.structured cimport Structured
from edgeolk.core.updates.sorf cimport (
    sorf_alarms, sorf_memory_share, sorf_remembered, sorf_since_look,
)
from edgeolk.core.variants cimport chosen_simd
from edgeolk.core.views cimport typed
from edgeolk.core.watched cimport reason_of
from edgeolk.core.width cimport use_width

cdef const olk_simd* SIMD = chosen_simd()

if sizeof(Model) != 88:
    raise ImportError("the header's struct does not have the layout of the file format")


cdef class Engine:
    """A model in its arena.

    Parameters
    ----------
    config : Config
        A configuration in full.
    regions : sequence of Region
        The plan of the block: name, offset, bytes, purpose, element, shape.
    arena : Arena
        As long as the plan says, its header written.
    fresh : bool
        Whether to start a new model in the block.
    """

    def __cinit__(self, config, regions, Arena arena not None, bint fresh=True):
        self.arena = arena
        self.config = config
        self.regions = {region[0]: region for region in regions}
        self.views = {}
        self.state.m = <Model*>arena.base
        self.state.simd = SIMD
        decode(&self.state, config)
        decode_preprocessing(&self.state, config)
        if config.update.whole:
            decode_structured(&self.state, config)
            decode_forecast(&self.state, config)
        elif self.state.c.choice.basis == BASIS_STRUCTURED:
            decode_features(&self.state, config)
        self.attach()
        if config.update.whole:
            self.attach_structured()
        self.attach_preprocessing()
        if fresh:
            self.start()

    cdef void* at(self, str name) except? NULL:
        """Where a region lies, or NULL; its typed view is kept."""
        found = self.regions.get(name)
        if found is None:
            return NULL
        element = elements.ELEMENTS[found.element]
        rows, stride = found.shape
        start = found.offset
        raw = memoryview(self.arena)[start:start + rows * stride * element.nbytes]
        self.views[name] = typed(raw.cast("B").cast(element.cast, (rows, stride)), element.cast)
        return self.arena.base + <Py_ssize_t>start

    def attach(self):
        """Views and pointers into the block, once."""
        cdef State* s = &self.state
        cdef int dtype = s.c.choice.dtype
        s.row_fn = SIMD.row[dtype]
        s.sparse_fn = SIMD.sparse[dtype]
        s.pair_fn = SIMD.pair[dtype]
        s.function = <Function*>self.at("function")
        s.averaging = <Mean*>self.at("averaging")
        s.errors = <Errors*>self.at("errors")
        s.forgetron = <Forgetron*>self.at("forgetron")
        s.halving = <Halving*>self.at("halving")
        s.hints = <Hints*>self.at("hints")
        s.nystrom = <Nystrom*>self.at("nystrom")
        s.skipped = <Skipped*>self.at("skipped")
        s.novelty = <double*>self.at("novelty")
        s.sv = self.at("support_vectors")
        s.coef = self.at("coefficients")
        s.quantum.scale = <const float*>self.at("levels")
        s.quantum.offset = NULL
        if s.quantum.scale != NULL:
            s.quantum.offset = s.quantum.scale + s.c.n_features
        s.diagonal = <double*>self.at("diagonal")
        s.arrival = <int64_t*>self.at("arrivals")
        s.inverse = <double*>self.at("inverse")
        s.factor = <double*>self.at("factor")
        s.scores = <double*>self.at("scores")
        s.nearest = <int64_t*>self.at("nearest")
        s.nearest_d2 = self.at("nearest_distance")
        s.nearest_k = <double*>self.at("nearest_kernel")
        s.map = <double*>self.at("feature_map")
        s.window = self.at("window")
        s.window_y = <double*>self.at("window_labels")
        s.mean_start = <double*>self.at("mean_start")
        s.mean_sum = <double*>self.at("mean_sum")
        s.own = <double*>self.at("own")
        s.norms = self.at("norms")
        s.query = self.at("query")
        s.nonzero_index = <int32_t*>self.at("nonzero_index")
        s.nonzero_value = self.at("nonzero_value")
        s.column = self.at("column")
        s.row = self.at("kernel_row")
        s.distance = self.at("distance_row")
        s.products = s.distance if s.c.kernel.kind == OLK_GAUSSIAN else NULL
        # What compares distances is to have all of them by one way.
        s.lengths = s.norms if s.distance == NULL else NULL
        s.mean_coef = self.at("mean_coefficients")
        s.class_scores = <double*>self.at("class_scores")
        s.pulls = <double*>self.at("pulls")
        s.gram = <double*>self.at("gram")
        s.ahead.x = self.at("rows_ahead")
        s.ahead.values = self.at("values_ahead")
        s.ahead.features = <double*>self.at("features_ahead")
        s.work = <double*>self.at("work")
        s.work2 = <double*>self.at("work2")
        s.order = <int32_t*>self.at("order")

    cdef int attach_structured(self) except -1:
        """Pointers of a learner on structured features into the block."""
        cdef olk_sorf* p = &self.state.structured.made
        cdef olk_sorf_state* t = &self.state.structured.state
        cdef Model* m = self.state.m
        cdef Py_ssize_t number = 8 if self.state.c.choice.dtype == DTYPE_FLOAT64 else 4
        cdef Py_ssize_t row = number * p.d
        cdef Py_ssize_t longer = row + number
        t.w = self.at("weights")
        t.a = self.at("mean_weights")
        t.L = <double*>self.at("blend")
        if t.L != NULL:
            t.n = t.L + p.groups * p.n_blends + p.linear + p.last_label
        t.t = <uint64_t*>&m.steps
        t.mistakes = <uint64_t*>&m.mistakes
        t.updates = <uint64_t*>&m.updates
        t.rounding = &m.rng
        t.flags = &m.flags
        t.target = <double*>self.at("target")
        t.last = <double*>self.at("last_label")
        t.novelty = <double*>self.at("novelty")
        t.wl = self.at("linear")
        t.Sl = NULL if t.wl == NULL else <char*>t.wl + longer
        t.log_scale = self.at("relevance")
        t.gradient_square = NULL if t.log_scale == NULL else <char*>t.log_scale + row
        t.shared = self.at("shared_relevance")
        t.drift = self.at("drift")
        t.gradient_steps = <uint64_t*>self.at("turns")
        t.memory_rows = <uint8_t*>self.at("row_memory")
        t.memory_held = <uint64_t*>self.at("memory_state")
        if t.memory_held != NULL:
            t.memory_mistakes = <double*>(t.memory_held + 1)
        t.inputs = self.at("inputs")
        if self.state.query == NULL:
            self.state.query = t.inputs  # relevance scales a row where it lies
        elif t.inputs == NULL and self.state.preprocessing.hold > 0.0:
            t.inputs = self.state.query  # where a row lies that is learned, or scored alone
        t.channels = self.at("channels")
        t.readings = <uint32_t*>self.at("channel_counts")
        t.deviations = self.at("deviations")
        t.watch = <uint64_t*>self.at("watch")
        if t.watch != NULL:
            # A row that is converted lies where its inputs have not come to yet.
            self.state.query = <char*>t.inputs + 2 * number * self.state.c.n_features
        t.scores = <double*>self.at("class_scores")
        t.recalled = <double*>self.at("recalled")
        t.row = self.at("feature_row")
        if self.state.forecast.on:
            self.attach_forecast()
        return 0

    cdef int attach_forecast(self) except -1:
        """Pointers of a forecaster into the block; the kernel counts its own rows."""
        cdef olk_forecast_state* t = &self.state.forecast.state
        t.history = self.at("history")
        t.diagonal = self.at("forecaster")
        t.head = self.at("head")
        t.guard = self.at("guard")
        t.waiting = self.at("waiting")
        t.season = self.at("season")
        t.asked = <uint64_t*>&self.state.m.steps
        t.flags = &self.state.m.flags
        self.state.structured.state.t = <uint64_t*>self.at("kernel_rows")
        return 0

    cdef int attach_preprocessing(self) except -1:
        """Pointers of the preprocessing, and the width where it is known."""
        cdef State* s = &self.state
        cdef Py_ssize_t end = -1
        cdef int count = -1
        cdef olk_scaler* scaler = &s.preprocessing.scaler
        scaler.numbers = <double*>self.at("scaler")
        scaler.counts = <int32_t*>self.at("scaler_counts")
        scaler.least = <double*>self.at("scaler_range")
        scaler.records = <uint8_t*>self.at("statistics")
        scaler.most = NULL if scaler.least == NULL else scaler.least + s.c.n_features
        s.preprocessing.clipped = <int64_t*>self.at("clipped_rows")
        s.preprocessing.width = <Width*>self.at("width")
        s.preprocessing.mean = self.at("width_mean")
        s.preprocessing.follows = <double*>self.at("width_follows")
        if s.preprocessing.pairs:
            s.preprocessing.pair = <olk_two_numbers*>(s.preprocessing.follows + 1)
        s.preprocessing.common = <olk_common*>self.at("common")
        if s.preprocessing.width == NULL and s.preprocessing.follows == NULL:
            return 0
        use_width(s)
        if s.preprocessing.width == NULL:
            return 0
        for region in self.regions.values():
            if (not region.stays and region.element
                    and region.offset < self.state.m.eighths * 8):
                if region.offset != end:
                    count += 1
                    if count == MODEL_RUNS:
                        raise RuntimeError(f"what starts anew lies in over {MODEL_RUNS} runs")
                    s.preprocessing.model[count].start = self.arena.base + <Py_ssize_t>region.offset
                end = region.offset + region.nbytes
                s.preprocessing.model[count].nbytes = (
                    self.arena.base + end - s.preprocessing.model[count].start)
        return 0

    def start(self):
        """A new model: what construction sets and draws."""
        construct(&self.state)
        end_step(&self.state.m.flags, 0)

    def mend(self):
        """Compute afresh what follows from vectors and coefficients; whether that can be done."""
        return mend(&self.state)

    # ---- one user at a time -------------------------------------------------------------------

    cdef int idle(self) except -1:
        """Raise RuntimeError while another thread is inside a long call."""
        if self.users != 0:
            raise RuntimeError("the learner is in use by another thread")
        return 0

    cdef int take(self) except -1:
        """A long call that learns begins: nobody else may be inside."""
        self.idle()
        self.users = -1
        return 0

    cdef void release(self) noexcept:
        self.users = 0

    cdef int enter(self, State* own, void** scratch) except -1:
        """A long call that only reads begins, with a struct of its own; where others read too, with
        scratch of its own, which ``leave`` gives back."""
        self.check_idle()
        own[0] = self.state
        own.sparse_x = NULL
        scratch[0] = NULL
        if self.users > 0:
            scratch[0] = with_own_scratch(own, self.arena.length)
            if scratch[0] == NULL:
                raise MemoryError("no memory for the scratch of one more thread")
        self.users += 1
        return 0

    cdef void leave(self, void* scratch) noexcept:
        self.users -= 1
        PyMem_Free(scratch)

    # ---- rows without numpy ---------------------------------------------------------------------

    cdef const void* checked_row(self, const Py_buffer* x, bint learning=False) except NULL:
        cdef const double* numbers = <const double*>x.buf
        cdef Py_ssize_t j
        if x.shape[0] != self.state.c.n_features:
            raise wrong_length("x", self.state.c.n_features, x.shape[0])
        if not accepts_f64(&self.state, numbers, self.state.c.n_features):
            row = [numbers[j] for j in range(x.shape[0])]
            raise not_finite(row, range(len(row)), "x")
        self.idle()
        return take_f64(&self.state, numbers, learning)

    def learn_row(self, object x, double y, double weight=1.0):
        """Learn one row of a float64 buffer; the score before the update.

        NaN for a bad row, where those are left out.
        """
        if self.state.skipped == NULL:
            return self.learned_row(x, y, weight)
        try:
            return self.learned_row(x, y, weight)
        except BadRowError:
            skip(&self.state)
            return NAN

    cdef double learned_row(self, object x, double y, double weight) except? -1.0:
        cdef double f
        cdef Py_buffer view
        cdef int outcome
        if not is_label(&self.state, y):
            raise label_error(y, labels_allowed(&self.state), "y", repr(y))
        if weight != 1.0:
            check_weight(&self.state, self.config, weight)
        borrow(x, "x", 0, &view)
        try:
            outcome = learn(&self.state, self.checked_row(&view, True), y, weight, &f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return f

    cdef int check_forecasts(self) except -1:
        if not self.state.forecast.on:
            raise AttributeError("forecasts need history=True, and this learner has none")
        return 0

    def ask_row(self, object x):
        """Answer one row of a float64 buffer, and remember it until its target comes."""
        cdef double f
        cdef Py_buffer view
        cdef int outcome
        self.check_forecasts()
        borrow(x, "x", 0, &view)
        try:
            outcome = ask(&self.state, self.checked_row(&view, True), &f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return f

    def tell_row(self, object y):
        """The target of the oldest row that waits; None where it is never known."""
        cdef double target = NAN if y is None else y
        cdef int outcome
        self.check_forecasts()
        if not is_label(&self.state, target):
            raise label_error(target, labels_allowed(&self.state), "y", repr(y))
        self.idle()
        outcome = tell(&self.state, target)
        if outcome != DONE:
            raise outcome_error(outcome, "y")

    def restart(self):
        """The history, or the last label, is forgotten; what was learned is kept."""
        if self.state.structured.state.watch != NULL:
            self.idle()
            begin_step(&self.state.m.flags)
            self.state.structured.all.restart_rows(
                &self.state.structured.made, &self.state.structured.state)
            end_step(&self.state.m.flags, 0)
            return
        if not self.state.structured.made.last_label:
            self.check_forecasts()
        self.idle()
        restart(&self.state)

    def said(self):
        """The last answer, how far its intervals reach to each side, the shares of candidates."""
        cdef olk_forecast_answer* said = &self.state.forecast.said
        self.check_forecasts()
        return (
            said.answer,
            [said.reach[i] for i in range(self.state.forecast.made.n_levels)],
            [said.share[i] for i in range(3 if self.state.forecast.made.kernel else 2)],
        )

    def forecaster(self):
        """The C struct of the forecaster, by the names of its members."""
        self.check_forecasts()
        return self.state.forecast.made

    def waiting(self):
        """Rows that were asked and whose targets have not come."""
        self.check_forecasts()
        return rows_waiting(&self.state)

    cdef int decide_row(self, object x, double* f) except -1:
        cdef Py_buffer view
        cdef int outcome
        borrow(x, "x", 0, &view)
        try:
            outcome = decide(&self.state, self.checked_row(&view), False, f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return 0

    def score_row(self, object x):
        """f(x) of one row of a float64 buffer."""
        cdef double f
        if self.state.c.columns > 1:
            raise TypeError("a row has a score for each class here: scores_one gives them")
        self.decide_row(x, &f)
        return f

    def scores_row(self, object x, object out):
        """Scores of one row, one a class, into a float64 buffer."""
        cdef Py_buffer view
        borrow(out, "out", PyBUF_WRITABLE, &view)
        try:
            if view.shape[0] != self.state.c.columns:
                raise ValueError(
                    f"out must have {self.state.c.columns} numbers, got {view.shape[0]}")
            self.decide_row(x, <double*>view.buf)
        finally:
            PyBuffer_Release(&view)

    def wants_row(self, object x, bint asks=False):
        """Whether the label of one row of a float64 buffer could change the model.

        Where it is asked for, a yes counts.
        """
        cdef double f = 0.0
        cdef bint wanted
        if self.state.c.columns == 1:
            self.decide_row(x, &f)
        wanted = wants(&self.state, f)
        if asks and wanted:
            self.idle()
            count_asked(&self.state)
        return wanted

    # ---- what a Python face reads ---------------------------------------------------------------

    @property
    def steps(self):
        """Rows learned, those before the width of the kernel was known among them."""
        cdef const Width* before = self.state.preprocessing.width
        return self.state.m.steps + (before.steps if before != NULL else 0)

    def counters(self):
        """Counters of the block by name; those the model does not keep are 0."""
        cdef State* s = &self.state
        cdef const Width* before = s.preprocessing.width
        cdef const uint64_t* watch = s.structured.state.watch
        return {
            "steps": self.steps,
            "mistakes": s.m.mistakes + (before.mistakes if before != NULL else 0),
            "updates": s.m.updates + (before.updates if before != NULL else 0),
            "capacity_hits": (
                (s.function.capacity_hits if s.function != NULL else 0)
                + (before.capacity_hits if before != NULL else 0)),
            "clipped_rows": s.preprocessing.clipped[0] if s.preprocessing.clipped != NULL else 0,
            "n_support": s.m.n,
            "n_coefficients": coefficient_count(s) if s.coef != NULL else 0,
            "squared_error": s.errors.squared if s.errors != NULL else 0.0,
            "absolute_error": s.errors.absolute if s.errors != NULL else 0.0,
            "labels_asked": s.function.labels_asked if s.function != NULL else 0,
            "halvings": s.halving.count if s.halving != NULL else 0,
            "clipped": s.function.clipped if s.function != NULL else 0,
            "n_skipped": s.skipped.rows if s.skipped != NULL else 0,
            "rank": s.nystrom.rank if s.nystrom != NULL else 0,
            "rows_since_look": <int64_t>sorf_since_look(s),
            "n_remembered": <int64_t>sorf_remembered(s),
            "memory_share": sorf_memory_share(s),
            "memory_percent": <int64_t>(100.0 * sorf_memory_share(s) + 0.5),
            "alarms": watch[OLK_EVENTS] if watch != NULL else <int64_t>sorf_alarms(s),
        }

    def reason(self):
        """By what the last row was judged, in one number (``reason_of``)."""
        return reason_of(self.state.structured.state.watch)

    def accept(self):
        """What the last rows were is usual from now on."""
        if self.state.structured.state.watch == NULL:
            raise AttributeError("only novelty with history=True judges rows in the order of time")
        self.idle()
        begin_step(&self.state.m.flags)
        self.state.structured.all.accept(&self.state.structured.made, &self.state.structured.state)
        end_step(&self.state.m.flags, 0)

    def verdict(self):
        """On the last row learned: whether it is novel, whether an event lasts, part, channel,
        what; None where no rows are watched in the order of time."""
        cdef const uint64_t* watch = self.state.structured.state.watch
        cdef uint64_t bits
        if watch == NULL:
            return None
        bits = watch[OLK_VERDICT]
        return (bool(bits & 1), watch[OLK_QUIET_ROWS] <= OLK_EVENT_ROWS, bits >> 1 & 3, bits >> 8,
                bits >> 3 & 3)

    def structured(self):
        """The C struct of the learner on structured features, by the names of its members.

        ``multiples`` are the widths as multiples of gamma, ``most`` the largest sum |x_j| taken.
        """
        cdef Structured* f = &self.state.structured
        return {**f.made, "multiples": f.widths, "most": f.most}

    def gamma(self):
        """Width of the kernel in use."""
        return self.state.c.kernel.gamma

    def norm2(self):
        """Squared norm kept by increments, or None where nothing needs it."""
        return self.state.function.norm2 if self.state.c.tracks_norm else None

    def check_idle(self):
        """Raise RuntimeError while another thread learns in a long call."""
        if self.users < 0:
            raise RuntimeError("the learner is in use by another thread")

    def view(self, str name):
        """A region as a memoryview of its true shape and type."""
        self.check_idle()
        return memoryview(self.views[name])

    def scale(self):
        """Common factor of the coefficients: alpha_i = scale * coefficients[i]."""
        return self.state.function.scale

    def mean_view(self):
        """Coefficients of the mean model, written to scratch anew."""
        self.idle()
        prepare_mean(&self.state)
        return self.view("mean_coefficients")
