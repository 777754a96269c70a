"""The labels and weights that a model accepts."""

from libc.math cimport floor, isfinite, isnan

from edgeolk.core.parts cimport LOSS_NOVELTY, update_max_weight
from edgeolk.core.state cimport State


cdef inline bint is_label(const State* s, double label) noexcept nogil:
    """-1 or +1; a class from 0 to K - 1; any finite number in regression and for novelty;
    for a forecaster also NaN, a target never known."""
    if s.c.columns > 1:
        return 0.0 <= label < s.c.columns and label == floor(label)
    if s.forecast.on:
        return isfinite(label) or isnan(label)
    if s.errors != NULL or s.c.choice.loss == LOSS_NOVELTY:
        return isfinite(label)
    return label == 1.0 or label == -1.0


cdef inline str labels_allowed(const State* s):
    if s.c.columns > 1:
        return f"a class from 0 to {s.c.columns - 1}"
    if s.forecast.on:
        return "finite, or None if it is never known"
    finite = s.errors != NULL or s.c.choice.loss == LOSS_NOVELTY
    return "finite" if finite else "-1 or +1"


cdef inline bint is_weight(const State* s, double weight) noexcept nogil:
    """Whether a row may have this weight; False for NaN."""
    return 0.0 < weight <= update_max_weight(s.c.choice.update)


cdef inline int check_weight(const State* s, object config, double weight) except -1:
    """Refuse a weight out of range, or other than 1 if the learner supports no weights."""
    if not is_weight(s, weight):
        max_weight = update_max_weight(s.c.choice.update)
        raise ValueError(f"weight must be > 0, at most {max_weight:g}, got {weight!r}")
    if not s.c.weighs:
        raise ValueError(f"weight must be 1 for this learner, got {weight!r}: {config.no_weights}")
    return 0
