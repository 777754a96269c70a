"""The whole step on structured features: loops/structured.h, with what must hold before it."""

from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t

from edgeolk.core.forecasting cimport forecast_learn, forecast_predict
from edgeolk.core.parts cimport DTYPE_FLOAT32, DTYPE_FLOAT64
from edgeolk.core.state cimport DONE, REFUSED_OVERFLOW, REFUSED_TARGET, State
from edgeolk.core.structs cimport OLK_SORF_NOVELTY, OLK_SORF_REGRESSION, olk_sorf_row
from edgeolk.core.structured cimport (
    olk_sorf_begin, olk_sorf_set_width, olk_sorf_takes, olk_sorf_takes_target,
)


cdef inline bint is_wide(const State* s) noexcept nogil:
    """Whether rows are doubles."""
    return s.c.choice.dtype == DTYPE_FLOAT64


cdef inline void sorf_set_width(State* s) noexcept nogil:
    """Angles a unit of the transform, and the largest row, for the width of the kernel."""
    s.structured.most = olk_sorf_set_width(&s.structured.made, s.structured.widths,
                                           s.c.kernel.gamma, s.c.vectors != DTYPE_FLOAT32)


cdef inline bint takes(const State* s, const void* x) noexcept nogil:
    return olk_sorf_takes(x, s.c.n_features, is_wide(s), s.structured.most)


cdef inline void hold_inputs(State* s) noexcept nogil:
    """Inputs that are scaled each by itself are held (S 15), those of one scale are not."""
    s.structured.made.hold = 0.0 if s.preprocessing.alike else s.preprocessing.hold


cdef inline int sorf_learn(State* s, const void* x, double y, double weight,
                           double* f) noexcept nogil:
    """Learn one checked row; f receives the score before. Refused rows change nothing."""
    cdef olk_sorf_row row
    if s.forecast.on:
        return forecast_learn(s, x, y, f)
    if not s.c.takes_gaps and not takes(s, x):
        return REFUSED_OVERFLOW
    hold_inputs(s)
    row.values = x
    row.index = NULL
    row.count = 0
    if s.structured.made.task == OLK_SORF_NOVELTY:
        f[0] = s.structured.novelty(&s.structured.made, &s.structured.state, &row)
        return DONE
    if s.structured.made.task == OLK_SORF_REGRESSION and not olk_sorf_takes_target(y):
        return REFUSED_TARGET
    f[0] = s.structured.step(&s.structured.made, &s.structured.state, &row, y, weight)
    if s.errors != NULL:
        s.errors.squared += (y - f[0]) * (y - f[0])
        s.errors.absolute += fabs(y - f[0])
    return DONE


cdef inline int64_t sorf_scores(State* s, const void* rows, int64_t count,
                                double* f) noexcept nogil:
    """The scores of checked rows side by side, one a column; returns how many rows are good."""
    cdef olk_sorf_row row
    cdef int64_t k
    cdef int64_t good = 0
    cdef int64_t nbytes = s.c.n_features * (8 if is_wide(s) else 4)
    if s.forecast.on:
        return 1 if forecast_predict(s, rows, f) == DONE and isfinite(f[0]) else 0
    hold_inputs(s)
    while good < count and (s.c.takes_gaps or takes(s, <const char*>rows + good * nbytes)):
        good += 1
    row.values = rows
    row.index = NULL
    row.count = 0
    s.structured.scores(&s.structured.made, &s.structured.state, &row, good, f)
    for k in range(good * s.c.columns):
        if not isfinite(f[k]):
            return k // s.c.columns
    return good


cdef inline void sorf_construct(State* s) noexcept nogil:
    """All zero but the averaging windows and the variances of the linear candidate."""
    olk_sorf_begin(&s.structured.made, &s.structured.state, is_wide(s))
    if s.forecast.on:
        s.structured.all.begin(&s.forecast.made, &s.forecast.state)
