"""The SORF family in the library: its functions for the engine's table, and what users ask.

The algorithm is in C (c/sorf_model.h), for boards too.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from edgeolk.core.c cimport (
    OLK_DRIFT_SINCE, olk_count_deviating, olk_drift_number, olk_end_step, olk_memory_weight,
    olk_model_ask, olk_model_begin, olk_model_check_drift, olk_model_check_target, olk_model_clear,
    olk_model_decide, olk_model_learn, olk_model_predict, olk_model_scores, olk_model_tell,
    olk_model_verdict, olk_row_sums, olk_scaler, olk_verdict,
)
from edgeolk.core.preprocessing cimport (
    count_clipped, follow_row, keep_statistics, rows_seen, set_width, width_is_due,
)
from edgeolk.core.state cimport DONE, MAX_COUNT, REFUSED_COUNT, REFUSED_OVERFLOW, State
from edgeolk.core.together cimport dense_rows


# Which parts a model has.

cdef inline bint forecasts(const State* s) noexcept nogil:
    """Whether it forecasts targets from their history."""
    return s.setup.at.history != 0


cdef inline bint watches(const State* s) noexcept nogil:
    """Whether it detects novelty in a time series."""
    return s.setup.at.watch != 0


cdef inline bint repeats(const State* s) noexcept nogil:
    """Whether the last label is one of its experts."""
    return s.setup.at.last_label != 0


# The functions of the family.

cdef inline void clamp_inputs(State* s) noexcept nogil:
    """Clamp inputs that are scaled individually (S 15), not those with a common scale."""
    s.sorf.config.hold = 0.0 if s.preprocessing.is_common else s.setup.preprocessing.clamp


cdef inline int sorf_learn(State* s, const void* x, double y, double weight,
                           double* f) noexcept nogil:
    cdef olk_row_sums sums
    cdef int outcome
    if forecasts(s):
        return forecast_learn(s, x, y, f)
    clamp_inputs(s)
    outcome = olk_model_learn(&s.sorf, x, y, weight, f, &sums)
    if outcome != DONE:
        return outcome
    if s.preprocessing.on:
        keep_statistics(s)
    if s.setup.at.drift:
        check_drift(s, sums.squares)
    if s.preprocessing.on:
        count_clipped(s)
        if s.preprocessing.follows != NULL:
            follow_row(s, sums.clamped)
        elif width_is_due(s, x):
            set_width(s)
            olk_model_clear(&s.sorf)
    return DONE


cdef inline Py_ssize_t deviating(const State* s) noexcept nogil:
    """Number of inputs with a positive deviation in the scaler; 0 without a scaler."""
    cdef Py_ssize_t d = s.c.n_features
    if s.preprocessing.scaler.method == 0:
        return 0
    if s.preprocessing.common != NULL:
        return d if s.preprocessing.common.squares > 0.0 else 0
    if s.preprocessing.is_common:
        return d if s.preprocessing.pair.others > 0.0 else 0
    return olk_count_deviating(&s.preprocessing.scaler, d)


cdef inline void check_drift(State* s, double squares) noexcept nogil:
    """Check for drift, after a row was learned and added to the scaler."""
    cdef const olk_scaler* scaler = NULL
    if s.preprocessing.scaler.method != 0 and not s.preprocessing.is_common:
        scaler = &s.preprocessing.scaler
    olk_model_check_drift(&s.sorf, scaler, squares, deviating(s), rows_seen(s))


cdef inline int sorf_decide(State* s, const void* x, bint mean, double* f) noexcept nogil:
    if forecasts(s):
        return forecast_decide(s, x, f)
    clamp_inputs(s)
    return olk_model_decide(&s.sorf, x, f)


cdef inline int64_t sorf_scores(State* s, const void* rows, int64_t count, bint mean,
                                double* f) noexcept nogil:
    if forecasts(s):  # rows one by one
        return 1 if forecast_decide(s, rows, f) == DONE else 0
    clamp_inputs(s)
    return olk_model_scores(&s.sorf, rows, count, f)


cdef inline int64_t sorf_rows_together(const State* s) noexcept nogil:
    return 1 if forecasts(s) or s.c.columns > 1 else dense_rows(s)


cdef inline void sorf_construct(State* s) noexcept nogil:
    olk_model_begin(&s.sorf)


cdef inline double sorf_threshold(const State* s) noexcept nogil:
    return olk_model_verdict(&s.sorf).threshold if watches(s) else s.novelty[0]


cdef inline int64_t sorf_n_outputs(const State* s) noexcept nogil:
    if forecasts(s):
        return s.setup.forecast.n_levels + 2 + s.setup.forecast.kernel
    return watches(s)


cdef inline void sorf_write_outputs(const State* s, double* numbers) noexcept nogil:
    """Half widths of the intervals of a forecast, then the weights of its experts; for novelty over
    time the reason of the verdict."""
    cdef Py_ssize_t k
    cdef Py_ssize_t levels = s.setup.forecast.n_levels
    if not forecasts(s):
        numbers[0] = reason_of(s)
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
    cdef double square
    # The query receives the row that the kernel learns.
    cdef int outcome = olk_model_tell(&s.sorf, s.query, y, &square)
    if square >= 0.0:
        follow_row(s, square)
    return outcome


cdef inline void forecast_keep(State* s) noexcept nogil:
    """Update the statistics of inputs after a row was asked."""
    if s.preprocessing.on:
        keep_statistics(s)
        count_clipped(s)


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
            forecast_keep(s)
    return outcome


# What users ask, and events that they report.

cdef inline int sorf_ask(State* s, const void* x, double* f) noexcept nogil:
    """Predict one checked row and keep it until its target arrives; returns an Outcome."""
    cdef int outcome = forecast_ask(s, x, f)
    if outcome == DONE:
        forecast_keep(s)
        olk_end_step(&s.m.flags, 0)
    return outcome


cdef inline int sorf_tell(State* s, double y) noexcept nogil:
    """Take the target of the oldest pending row, NaN if never known; returns an Outcome."""
    cdef int outcome = forecast_tell(s, y)
    if outcome == DONE:
        olk_end_step(&s.m.flags, 0)
    return outcome


cdef inline double reason_of(const State* s) noexcept nogil:
    """What decided the verdict on the last row: part + 4 kind + 16 channel."""
    cdef olk_verdict v = olk_model_verdict(&s.sorf)
    return v.part + 4 * v.what + 16.0 * v.channel


cdef inline double memory_share(const State* s) noexcept nogil:
    """The weight of the row memory in the next score."""
    if not s.setup.at.row_memory:
        return 0.0
    return olk_memory_weight(&s.sorf.config, &s.sorf.state)


cdef inline double since_check(const State* s) noexcept nogil:
    """Rows since drift was last checked, which is when alarms are raised."""
    if not s.setup.at.drift:
        return 0.0
    return olk_drift_number(&s.sorf.state, s.setup.wide, OLK_DRIFT_SINCE)
