"""Regions of a block as typed memoryviews."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint16_t


cdef inline object typed(object shaped, str element):
    """The typed memoryview of a region, whose rows and element type are known by now."""
    cdef double[:, ::1] doubles
    cdef float[:, ::1] floats
    cdef uint16_t[:, ::1] halves
    cdef int8_t[:, ::1] levels
    cdef int32_t[:, ::1] indices
    cdef int64_t[:, ::1] numbers
    if element == "d":
        doubles = shaped
        return doubles
    if element == "f":
        floats = shaped
        return floats
    if element == "H":
        halves = shaped
        return halves
    if element == "b":
        levels = shaped
        return levels
    if element == "i":
        indices = shaped
        return indices
    numbers = shaped
    return numbers
