"""Single numbers in arrays of the coefficient type or the row type.

Loops over such arrays are C functions compiled for each type (c/dots.h).
"""

from libc.stdint cimport int64_t

from edgeolk.core.headers cimport OLK_F32, OLK_F64, olk_get, olk_put
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.state cimport State


cdef inline int value_type(const State* s) noexcept nogil:
    """The type of coefficients: an index into the tables of C functions."""
    return s.c.choice.coefficients


cdef inline int row_type(const State* s) noexcept nogil:
    """The type that rows are computed in, likewise an index."""
    return OLK_F64 if s.c.vectors == DTYPE_FLOAT64 else OLK_F32


cdef inline double get(const State* s, const void* v, int64_t i) noexcept nogil:
    return olk_get(value_type(s), v, i)


cdef inline void put(const State* s, void* v, int64_t i, double value) noexcept nogil:
    olk_put(value_type(s), v, i, value)


cdef inline double* doubles(void* v) noexcept nogil:
    """The array of a model whose coefficients are float64."""
    return <double*>v
