"""The engine: a shell around one model's C struct.

Design. The step is a set of free functions over the struct (step.pxd). This class decodes the
configuration once, keeps the regions as memoryviews for its lifetime, and guards against concurrent
use by two threads. It depends on neither numpy nor the catalogue, so it runs without numpy.

Calls for one row never overlap. The interpreter lock sees to that; a free-threaded Python has none,
and there the engine's own lock does (``critical_section``, which costs nothing elsewhere). Python
may suspend either where Python code runs or a thread waits: between the last check of ``users`` and
the end of the work that it allows there is only C.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release
from libc.math cimport NAN, isfinite
from libc.stdint cimport int64_t

from edgeolk.errors import BadRowError
from edgeolk.parts import storage

from edgeolk.core.arena cimport Arena
from edgeolk.engine.attach cimport attach, attach_preprocessing, attach_sorf
from edgeolk.engine.setup cimport fill_cleared
from edgeolk.core.rows cimport accepts, borrow, move_scratch
from edgeolk.ring.ring cimport ring_average
from edgeolk.sorf.sorf cimport (
    memory_share, repeats, since_check, watches,
)
from edgeolk.core.preprocessing cimport take_dense
from edgeolk.core.c cimport (
    OLK_SEALED, olk_begin_step, olk_counts, olk_end_step, olk_intake_measured, olk_model_accept,
    olk_model_begin_answers, olk_model_count_answers, olk_model_counts, olk_model_verdict, olk_simd,
    olk_verdict, olk_width,
)
from edgeolk.core.refusals cimport (
    check_weight, is_label, label_error, labels_allowed, not_finite, outcome_error, seconds_of,
    wrong_length,
)
from edgeolk.core.state cimport DONE, LABELS_TIMES, Model, State
from edgeolk.engine.step cimport (
    answer, asks_score, construct, family_of, learn, skip, wants,
)
from edgeolk.core.variants cimport chosen_simd

cdef const olk_simd* SIMD = chosen_simd()

cdef enum:
    WIDEST = 64               # the widest vector of instructions, in bytes

if sizeof(Model) != 88:
    raise ImportError("the struct of the header does not match the layout of the file format")


cdef class Engine:
    """A model in its arena.

    Parameters
    ----------
    config : Settings
        The complete configuration.
    regions : sequence of Region
        The layout of the block: name, offset, bytes, purpose, element, shape.
    arena : Arena
        Of the planned size, with its header written.
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
        self.state.family = family_of(config.family)
        self.state.family.fill(&self.state, config, regions)
        fill_cleared(&self.state.setup, regions)
        places = self.places()
        attach(&self.state, places)
        attach_sorf(&self.state)
        attach_preprocessing(&self.state)
        self.first_reader = self.state.family.ring_of(&self.state, self.views)
        self.ring = self.state.family.ring_of(&self.state, self.views)
        if fresh:
            self.start()

    cdef dict places(self):
        """The address of each region; keeps a view of each."""
        cdef dict found = {}
        for name, region in self.regions.items():
            if not region.element:
                continue
            self.views[name] = self.view_of(region, self.arena, region.offset)
            found[name] = <size_t>(self.arena.base + <Py_ssize_t>region.offset)
        return found

    cdef object view_of(self, object region, object memory, Py_ssize_t start):
        """A region that begins at ``start`` of a memory, in its shape and type."""
        element = storage.ELEMENTS[region.element]
        rows, stride = region.shape
        raw = memoryview(memory)[start:start + rows * stride * element.nbytes]
        return raw.cast("B").cast(element.cast, (rows, stride))

    @cython.critical_section
    def start(self):
        """Initialise a new model."""
        construct(&self.state)
        olk_end_step(&self.state.m.flags, 0)

    @cython.critical_section
    def rebuild_derived(self):
        """Recompute what derives from vectors and coefficients; False where that is impossible."""
        return self.state.family.rebuild(&self.state)

    # ---- one user at a time -------------------------------------------------------------------

    cdef int idle(self) except -1:
        """Raise RuntimeError while another thread is inside a long call."""
        if self.users != 0:
            raise RuntimeError("the learner is in use by another thread")
        return 0

    cdef int readable(self) except -1:
        """Raise RuntimeError while another thread learns in a long call."""
        if self.users < 0:
            raise RuntimeError("the learner is in use by another thread")
        return 0

    cdef int take(self) except -1:
        """Begin a long call that learns: it needs exclusive access."""
        with cython.critical_section(self):
            self.idle()
            self.users = -1
        return 0

    cdef void release(self) noexcept:
        with cython.critical_section(self):
            self.users = 0

    cdef object enter(self, State* reader, int64_t* answers_left):
        """Begin a long call that only reads, on a copy of the struct.

        The first of several threads uses the scratch of the block, each other has its own: the
        result owns it, and must live as long as the call. ``answers_left`` receives the number of
        answers until the last label expires.
        """
        cdef int others
        with cython.critical_section(self):
            self.readable()
            others = self.users
            reader[0] = self.state
            reader.sparse_x = NULL
            if others == 0:
                reader.family.bind(reader, self.first_reader)
            answers_left[0] = olk_model_begin_answers(&reader.sorf)
            self.users += 1
        if others == 0:
            return self.first_reader
        try:
            return self.other_scratch(reader)
        except BaseException:
            self.leave(0)
            raise

    cdef object other_scratch(self, State* reader):
        """Give a reader scratch in memory of its own, with the alignment of the block."""
        # Scratch starts after the saved state, whose length is in the header.
        cdef Py_ssize_t first = 8 * <Py_ssize_t>self.state.m.eighths
        cdef unsigned char[::1] memory
        cdef size_t misaligned
        try:
            memory = bytearray(self.arena.length - first + 2 * WIDEST)
        except MemoryError:
            raise MemoryError("no memory for the scratch of another thread") from None
        misaligned = (<size_t>self.arena.base + first - <size_t>&memory[0]) % WIDEST
        move_scratch(reader, &memory[misaligned] - <unsigned char*>self.arena.base - first)
        views = dict(self.views)
        for name, region in self.regions.items():
            if region.element and region.offset >= first:
                views[name] = self.view_of(region, memory, region.offset - first + misaligned)
        return memory, self.state.family.ring_of(reader, views)

    cdef void leave(self, int64_t answers) noexcept:
        """End a long call that only reads; ``lapse`` counts these answers."""
        with cython.critical_section(self):
            self.users -= 1
            if answers:
                olk_model_count_answers(&self.state.sorf, answers)

    def alone(self, change):
        """Call a function with the arena while no other thread uses the model."""
        self.take()
        try:
            return change(self.arena)
        finally:
            self.release()

    @cython.critical_section
    def saved(self):
        """A copy of the part of the block that files hold."""
        self.readable()
        return PyByteArray_FromStringAndSize(
            self.arena.base, 8 * <Py_ssize_t>self.state.m.eighths)

    # ---- rows without numpy ---------------------------------------------------------------------

    cdef const void* check_row(self, const Py_buffer* x, bint learning=False) except NULL:
        cdef const double* numbers = <const double*>x.buf
        cdef Py_ssize_t j
        if x.shape[0] != self.state.c.n_features:
            raise wrong_length("x", self.state.c.n_features, x.shape[0])
        if not accepts(&self.state, numbers, self.state.c.n_features):
            row = [numbers[j] for j in range(x.shape[0])]
            raise not_finite(row, range(len(row)), "x")
        self.idle()
        return take_dense(&self.state, numbers, learning)

    @cython.critical_section
    def learn_row(self, object x, double y, double weight=1.0, object time=None):
        """Learn one row of a float64 buffer; returns the score before the update.

        NaN for a bad row if bad rows are skipped.
        """
        if self.state.c.labels == LABELS_TIMES:
            if not isfinite(y):
                raise label_error(y, labels_allowed(&self.state), "y", repr(y))
            y = seconds_of(&self.state, time)
        elif time is not None:
            seconds_of(&self.state, time)  # raises
        if self.state.skipped == NULL:
            return self.learn_checked(x, y, weight)
        try:
            return self.learn_checked(x, y, weight)
        except BadRowError:
            skip(&self.state)
            return NAN

    cdef double learn_checked(self, object x, double y, double weight) except? -1.0:
        cdef double f
        cdef Py_buffer view
        cdef int outcome
        if not is_label(&self.state, y):
            raise label_error(y, labels_allowed(&self.state), "y", repr(y))
        if weight != 1.0:
            check_weight(&self.state, self.config, weight)
        borrow(x, "x", 0, &view)
        try:
            outcome = learn(&self.state, self.check_row(&view, True), y, weight, &f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return f

    cdef int check_forecasts(self) except -1:
        if not self.state.setup.forecast.n_levels:
            raise AttributeError(
                "forecasts need history=True, or lags= of krls_auto, which this learner does not"
                " have")
        return 0

    cdef int check_pending(self) except -1:
        if not self.state.family.may_wait(&self.state):
            raise AttributeError(
                "rows wait for their targets with history=True, delay=, or lags= of krls_auto,"
                " which this learner does not have")
        return 0

    cdef int check_variance(self) except -1:
        if not {"evidence", "tracking", "mixture"} & self.regions.keys():
            raise AttributeError(
                "variances need a Gaussian process: krls_t, sogp, krls_auto, and sorf with"
                " gaussian_process= have one")
        return 0

    @cython.critical_section
    def variance_row(self, object x):
        """Variance of the target of one row of a float64 buffer."""
        cdef double v
        cdef Py_buffer view
        self.check_variance()
        borrow(x, "x", 0, &view)
        try:
            v = self.state.family.variance(&self.state, self.check_row(&view))
        finally:
            PyBuffer_Release(&view)
        return v

    @cython.critical_section
    def ask_row(self, object x, object out=None):
        """Predict one row of a float64 buffer, and keep it until its target arrives.

        Several classes: their scores are written to ``out``, a float64 buffer.
        """
        cdef double f
        cdef Py_buffer view
        self.check_pending()
        if self.state.c.columns == 1:
            self.ask_placed(x, &f)
            return f
        if out is None:
            raise TypeError("this learner has one score per class: ask_one needs out=")
        borrow(out, "out", PyBUF_WRITABLE, &view)
        try:
            if view.shape[0] != self.state.c.columns:
                raise ValueError(
                    f"out must have {self.state.c.columns} numbers, got {view.shape[0]}")
            self.ask_placed(x, <double*>view.buf)
        finally:
            PyBuffer_Release(&view)

    cdef int ask_placed(self, object x, double* f) except -1:
        cdef Py_buffer view
        cdef int outcome
        borrow(x, "x", 0, &view)
        try:
            outcome = self.state.family.ask(
                &self.state, self.check_row(&view, self.forecasts()), f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return 0

    cdef bint forecasts(self) noexcept:
        """Whether rows that wait are in the statistics of inputs already."""
        return self.state.setup.forecast.n_levels > 0

    @cython.critical_section
    def tell_row(self, object y):
        """Take the target of the oldest pending row; None if it will never be known."""
        cdef double target = NAN if y is None else y
        cdef int outcome
        self.check_pending()
        if self.forecasts() and not is_label(&self.state, target):
            raise label_error(target, labels_allowed(&self.state), "y", repr(y))
        self.idle()
        outcome = self.state.family.tell(&self.state, target)
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

    @cython.critical_section
    def restart(self):
        """Forget the history, or the last label; keep what was learned."""
        if not watches(&self.state) and not repeats(&self.state):
            self.check_pending()
        self.idle()
        self.unseal()
        self.idle()  # Python code ran meanwhile
        self.state.family.restart(&self.state)

    @cython.critical_section
    def freeze(self):
        """From now on a forecaster updates nothing but the history of its target.

        Means and scale of the target follow it; weights, scaler, counters and errors stay.
        This is a property of this engine, and is not saved.
        """
        self.check_forecasts()
        self.idle()
        self.state.setup.forecast.frozen = 1

    @cython.critical_section
    def last_forecast(self):
        """The last forecast, the half width of each interval, the weights of the experts."""
        cdef State* s = &self.state
        cdef int64_t levels = s.setup.forecast.n_levels
        self.check_forecasts()
        return (
            s.forecast.answer,
            [s.forecast.half_width[i] for i in range(levels)],
            [s.forecast.share[i] for i in range(s.family.n_outputs(s) - levels)],
        )

    @cython.critical_section
    def setup(self):
        """What the model is (c/setup.h): a dict by member name, structs are dicts."""
        return self.state.setup

    @cython.critical_section
    def pending(self):
        """Number of rows predicted whose targets have not arrived."""
        self.check_pending()
        return self.state.family.n_pending(&self.state)

    cdef int decide_row(self, object x, double* f) except -1:
        cdef Py_buffer view
        cdef int outcome
        borrow(x, "x", 0, &view)
        try:
            outcome = answer(&self.state, self.check_row(&view), False, True, f)
        finally:
            PyBuffer_Release(&view)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return 0

    cdef int refuse_bad_row(self, object x) except -1:
        """Check one row of a float64 buffer, without an answer."""
        cdef Py_buffer view
        borrow(x, "x", 0, &view)
        try:
            self.check_row(&view)
        finally:
            PyBuffer_Release(&view)
        return 0

    @cython.critical_section
    def score_row(self, object x):
        """f(x) of one row of a float64 buffer."""
        cdef double f
        if self.state.c.columns > 1:
            raise TypeError("this learner has one score per class: use scores_one")
        self.decide_row(x, &f)
        return f

    @cython.critical_section
    def scores_row(self, object x, object out):
        """Scores of one row, one per class, written to a float64 buffer."""
        cdef Py_buffer view
        borrow(out, "out", PyBUF_WRITABLE, &view)
        try:
            if view.shape[0] != self.state.c.columns:
                raise ValueError(
                    f"out must have {self.state.c.columns} numbers, got {view.shape[0]}")
            self.decide_row(x, <double*>view.buf)
        finally:
            PyBuffer_Release(&view)

    @cython.critical_section
    def wants_row(self, object x, bint asks=False):
        """Whether the label of one row of a float64 buffer could change the model.

        With ``asks``, a yes is counted.
        """
        cdef double f = 0.0
        cdef bint wanted
        if asks_score(&self.state):
            self.decide_row(x, &f)
        else:
            self.refuse_bad_row(x)
        wanted = wants(&self.state, f)
        if asks and wanted:
            self.idle()
            self.state.family.count_asked(&self.state)
        return wanted

    # ---- read by the Python classes -------------------------------------------------------------

    @property
    @cython.critical_section
    def steps(self):
        """Rows learned, including those before the kernel width was known."""
        cdef const olk_width* before = olk_intake_measured(&self.state.preprocessing.intake)
        return self.state.m.steps + (before.steps if before != NULL else 0)

    @cython.critical_section
    def counters(self):
        """Counters of the block by name; 0 for those that the model does not keep."""
        cdef State* s = &self.state
        cdef const olk_width* before = olk_intake_measured(&s.preprocessing.intake)
        cdef olk_counts n = olk_model_counts(&s.sorf)
        found = {
            "steps": n.steps,
            "mistakes": n.mistakes,
            "updates": n.updates,
            "capacity_hits": before.capacity_hits if before != NULL else 0,
            "clipped_rows": n.clipped_rows,
            "n_support": s.m.n,
            "n_coefficients": 0,
            "squared_error": s.errors.squared if s.errors != NULL else 0.0,
            "absolute_error": s.errors.absolute if s.errors != NULL else 0.0,
            "labels_asked": 0,
            "halvings": 0,
            "clipped": 0,
            "n_skipped": n.skipped,
            "rank": 0,
            "rows_since_look": <int64_t>since_check(s),
            "n_remembered": n.remembered,
            "memory_share": memory_share(s),
            "memory_percent": <int64_t>(100.0 * memory_share(s) + 0.5),
            "alarms": n.alarms,
        }
        for name, count in s.family.counters(s).items():
            found[name] += count
        return found

    @cython.critical_section
    def reason(self):
        """The verdict on the last row as one number: a word of c/watch_state.h."""
        return float(olk_model_verdict(&self.state.sorf).bits)

    @cython.critical_section
    def accept(self):
        """Treat the recent rows as normal from now on."""
        if not watches(&self.state):
            raise AttributeError("only novelty with history=True provides this")
        self.idle()
        self.unseal()
        self.idle()  # Python code ran meanwhile
        olk_model_accept(&self.state.sorf)

    @cython.critical_section
    def verdict(self):
        """Of the last row learned: score; whether it is novel, an alarm, in an event, rare; part
        and channel. None unless the learner finds anomalies of a stream."""
        cdef olk_verdict v
        if not watches(&self.state):
            return None
        v = olk_model_verdict(&self.state.sorf)
        flags = bool(v.novel), bool(v.alarm), bool(v.event), bool(v.rare)
        return (v.score, *flags, v.part, v.channel)

    @cython.critical_section
    def gamma(self):
        """The kernel width in use."""
        return self.state.c.kernel.gamma

    @cython.critical_section
    def norm2(self):
        """The incrementally tracked squared norm, or None if it is not tracked."""
        return self.ring.function.norm2 if self.state.c.tracks_norm else None

    @cython.critical_section
    def check_idle(self):
        """Raise RuntimeError while another thread learns in a long call."""
        self.readable()

    @cython.critical_section
    def view(self, str name):
        """A region as a memoryview of its actual shape and type."""
        self.readable()
        return memoryview(self.views[name])

    @cython.critical_section
    def scale(self):
        """Common factor of the coefficients: alpha_i = scale * coefficients[i]."""
        return self.ring.function.scale

    @cython.critical_section
    def mean_view(self):
        """Coefficients of the mean model, recomputed in scratch."""
        self.idle()
        ring_average(&self.state)
        return self.view("mean_coefficients")
