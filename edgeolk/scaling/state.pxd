"""The base class of RunningScaler: its block and the pointers into it."""

from edgeolk.core.arena cimport Arena
from edgeolk.core.scaler cimport Scaler


cdef class ScalerState:
    cdef Arena arena
    cdef Scaler scaler
    cdef bint busy

    cdef int bind(self, options, dict at) except -1
    cdef int idle(self) except -1
    cdef object copied(self)
    cdef object copy_array(self, const double* values)
