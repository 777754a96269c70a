"""What rows count: one weight, or one a row, checked."""

from edgeolk.core.engine cimport Engine
from edgeolk.core.labels cimport check_weight


cdef inline double checked_weight(Engine engine, object weight) except? -2.0:
    """A weight > 0; any but 1 is refused where a learner has no use for it."""
    cdef double number
    try:
        if isinstance(weight, (bool, str, bytes, bytearray)):
            raise TypeError
        number = float(weight)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"weight must be a number, got {type(weight).__name__}") from None
    if number != 1.0:
        check_weight(&engine.state, engine.config, number)
    return number


cdef inline int check_weights(Engine engine, const double* weight, Py_ssize_t n) except -1:
    """Each of n weights."""
    cdef Py_ssize_t i
    for i in range(n):
        if weight[i] != 1.0:
            check_weight(&engine.state, engine.config, weight[i])
    return 0
