"""Arrays of the coefficients' type: one number at a time.

Loops over them are C functions compiled for each type (loops/number.h); this is for the rest.
"""

from libc.stdint cimport int64_t

from edgeolk.core.simd cimport olk_get, olk_put
from edgeolk.core.state cimport State


cdef inline int real(const State* s) noexcept nogil:
    """The type, as the C functions are indexed by it."""
    return s.c.choice.coefficients


cdef inline double get(const State* s, const void* v, int64_t i) noexcept nogil:
    return olk_get(real(s), v, i)


cdef inline void put(const State* s, void* v, int64_t i, double value) noexcept nogil:
    olk_put(real(s), v, i, value)


cdef inline double* wide(void* v) noexcept nogil:
    """An array of a model whose coefficients are float64."""
    return <double*>v
