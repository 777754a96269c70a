"""The loops of structured features, compiled for every instruction set, once, in this module."""

from libc.string cimport strcmp

from edgeolk.core.c cimport olk_sorf_ops
from edgeolk.core.parts cimport DTYPE_FLOAT32, DTYPE_INT8
from edgeolk.core.variants cimport chosen_simd

cdef extern from "sorf_variants.h":
    const olk_sorf_ops* olk_sorf_variants[][3]


cdef int variant() noexcept:
    """Index of the instruction set that the other loops use; both lists have the same names."""
    cdef int i = 0
    while strcmp(olk_sorf_variants[i][0].name, chosen_simd().name) != 0:
        i += 1
    return i


cdef const olk_sorf_ops* functions_for(int dtype) noexcept:
    """The functions for a storage type."""
    cdef int kind = 0 if dtype == DTYPE_INT8 else (1 if dtype == DTYPE_FLOAT32 else 2)
    return olk_sorf_variants[variant()][kind]
