"""Declarations of the C functions and of the storage types; see loops/."""

from libc.stdint cimport int32_t, int64_t


cdef extern from "simd.h" nogil:
    enum: OLK_DISTANCE, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_POLYNOMIAL, OLK_LINEAR, OLK_SIGMOID
    enum: OLK_N_VARIANTS

    ctypedef struct olk_kernel:
        int32_t kind
        int32_t degree
        double gamma
        double scale
        double offset

    ctypedef struct olk_quantum:
        const float* scale
        const float* offset

    ctypedef double (*olk_row_fn)(const olk_kernel*, const void*, const olk_quantum*, Py_ssize_t,
                                  Py_ssize_t, Py_ssize_t, const void*, const double*,
                                  double*, double*) noexcept
    ctypedef double (*olk_sparse_fn)(const olk_kernel*, const void*, const void*, Py_ssize_t,
                                     Py_ssize_t, Py_ssize_t, const int32_t*, const void*,
                                     const double*, double*) noexcept
    ctypedef double (*olk_pair_fn)(const olk_kernel*, const void*, const void*,
                                   Py_ssize_t) noexcept

    ctypedef struct olk_simd:
        const char* name
        olk_row_fn row[5]
        olk_sparse_fn sparse[5]
        olk_pair_fn pair[5]
        double (*dot)(const double* a, const double* b, Py_ssize_t n) noexcept nogil
        void (*add)(double* y, double w, const double* row, Py_ssize_t n) noexcept nogil
        void (*turn)(double* low, double* high, double c, double s, Py_ssize_t n) noexcept nogil
        void (*times)(const double* a, Py_ssize_t stride, Py_ssize_t m, Py_ssize_t n,
                      const double* x, double* y) noexcept nogil
        void (*symmetric_times)(const double* a, Py_ssize_t n, const double* x,
                                double* y) noexcept nogil
        double (*there_and_back)(const double* m, Py_ssize_t n, const double* x,
                                 double* y) noexcept nogil
        void (*exchange)(double* a, Py_ssize_t n, double p, const double* u, double q,
                         const double* c) noexcept nogil
        void (*solve_lower)(const double* l, double* b, Py_ssize_t n) noexcept nogil
        void (*solve_lower_transposed)(const double* l, double* b, Py_ssize_t n) noexcept nogil
        bint (*cholesky)(double* a, Py_ssize_t n) noexcept nogil
        bint (*invert)(double* a, Py_ssize_t n, double* work) noexcept nogil
        void (*circle)(double* row, Py_ssize_t n, double norm) noexcept nogil
        Py_ssize_t (*lightest)(const double* coef, const double* diagonal,
                               const int64_t* arrival, Py_ssize_t n) noexcept nogil
        Py_ssize_t (*least)(const double* v, Py_ssize_t n) noexcept nogil
        Py_ssize_t (*least_alone)(const double* coef, const double* diagonal, const double* row,
                                  double k_tt, Py_ssize_t n, double* least) noexcept nogil
        Py_ssize_t (*least_paired)(const double* coef, const double* diagonal, const double* row,
                                   double k_tt, const int64_t* near, const double* near_k,
                                   double singular, Py_ssize_t n, double* least) noexcept nogil
        double (*rest)(const double* w, Py_ssize_t n, double c, Py_ssize_t* above) noexcept nogil
        void (*clamp)(double* coef, Py_ssize_t n, double most) noexcept nogil
        void (*make_up)(double* coef, const double* w, Py_ssize_t n, double c) noexcept nogil
        double (*largest)(const double* coef, const double* diagonal, Py_ssize_t n) noexcept nogil
        void (*merge)(double b, double gamma, Py_ssize_t iters, const double* coef,
                      const double* distance, Py_ssize_t n, double* height,
                      double* loss) noexcept nogil

    const olk_simd olk_variants[]
    int olk_variant_runs(int i) noexcept

    double olk_fetch(int storage, const void* base, Py_ssize_t at, Py_ssize_t j,
                     const olk_quantum* quantum) noexcept
    void olk_store(int storage, void* base, Py_ssize_t at, Py_ssize_t j, double value,
                   const olk_quantum* quantum) noexcept
    float olk_seen(int storage, float value, Py_ssize_t j, const olk_quantum* quantum) noexcept


cdef extern from "nonzeros.h" nogil:
    Py_ssize_t olk_nonzeros_f32(const float* x, Py_ssize_t d, int32_t* index,
                                float* value) noexcept
    Py_ssize_t olk_nonzeros_f64(const double* x, Py_ssize_t d, int32_t* index,
                                double* value) noexcept
