"""Declarations of the C row functions; see simd.h."""

from libc.stdint cimport int32_t


cdef extern from "simd.h" nogil:
    enum: OLK_DISTANCE, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_POLYNOMIAL, OLK_LINEAR, OLK_SIGMOID
    enum: OLK_N_VARIANTS

    ctypedef struct olk_kernel:
        int32_t kind
        int32_t degree
        double gamma
        double scale
        double offset

    ctypedef double (*olk_row_f32)(const olk_kernel*, const float*, Py_ssize_t, Py_ssize_t,
                                   Py_ssize_t, const float*, const double*, double*) noexcept
    ctypedef double (*olk_row_f64)(const olk_kernel*, const double*, Py_ssize_t, Py_ssize_t,
                                   Py_ssize_t, const double*, const double*, double*) noexcept
    ctypedef double (*olk_pair_f32)(const olk_kernel*, const float*, const float*,
                                    Py_ssize_t) noexcept
    ctypedef double (*olk_pair_f64)(const olk_kernel*, const double*, const double*,
                                    Py_ssize_t) noexcept
    ctypedef double (*olk_dot_f64)(const double*, const double*, Py_ssize_t) noexcept

    ctypedef struct olk_simd:
        const char* name
        olk_row_f32 row_f32
        olk_row_f64 row_f64
        olk_pair_f32 pair_f32
        olk_pair_f64 pair_f64
        olk_dot_f64 dot

    const olk_simd olk_variants[]
    int olk_variant_runs(int i) noexcept
