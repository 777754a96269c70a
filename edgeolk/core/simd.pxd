"""Declarations of the C functions and of the storage types; see loops/."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from edgeolk.core.structs cimport olk_compact_rule


cdef extern from "simd.h" nogil:
    enum: OLK_DISTANCE, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_POLYNOMIAL, OLK_LINEAR, OLK_SIGMOID

    ctypedef struct olk_kernel:
        int32_t kind
        int32_t degree
        double gamma
        double scale
        double offset

    ctypedef struct olk_quantum:
        const float* scale
        const float* offset

    # The type of coefficients, kernel rows and products: of the `void` arrays of what has an index
    # of 3, and of row and sparse.
    enum: OLK_F32, OLK_F64
    double olk_get(int real, const void* array, Py_ssize_t i) noexcept
    void olk_put(int real, void* array, Py_ssize_t i, double value) noexcept

    ctypedef double (*olk_row_fn)(const olk_kernel*, const void*, const void* norms,
                                  const olk_quantum*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
                                  const void*, int real, const void* coef, void* row,
                                  void* products) noexcept
    ctypedef struct olk_wanted:
        int real
        const void* coef
        Py_ssize_t columns
        Py_ssize_t stride
        double* f
        void* values
        Py_ssize_t apart
    ctypedef void (*olk_rows_fn)(const olk_kernel*, const void*, const void* norms,
                                 const olk_quantum*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
                                 const void* x, Py_ssize_t pitch, Py_ssize_t count,
                                 const olk_wanted*) noexcept
    ctypedef double (*olk_recall_fn)(const void* values, Py_ssize_t n, int real, const void* coef,
                                     void* row) noexcept
    ctypedef double (*olk_sparse_fn)(const olk_kernel*, const void*, const void*, Py_ssize_t,
                                     Py_ssize_t, Py_ssize_t, const int32_t*, const void*,
                                     int real, const void* coef, void* row) noexcept
    ctypedef double (*olk_norm_fn)(const olk_kernel*, const void*, Py_ssize_t,
                                   Py_ssize_t) noexcept
    ctypedef double (*olk_pair_fn)(const olk_kernel*, const void*, const void*,
                                   Py_ssize_t) noexcept
    ctypedef double (*olk_dot_fn)(const void* a, const void* b, Py_ssize_t n) noexcept
    ctypedef void (*olk_weigh_fn)(const void* row, const void* coef, Py_ssize_t stride,
                                  Py_ssize_t n, Py_ssize_t columns, double* f) noexcept
    ctypedef void (*olk_weigh_values_fn)(int real, const void* values, const void* coef,
                                         Py_ssize_t stride, Py_ssize_t n, Py_ssize_t columns,
                                         double* f) noexcept
    ctypedef void (*olk_axpy_fn)(void* y, double w, const void* x, Py_ssize_t n) noexcept
    ctypedef void (*olk_scale_fn)(void* coef, Py_ssize_t n, double factor) noexcept
    ctypedef void (*olk_clamp_fn)(void* coef, Py_ssize_t n, double most) noexcept
    ctypedef void (*olk_divide_fn)(void* coef, const double* w, Py_ssize_t n, double c) noexcept
    ctypedef void (*olk_settle_fn)(const void* coef, double weight, double* start, double* sum,
                                   Py_ssize_t n) noexcept
    ctypedef double (*olk_sizes_fn)(const void* coef, const double* diagonal, Py_ssize_t n,
                                    double* size) noexcept
    ctypedef double (*olk_max_abs_fn)(const void* coef, const double* diagonal,
                                      Py_ssize_t n) noexcept
    ctypedef Py_ssize_t (*olk_argmin_fn)(const void* v, Py_ssize_t n) noexcept
    ctypedef Py_ssize_t (*olk_argmin_abs_fn)(const void* coef, const double* diagonal,
                                             const int64_t* arrival, Py_ssize_t n) noexcept
    ctypedef Py_ssize_t (*olk_line_fn)(const void* coef, const double* diagonal, const void* row,
                                       double k_tt, Py_ssize_t n, double* least) noexcept
    ctypedef Py_ssize_t (*olk_plane_fn)(const void* coef, const double* diagonal, const void* row,
                                        double k_tt, const int64_t* near, const double* near_k,
                                        double singular, Py_ssize_t n, double* least) noexcept
    ctypedef Py_ssize_t (*olk_line_weight_fn)(const double* weight, const double* diagonal,
                                              const void* row, double k_tt, Py_ssize_t n,
                                              double* least) noexcept
    ctypedef Py_ssize_t (*olk_plane_weight_fn)(const double* weight, const double* diagonal,
                                               const void* row, double k_tt, const int64_t* near,
                                               const double* near_k, double singular,
                                               Py_ssize_t n, double* least) noexcept
    ctypedef void (*olk_squares_fn)(const void* coef, Py_ssize_t stride, Py_ssize_t n,
                                    Py_ssize_t columns, double* squares) noexcept
    ctypedef void (*olk_merge_fn)(double b, double gamma, Py_ssize_t iters, const void* coef,
                                  const void* distance, Py_ssize_t n, double* height,
                                  double* loss) noexcept
    ctypedef void (*olk_cos_sin_fn)(void* row, Py_ssize_t n, double norm) noexcept

    ctypedef struct olk_simd:
        const char* name
        olk_row_fn row[5]
        olk_rows_fn rows[5]
        olk_sparse_fn sparse[5]
        olk_norm_fn norm[5]
        olk_pair_fn pair[5]
        olk_recall_fn recall[3]
        olk_dot_fn dot[3]
        olk_weigh_fn weigh[3]
        olk_weigh_values_fn weigh_values[3]
        olk_axpy_fn axpy[3]
        olk_settle_fn settle[3]
        olk_scale_fn scale[3]
        olk_clamp_fn clamp[3]
        olk_divide_fn divide_by_probability[3]
        olk_sizes_fn sizes[3]
        olk_max_abs_fn max_abs[3]
        olk_argmin_fn argmin[3]
        olk_argmin_abs_fn argmin_abs[3]
        olk_line_fn argmin_line_residual[3]
        olk_plane_fn argmin_plane_residual[3]
        olk_line_weight_fn argmin_line_weight[3]
        olk_plane_weight_fn argmin_plane_weight[3]
        olk_squares_fn squares[3]
        olk_merge_fn merge[3]
        olk_cos_sin_fn cos_sin[3]
        double (*sum_uncertain)(const double* w, Py_ssize_t n, double c,
                                Py_ssize_t* certain) noexcept nogil
        Py_ssize_t (*leaver)(const double* w, Py_ssize_t n, double c, double u) noexcept nogil
        void (*matrix_vector)(const double* a, Py_ssize_t stride, Py_ssize_t m, Py_ssize_t n,
                              const double* x, double* y) noexcept nogil
        void (*matrix_vectors)(const double* a, Py_ssize_t stride, Py_ssize_t m, Py_ssize_t n,
                               const double* x, Py_ssize_t apart, Py_ssize_t count, double* y,
                               Py_ssize_t pitch) noexcept nogil
        void (*rotate)(double* low, double* high, double c, double s, Py_ssize_t n) noexcept nogil
        void (*symmetric_product)(const double* a, Py_ssize_t n, const double* x,
                                  double* y) noexcept nogil
        double (*solve_inverse_factor)(const double* m, Py_ssize_t n, const double* x,
                                       double* y) noexcept nogil
        void (*rank_two_update)(double* a, Py_ssize_t n, double p, const double* u, double q,
                                const double* c) noexcept nogil
        void (*solve_lower)(const double* l, double* b, Py_ssize_t n) noexcept nogil
        void (*solve_lower_transposed)(const double* l, double* b, Py_ssize_t n) noexcept nogil
        bint (*cholesky)(double* a, Py_ssize_t n) noexcept nogil
        bint (*invert)(double* a, Py_ssize_t n, double* work) noexcept nogil
        void (*learn_readings)(uint8_t* to, const uint8_t* record, const double* x, Py_ssize_t m,
                               const olk_compact_rule* rule, uint32_t row, uint32_t first,
                               double* z) noexcept nogil

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
