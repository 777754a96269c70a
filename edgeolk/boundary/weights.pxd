"""Checks of row weights: a single one, or one per row."""

from edgeolk.core.engine cimport Engine
from edgeolk.core.labels cimport check_weight


cdef inline double parse_weight(Engine engine, object weight) except? -2.0:
    """The weight as a number > 0; other than 1 only if the learner supports weights."""
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
    """Check each of n weights."""
    cdef Py_ssize_t i
    for i in range(n):
        if weight[i] != 1.0:
            check_weight(&engine.state, engine.config, weight[i])
    return 0
