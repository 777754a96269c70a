"""Mean and scale of a feature in a scaler."""

from libc.math cimport isfinite

from edgeolk.core.moments cimport unit
from edgeolk.core.scaler cimport Lines, Scaler, lines
from edgeolk.core.headers cimport (
    OLK_COMPACT_BYTES, olk_compact, olk_compact_mean, olk_compact_of, olk_compact_sd,
    olk_load_reading,
)


cdef inline olk_compact record_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    return olk_compact_of(s.kept.records + OLK_COMPACT_BYTES * j)


cdef inline bint keeps_mean(const Scaler* s) noexcept nogil:
    return s.kept.records != NULL or s.kept.numbers != NULL or s.moments.mean != NULL


cdef inline double mean_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    """The mean, if it is kept."""
    cdef olk_compact record
    if s.kept.records != NULL:
        record = record_of(s, j)
        return olk_compact_mean(&record)
    if s.kept.numbers != NULL:
        return olk_load_reading(&s.kept, j).feature.mean
    return s.moments.mean[j] * unit(s.moments.level[j])


cdef inline double scale_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    """The divisor of the feature; 0 if it counts as constant."""
    cdef Lines f
    cdef olk_compact record
    if s.kept.records != NULL:
        record = record_of(s, j)
        return olk_compact_sd(&record)
    lines(s, j, 1, &f)
    return 2.0 * f.half[0] if isfinite(f.half[0]) else 0.0
