"""What a refused row is told."""

from edgeolk.core.state cimport REFUSED_FULL, REFUSED_ROW


cdef inline object outcome_error(int outcome, str where):
    from edgeolk.errors import BudgetError

    if outcome == REFUSED_FULL:
        return BudgetError(f"{where}: the ring is full and full='raise'; nothing was changed by it")
    if outcome == REFUSED_ROW:
        return ValueError(
            f"{where}: its indices or numbers have changed since they were checked. The row changed"
            " nothing"
        )
    return ValueError(
        f"{where}: the kernel overflows for this row; scale the features or the kernel."
        " The row changed nothing"
    )


cdef inline object raise_not_finite(object row, str name):
    import numpy as np

    row = np.asarray(row)
    for j, value in enumerate(row):
        if not np.isfinite(value):
            raise ValueError(f"{name} must be finite, got {value} at feature {j}")
    j = int(np.argmax(np.abs(row)))
    raise ValueError(f"{name} must fit the storage type, got {row[j]} at feature {j}")
