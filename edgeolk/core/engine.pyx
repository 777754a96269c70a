"""The engine: a shell around one model's C struct.

Design. The step is free functions over the struct (step.pxd); this class decodes the configuration
once, holds the regions as memoryviews for its life, and keeps two threads apart. It knows
neither numpy nor the catalogue, so a process without numpy can run it.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release
from cpython.mem cimport PyMem_Free
from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t

from edgeolk.errors import BadRowError
from edgeolk.parts import elements

from edgeolk.core.arena cimport Arena
from edgeolk.core.attach cimport attach, attach_preprocessing, attach_structured
from edgeolk.core.borrowed cimport borrow
from edgeolk.core.decode cimport (
    decode, decode_features, decode_forecast, decode_preprocessing, decode_structured,
)
from edgeolk.core.expansion cimport coefficient_count
from edgeolk.core.forecasting cimport rows_waiting
from edgeolk.core.preprocessing cimport take_dense
from edgeolk.core.parts cimport BASIS_STRUCTURED
from edgeolk.core.headers cimport (
    OLK_EVENT_ROWS, OLK_EVENTS, OLK_QUIET_ROWS, OLK_SEALED, OLK_VERDICT, olk_begin_step,
    olk_end_step, olk_forecast_answer, olk_simd,
)
from edgeolk.core.labels cimport check_weight, is_label, labels_allowed
from edgeolk.core.mend cimport mend
from edgeolk.core.readers cimport with_own_scratch
from edgeolk.core.refused cimport label_error, not_finite, outcome_error, wrong_length
from edgeolk.core.rows cimport accepts
from edgeolk.core.state cimport DONE, Model, State, Width
from edgeolk.core.step cimport (
    answer, ask, asks_score, construct, count_asked, learn, prepare_mean, restart, skip, tell,
    wants,
)
from edgeolk.core.structured cimport Structured
from edgeolk.core.updates.sorf cimport (
    sorf_alarms, sorf_memory_share, sorf_remembered, sorf_since_look,
)
from edgeolk.core.variants cimport chosen_simd
from edgeolk.core.said cimport reason_of

cdef const olk_simd* SIMD = chosen_simd()

if sizeof(Model) != 88:
    raise ImportError("the header's struct does not have the layout of the file format")


cdef class Engine:
    """A model in its arena.

    Parameters
    ----------
    config : Settings
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
        places = self.places()
        attach(&self.state, places)
        if config.update.whole:
            attach_structured(&self.state, places)
        attach_preprocessing(&self.state, places, self.regions)
        if fresh:
            self.start()

    cdef dict places(self):
        """Where each region lies; their views are kept."""
        cdef dict found = {}
        for name, region in self.regions.items():
            if not region.element:
                continue
            element = elements.ELEMENTS[region.element]
            rows, stride = region.shape
            start = region.offset
            raw = memoryview(self.arena)[start:start + rows * stride * element.nbytes]
            self.views[name] = raw.cast("B").cast(element.cast, (rows, stride))
            found[name] = <size_t>(self.arena.base + <Py_ssize_t>start)
        return found

    def start(self):
        """A new model: what construction sets and draws."""
        construct(&self.state)
        olk_end_step(&self.state.m.flags, 0)

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
        if not accepts(&self.state, numbers, self.state.c.n_features):
            row = [numbers[j] for j in range(x.shape[0])]
            raise not_finite(row, range(len(row)), "x")
        self.idle()
        return take_dense(&self.state, numbers, learning)

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
            raise AttributeError("forecasts need history=True, which this learner does not have")
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

    cdef int unseal(self) except -1:
        """Wipe the checksums of a seal, before a call that takes it away and may change nothing.

        Without its flag a block in which every checksum holds counts as damaged.
        """
        if self.state.m.flags & OLK_SEALED:
            olk_begin_step(&self.state.m.flags)
            sums = self.views["checksums"]
            for j in range(sums.shape[1]):
                sums[0, j] = 0
        return 0

    def restart(self):
        """The history, or the last label, is forgotten; what was learned is kept."""
        if self.state.structured.state.watch != NULL:
            self.idle()
            self.unseal()
            olk_begin_step(&self.state.m.flags)
            self.state.structured.all.restart_rows(
                &self.state.structured.made, &self.state.structured.state)
            olk_end_step(&self.state.m.flags, 0)
            return
        if not self.state.structured.made.last_label:
            self.check_forecasts()
        self.idle()
        self.unseal()
        restart(&self.state)

    def freeze(self):
        """From now on a forecaster learns nothing but the history of its target.

        Means and unit of the target go on with that; weights, scaler, counters and errors stay.
        It is of this engine, and in no file.
        """
        self.check_forecasts()
        self.idle()
        self.state.forecast.made.frozen = 1

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
            outcome = answer(&self.state, self.checked_row(&view), False, True, f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return 0

    cdef int check_row(self, object x) except -1:
        """Check one row of a float64 buffer, without an answer."""
        cdef Py_buffer view
        borrow(x, "x", 0, &view)
        try:
            self.checked_row(&view)
        finally:
            PyBuffer_Release(&view)
        return 0

    def score_row(self, object x):
        """f(x) of one row of a float64 buffer."""
        cdef double f
        if self.state.c.columns > 1:
            raise TypeError("this learner has one score per class: use scores_one")
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
        if asks_score(&self.state):
            self.decide_row(x, &f)
        else:
            self.check_row(x)
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
            raise AttributeError("only novelty with history=True provides this")
        self.idle()
        self.unseal()
        olk_begin_step(&self.state.m.flags)
        self.state.structured.all.accept(&self.state.structured.made, &self.state.structured.state)
        olk_end_step(&self.state.m.flags, 0)

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
