"""The SORF family in the library: its functions for the engine's table, and what users ask.

The algorithm is in C (c/sorf_model.h), for boards too.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from edgeolk.core.c cimport (
    OLK_DRIFT_SINCE, olk_drift_number, olk_end_step, olk_intake_clamp, olk_intake_keep,
    olk_model_ask, olk_model_ask_late, olk_model_begin, olk_model_begin_answers,
    olk_model_check_target, olk_model_count_answers, olk_model_decide, olk_model_finish,
    olk_model_give_up, olk_model_learn, olk_model_pending, olk_model_predict, olk_model_restart,
    olk_model_keep_raw, olk_model_scores, olk_model_tell, olk_model_variance, olk_model_verdict,
    olk_model_late_pending, olk_placed_row, olk_raw_row, olk_row_sums, olk_verdict,
)
from edgeolk.core.preprocessing cimport use_width
from edgeolk.core.state cimport (
    DONE, MAX_COUNT, REFUSED_COUNT, REFUSED_OVERFLOW, REFUSED_LABEL, State,
)
from edgeolk.core.together cimport NUMBERS_OF_BLOCK, row_bytes


# Which parts a model has.

cdef inline bint forecasts(const State* s) noexcept nogil:
    """Whether it forecasts targets from their history."""
    return s.setup.at.history != 0


cdef inline bint watches(const State* s) noexcept nogil:
    """Whether it finds anomalies of a stream."""
    return s.setup.at.watch != 0


cdef inline bint repeats(const State* s) noexcept nogil:
    """Whether the last label is one of its experts."""
    return s.setup.at.last_label != 0


cdef inline bint is_late(const State* s) noexcept nogil:
    """Whether its labels come some rows after the answers."""
    return s.setup.at.late_counts != 0


cdef inline bint mixes(const State* s) noexcept nogil:
    """Whether a Gaussian process beside the features answers too."""
    return s.setup.at.mixture != 0


# The functions of the family.

cdef inline void clamp_inputs(State* s) noexcept nogil:
    """Clamp inputs that are scaled individually (S 15), not those with a common scale."""
    s.sorf.config.hold = olk_intake_clamp(&s.preprocessing.intake)


cdef inline void keep_raw(State* s, const void* x) noexcept nogil:
    """Keep the row as the caller gave it, for the process; x: as it was placed."""
    cdef olk_raw_row row
    if s.preprocessing.reshapes:
        olk_model_keep_raw(&s.sorf, &s.preprocessing.intake.row)
    else:
        row = olk_placed_row(x, s.setup.wide)
        olk_model_keep_raw(&s.sorf, &row)


cdef inline int sorf_learn(State* s, const void* x, double y, double weight,
                           double* f) noexcept nogil:
    cdef olk_row_sums sums
    cdef int outcome
    if forecasts(s):
        return forecast_learn(s, x, y, f)
    if mixes(s):
        keep_raw(s, x)
    clamp_inputs(s)
    outcome = olk_model_learn(&s.sorf, x, y, weight, f, &sums)
    if outcome == DONE and olk_model_finish(&s.sorf, &s.preprocessing.intake, x, &sums):
        use_width(s)
    return outcome


cdef inline int sorf_decide(State* s, const void* x, bint mean, double* f) noexcept nogil:
    if forecasts(s):
        return forecast_decide(s, x, f)
    if mixes(s):
        keep_raw(s, x)
    clamp_inputs(s)
    return olk_model_decide(&s.sorf, x, f)


cdef inline int64_t sorf_scores(State* s, const void* rows, int64_t count, bint mean,
                                double* f) noexcept nogil:
    clamp_inputs(s)
    return olk_model_scores(&s.sorf, rows, count, f)


cdef enum:
    ROWS_OF_PASS = 16         # at most, of the widest vectors
    ROWS_OF_CALL = 64
    LEAST_ROWS = 6            # fewer rows gain nothing


cdef inline int64_t sorf_rows_together(const State* s) noexcept nogil:
    """Whole passes, if the buffer of a block has the rows of one."""
    cdef int64_t fit = min(<int64_t>ROWS_OF_CALL, 8 * NUMBERS_OF_BLOCK // row_bytes(s))
    if forecasts(s) or mixes(s) or fit < LEAST_ROWS:
        return 1
    return fit - fit % ROWS_OF_PASS if fit >= ROWS_OF_PASS else fit


cdef inline double sorf_variance(State* s, const void* x) noexcept nogil:
    """Of the target of a placed row around the answer of a mixture."""
    keep_raw(s, x)
    clamp_inputs(s)
    return olk_model_variance(&s.sorf, x)


cdef inline void sorf_construct(State* s) noexcept nogil:
    olk_model_begin(&s.sorf)


cdef inline double sorf_threshold(const State* s) noexcept nogil:
    if watches(s):  # a row in time is novel from a score of 0.5 on
        return 0.5
    if s.setup.wide:
        return (<const double*>s.sorf.state.novelty)[0]
    return (<const float*>s.sorf.state.novelty)[0]


cdef inline int64_t sorf_rows_ahead(const State* s) noexcept nogil:
    return 0


cdef inline bint sorf_maps_features(const State* s) noexcept nogil:
    return False


cdef inline void sorf_count_asked(State* s) noexcept nogil:
    pass


cdef inline bint sorf_rebuild(State* s) noexcept nogil:
    """Nothing is derived from the weights."""
    return True


cdef inline object sorf_ring_of(State* s, dict views):
    return None


cdef inline void sorf_bind(State* s, object ring) noexcept:
    pass


cdef inline dict sorf_counters(const State* s):
    return {}


cdef inline int64_t sorf_n_outputs(const State* s) noexcept nogil:
    if forecasts(s):
        return s.setup.forecast.n_levels + 2 + s.setup.forecast.kernel
    return 2 if watches(s) else 0


cdef inline void sorf_write_outputs(const State* s, double* numbers) noexcept nogil:
    """Half widths of the intervals of a forecast, then the weights of its experts; of a stream
    without labels the verdict as a word, and the score."""
    cdef Py_ssize_t k
    cdef Py_ssize_t levels = s.setup.forecast.n_levels
    cdef olk_verdict v
    if not forecasts(s):
        v = olk_model_verdict(&s.sorf)
        numbers[0] = <double>v.bits
        numbers[1] = v.score
        return
    for k in range(levels):
        numbers[k] = s.forecast.half_width[k]
    for k in range(2 + s.setup.forecast.kernel):
        numbers[levels + k] = s.forecast.share[k]


# The forecaster.

cdef inline int forecast_decide(State* s, const void* x, double* f) noexcept nogil:
    """Predict a placed row; only the interval is kept. Returns an Outcome."""
    cdef int outcome = olk_model_predict(&s.sorf, <void*>x, &s.forecast)
    if outcome == DONE:
        f[0] = s.forecast.answer
        outcome = DONE if isfinite(f[0]) else REFUSED_OVERFLOW
    return outcome


cdef inline int forecast_ask(State* s, const void* x, double* f) noexcept nogil:
    """Predict a placed row and keep it pending; returns an Outcome."""
    cdef int outcome
    if s.m.steps >= MAX_COUNT:
        return REFUSED_COUNT
    outcome = olk_model_ask(&s.sorf, <void*>x, &s.forecast)
    f[0] = s.forecast.answer
    return outcome


cdef inline int forecast_tell(State* s, double y) noexcept nogil:
    """Take the target of the oldest pending row, NaN if it is never known; returns an Outcome."""
    # The query receives the row that the kernel learns.
    cdef int outcome = olk_model_tell(&s.sorf, &s.preprocessing.intake, s.query, y)
    if outcome == DONE and s.setup.preprocessing.follows:
        use_width(s)
    return outcome


cdef inline int forecast_learn(State* s, const void* x, double y, double* f) noexcept nogil:
    """Predict a placed row, then learn its target; returns an Outcome."""
    cdef int outcome = olk_model_check_target(&s.sorf, y)
    if outcome == DONE:
        outcome = forecast_ask(s, x, f)
    if outcome == DONE:
        outcome = forecast_tell(s, y)
    if outcome == DONE:
        if s.setup.forecast.frozen:  # as if there had been no row
            s.m.steps -= 1
        else:
            olk_intake_keep(&s.preprocessing.intake)
    return outcome


# What users ask, and events that they report.

cdef inline int late_ask(State* s, const void* x, double* f) noexcept nogil:
    """Answer a placed row as a decision does, and keep what the experts answered."""
    cdef int outcome
    clamp_inputs(s)
    olk_model_begin_answers(&s.sorf)
    outcome = olk_model_ask_late(&s.sorf, x, f)
    if outcome == DONE:
        olk_model_count_answers(&s.sorf, 1)
    return outcome


cdef inline int sorf_ask(State* s, const void* x, double* f) noexcept nogil:
    """Predict one checked row and keep it until its target arrives; returns an Outcome."""
    cdef int outcome
    if is_late(s):
        return late_ask(s, x, f)
    outcome = forecast_ask(s, x, f)
    if outcome == DONE:
        olk_intake_keep(&s.preprocessing.intake)
        olk_end_step(&s.m.flags, 0)
    return outcome


cdef inline int sorf_tell(State* s, double y) noexcept nogil:
    """Take the target of the oldest pending row, NaN if never known; returns an Outcome."""
    cdef int outcome
    if is_late(s):
        return REFUSED_LABEL if y == y else olk_model_give_up(&s.sorf)
    outcome = forecast_tell(s, y)
    if outcome == DONE:
        olk_end_step(&s.m.flags, 0)
    return outcome


cdef inline int64_t sorf_may_wait(const State* s) noexcept nogil:
    if is_late(s):
        return s.setup.sorf.delay + 1
    return s.setup.forecast.horizon if forecasts(s) else 0


cdef inline int64_t sorf_n_pending(const State* s) noexcept nogil:
    return olk_model_late_pending(&s.sorf) if is_late(s) else olk_model_pending(&s.sorf)


cdef inline void sorf_restart(State* s) noexcept nogil:
    olk_model_restart(&s.sorf)


cdef inline double memory_share(const State* s) noexcept nogil:
    """The weight of the row memory in the next score."""
    if not s.setup.at.row_memory:
        return 0.0
    return s.sorf.constants.ops.memory_share(&s.sorf.config, &s.sorf.state)


cdef inline double since_check(const State* s) noexcept nogil:
    """Rows since drift was last checked, which is when alarms are raised."""
    if not s.setup.at.drift:
        return 0.0
    return olk_drift_number(&s.sorf.state, s.setup.wide, OLK_DRIFT_SINCE)
