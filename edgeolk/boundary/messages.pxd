"""What a refused row is told."""

from libc.math cimport isfinite

from edgeolk.core.state cimport REFUSED_COUNT, REFUSED_FULL, REFUSED_ROW


cdef inline object outcome_error(int outcome, str where):
    from edgeolk.errors import BadRowError, BudgetError

    if outcome == REFUSED_FULL:
        return BudgetError(f"{where}: the ring is full and full='raise'; nothing was changed by it")
    if outcome == REFUSED_COUNT:
        return BudgetError(f"{where}: the learner has counted 2^62 steps, and learns no more")
    if outcome == REFUSED_ROW:
        return ValueError(
            f"{where}: its indices or numbers have changed since they were checked. The row changed"
            " nothing"
        )
    return BadRowError(
        f"{where}: the kernel overflows for this row; scale the features or the kernel."
        " The row changed nothing"
    )


cdef inline object not_finite(object row, object features, str name):
    """Which number of a row is none, or is beyond storage; ``features`` are its numbers' places."""
    import numpy as np

    from edgeolk.errors import BadRowError

    row = np.asarray(row)
    for j, value in zip(features, row):
        if not np.isfinite(value):
            return BadRowError(f"{name} must be finite, got {value} at feature {j}")
    at = int(np.argmax(np.abs(row)))
    return BadRowError(
        f"{name} must fit the storage type, got {row[at]} at feature {features[at]}")


cdef inline object label_error(double label, str allowed, str where, object said):
    """A label that is not allowed: a bad reading if it is no number, else a wrong call."""
    from edgeolk.errors import BadRowError

    return (ValueError if isfinite(label) else BadRowError)(
        f"{where} must be {allowed}, got {said}")
