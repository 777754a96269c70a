"""The C of the loops, as far as Cython code calls it: structs, constants and functions.

Written by hand: a declaration is added when Cython code needs it. A struct has the members that
Cython code uses, ``pass`` if it only hands them on. ``olk_sorf`` and ``olk_forecast`` are complete
and in the order of C (``tests/edgeolk/core/test_c_declarations.py``): the engine returns them as
dicts, and the exporter writes these as initialisers.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


# Numbers as they are stored: float32, float64, float16, or int8 with a scale and offset.

cdef extern from "storage.h" nogil:
    enum:
        OLK_F32
        OLK_F64

    ctypedef struct olk_quantizer:
        const float* scale
        const float* offset

    float olk_half_to_float(uint16_t h) noexcept
    uint16_t olk_float_to_half(float f) noexcept
    float olk_float_to_odd(double value) noexcept
    int8_t olk_float_to_level(float f, float scale, float offset) noexcept
    float olk_round_to_storage(int storage, float value, ptrdiff_t j,
                               const olk_quantizer* quantizer) noexcept
    ptrdiff_t olk_dtype_bytes(int dtype) noexcept
    double olk_get(int dtype, const void* array, ptrdiff_t i) noexcept
    void olk_put(int dtype, void* array, ptrdiff_t i, double value) noexcept
    ptrdiff_t olk_quantize_row(int dtype, const void* x, float* quantized, ptrdiff_t d,
                               const olk_quantizer* quantizer) noexcept


# The scaler: statistics of a feature, its affine map, compact records of 9 bytes.

cdef extern from "winsor.h" nogil:
    enum:
        OLK_START_READINGS

    ctypedef struct olk_feature:
        double mean
        double low
        double sd
        double held
        uint32_t age
        uint32_t clipped

    int olk_is_negligible_spread(double sd, double size) noexcept


cdef extern from "affine.h" nogil:
    ctypedef struct olk_affine:
        double centre
        double rest
        double half
        double low
        double high

    olk_affine olk_finish_affine(olk_affine f, double magnitude) noexcept
    double olk_scaled_number(double centre, double rest, double half, double low, double high,
                             double x) noexcept


cdef extern from "scaler_compact.h" nogil:
    enum:
        OLK_COMPACT_BYTES

    ctypedef struct olk_compact_rule:
        pass

    ctypedef struct olk_compact:
        pass

    ctypedef void (*olk_learn_readings_fn)(uint8_t* to, const uint8_t* record, const double* x,
                                           ptrdiff_t m, const olk_compact_rule* rule, uint32_t row,
                                           uint32_t first, double* z) noexcept

    olk_compact olk_compact_of(const uint8_t* at) noexcept
    olk_compact_rule olk_compact_rule_of(double clip, double window) noexcept
    double olk_compact_mean(const olk_compact* f) noexcept
    double olk_compact_sd(const olk_compact* f) noexcept
    int olk_compact_holds(const uint8_t* at, int64_t seen) noexcept


cdef extern from "scaler.h" nogil:
    enum:
        OLK_COMPACT

    ctypedef struct olk_scaler:
        double clip
        double window
        int64_t freeze_after
        int32_t method
        double* numbers
        int32_t* counts
        double* minimum
        double* maximum
        uint8_t* records
        olk_compact_rule rule

    ctypedef struct olk_feature_statistics:
        olk_feature feature
        double minimum
        double maximum

    olk_feature_statistics olk_load_statistics(const olk_scaler* s, ptrdiff_t j) noexcept
    olk_affine olk_affine_of(const olk_scaler* s, const olk_feature_statistics* r) noexcept
    double olk_scale_reading(const olk_scaler* s, ptrdiff_t j, double x, int64_t seen,
                             int learning) noexcept
    void olk_update_reading(const olk_scaler* s, ptrdiff_t j, double x, int64_t seen) noexcept


# The kernel width that is measured from rows, or follows them.

cdef extern from "width.h" nogil:
    ctypedef struct olk_width:
        double gamma
        int64_t measured
        int64_t steps
        int64_t mistakes
        int64_t updates
        int64_t capacity_hits

    ctypedef struct olk_row_sums:
        double sizes
        double squares
        double clamped


# Kernels and linear algebra over the ring: one table of functions for each instruction set. An
# index chooses the storage type of the support vectors [5], or the type of coefficients [3].

cdef extern from "ring_table.h" nogil:
    enum:
        OLK_DISTANCE
        OLK_GAUSSIAN
        OLK_LAPLACIAN
        OLK_POLYNOMIAL
        OLK_LINEAR
        OLK_SIGMOID

    ctypedef struct olk_kernel:
        int32_t kind
        int32_t degree
        double gamma
        double scale
        double offset

    ctypedef struct olk_row_outputs:
        int dtype
        const void* coef
        ptrdiff_t columns
        ptrdiff_t stride
        double* f
        void* values
        ptrdiff_t values_pitch

    ctypedef double (*olk_row_fn)(const olk_kernel* kernel, const void* sv, const void* norms,
                                  const olk_quantizer* quantizer, ptrdiff_t stride, ptrdiff_t n,
                                  ptrdiff_t d, const void* x, int dtype, const void* coef,
                                  void* row, void* products) noexcept
    ctypedef void (*olk_rows_fn)(const olk_kernel* kernel, const void* sv, const void* norms,
                                 const olk_quantizer* quantizer, ptrdiff_t stride, ptrdiff_t n,
                                 ptrdiff_t d, const void* x, ptrdiff_t pitch, ptrdiff_t count,
                                 const olk_row_outputs* wanted) noexcept
    ctypedef double (*olk_sparse_fn)(const olk_kernel* kernel, const void* sv, const void* norms,
                                     ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                     const int32_t* index, const void* values, int dtype,
                                     const void* coef, void* row) noexcept
    ctypedef double (*olk_norm_fn)(const olk_kernel* kernel, const void* sv, ptrdiff_t stride,
                                   ptrdiff_t d) noexcept
    ctypedef double (*olk_pair_fn)(const olk_kernel* kernel, const void* a, const void* b,
                                   ptrdiff_t d) noexcept
    ctypedef double (*olk_cached_row_fn)(const void* values, ptrdiff_t n, int dtype,
                                         const void* coef, void* row) noexcept
    ctypedef double (*olk_simd_dot)(const void* a, const void* b, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_weigh)(const void* row, const void* coef, ptrdiff_t stride,
                                    ptrdiff_t n, ptrdiff_t columns, double* f) noexcept
    ctypedef void (*olk_simd_weigh_values)(int dtype, const void* values, const void* coef,
                                           ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                           double* f) noexcept
    ctypedef void (*olk_simd_axpy)(void* y, double w, const void* x, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_scale)(void* coef, ptrdiff_t n, double factor) noexcept
    ctypedef void (*olk_simd_clamp)(void* coef, ptrdiff_t n, double limit) noexcept
    ctypedef void (*olk_simd_divide_by_probability)(void* coef, const double* w, ptrdiff_t n,
                                                    double c) noexcept
    ctypedef void (*olk_simd_flush_average)(const void* coef, double weight, double* start,
                                            double* sum, ptrdiff_t n) noexcept
    ctypedef double (*olk_simd_sizes)(const void* coef, const double* diagonal, ptrdiff_t n,
                                      double* size) noexcept
    ctypedef double (*olk_simd_max_abs)(const void* coef, const double* diagonal,
                                        ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin)(const void* v, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_abs)(const void* coef, const double* diagonal,
                                              const int64_t* arrival, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_line)(const void* coef, const double* weight,
                                               const double* diagonal, const void* row, double k_tt,
                                               ptrdiff_t n, double* smallest) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_plane)(const void* coef, const double* weight,
                                                const double* diagonal, const void* row,
                                                double k_tt, const int64_t* near,
                                                const double* near_k, double singular, ptrdiff_t n,
                                                double* smallest) noexcept
    ctypedef void (*olk_simd_squares)(const void* coef, ptrdiff_t stride, ptrdiff_t n,
                                      ptrdiff_t columns, double* squares) noexcept
    ctypedef void (*olk_simd_cos_sin)(void* row, ptrdiff_t n, double norm) noexcept
    ctypedef void (*olk_simd_merge)(int dtype, double b, double gamma, ptrdiff_t iters,
                                    const void* coef, const void* distance, ptrdiff_t n,
                                    double* height, double* loss) noexcept
    ctypedef double (*olk_simd_sum_uncertain)(const double* w, ptrdiff_t n, double c,
                                              ptrdiff_t* certain) noexcept
    ctypedef ptrdiff_t (*olk_simd_sample_evicted)(const double* w, ptrdiff_t n, double c,
                                                  double u) noexcept
    ctypedef void (*olk_simd_matrix_vector)(const double* a, ptrdiff_t stride, ptrdiff_t m,
                                            ptrdiff_t n, const double* x, double* y) noexcept
    ctypedef void (*olk_simd_matrix_vectors)(const double* a, ptrdiff_t stride, ptrdiff_t m,
                                             ptrdiff_t n, const double* x, ptrdiff_t x_pitch,
                                             ptrdiff_t count, double* y, ptrdiff_t pitch) noexcept
    ctypedef void (*olk_simd_symmetric_product)(const double* a, ptrdiff_t n, const double* x,
                                                double* y) noexcept
    ctypedef double (*olk_simd_solve_inverse_factor)(const double* m, ptrdiff_t n, const double* x,
                                                     double* y) noexcept
    ctypedef void (*olk_simd_rank_two_update)(double* a, ptrdiff_t n, double p, const double* u,
                                              double q, const double* c) noexcept
    ctypedef void (*olk_simd_solve_lower)(const double* l, double* b, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_solve_lower_transposed)(const double* l, double* b,
                                                     ptrdiff_t n) noexcept
    ctypedef int (*olk_simd_cholesky)(double* a, ptrdiff_t n) noexcept
    ctypedef int (*olk_simd_invert)(double* a, ptrdiff_t n, double* work) noexcept

    double olk_max_entry(int wide, int normalised) noexcept
    double olk_lowest_pivot(int normalised, double added) noexcept
    double olk_raised_ridge(double ridge, double self_kernel) noexcept

    ctypedef struct olk_evidence:
        double error
        double weight
        double scale

    ctypedef struct olk_process:
        double forgetting
        double noise
        double jitter
        int32_t whitened
        int32_t by_divergence
        double max_coefficient
        double max_entry
        double max_scale
        double min_pivot
        ptrdiff_t budget
        ptrdiff_t n
        void* coef
        double* scale
        olk_evidence* evidence
        void* gram
        void* posterior
        void* mean
        void* row
        void* work
        void* work2
        void* work3
        double y
        double f
        double self_kernel
        double distance
        double variance
        ptrdiff_t slot

    ctypedef struct olk_tracking:
        double num

    ctypedef struct olk_lagging:
        double known
        double pending

    ctypedef struct olk_untuned:
        ptrdiff_t d
        ptrdiff_t budget
        ptrdiff_t stride
        ptrdiff_t n
        ptrdiff_t lags
        ptrdiff_t delay
        int32_t frozen
        olk_tracking* words
        double* origin
        olk_lagging* lagging
        double* recent
        double* pending_rows
        const double* row
        double weight
        double variance
        void* inputs
        void* vectors
        void* coef
        void* whitening
        void* factor
        void* mean
        void* kernel_row
        void* scratch

    ctypedef void (*olk_simd_auto_begin)(olk_untuned* t) noexcept
    ctypedef int (*olk_simd_auto_accepts)(const olk_untuned* t, const void* x) noexcept
    ctypedef double (*olk_simd_auto_learn)(olk_untuned* t, const void* x, double y) noexcept
    ctypedef double (*olk_simd_auto_answer)(olk_untuned* t, const void* x) noexcept
    ctypedef int (*olk_simd_auto_takes)(const olk_untuned* t, double y) noexcept
    ctypedef double (*olk_simd_auto_tell)(olk_untuned* t, double y) noexcept
    ctypedef void (*olk_simd_auto_forget)(const olk_untuned* t) noexcept

    ctypedef int (*olk_simd_process_outside)(olk_process* g) noexcept
    ctypedef ptrdiff_t (*olk_simd_process_victim)(const olk_process* g) noexcept
    ctypedef ptrdiff_t (*olk_simd_process_learn)(olk_process* g) noexcept
    ctypedef double (*olk_simd_process_variance)(const olk_process* g) noexcept
    ctypedef int (*olk_simd_process_is_sound)(const olk_process* g) noexcept

    ctypedef struct olk_simd:
        const char* name
        olk_row_fn row[5]
        olk_rows_fn rows[5]
        olk_sparse_fn sparse[5]
        olk_norm_fn norm[5]
        olk_pair_fn pair[5]
        olk_cached_row_fn cached_row[3]
        olk_simd_dot dot[3]
        olk_simd_weigh weigh[3]
        olk_simd_weigh_values weigh_values[3]
        olk_simd_axpy axpy[3]
        olk_simd_scale scale[3]
        olk_simd_clamp clamp[3]
        olk_simd_divide_by_probability divide_by_probability[3]
        olk_simd_flush_average flush_average[3]
        olk_simd_sizes sizes[3]
        olk_simd_max_abs max_abs[3]
        olk_simd_argmin argmin[3]
        olk_simd_argmin_abs argmin_abs[3]
        olk_simd_argmin_line argmin_line[3]
        olk_simd_argmin_plane argmin_plane[3]
        olk_simd_squares squares[3]
        olk_simd_cos_sin cos_sin[3]
        olk_simd_merge merge
        olk_simd_sum_uncertain sum_uncertain
        olk_simd_sample_evicted sample_evicted
        olk_simd_matrix_vector matrix_vector
        olk_simd_matrix_vectors matrix_vectors
        olk_simd_symmetric_product symmetric_product
        olk_simd_solve_inverse_factor solve_inverse_factor
        olk_simd_rank_two_update rank_two_update
        olk_simd_solve_lower solve_lower
        olk_simd_solve_lower_transposed solve_lower_transposed
        olk_simd_cholesky cholesky
        olk_simd_invert invert
        olk_simd_process_outside process_outside[3]
        olk_simd_process_victim process_victim[3]
        olk_simd_process_learn process_learn[3]
        olk_simd_process_variance process_variance[3]
        olk_simd_process_is_sound process_is_sound[3]
        olk_simd_auto_begin auto_begin[3]
        olk_simd_auto_accepts auto_accepts[3]
        olk_simd_auto_learn auto_learn[3]
        olk_simd_auto_answer auto_answer[3]
        olk_simd_auto_answer auto_variance[3]
        olk_simd_auto_takes auto_takes[3]
        olk_simd_auto_answer auto_ask[3]
        olk_simd_auto_tell auto_tell[3]
        olk_simd_auto_forget auto_forget[3]
        olk_learn_readings_fn learn_readings


# Rows that are scored together: how many, and the storage of their sums.

cdef extern from "ring_table.h" nogil:
    enum:
        OLK_MAX_BATCH_ROWS
        OLK_BLOCK
        OLK_SUMS_OF_BLOCK

    const double OLK_NEAR_F32
    const double OLK_NEAR_F64


# Rows by their non-zeros.

cdef extern from "sparse.h" nogil:
    ptrdiff_t olk_nonzeros(int dtype, const void* x, ptrdiff_t d, int32_t* index,
                           void* value) noexcept
    ptrdiff_t olk_count_nonzeros(int dtype, const void* x, ptrdiff_t d) noexcept
    ptrdiff_t olk_place_nonzeros(int dtype, const int32_t* narrow, const int64_t* wide,
                                 const double* value, ptrdiff_t count, ptrdiff_t d, int gaps,
                                 void* dense, int32_t* positions, void* values) noexcept


# Bounds on all numbers of a vector.

cdef extern from "mathf.h" nogil:
    const double OLK_MAX_AS_FLOAT

    int olk_within_f32(const float* x, ptrdiff_t n, float limit) noexcept
    int olk_within_f64(const double* x, ptrdiff_t n, double limit) noexcept


# The flag of a step that was not finished.

cdef extern from "sorf_types.h" nogil:
    enum:
        OLK_SEALED

    void olk_begin_step(uint16_t* flags) noexcept
    void olk_end_step(uint16_t* flags, uint16_t before) noexcept


# Random numbers: PCG32 by seed and stream, its draws, normal draws.

cdef extern from "random.h" nogil:
    const uint64_t OLK_PCG_NORMALS
    const uint64_t OLK_PCG_SIGNS

    uint64_t olk_pcg_seed(uint64_t seed, uint64_t step) noexcept


cdef extern from "random.h" nogil:
    void olk_pcg32_seed(uint64_t* state, uint64_t seed) noexcept
    double olk_uniform(uint64_t* state) noexcept
    int64_t olk_uniform_index(uint64_t* state, int64_t n) noexcept
    int olk_bernoulli(uint64_t* state, double p) noexcept


cdef extern from "normals.h" nogil:
    void olk_normals(uint64_t* state, ptrdiff_t n, double* out) noexcept


# Used once in a model's life: the eigenvectors of a Nystrom basis; used by a halving: selection.

cdef extern from "eigen.h" nogil:
    void olk_symmetric_eigen(const olk_simd* simd, double* v, double* d, double* e,
                             ptrdiff_t n) noexcept


cdef extern from "random.h" nogil:
    double olk_kth_largest(double* v, ptrdiff_t n, ptrdiff_t k) noexcept


# The forecaster. Members of ``olk_forecast`` are in the order of C: the exporter writes them so.

cdef extern from "sorf_types.h" nogil:
    enum:
        OLK_HISTORY_INPUTS
        OLK_HISTORY_NUMBERS
        OLK_PENDING_NUMBERS

    ctypedef struct olk_forecast:
        ptrdiff_t d
        int32_t kernel
        int32_t horizon
        int32_t season
        int32_t n_levels
        int32_t frozen
        double levels[8]

    ctypedef struct olk_forecast_state:
        void* history
        void* diagonal
        void* head
        void* ml_poly
        void* pending
        void* season
        uint64_t* n_asked
        uint16_t* flags

    ctypedef struct olk_forecast_answer:
        double answer
        double half_width[8]
        double share[3]

    int32_t olk_head_inputs(const olk_forecast* f) noexcept


# The learner on structured features. Members of ``olk_sorf`` are in the order of C, likewise.

cdef extern from "sorf_types.h" nogil:
    enum:
        OLK_SORF_WIDTHS
        OLK_SORF_BINARY
        OLK_SORF_CLASSES
        OLK_SORF_REGRESSION
        OLK_SORF_NOVELTY

    ctypedef struct olk_sorf:
        ptrdiff_t d
        ptrdiff_t D
        ptrdiff_t classes
        int32_t task
        int32_t groups
        int32_t first[6]
        int32_t widths[5]
        double omega[5][8]
        double size[5]
        int32_t n_blends
        int32_t linear
        int32_t last_label
        int32_t constant
        int32_t drift
        int32_t linear_group
        int32_t relevance
        double leak
        double blends[8]
        double kappa
        double r
        double sharp
        double delta
        double cmin
        double cmax
        double shrink
        double nu
        double window
        int32_t history
        uint64_t signs
        int32_t memory
        int32_t memory_narrow
        double memory_steps
        double hold
        int32_t delay
        int32_t kept_answers
        int32_t spacing
        int32_t gaussian_process

    ctypedef struct olk_sorf_state:
        void* w
        void* a
        void* L
        void* n
        uint64_t* t
        uint64_t* mistakes
        uint64_t* updates
        uint64_t* rounding
        uint16_t* flags
        float* label_counts
        void* linear_w
        void* linear_a
        uint32_t* late_counts
        uint8_t* late_answers
        void* late_losses
        double* target
        void* last
        void* novelty
        void* wl
        void* Sl
        void* log_scale
        void* gradient_square
        void* shared
        uint64_t* gradient_steps
        void* drift
        uint8_t* memory_rows
        uint64_t* memory_held
        void* memory_mistakes
        void* memory_narrow
        void* channels
        uint32_t* readings
        uint8_t* channel_bytes
        void* clock
        uint8_t* clock_bytes
        void* watch_scores
        uint64_t* watch
        void* inputs
        void* scores
        void* recalled
        void* row
        double* parts
        const double* counted
        uint8_t* answers
        int32_t place

    ctypedef double (*olk_sorf_learn_fn)(const olk_sorf* p, const olk_sorf_state* s,
                                         const void* row, double y, double weight) noexcept
    ctypedef double (*olk_sorf_novelty_fn)(const olk_sorf* p, const olk_sorf_state* s,
                                           const void* row) noexcept
    ctypedef double (*olk_sorf_watch_fn)(const olk_sorf* p, const olk_sorf_state* s,
                                         const void* row, double seconds) noexcept
    ctypedef void (*olk_sorf_event_fn)(const olk_sorf* p, const olk_sorf_state* s) noexcept
    ctypedef void (*olk_sorf_scores_fn)(const olk_sorf* p, const olk_sorf_state* s,
                                        const void* row, ptrdiff_t m, double* out) noexcept
    ctypedef void (*olk_sorf_features_fn)(const olk_sorf* p, const void* row, double norm,
                                          int wide, void* to) noexcept
    ctypedef double (*olk_sorf_share_fn)(const olk_sorf* p, const olk_sorf_state* s) noexcept
    ctypedef void (*olk_forecast_answer_fn)(const olk_forecast* f, const olk_forecast_state* state,
                                            const olk_sorf* p, const olk_sorf_state* s, void* z,
                                            olk_forecast_answer* answer) noexcept
    ctypedef int (*olk_forecast_tell_fn)(const olk_forecast* f, const olk_forecast_state* state,
                                         const olk_sorf* p, const olk_sorf_state* s, void* z,
                                         double target, double* answer) noexcept
    ctypedef void (*olk_forecast_plain_fn)(const olk_forecast* f,
                                           const olk_forecast_state* state) noexcept

    ctypedef struct olk_sorf_ops:
        const char* name
        olk_sorf_learn_fn learn
        olk_sorf_novelty_fn learn_novelty
        olk_sorf_watch_fn learn_in_time
        olk_sorf_event_fn accept
        olk_sorf_event_fn restart_rows
        olk_sorf_scores_fn scores
        olk_sorf_features_fn features
        olk_sorf_share_fn memory_share
        olk_forecast_answer_fn predict
        olk_forecast_answer_fn ask
        olk_forecast_tell_fn tell
        olk_forecast_plain_fn restart
        olk_forecast_plain_fn begin
        double largest_target


# What a model is, and where its regions are. ``olk_offsets`` is complete: it is filled by name.

cdef extern from "setup.h" nogil:
    enum:
        OLK_RUNS

    ctypedef struct olk_offsets:
        size_t weights
        size_t mean_weights
        size_t blend
        size_t target
        size_t last_label
        size_t linear
        size_t label_counts
        size_t linear_weights
        size_t linear_mean
        size_t relevance
        size_t shared_relevance
        size_t gradient_steps
        size_t drift
        size_t row_memory
        size_t memory_state
        size_t memory_mistakes
        size_t memory_narrow
        size_t late_counts
        size_t late_losses
        size_t late_answers
        size_t late_scores
        size_t novelty
        size_t channels
        size_t channel_counts
        size_t channel_bytes
        size_t clock
        size_t clock_bytes
        size_t watch_scores
        size_t watch
        size_t errors
        size_t skipped
        size_t history
        size_t forecaster
        size_t head
        size_t ml_poly
        size_t pending
        size_t season
        size_t kernel_rows
        size_t process_words
        size_t process_origin
        size_t process_inputs
        size_t process_vectors
        size_t process_coefficients
        size_t process_whitening
        size_t process_factor
        size_t process_mean
        size_t mixture
        size_t scaler
        size_t scaler_counts
        size_t scaler_range
        size_t statistics
        size_t common
        size_t clipped_rows
        size_t width
        size_t width_mean
        size_t width_follows
        size_t query
        size_t inputs
        size_t class_scores
        size_t recalled
        size_t feature_row
        size_t process_kernel_row
        size_t process_scratch
        size_t process_row

    ctypedef struct olk_run:
        size_t offset
        size_t bytes

    ctypedef struct olk_preprocessing:
        int32_t method
        int32_t pairs
        double clip
        double window
        int64_t freeze_after
        double common_clip
        double clamp
        double max_norm
        int64_t gamma_rows
        int32_t follows
        int32_t laplacian
        double gamma
        double max_gamma

    ctypedef struct olk_setup:
        ptrdiff_t features
        ptrdiff_t columns
        int32_t wide
        int32_t stored
        double max_weight
        double max_sum
        double lapse
        uint64_t seed
        double widths[5][8]
        int32_t forecasts
        olk_sorf sorf
        olk_forecast forecast
        olk_preprocessing preprocessing
        olk_offsets at
        olk_run cleared[4]

    ctypedef struct olk_process_ops:
        olk_simd_auto_begin begin
        olk_simd_auto_learn learn
        olk_simd_auto_answer answer

    ctypedef struct olk_constants:
        const olk_sorf* sorf
        const olk_forecast* forecast
        const double (*widths)[OLK_SORF_WIDTHS]
        const olk_sorf_ops* ops
        const olk_process_ops* process


# The intake of rows: scaling, clipping, the width.

cdef extern from "raw_row.h" nogil:
    ctypedef struct olk_indices:
        const int32_t* narrow
        const int64_t* wide

    ctypedef struct olk_raw_row:
        const double* wide
        const float* narrow
        olk_indices index
        const double* value
        int64_t count

    olk_raw_row olk_placed_row(const void* x, int wide) noexcept
    double olk_read_f64(const double* at) noexcept
    int64_t olk_read_i64(const int64_t* at) noexcept
    int64_t olk_read_index(olk_indices index, int64_t k) noexcept


cdef extern from "intake.h" nogil:
    ctypedef struct olk_intake:
        olk_learn_readings_fn learn_readings
        olk_raw_row row

    void olk_intake_attach(olk_intake* intake, const olk_setup* setup, uint8_t* base) noexcept
    int olk_intake_row(olk_intake* intake, olk_raw_row* row, int learning, void* query) noexcept
    void olk_intake_keep(olk_intake* intake) noexcept
    double olk_intake_clamp(const olk_intake* intake) noexcept
    olk_width* olk_intake_measured(const olk_intake* intake) noexcept
    int olk_intake_measures(const olk_intake* intake) noexcept
    double olk_intake_gamma(const olk_intake* intake) noexcept
    void olk_intake_start_width(olk_intake* intake, ptrdiff_t inputs) noexcept
    int olk_intake_width_is_due(olk_intake* intake, const void* x) noexcept
    void olk_intake_set_width(olk_intake* intake) noexcept


# A model of the sorf family over its block.

cdef extern from "sorf_model.h" nogil:
    ctypedef struct olk_model:
        const olk_setup* setup
        olk_constants constants
        int32_t lapsed
        olk_sorf_state state
        olk_forecast_state forecast
        olk_untuned process
        double* raw
        olk_sorf config
        double max_sum

    ctypedef struct olk_verdict:
        double score
        int novel
        int alarm
        int event
        int rare
        int part
        uint32_t channel
        uint64_t bits

    ctypedef struct olk_counts:
        uint64_t steps
        uint64_t mistakes
        uint64_t updates
        uint64_t skipped
        uint64_t clipped_rows
        uint64_t alarms
        uint64_t remembered

    void olk_model_attach(olk_model* m, uint8_t* block) noexcept
    void olk_model_set_width(olk_model* m, double gamma) noexcept
    void olk_model_begin(olk_model* m) noexcept
    int64_t olk_model_begin_answers(olk_model* m) noexcept
    void olk_model_count_answers(const olk_model* m, int64_t rows) noexcept
    void olk_model_keep_raw(olk_model* m, const olk_raw_row* row) noexcept
    int olk_model_decide(olk_model* m, const void* row, double* f) noexcept
    double olk_model_variance(olk_model* m, const void* row) noexcept
    int64_t olk_model_scores(olk_model* m, const void* rows, int64_t count, double* f) noexcept
    int olk_model_learn(olk_model* m, const void* x, double y, double weight, double* f,
                        olk_row_sums* sums) noexcept
    int olk_model_finish(olk_model* m, olk_intake* intake, const void* x,
                         const olk_row_sums* sums) noexcept
    int olk_model_ask_late(olk_model* m, const void* row, double* f) noexcept
    int olk_model_give_up(olk_model* m) noexcept
    int64_t olk_model_late_pending(const olk_model* m) noexcept
    void olk_model_restart(olk_model* m) noexcept
    void olk_model_accept(olk_model* m) noexcept
    olk_verdict olk_model_verdict(const olk_model* m) noexcept
    olk_counts olk_model_counts(const olk_model* m) noexcept


cdef extern from "sorf_forecaster.h" nogil:
    int64_t olk_model_pending(const olk_model* m) noexcept
    int olk_model_predict(const olk_model* m, void* x, olk_forecast_answer* answer) noexcept
    int olk_model_ask(const olk_model* m, void* x, olk_forecast_answer* answer) noexcept
    int olk_model_tell(const olk_model* m, olk_intake* intake, void* x, double y) noexcept
    int olk_model_check_target(const olk_model* m, double y) noexcept


# What it does outside the loops, as far as Cython code calls it.

cdef extern from "row_memory_state.h" nogil:
    double olk_memory_steps_of(const olk_sorf* p, double gamma, int wide) noexcept


cdef extern from "drift.h" nogil:
    enum:
        OLK_DRIFT_SINCE

    double olk_drift_number(const olk_sorf_state* s, int wide, int i) noexcept


cdef extern from "sorf_row.h" nogil:
    double olk_sorf_set_width(const olk_sorf* p, double (*omega)[OLK_SORF_WIDTHS],
                              const double (*widths)[OLK_SORF_WIDTHS], double gamma,
                              int wide) noexcept
