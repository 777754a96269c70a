"""Declarations of the C functions and of the storage types; see loops/."""

from libc.stdint cimport int32_t, int64_t

from edgeolk.core.structs cimport (
    OLK_DISTANCE, OLK_F32, OLK_F64, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_LINEAR, OLK_POLYNOMIAL,
    OLK_SIGMOID, olk_kernel, olk_norm_fn, olk_pair_fn, olk_quantum, olk_row_fn, olk_rows_fn,
    olk_simd, olk_sparse_fn, olk_wanted,
)


cdef extern from "simd.h" nogil:
    double olk_get(int real, const void* array, Py_ssize_t i) noexcept
    void olk_put(int real, void* array, Py_ssize_t i, double value) noexcept
    double olk_fetch(int storage, const void* base, Py_ssize_t at, Py_ssize_t j,
                     const olk_quantum* quantum) noexcept
    void olk_store(int storage, void* base, Py_ssize_t at, Py_ssize_t j, double value,
                   const olk_quantum* quantum) noexcept
    Py_ssize_t olk_see_levels_f32(const float* x, float* seen, Py_ssize_t d,
                                  const olk_quantum* quantum) noexcept
    Py_ssize_t olk_see_levels_f64(const double* x, float* seen, Py_ssize_t d,
                                  const olk_quantum* quantum) noexcept
    float olk_seen(int storage, float value, Py_ssize_t j, const olk_quantum* quantum) noexcept


cdef extern from "tiles.h" nogil:
    double OLK_NEAR_F32, OLK_NEAR_F64
    enum: OLK_BLOCK, OLK_MOST_TOGETHER, OLK_SUMS_OF_BLOCK


cdef extern from "nonzeros.h" nogil:
    Py_ssize_t olk_count_nonzeros_f32(const float* x, Py_ssize_t d) noexcept
    Py_ssize_t olk_count_nonzeros_f64(const double* x, Py_ssize_t d) noexcept
    Py_ssize_t olk_nonzeros_f32(const float* x, Py_ssize_t d, int32_t* index,
                                float* value) noexcept
    Py_ssize_t olk_nonzeros_f64(const double* x, Py_ssize_t d, int32_t* index,
                                double* value) noexcept
    Py_ssize_t olk_place_nonzeros_f32_i32(const int32_t* index, const double* value,
                                          Py_ssize_t count, Py_ssize_t d, float* seen, int32_t* at,
                                          float* kept) noexcept
    Py_ssize_t olk_place_nonzeros_f64_i32(const int32_t* index, const double* value,
                                          Py_ssize_t count, Py_ssize_t d, double* seen, int32_t* at,
                                          double* kept) noexcept
    Py_ssize_t olk_place_nonzeros_f32_i64(const int64_t* index, const double* value,
                                          Py_ssize_t count, Py_ssize_t d, float* seen, int32_t* at,
                                          float* kept) noexcept
    Py_ssize_t olk_place_nonzeros_f64_i64(const int64_t* index, const double* value,
                                          Py_ssize_t count, Py_ssize_t d, double* seen, int32_t* at,
                                          double* kept) noexcept
