"""What rows count: one weight, or one a row, checked.

Whoever cimports this calls ``cnp.import_array()`` first.
"""

cimport numpy as cnp

from edgeolk.boundary.batches cimport is_vector
from edgeolk.boundary.ndarray cimport as_numbers, is_plain
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


cdef inline object converted_weights(object weight):
    """Weights as plain float64. Runs Python code."""
    if is_plain(weight, 1) and is_vector(weight, cnp.NPY_FLOAT64):
        return weight
    return as_numbers(weight, "weight", 1).astype("float64", copy=False)


cdef inline int check_weights(Engine engine, object weight, Py_ssize_t n) except -1:
    """Each of n weights."""
    cdef Py_ssize_t i
    cdef const double* number
    if not is_vector(weight, cnp.NPY_FLOAT64):
        raise ValueError("weight has changed while the arguments were converted")
    if cnp.PyArray_DIM(weight, 0) != n:
        raise ValueError(
            f"weight must have {n} numbers, one for each row, got {cnp.PyArray_DIM(weight, 0)}")
    number = <const double*>cnp.PyArray_DATA(weight)
    for i in range(n):
        if number[i] != 1.0:
            check_weight(&engine.state, engine.config, number[i])
    return 0
