"""What is told of a row that a call may not have."""

from libc.math cimport isfinite


cdef inline str as_told(object array):
    """What kind of array something is."""
    if not hasattr(array, "flags"):
        return type(array).__name__
    kind = "" if array.flags.c_contiguous else "strided "
    if not array.flags.writeable:
        kind += "read-only "
    return f"{kind}{array.dtype} of shape {array.shape}"


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
