"""One step, the same for every composition: score, loss, sampling, update, budget, projection.

Design. Kernel, storage type, update, loss, sampling, policy and projection are numbers in the
block, each switched on once a row and outside every loop over support vectors. A step first finds
out whether it can be done at all; only then does it write. The engine takes pointers to checked
rows: it knows neither numpy nor the catalogue, so a process without numpy can run it.
"""

from libc.math cimport fabs, isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t

from edgeolk.errors import BudgetError

from edgeolk.core.arena cimport Arena
from edgeolk.core.expansion cimport coefficient_count, rescale, self_kernel
from edgeolk.core.features.basis cimport evaluate
from edgeolk.core.header cimport write_header
from edgeolk.core.hints cimport window_hint, window_push
from edgeolk.core.parts cimport (
    AVERAGING_MEAN, LOSS_RAMP, LOSS_SQUARE, POLICY_RAISE, UPDATE_OPTIMISTIC, UPDATE_PEGASOS,
)
from edgeolk.core.policies.switch cimport admit, is_frozen
from edgeolk.core.projection cimport project
from edgeolk.core.rng cimport bernoulli
from edgeolk.core.rows cimport accepts_f64, place_f64
from edgeolk.core.sampling cimport sampling_probability
from edgeolk.core.simd cimport OLK_GAUSSIAN, olk_simd
from edgeolk.core.state cimport DONE, Example, Model, REFUSED_FULL, REFUSED_OVERFLOW, State
from edgeolk.core.updates.optimistic cimport optimistic_rate
from edgeolk.core.updates.switch cimport update_asks, update_coefficient, update_shrinkage
from edgeolk.core.variants cimport chosen_simd

cdef Py_ssize_t[5] ITEM_BYTES = [0, 4, 8, 2, 1]  # by storage type


cdef const olk_simd* SIMD = chosen_simd()


cdef inline double propose(State* s, Example* e, int* outcome) noexcept nogil:
    """The coefficient the example is to enter with; 0 leaves the model as it is."""
    cdef Model* m = s.m
    cdef double a, p
    if not update_asks(m, e):
        return 0.0
    if is_frozen(m):
        if m.choice.policy == POLICY_RAISE:
            outcome[0] = REFUSED_FULL
        m.capacity_hits += 1
        return 0.0
    p = sampling_probability(m, e)
    if not bernoulli(&m.rng, p):
        return 0.0
    a = update_coefficient(m, e, p)
    if not isfinite(a):
        outcome[0] = REFUSED_OVERFLOW
        return 0.0
    return a


cdef struct Tally:
    # What a step writes before it is sure to be taken.
    uint64_t rng
    int64_t steps, mistakes, capacity_hits
    double mean_weight, squared_error


cdef inline Tally tally(const Model* m) noexcept nogil:
    return Tally(m.rng, m.steps, m.mistakes, m.capacity_hits, m.mean_weight, m.squared_error)


cdef inline void restore(Model* m, const Tally* before) noexcept nogil:
    m.rng = before.rng
    m.steps = before.steps
    m.mistakes = before.mistakes
    m.capacity_hits = before.capacity_hits
    m.mean_weight = before.mean_weight
    m.squared_error = before.squared_error


