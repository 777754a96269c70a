"""Refusals: exceptions for rows, labels and weights that are not accepted. Without numpy."""

from libc.math cimport NAN, floor, isfinite, isnan
from libc.stdint cimport int64_t

from edgeolk.core.state cimport (
    REFUSED_COEFFICIENT, REFUSED_COUNT, REFUSED_FULL, REFUSED_LATE, REFUSED_NO_PENDING,
    REFUSED_OVERFLOW, REFUSED_PENDING, REFUSED_ROW, REFUSED_TARGET, REFUSED_LABEL,
)
from edgeolk.core.state cimport (
    LABELS_CLASSES, LABELS_KNOWN_OR_NOT, LABELS_TIMES, LABELS_TWO, State,
)


# Exceptions for refused rows, labels and weights. Without numpy.

cdef inline bint is_bad_row(int outcome) noexcept nogil:
    """Whether the row itself is bad, so that ``on_bad_row="skip"`` skips it."""
    return (outcome == REFUSED_OVERFLOW or outcome == REFUSED_COEFFICIENT
            or outcome == REFUSED_TARGET)


cdef inline object outcome_error(int outcome, str where):
    """The exception for an Outcome other than DONE."""
    from edgeolk.errors import BadRowError, BudgetError
    from edgeolk.parts.storage import largest_coefficients

    if outcome == REFUSED_FULL:
        return BudgetError(f"{where}: the ring is full and full='raise'; the model is unchanged")
    if outcome == REFUSED_COUNT:
        return BudgetError(f"{where}: the learner has counted 2^62 steps, and cannot learn more")
    if outcome == REFUSED_ROW:
        return ValueError(
            f"{where}: its indices or numbers have changed since they were checked. The row changed"
            " nothing"
        )
    if outcome == REFUSED_TARGET:
        return BadRowError(
            f"{where}: its target must be from -1e100 to 1e100, from -1e15 to 1e15 where history="
            "True keeps it in single precision. The model is unchanged")
    if outcome == REFUSED_PENDING:
        return RuntimeError(
            f"{where}: a row answered by ask_one still waits for its target: call tell_one"
            " (None: never known). The model is unchanged")
    if outcome == REFUSED_NO_PENDING:
        return RuntimeError("tell_one: no row waits for a target; call ask_one first")
    if outcome == REFUSED_LATE:
        return RuntimeError(
            f"{where}: with a horizon above 1, call ask_one(x) for the answer and"
            " tell_one(y) for the target of the oldest row. The model is unchanged")
    if outcome == REFUSED_LABEL:
        return TypeError(
            f"{where} must be None, for a label that will never be known: with delay= learn_one(x,"
            " y) learns the oldest row, which the model does not keep")
    if outcome == REFUSED_COEFFICIENT:
        return BadRowError(
            f"{where}: its coefficient would exceed {largest_coefficients()};"
            " use smaller steps, or scale the targets. The model is unchanged"
        )
    return BadRowError(
        f"{where}: the kernel overflows for this row; scale the features or the kernel."
        " The model is unchanged"
    )


cdef inline object wrong_length(str name, int64_t features, int64_t got):
    return ValueError(f"{name} must have {features} features, got {got}")


cdef inline object not_finite(object row, object features, str name):
    """The exception for a row with a non-finite or too large number; ``features``: its indices."""
    from edgeolk.errors import BadRowError

    cdef Py_ssize_t largest = 0
    cdef Py_ssize_t k
    for k in range(len(row)):
        if not isfinite(row[k]):
            return BadRowError(f"{name} must be finite, got {row[k]} at feature {features[k]}")
        if abs(row[k]) > abs(row[largest]):
            largest = k
    return BadRowError(
        f"{name} must fit the storage type, got {row[largest]} at feature {features[largest]}")


cdef inline object label_error(double label, str allowed, str where, object got):
    """The exception for a refused label: BadRowError if it is not finite, else ValueError."""
    from edgeolk.errors import BadRowError

    return (ValueError if isfinite(label) else BadRowError)(
        f"{where} must be {allowed}, got {got}")


# The labels and weights that a model accepts.

cdef inline bint is_label(const State* s, double label) noexcept nogil:
    """Whether a row may be learned with this label."""
    if s.c.labels == LABELS_TWO:
        return label == 1.0 or label == -1.0
    if s.c.labels == LABELS_CLASSES:
        return 0.0 <= label < s.c.columns and label == floor(label)
    if s.c.labels == LABELS_TIMES:  # a time, which may be unknown
        return True
    return isfinite(label) or (s.c.labels == LABELS_KNOWN_OR_NOT and isnan(label))


cdef inline str labels_allowed(const State* s):
    if s.c.labels == LABELS_CLASSES:
        return f"a class from 0 to {s.c.columns - 1}"
    if s.c.labels == LABELS_KNOWN_OR_NOT:
        return "finite, or None if it is never known"
    return "-1 or +1" if s.c.labels == LABELS_TWO else "finite"


cdef inline int check_clock(const State* s) except -1:
    """Refuse times for a learner that learns no season of a day."""
    if not s.setup.at.clock:
        raise ValueError("time needs loss='novelty', history=True and clock=True: no other learner"
                         " has a season of a day")
    return 0


cdef inline double seconds_of(const State* s, object time) except? -1.0:
    """The time of a row in seconds; NaN for None."""
    if time is None:
        return NAN
    check_clock(s)
    try:
        if isinstance(time, bool) or not hasattr(time, "__float__"):  # text has none
            raise TypeError
        return float(time)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            "time must be a number of seconds since a midnight of the place, or None, got"
            f" {type(time).__name__}") from None


cdef inline bint is_weight(const State* s, double weight) noexcept nogil:
    """Whether a row may have this weight; False for NaN."""
    return 0.0 < weight <= s.c.max_weight


cdef inline int check_weight(const State* s, object config, double weight) except -1:
    """Refuse a weight out of range, or other than 1 if the learner supports no weights."""
    if not is_weight(s, weight):
        max_weight = s.c.max_weight
        raise ValueError(f"weight must be > 0, at most {max_weight:g}, got {weight!r}")
    if not s.c.weighs:
        raise ValueError(f"weight must be 1 for this learner, got {weight!r}: {config.no_weights}")
    return 0
