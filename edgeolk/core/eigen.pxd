"""Eigenvalues and eigenvectors of a symmetric matrix, in place; see loops/eigen.h."""

from edgeolk.core.simd cimport olk_simd


cdef extern from "eigen.h" nogil:
    void symmetric_eigen "olk_symmetric_eigen"(const olk_simd* simd, double* v, double* d,
                                               double* e, Py_ssize_t n) noexcept
