"""The SORF family behind checks of rows and targets: one step, its forecaster, extra outputs."""

from libc.math cimport NAN, fabs, isfinite, isnan
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from edgeolk.core.c cimport (
    OLK_DRIFT_ALARMS, OLK_DRIFT_SINCE, OLK_HISTORY_INPUTS, OLK_PENDING_NUMBERS, OLK_SORF_NOVELTY,
    OLK_SORF_REGRESSION, OLK_VERDICT, olk_begin_step, olk_check_drift, olk_drift_number,
    olk_end_step, olk_get, olk_head_inputs, olk_intake, olk_intake_clamp, olk_intake_deviating,
    olk_intake_scales_each, olk_intake_seen, olk_memory_n_rows, olk_memory_weight, olk_row_sums,
    olk_sorf_accepts, olk_sorf_accepts_target, olk_sorf_begin, olk_sorf_row, olk_sorf_state,
    olk_sums_of_row,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.preprocessing cimport follow_row
from edgeolk.core.state cimport (
    DONE, REFUSED_LATE, REFUSED_NO_PENDING, REFUSED_OVERFLOW, REFUSED_PENDING, REFUSED_TARGET,
    State,
)
from edgeolk.core.numbers cimport row_type


# The step of the SORF family: c/sorf.h, behind checks of rows and targets.

cdef inline bint is_wide(const State* s) noexcept nogil:
    """Whether rows are doubles."""
    return s.c.choice.dtype == DTYPE_FLOAT64


cdef inline bint takes(const State* s, const void* x) noexcept nogil:
    return olk_sorf_accepts(x, s.c.n_features, is_wide(s), s.sorf.max_sum)


cdef inline void clamp_inputs(State* s) noexcept nogil:
    """Clamp inputs that are scaled individually (S 15), not those with a common scale."""
    s.sorf.config.hold = olk_intake_clamp(&s.preprocessing.intake)


cdef inline int64_t begin_answers(State* s) noexcept nogil:
    """Rows are scored next; returns for how many of them the last label is used."""
    cdef int64_t left = INT64_MAX
    if s.sorf.answers != NULL:
        left = <int64_t>(s.sorf.lapse - s.sorf.answers[0])
        s.sorf.lapsed = left <= 0
    return left


cdef inline void count_answers(State* s, int64_t rows) noexcept nogil:
    """Count answered rows: the only change that an answer makes (section 7b)."""
    cdef double count
    if s.sorf.answers == NULL:
        return
    count = min(s.sorf.answers[0] + rows, s.sorf.lapse)
    if count != s.sorf.answers[0]:
        olk_begin_step(&s.m.flags)
        s.sorf.answers[0] = count
        olk_end_step(&s.m.flags, 0)


cdef inline int sorf_learn(State* s, const void* x, double y, double weight,
                           double* f) noexcept nogil:
    """Learn one checked row; f receives the score before the update. Refusals change nothing."""
    cdef olk_sorf_row row = olk_sorf_row(x, NULL, 0)
    cdef olk_row_sums sums
    if s.forecast.on:
        return forecast_learn(s, x, y, f)
    clamp_inputs(s)
    # Before the features scale the row in place.
    sums = olk_sums_of_row(x, s.c.n_features, is_wide(s), s.sorf.config.hold)
    if not s.c.takes_gaps and not sums.sizes <= s.sorf.max_sum:
        return REFUSED_OVERFLOW
    s.sorf.squares = sums.squares
    s.sorf.clamped_square = sums.clamped
    if s.c.takes_gaps:
        f[0] = s.sorf.ops.learn_in_time(&s.sorf.config, &s.sorf.state, &row)
        return DONE
    if s.sorf.config.task == OLK_SORF_NOVELTY:
        f[0] = s.sorf.ops.learn_novelty(&s.sorf.config, &s.sorf.state, &row)
        return DONE
    if s.sorf.config.task == OLK_SORF_REGRESSION and not olk_sorf_accepts_target(y):
        return REFUSED_TARGET
    f[0] = s.sorf.ops.learn(&s.sorf.config, &s.sorf.state, &row, y, weight)
    if s.sorf.answers != NULL:
        s.sorf.answers[0] = 0.0
    if s.errors != NULL:
        s.errors.squared += (y - f[0]) * (y - f[0])
        s.errors.absolute += fabs(y - f[0])
    return DONE


cdef inline void sorf_watch(State* s) noexcept nogil:
    """Check for drift, after a row was learned and added to the scaler."""
    cdef const olk_intake* intake = &s.preprocessing.intake
    olk_check_drift(&s.sorf.config, &s.sorf.state, olk_intake_scales_each(intake), s.sorf.squares,
                    olk_intake_deviating(intake), olk_intake_seen(intake), is_wide(s),
                    <size_t>s.c.item)


cdef inline double sorf_alarms(const State* s) noexcept nogil:
    """Number of drift alarms."""
    if not s.sorf.config.drift:
        return 0.0
    return olk_drift_number(&s.sorf.state, is_wide(s), OLK_DRIFT_ALARMS)


cdef inline Py_ssize_t sorf_remembered(const State* s) noexcept nogil:
    """Number of rows in the memory."""
    if s.sorf.state.memory_held == NULL:
        return 0
    return olk_memory_n_rows(&s.sorf.state)


cdef inline double sorf_memory_share(const State* s) noexcept nogil:
    """The weight of the memory in the next score."""
    if s.sorf.state.memory_mistakes == NULL:
        return 0.0
    return olk_memory_weight(&s.sorf.config, &s.sorf.state)


cdef inline double sorf_since_check(const State* s) noexcept nogil:
    """Rows since drift was last checked, which is when alarms are raised."""
    if not s.sorf.config.drift:
        return 0.0
    return olk_drift_number(&s.sorf.state, is_wide(s), OLK_DRIFT_SINCE)


cdef inline int64_t sorf_scores(State* s, const void* rows, int64_t count,
                                double* f) noexcept nogil:
    """Scores of checked rows, one per column; returns the number of rows with finite scores."""
    cdef olk_sorf_row row = olk_sorf_row(rows, NULL, 0)
    cdef const olk_sorf_state* state = &s.sorf.state
    cdef olk_sorf_state without
    cdef double no_label = 0.0
    cdef int64_t k
    cdef int64_t good = 0
    cdef int64_t nbytes = s.c.n_features * (8 if is_wide(s) else 4)
    if s.forecast.on:
        return 1 if forecast_predict(s, rows, f) == DONE and isfinite(f[0]) else 0
    clamp_inputs(s)
    while good < count and (s.c.takes_gaps or takes(s, <const char*>rows + good * nbytes)):
        good += 1
    if s.sorf.answers != NULL and s.sorf.lapsed:
        without = s.sorf.state
        without.last = &no_label
        state = &without
    s.sorf.ops.scores(&s.sorf.config, state, &row, good, f)
    for k in range(good * s.c.columns):
        if not isfinite(f[k]):
            return k // s.c.columns
    return good


cdef inline void sorf_construct(State* s) noexcept nogil:
    """Initialise averaging windows, variances of the linear expert, spread of the inputs."""
    olk_sorf_begin(&s.sorf.config, &s.sorf.state, is_wide(s))
    if s.forecast.on:
        s.sorf.ops.begin(&s.forecast.config, &s.forecast.state)


# The forecaster on structured features: c/forecast.h, behind checks of rows and targets.

cdef inline int64_t n_pending(const State* s) noexcept nogil:
    """Number of rows predicted whose targets have not arrived."""
    cdef int64_t k
    cdef int64_t found = 0
    cdef int64_t each = (OLK_PENDING_NUMBERS + olk_head_inputs(&s.forecast.config)
                         + 2 * s.c.n_features)
    for k in range(s.forecast.config.horizon):
        found += olk_get(row_type(s), s.forecast.state.pending, k * each) != 0.0
    return found


cdef inline bint fits(const State* s) noexcept nogil:
    """Whether every possible row is in the range of the kernel."""
    if not s.forecast.config.kernel:
        return True
    return (s.setup.preprocessing.clip * s.c.n_features + 5.0 * OLK_HISTORY_INPUTS
            <= s.sorf.max_sum)


cdef inline bint takes_target(const State* s, double y) noexcept nogil:
    """Whether a target can be learned; NaN, a target never known, is accepted."""
    return isnan(y) or fabs(y) <= s.sorf.ops.largest_target


cdef inline int forecast_predict(State* s, const void* x, double* f) noexcept nogil:
    """Predict a placed row; only the interval is kept."""
    if not fits(s):
        return REFUSED_OVERFLOW
    s.sorf.ops.predict(&s.forecast.config, &s.forecast.state, &s.sorf.config,
                       &s.sorf.state, <void*>x, &s.forecast.last)
    f[0] = s.forecast.last.answer
    return DONE


cdef inline int forecast_ask(State* s, const void* x, double* f) noexcept nogil:
    """Predict a placed row and keep it pending."""
    if not fits(s):
        return REFUSED_OVERFLOW
    s.sorf.ops.ask(&s.forecast.config, &s.forecast.state, &s.sorf.config,
                   &s.sorf.state, <void*>x, &s.forecast.last)
    f[0] = s.forecast.last.answer
    return DONE


cdef inline int forecast_tell(State* s, double y) noexcept nogil:
    """Take the target of the oldest pending row; NaN: never known."""
    cdef double answer = NAN
    cdef uint64_t rows
    if not takes_target(s, y):
        return REFUSED_TARGET
    rows = s.sorf.state.t[0] if s.setup.preprocessing.follows else 0
    if not s.sorf.ops.tell(&s.forecast.config, &s.forecast.state, &s.sorf.config,
                           &s.sorf.state, s.query, y, &answer):
        return REFUSED_NO_PENDING
    if s.setup.preprocessing.follows and s.sorf.state.t[0] != rows:
        # The query still has the row that the kernel learned.
        follow_row(s, olk_sums_of_row(s.query, s.sorf.config.d,
                                      s.c.vectors == DTYPE_FLOAT64, 0.0).squares)
    if not isnan(y) and not s.forecast.config.frozen:
        s.errors.squared += (y - answer) * (y - answer)
        s.errors.absolute += fabs(y - answer)
    return DONE


cdef inline int forecast_learn(State* s, const void* x, double y, double* f) noexcept nogil:
    """Predict a placed row, then learn its target; a refused one changes nothing."""
    cdef int outcome
    if s.forecast.config.horizon > 1:
        return REFUSED_LATE
    if not takes_target(s, y):
        return REFUSED_TARGET
    if n_pending(s) > 0:
        return REFUSED_PENDING
    outcome = forecast_ask(s, x, f)
    return outcome if outcome != DONE else forecast_tell(s, y)


# Outputs for the last row in addition to its score.

cdef inline double threshold_of(const State* s) noexcept nogil:
    """Novelty over time: the threshold for the next row."""
    return olk_get(row_type(s), s.sorf.state.deviations, 0)


cdef inline double reason_of(const uint64_t* watch) noexcept nogil:
    """What decided the verdict on the last row: part + 4 kind + 16 channel."""
    cdef uint64_t bits = watch[OLK_VERDICT]
    return <double>((bits >> 1 & 3) + 4 * (bits >> 3 & 3) + 16 * (bits >> 8))


cdef inline Py_ssize_t n_outputs(const State* s) noexcept nogil:
    """Number of additional outputs per row, 0 if there is only the score."""
    if s.forecast.on:
        return s.forecast.config.n_levels + 2 + (s.forecast.config.kernel != 0)
    return s.sorf.state.watch != NULL


cdef inline void write_outputs(const State* s, double* numbers) noexcept nogil:
    """Half widths of the intervals of a forecast, then the weights of its experts; for novelty over
    time the reason of the verdict."""
    cdef Py_ssize_t k
    cdef Py_ssize_t levels = s.forecast.config.n_levels
    if not s.forecast.on:
        numbers[0] = reason_of(s.sorf.state.watch)
        return
    for k in range(levels):
        numbers[k] = s.forecast.last.half_width[k]
    for k in range(n_outputs(s) - levels):
        numbers[levels + k] = s.forecast.last.share[k]
