"""Arrays of the coefficients' type, float32 or float64: one number at a time.

Loops over them are C functions compiled for both types (simd.h); this is for the rest.
"""

from libc.stdint cimport int64_t

from edgeolk.core.simd cimport OLK_F64
from edgeolk.core.state cimport State


cdef inline int real(const State* s) noexcept nogil:
    """The type, as the C functions are indexed by it."""
    return s.c.choice.coefficients


cdef inline double get(const State* s, const void* v, int64_t i) noexcept nogil:
    if s.c.choice.coefficients == OLK_F64:
        return (<const double*>v)[i]
    return (<const float*>v)[i]


cdef inline void put(const State* s, void* v, int64_t i, double value) noexcept nogil:
    if s.c.choice.coefficients == OLK_F64:
        (<double*>v)[i] = value
    else:
        (<float*>v)[i] = <float>value


cdef inline double* wide(void* v) noexcept nogil:
    """An array of a model whose coefficients are float64."""
    return <double*>v
