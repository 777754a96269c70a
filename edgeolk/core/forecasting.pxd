"""The forecaster on structured features: c/forecast.h, behind checks of rows and targets."""

from libc.math cimport NAN, fabs, isnan
from libc.stdint cimport int64_t, uint64_t

from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.state cimport (
    DONE, REFUSED_LATE, REFUSED_NO_PENDING, REFUSED_OVERFLOW, REFUSED_PENDING, REFUSED_TARGET,
    State,
)
from edgeolk.core.headers cimport (
    OLK_HISTORY_INPUTS, OLK_HISTORY_NUMBERS, OLK_PENDING_NUMBERS, olk_get, olk_head_inputs,
    olk_sums_of_row,
)
from edgeolk.core.value_types cimport row_type
from edgeolk.core.width cimport follow_row


cdef inline double number_at(const State* s, const void* region, int64_t at) noexcept nogil:
    """A number of a region in the row type."""
    return olk_get(row_type(s), region, at)


cdef inline double last_input(const State* s, int64_t j) noexcept nogil:
    """Scaled input j of the row whose target came last: the substitute for a missing reading."""
    return number_at(s, s.forecast.state.history,
                     OLK_HISTORY_NUMBERS + s.forecast.config.n_levels + j)


cdef inline int64_t n_pending(const State* s) noexcept nogil:
    """Number of rows predicted whose targets have not arrived."""
    cdef int64_t k
    cdef int64_t found = 0
    cdef int64_t each = (OLK_PENDING_NUMBERS + olk_head_inputs(&s.forecast.config)
                         + 2 * s.c.n_features)
    for k in range(s.forecast.config.horizon):
        found += number_at(s, s.forecast.state.pending, k * each) != 0.0
    return found


cdef inline bint fits(const State* s) noexcept nogil:
    """Whether every possible row is in the range of the kernel."""
    if not s.forecast.config.kernel:
        return True
    return (s.preprocessing.scaler.clip * s.c.n_features + 5.0 * OLK_HISTORY_INPUTS
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
    rows = s.sorf.state.t[0] if s.preprocessing.follows != NULL else 0
    if not s.sorf.ops.tell(&s.forecast.config, &s.forecast.state, &s.sorf.config,
                           &s.sorf.state, s.query, y, &answer):
        return REFUSED_NO_PENDING
    if s.preprocessing.follows != NULL and s.sorf.state.t[0] != rows:
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
