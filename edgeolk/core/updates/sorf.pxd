"""The whole step on structured features: loops/structured.h, with what must hold before it."""

from libc.math cimport fabs, fmax, fmin, isfinite, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.parts cimport DTYPE_FLOAT32, DTYPE_FLOAT64
from edgeolk.core.state cimport DONE, REFUSED_OVERFLOW, State
from edgeolk.core.structured cimport (
    OLK_SORF_NOVELTY, OLK_SORF_REGRESSION, olk_sorf, olk_sorf_row,
)


cdef inline void sorf_set_width(State* s) noexcept nogil:
    """Angles a unit of the transform, and the largest row, for the width of the kernel."""
    cdef olk_sorf* p = &s.structured.made
    cdef double widest = 0.0
    cdef int g, i
    for g in range(p.groups):
        for i in range(p.widths[g]):
            p.omega[g][i] = sqrt(2.0 * s.c.kernel.gamma * s.structured.widths[g][i]) / 64.0
            widest = fmax(widest, p.omega[g][i])
    # Three transforms grow a sum by 64^3, relevance by e^2; the linear candidate takes squares.
    s.structured.most = (1e30 if s.c.vectors == DTYPE_FLOAT32 else 1e300) / fmax(1.0, 2e6 * widest)
    if p.linear:
        s.structured.most = fmin(s.structured.most, 1e12)
    if p.relevance:  # squares of gradients, which grow with a row and with the widths
        s.structured.most = fmin(s.structured.most, 1e10 / fmax(1.0, 64.0 * widest))


cdef inline double sum_abs(const State* s, const void* x) noexcept nogil:
    cdef int64_t j
    cdef double total = 0.0
    if s.c.choice.dtype == DTYPE_FLOAT64:
        for j in range(s.c.n_features):
            total += fabs((<const double*>x)[j])
    else:
        for j in range(s.c.n_features):
            total += fabs((<const float*>x)[j])
    return total


cdef inline int sorf_learn(State* s, const void* x, double y, double weight,
                           double* f) noexcept nogil:
    """Learn one checked row; f receives the score before. Refused rows change nothing."""
    cdef olk_sorf_row row
    # Angles and squares of what is larger would overflow.
    if not sum_abs(s, x) <= s.structured.most:
        return REFUSED_OVERFLOW
    row.values = x
    row.index = NULL
    row.count = 0
    if s.structured.made.task == OLK_SORF_NOVELTY:
        f[0] = s.structured.novelty(&s.structured.made, &s.structured.state, &row)
        return DONE
    if s.structured.made.task == OLK_SORF_REGRESSION and not fabs(y) <= 1e100:
        return REFUSED_OVERFLOW
    f[0] = s.structured.step(&s.structured.made, &s.structured.state, &row, y, weight)
    if s.errors != NULL:
        s.errors.squared += (y - f[0]) * (y - f[0])
        s.errors.absolute += fabs(y - f[0])
    return DONE


cdef inline int sorf_scores(State* s, const void* x, double* f) noexcept nogil:
    """The scores of one checked row, one a column."""
    cdef olk_sorf_row row
    cdef int64_t column
    if not sum_abs(s, x) <= s.structured.most:
        return REFUSED_OVERFLOW
    row.values = x
    row.index = NULL
    row.count = 0
    s.structured.scores(&s.structured.made, &s.structured.state, &row, 1, f)
    for column in range(s.c.columns):
        if not isfinite(f[column]):
            return REFUSED_OVERFLOW
    return DONE


cdef inline void sorf_construct(State* s) noexcept nogil:
    """All zero but the averaging windows and the variances of the linear candidate."""
    cdef int64_t i
    for i in range(s.structured.made.groups):
        if s.structured.state.n != NULL:
            s.structured.state.n[i] = 1.0
    if s.structured.made.linear:
        for i in range(s.c.n_features + 1):
            if s.c.choice.dtype == DTYPE_FLOAT64:
                (<double*>s.structured.state.Sl)[i] = 1.0
            else:
                (<float*>s.structured.state.Sl)[i] = 1.0
