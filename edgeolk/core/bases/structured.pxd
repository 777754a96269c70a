"""Structured features: cosines and sines regenerated from the seed for every row; see
c/sorf.h."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from edgeolk.core.value_types cimport value_type
from edgeolk.core.headers cimport OLK_F64, olk_sorf_row
from edgeolk.core.state cimport State


cdef inline double structured_score(State* s, const void* x, const void* coef,
                                    void* row) noexcept nogil:
    """w . z(x); sets s.row[:D] to the cosines and s.row[D:2D] to the sines."""
    cdef int64_t n = s.m.n
    cdef olk_sorf_row input = olk_sorf_row(x, NULL, 0)
    s.sorf.ops.features(&s.sorf.config, &input, 1.0 / sqrt(<double>n),
                        value_type(s) == OLK_F64, s.row)
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)