cdef class Engine:
    """A model in its arena.

    Parameters
    ----------
    config : object
        Resolved configuration: ``n_features, budget, stride, seed, algorithm, choices, params,
        kernel_fields, tracks_norm`` (see ``edgeolk.config.Config``).
    regions : sequence of (name, offset, nbytes, purpose)
        The plan of the block.
    arena : Arena
        Zeroed, as long as the plan says, or a block made from the same configuration when
        ``fresh`` is false.
    fresh : bool
        Whether to write a new model into the block.
    """

    def __cinit__(self, config, regions, Arena arena not None, bint fresh=True):
        self.arena = arena
        self.regions = {region[0]: (region[1], region[2]) for region in regions}
        self.state.m = <Model*>arena.base
        self.window_stride = config.window_stride
        self.state.simd = SIMD
        if fresh:
            write_header(self.state.m, config, arena.length)
        self.attach()

    def attach(self):
        """Views and pointers into the block, once."""
        cdef State* s = &self.state
        cdef Model* m = s.m
        whole = memoryview(self.arena)
        start, size = self.regions["support_vectors"]
        self.sv = whole[start:start + size].cast("B")
        s.sv = &self.sv[0]
        s.item = ITEM_BYTES[m.choice.dtype]
        s.row_fn = SIMD.row[m.choice.dtype]
        s.sparse_fn = SIMD.sparse[m.choice.dtype]
        s.pair_fn = SIMD.pair[m.choice.dtype]
        start, size = self.regions["coefficients"]
        self.coef = whole[start:start + size].cast("d")
        s.coef = &self.coef[0]
        s.quantum.scale = <const float*>self.region("quantum_scale")
        s.quantum.offset = <const float*>self.region("quantum_offset")
        s.diagonal = <double*>self.region("diagonal")
        s.arrival = <int64_t*>self.region("arrivals")
        s.inverse = <double*>self.region("inverse")
        s.factor = <double*>self.region("factor")
        s.scores = <double*>self.region("scores")
        s.nearest = <int64_t*>self.region("nearest")
        s.nearest_d2 = <double*>self.region("nearest_distance")
        s.nearest_k = <double*>self.region("nearest_kernel")
        s.map = <double*>self.region("feature_map")
        s.window = self.region("window")
        s.window_y = <double*>self.region("window_labels")
        s.window_stride = self.window_stride
        s.mean_start = <double*>self.region("mean_start")
        s.mean_sum = <double*>self.region("mean_sum")
        s.norms = self.region("norms")
        s.nonzero_index = <int32_t*>self.region("nonzero_index")
        s.nonzero_value = self.region("nonzero_value")
        s.query = self.region("query")
        s.column = self.region("column")
        s.row = <double*>self.region("kernel_row")
        s.mean_coef = <double*>self.region("mean_coefficients")
        s.distance = <double*>self.region("distance_row")
        s.products = s.distance if m.kernel.kind == OLK_GAUSSIAN else NULL
        s.gram = <double*>self.region("gram")
        s.work = <double*>self.region("work")
        s.work2 = <double*>self.region("work2")
        s.order = <int32_t*>self.region("order")

    cdef char* region(self, str name) except? NULL:
        found = self.regions.get(name)
        if found is None:
            return NULL
        return self.arena.base + <Py_ssize_t>found[0]

    # ---- the step ---------------------------------------------------------------------------

    cdef int step(self, const void* x, double y, double* f) noexcept nogil:
        """Learn one checked row; f receives the score before the update.

        Returns an Outcome; on a refusal nothing but scratch has changed.
        """
        cdef State* s = &self.state
        cdef Model* m = s.m
        cdef Tally before
        cdef Example e
        cdef double a
        cdef int outcome = DONE
        e.x = x
        e.y = y
        e.f = m.scale * evaluate(s, x, s.coef, s.row)
        e.self_kernel = self_kernel(s, x)
        e.hint = 0.0
        if m.choice.update == UPDATE_OPTIMISTIC:
            e.hint = optimistic_rate(m) * window_hint(s, x)
        f[0] = e.f + e.hint
        if not (isfinite(f[0]) and isfinite(e.self_kernel)):
            return REFUSED_OVERFLOW
        before = tally(m)
        m.steps += 1
        if m.choice.averaging == AVERAGING_MEAN:
            m.mean_weight += m.scale
        if m.choice.loss == LOSS_SQUARE:
            m.squared_error += (y - e.f) * (y - e.f)
        elif not (y * f[0] > 0.0):
            m.mistakes += 1
        a = propose(s, &e, &outcome)
        if outcome != DONE:
            restore(m, &before)
            return outcome
        self.shrink(a, &e)
        if a != 0.0:
            if admit(s, a, &e):
                m.updates += 1
                project(s, &e)
        if m.choice.update == UPDATE_OPTIMISTIC:
            window_push(s, x, y)
        return DONE

    cdef void shrink(self, double a, Example* e) noexcept nogil:
        """What the update does to f before the newcomer enters with coefficient a."""
        cdef State* s = &self.state
        cdef Model* m = s.m
        cdef double factor
        if m.choice.update == UPDATE_PEGASOS:
            # Set, not multiplied: f = (1 / (lam t)) sum beta_i k_i with beta exact.
            factor = 1.0 / (m.p.lam * <double>m.steps)
            e.f *= factor / m.scale
            m.norm2 *= (factor / m.scale) * (factor / m.scale)
            m.scale = factor
            return
        factor = update_shrinkage(m, a)
        if factor != 1.0:
            rescale(s, factor, e)

    cdef int decide(self, const void* x, bint mean, double* f) noexcept nogil:
        """f(x), or the mean model's score after prepare_mean."""
        cdef State* s = &self.state
        if mean:
            f[0] = evaluate(s, x, s.mean_coef, NULL)
        else:
            f[0] = s.m.scale * evaluate(s, x, s.coef, NULL)
            if s.m.choice.update == UPDATE_OPTIMISTIC:
                f[0] += optimistic_rate(s.m) * window_hint(s, x)
        return DONE if isfinite(f[0]) else REFUSED_OVERFLOW

    cdef void prepare_mean(self) noexcept nogil:
        """mean_coef <- coefficients of (f_1 + ... + f_T) / T."""
        cdef State* s = &self.state
        cdef Model* m = s.m
        cdef int64_t i
        cdef double total
        for i in range(coefficient_count(m)):
            total = s.coef[i] * (m.mean_weight - s.mean_start[i])
            if s.mean_sum != NULL:
                total += s.mean_sum[i]
            s.mean_coef[i] = total / <double>max(m.steps, 1)

    cdef bint wants(self, double f) noexcept nogil:
        """Whether a row with this score would use its label; counted if so."""
        cdef Model* m = self.state.m
        if m.choice.loss == LOSS_RAMP and fabs(f) > 1.0:
            return False
        m.labels_asked += 1
        return True

    # ---- one user at a time -------------------------------------------------------------------

    cdef int take(self) except -1:
        if self.busy:
            raise RuntimeError("the learner is in use by another thread")
        self.busy = True
        return 0

    cdef void release(self) noexcept:
        self.busy = False

    # ---- rows without numpy ---------------------------------------------------------------------

    cdef const void* checked_row(self, const double[::1] x) except NULL:
        cdef Model* m = self.state.m
        if x.shape[0] != m.n_features:
            raise ValueError(f"x must have {m.n_features} features, got {x.shape[0]}")
        if not accepts_f64(&self.state, &x[0]):
            raise ValueError("x must be finite and fit the storage type")
        if self.busy:
            raise RuntimeError("the learner is in use by another thread")
        return place_f64(&self.state, &x[0])

    def learn_row(self, const double[::1] x not None, double y):
        """Learn one row of a float64 buffer; the score before the update."""
        cdef double f
        cdef const void* row
        cdef bint regression = self.state.m.choice.loss == LOSS_SQUARE
        if not (isfinite(y) if regression else (y == 1.0 or y == -1.0)):
            raise ValueError(f"y must be {'finite' if regression else '-1 or +1'}, got {y!r}")
        row = self.checked_row(x)
        cdef int outcome = self.step(row, y, &f)
        if outcome == REFUSED_FULL:
            raise BudgetError("the ring is full and full='raise'; nothing was changed")
        if outcome != DONE:
            raise ValueError("x: the kernel overflows for this row; nothing was changed")
        return f

    def score_row(self, const double[::1] x not None):
        """f(x) of one row of a float64 buffer."""
        cdef double f
        if self.decide(self.checked_row(x), False, &f) != DONE:
            raise ValueError("x: the kernel overflows for this row")
        return f

    # ---- what a Python face reads ---------------------------------------------------------------

    def counters(self):
        """Counters of the block by name."""
        cdef Model* m = self.state.m
        return {
            "steps": m.steps,
            "mistakes": m.mistakes,
            "updates": m.updates,
            "capacity_hits": m.capacity_hits,
            "n_support": m.n,
            "n_coefficients": coefficient_count(m),
            "squared_error": m.squared_error,
            "labels_asked": m.labels_asked,
            "halvings": m.halvings,
            "rank": m.rank,
        }

    def norm2(self):
        """Squared norm kept by increments, or None where nothing needs it."""
        return self.state.m.norm2 if self.state.m.tracks_norm else None

    def check_idle(self):
        """Raise RuntimeError while another thread is inside a long call."""
        if self.busy:
            raise RuntimeError("the learner is in use by another thread")

    def view(self, str name):
        """A region of the block as a writable memoryview of its bytes."""
        self.check_idle()
        start, size = self.regions[name]
        return memoryview(self.arena)[start:start + size]

    def scale(self):
        """Common factor of the coefficients: alpha_i = scale * coefficients[i]."""
        return self.state.m.scale

    def mean_view(self):
        """Coefficients of the mean model, written to scratch anew, as bytes."""
        self.check_idle()
        self.prepare_mean()
        return self.view("mean_coefficients")
