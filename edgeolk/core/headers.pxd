"""Written from the headers in loops by generate.py; do not edit."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Params


cdef extern from "storage.h" nogil:
    enum:
        OLK_F32
        OLK_F64
        OLK_F16
        OLK_I8
        OLK_STORAGES
        OLK_DTYPES

    ctypedef struct olk_quantizer:
        const float* scale
        const float* offset

    float olk_half_to_float(uint16_t) noexcept
    uint16_t olk_float_to_half(float) noexcept
    float olk_float_to_odd(double) noexcept
    float olk_nearest(float) noexcept
    ptrdiff_t olk_stored_bytes(int) noexcept
    int olk_is_quantized(int) noexcept
    double olk_fetch(int, const void *, ptrdiff_t, ptrdiff_t, const olk_quantizer *) noexcept
    void olk_store(int, void *, ptrdiff_t, ptrdiff_t, double, const olk_quantizer *) noexcept
    float olk_round_to_storage(int, float, ptrdiff_t, const olk_quantizer *) noexcept
    ptrdiff_t olk_dtype_bytes(int) noexcept
    double olk_get(int, const void *, ptrdiff_t) noexcept
    void olk_put(int, void *, ptrdiff_t, double) noexcept
    ptrdiff_t olk_quantize_row(int, const void *, float *, ptrdiff_t,
                               const olk_quantizer *) noexcept


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

    double olk_fmin(double, double) noexcept
    double olk_fmax(double, double) noexcept
    int olk_is_no_spread(double, double) noexcept
    double olk_half_distance(const olk_feature *, double) noexcept
    void olk_count_clipped(olk_feature *) noexcept
    void olk_set_spread(olk_feature *, double) noexcept
    void olk_move_mean(olk_feature *, double) noexcept
    void olk_start_feature(olk_feature *, double) noexcept
    void olk_learn_constant(olk_feature *, double) noexcept
    void olk_learn_reading(olk_feature *, double, double, double) noexcept
    int olk_is_clipped(const olk_feature *, double, double) noexcept


cdef extern from "lines.h" nogil:
    ctypedef struct olk_affine:
        double centre
        double rest
        double half
        double low
        double high

    olk_affine olk_finish_affine(olk_affine, double) noexcept
    olk_affine olk_standard_affine(const olk_feature *, double) noexcept
    olk_affine olk_range_affine(const olk_feature *, double, double, double) noexcept
    double olk_scaled_number(double, double, double, double, double, double) noexcept


cdef extern from "compact.h" nogil:
    enum:
        OLK_COMPACT_BYTES
        OLK_COMPACT_WINDOW
        OLK_COMPACT_CLIP
        OLK_EMPTY
        OLK_ONE_READING
        OLK_ABOVE
        OLK_BELOW
        OLK_CONSTANT
        OLK_PENDING
        OLK_RUNNING
        OLK_MAX_AGE_CODE
        OLK_SPREAD_CUT
        OLK_MEAN_BITS
        OLK_MEAN_UNIT
        OLK_MAX_SHIFT

    const float olk_max_reading
    const float olk_min_spread
    const uint32_t olk_max_spread_bits
    ctypedef struct olk_compact_rule:
        float clip
        float min_gain
        int32_t min_gain_age

    ctypedef struct olk_compact:
        uint32_t word
        uint32_t spread
        uint32_t code

    uint32_t olk_bits_of(float) noexcept
    float olk_float_of(uint32_t) noexcept
    float olk_two(int32_t) noexcept
    olk_compact olk_compact_of(const uint8_t *) noexcept
    void olk_compact_put(uint8_t *, const olk_compact *) noexcept
    olk_compact_rule olk_compact_rule_of(double, double) noexcept
    uint32_t olk_spread_of(float) noexcept
    float olk_spread_value(uint32_t) noexcept
    int32_t olk_mean_units(uint32_t) noexcept
    int32_t olk_mean_power(uint32_t, int32_t) noexcept
    float olk_from_mean(float, int32_t, float) noexcept
    float olk_reading_within(float, float) noexcept
    int32_t olk_floor(float) noexcept
    uint32_t olk_rounding_hash(uint32_t, uint32_t) noexcept
    void olk_compact_constant(olk_compact *, float) noexcept
    void olk_compact_begin(olk_compact *, float, float) noexcept
    void olk_compact_start(olk_compact *, float, float) noexcept
    void olk_compact_wake(olk_compact *, float) noexcept
    float olk_root_less_one(float) noexcept
    float olk_compact_run(olk_compact *, float, const olk_compact_rule *, uint32_t,
                          uint32_t) noexcept
    float olk_compact_scaled(const olk_compact *, float, const olk_compact_rule *) noexcept
    float olk_compact_learn(olk_compact *, float, const olk_compact_rule *, uint32_t,
                            uint32_t) noexcept
    double olk_compact_mean(const olk_compact *) noexcept
    double olk_compact_sd(const olk_compact *) noexcept
    void olk_compact_limit_age(uint8_t *, uint32_t) noexcept
    int olk_compact_holds(const uint8_t *, int64_t) noexcept


cdef extern from "preprocessing.h" nogil:
    enum:
        OLK_STANDARD
        OLK_MINMAX
        OLK_COMPACT

    ctypedef struct olk_scaler:
        double clip
        double window
        int64_t freeze_after
        int16_t method
        int16_t by_feature
        double* numbers
        int32_t* counts
        double* minimum
        double* maximum
        uint8_t* records
        olk_compact_rule rule

    ctypedef struct olk_reading:
        olk_feature feature
        double minimum
        double maximum

    int olk_is_compact(const olk_scaler *) noexcept
    double* olk_numbers_of(const olk_scaler *, ptrdiff_t) noexcept
    int32_t* olk_counts_of(const olk_scaler *, ptrdiff_t) noexcept
    int olk_has_range(const olk_scaler *) noexcept
    olk_reading olk_load_reading(const olk_scaler *, ptrdiff_t) noexcept
    int olk_is_frozen(const olk_scaler *, int64_t) noexcept
    double olk_learn_record(const olk_scaler *, ptrdiff_t, double, int64_t, uint8_t *) noexcept
    void olk_learn_statistics(const olk_scaler *, olk_reading *, double, int64_t) noexcept
    olk_affine olk_affine_of(const olk_scaler *, const olk_reading *) noexcept
    double olk_scale_reading(const olk_scaler *, ptrdiff_t, double, int64_t, int) noexcept
    int olk_has_deviation(const olk_scaler *, ptrdiff_t) noexcept
    ptrdiff_t olk_count_deviating(const olk_scaler *, ptrdiff_t) noexcept
    int olk_is_adapting(const olk_scaler *, int64_t) noexcept
    void olk_limit_age(const olk_scaler *, ptrdiff_t, int32_t) noexcept
    void olk_update_reading(const olk_scaler *, ptrdiff_t, double, int64_t) noexcept


cdef extern from "common.h" nogil:
    const double olk_common_bound
    ctypedef struct olk_common:
        double mean
        double squares

    ctypedef struct olk_two_numbers:
        double first
        double second
        double others

    ctypedef struct olk_shared_affine:
        double centre
        double half

    double olk_clip_reading(double) noexcept
    void olk_learn_common(olk_common *, double, double) noexcept
    olk_shared_affine olk_common_affine(const olk_common *, double) noexcept
    void olk_learn_pair(olk_two_numbers *, double, double) noexcept
    void olk_learn_pairs(olk_two_numbers *, const double *, ptrdiff_t, double) noexcept
    olk_shared_affine olk_pair_affine(const olk_two_numbers *, double) noexcept
    double olk_common_scaled(const olk_shared_affine *, double, double) noexcept
    void olk_scale_common(const olk_shared_affine *, double, const double *, ptrdiff_t,
                          double *) noexcept


cdef extern from "length.h" nogil:
    ctypedef struct olk_length:
        double total
        double largest

    void olk_measure(olk_length *, double) noexcept
    int olk_is_within(const olk_length *, double) noexcept
    void olk_measure_again(olk_length *, double) noexcept
    double olk_clip_factor(const olk_length *, double) noexcept


cdef extern from "width.h" nogil:
    enum:
        OLK_PRIOR_ROWS
        OLK_WIDTH_ROWS

    const double olk_min_square
    ctypedef struct olk_width:
        double gamma
        double spread
        int64_t measured
        int64_t steps
        int64_t mistakes
        int64_t updates
        int64_t capacity_hits

    ctypedef struct olk_row_sums:
        double sizes
        double squares
        double clamped

    void olk_measure_row(olk_width *, void *, const void *, ptrdiff_t, int, int) noexcept
    double olk_gamma_of(const olk_width *, int, double, double) noexcept
    double olk_gamma_from_square(double) noexcept
    olk_row_sums olk_sums_of_row(const void *, ptrdiff_t, int, double) noexcept
    double olk_update_mean_square(double, double, ptrdiff_t, int, uint64_t) noexcept


cdef extern from "simd.h" nogil:
    enum:
        OLK_DISTANCE
        OLK_GAUSSIAN
        OLK_LAPLACIAN
        OLK_POLYNOMIAL
        OLK_LINEAR
        OLK_SIGMOID

    ctypedef double (*olk_row_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                  const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n,
                                  ptrdiff_t d, const void *x, int dtype, const void *coef,
                                  void *row, void *products) noexcept
    ctypedef void (*olk_rows_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                 const olk_quantizer *quantizer, ptrdiff_t stride, ptrdiff_t n,
                                 ptrdiff_t d, const void *x, ptrdiff_t pitch, ptrdiff_t count,
                                 const olk_row_outputs *wanted) noexcept
    ctypedef double (*olk_cached_row_fn)(const void *values, ptrdiff_t n, int dtype,
                                         const void *coef, void *row) noexcept
    ctypedef double (*olk_sparse_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                     ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                     const int32_t *index, const void *values, int dtype,
                                     const void *coef, void *row) noexcept
    ctypedef double (*olk_norm_fn)(const olk_kernel *kernel, const void *sv, ptrdiff_t stride,
                                   ptrdiff_t d) noexcept
    ctypedef double (*olk_pair_fn)(const olk_kernel *kernel, const void *a, const void *b,
                                   ptrdiff_t d) noexcept
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

    ctypedef double (*olk_simd_dot)(const void *a, const void *b, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_weigh)(const void *row, const void *coef, ptrdiff_t stride,
                                    ptrdiff_t n, ptrdiff_t columns, double *f) noexcept
    ctypedef void (*olk_simd_weigh_values)(int dtype, const void *values, const void *coef,
                                           ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                           double *f) noexcept
    ctypedef void (*olk_simd_axpy)(void *y, double w, const void *x, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_scale)(void *coef, ptrdiff_t n, double factor) noexcept
    ctypedef void (*olk_simd_clamp)(void *coef, ptrdiff_t n, double limit) noexcept
    ctypedef void (*olk_simd_divide_by_probability)(void *coef, const double *w, ptrdiff_t n,
                                                    double c) noexcept
    ctypedef void (*olk_simd_flush_average)(const void *coef, double weight, double *start,
                                            double *sum, ptrdiff_t n) noexcept
    ctypedef double (*olk_simd_sizes)(const void *coef, const double *diagonal, ptrdiff_t n,
                                      double *size) noexcept
    ctypedef double (*olk_simd_max_abs)(const void *coef, const double *diagonal,
                                        ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin)(const void *v, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_abs)(const void *coef, const double *diagonal,
                                              const int64_t *arrival, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_line)(const void *coef, const double *weight,
                                               const double *diagonal, const void *row, double k_tt,
                                               ptrdiff_t n, double *smallest) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_plane)(const void *coef, const double *weight,
                                                const double *diagonal, const void *row,
                                                double k_tt, const int64_t *near,
                                                const double *near_k, double singular, ptrdiff_t n,
                                                double *smallest) noexcept
    ctypedef void (*olk_simd_squares)(const void *coef, ptrdiff_t stride, ptrdiff_t n,
                                      ptrdiff_t columns, double *squares) noexcept
    ctypedef void (*olk_simd_cos_sin)(void *row, ptrdiff_t n, double norm) noexcept
    ctypedef void (*olk_simd_merge)(int dtype, double b, double gamma, ptrdiff_t iters,
                                    const void *coef, const void *distance, ptrdiff_t n,
                                    double *height, double *loss) noexcept
    ctypedef double (*olk_simd_sum_uncertain)(const double *w, ptrdiff_t n, double c,
                                              ptrdiff_t *certain) noexcept
    ctypedef ptrdiff_t (*olk_simd_sample_evicted)(const double *w, ptrdiff_t n, double c,
                                                  double u) noexcept
    ctypedef void (*olk_simd_matrix_vector)(const double *a, ptrdiff_t stride, ptrdiff_t m,
                                            ptrdiff_t n, const double *x, double *y) noexcept
    ctypedef void (*olk_simd_matrix_vectors)(const double *a, ptrdiff_t stride, ptrdiff_t m,
                                             ptrdiff_t n, const double *x, ptrdiff_t x_pitch,
                                             ptrdiff_t count, double *y, ptrdiff_t pitch) noexcept
    ctypedef void (*olk_simd_rotate)(double *low, double *high, double c, double s,
                                     ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_symmetric_product)(const double *a, ptrdiff_t n, const double *x,
                                                double *y) noexcept
    ctypedef double (*olk_simd_solve_inverse_factor)(const double *m, ptrdiff_t n, const double *x,
                                                     double *y) noexcept
    ctypedef void (*olk_simd_rank_two_update)(double *a, ptrdiff_t n, double p, const double *u,
                                              double q, const double *c) noexcept
    ctypedef void (*olk_simd_solve_lower)(const double *l, double *b, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_solve_lower_transposed)(const double *l, double *b,
                                                     ptrdiff_t n) noexcept
    ctypedef int (*olk_simd_cholesky)(double *a, ptrdiff_t n) noexcept
    ctypedef int (*olk_simd_invert)(double *a, ptrdiff_t n, double *work) noexcept
    ctypedef void (*olk_simd_learn_readings)(uint8_t *to, const uint8_t *record, const double *x,
                                             ptrdiff_t m, const olk_compact_rule *rule,
                                             uint32_t row, uint32_t first, double *z) noexcept
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
        olk_simd_rotate rotate
        olk_simd_symmetric_product symmetric_product
        olk_simd_solve_inverse_factor solve_inverse_factor
        olk_simd_rank_two_update rank_two_update
        olk_simd_solve_lower solve_lower
        olk_simd_solve_lower_transposed solve_lower_transposed
        olk_simd_cholesky cholesky
        olk_simd_invert invert
        olk_simd_learn_readings learn_readings


cdef extern from "tiles.h" nogil:
    enum:
        OLK_MAX_VECTORS
        OLK_32_REGISTERS
        OLK_MAX_BATCH_ROWS
        OLK_BLOCK
        OLK_SUMS_OF_BLOCK
        OLK_PANEL_BYTES
        OLK_DEPTH

    const double OLK_NEAR_F32
    const double OLK_NEAR_F64
    int olk_is_inner(const int) noexcept
    int olk_is_squared(const olk_kernel *) noexcept
    int olk_is_exponential(const olk_kernel *) noexcept
    int olk_has_norms(int) noexcept


cdef extern from "nonzeros.h" nogil:
    int olk_lowest_bit(uint64_t) noexcept
    uint64_t olk_set_bits(const int, const void *, ptrdiff_t) noexcept
    ptrdiff_t olk_nonzeros_as(const int, const void *, ptrdiff_t, int32_t *, void *) noexcept
    ptrdiff_t olk_nonzeros(int, const void *, ptrdiff_t, int32_t *, void *) noexcept
    ptrdiff_t olk_count_nonzeros(int, const void *, ptrdiff_t) noexcept
    ptrdiff_t olk_place_nonzeros(int, const int32_t *, const int64_t *, const double *, ptrdiff_t,
                                 ptrdiff_t, void *, int32_t *, void *) noexcept


cdef extern from "finite.h" nogil:
    const double OLK_MAX_AS_FLOAT
    int olk_within_f32(const float *, ptrdiff_t, float) noexcept
    int olk_within_f64(const double *, ptrdiff_t, double) noexcept


cdef extern from "event_words.h" nogil:
    enum:
        OLK_EVENT_ROWS
        OLK_IDLE_ROWS
        OLK_EVENTS
        OLK_QUIET_ROWS
        OLK_VERDICT
        OLK_EVENT_STATE
        OLK_WATCH_WORDS
        OLK_MAX_EVENT_ROWS
        OLK_EVENT_CHANNEL
        OLK_EVENT_IS_VALUE
        OLK_EVENT_IS_FLAT
        OLK_RESTARTED
        OLK_BEFORE_EVENT
        OLK_SCORE_NUMBERS


cdef extern from "dirty_flag.h" nogil:
    enum:
        OLK_TORN
        OLK_SEALED

    void olk_begin_step(uint16_t *) noexcept
    void olk_end_step(uint16_t *, uint16_t) noexcept


cdef extern from "pcg.h" nogil:
    const uint64_t OLK_PCG_FACTOR
    const uint64_t OLK_PCG_DRAWS
    const uint64_t OLK_PCG_SIGNS
    uint32_t olk_pcg_word(uint64_t) noexcept
    uint32_t olk_pcg_next(uint64_t *, uint64_t) noexcept
    uint64_t olk_pcg_seed(uint64_t, uint64_t) noexcept
    void olk_pcg_skip(uint64_t *, uint64_t, uint64_t) noexcept


cdef extern from "rng.h" nogil:
    uint32_t olk_pcg32(uint64_t *) noexcept
    void olk_pcg32_seed(uint64_t *, uint64_t) noexcept
    double olk_uniform(uint64_t *) noexcept
    int64_t olk_uniform_index(uint64_t *, int64_t) noexcept
    int olk_bernoulli(uint64_t *, double) noexcept


cdef extern from "normals.h" nogil:
    ctypedef struct olk_u128:
        uint64_t high
        uint64_t low

    ctypedef struct olk_pcg64:
        olk_u128 state
        olk_u128 increment

    olk_u128 olk_add_128(olk_u128, olk_u128) noexcept
    olk_u128 olk_multiply_128(olk_u128, olk_u128) noexcept
    uint64_t olk_pcg64_next(olk_pcg64 *) noexcept
    uint32_t olk_hash_word(uint32_t, uint32_t *, uint32_t) noexcept
    void olk_seed_words(uint64_t, uint32_t *) noexcept
    void olk_pcg64_seed(olk_pcg64 *, uint64_t) noexcept
    double olk_pcg64_uniform(olk_pcg64 *) noexcept
    double olk_normal_tail(olk_pcg64 *) noexcept
    double olk_standard_normal(olk_pcg64 *) noexcept


cdef extern from "eigen.h" nogil:
    enum:
        OLK_MAX_SWEEPS

    const double olk_min_share
    void olk_reduce(const olk_simd *, double *, double *, double *, ptrdiff_t) noexcept
    void olk_tridiagonalise(const olk_simd *, double *, double *, double *, ptrdiff_t) noexcept
    double olk_ql_sweep(const olk_simd *, double *, double *, double *, ptrdiff_t, ptrdiff_t,
                        ptrdiff_t) noexcept
    void olk_implicit_ql(const olk_simd *, double *, double *, double *, ptrdiff_t) noexcept
    void olk_symmetric_eigen(const olk_simd *, double *, double *, double *, ptrdiff_t) noexcept


cdef extern from "selection.h" nogil:
    double olk_kth_largest(double *, ptrdiff_t, ptrdiff_t) noexcept


cdef extern from "forecast_types.h" nogil:
    enum:
        OLK_INTERVALS
        OLK_HEAD_INPUTS
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

    ptrdiff_t olk_diagonal_inputs(const olk_forecast *) noexcept
    int32_t olk_head_inputs(const olk_forecast *) noexcept
    int32_t olk_n_experts(const olk_forecast *) noexcept


cdef extern from "sorf_types.h" nogil:
    enum:
        OLK_SORF_GROUPS
        OLK_SORF_WIDTHS
        OLK_SORF_BLENDS
        OLK_RELEVANCE_EACH
        OLK_RELEVANCE_SHARED
        OLK_MEMORY_WEIGHTS
        OLK_SORF_BINARY
        OLK_SORF_CLASSES
        OLK_SORF_REGRESSION
        OLK_SORF_NOVELTY

    ctypedef double (*olk_sorf_learn_fn)(const olk_sorf *, const olk_sorf_state *,
                                         const olk_sorf_row *, double y, double weight) noexcept
    ctypedef double (*olk_sorf_novelty_fn)(const olk_sorf *, const olk_sorf_state *,
                                           const olk_sorf_row *) noexcept
    ctypedef void (*olk_sorf_event_fn)(const olk_sorf *, const olk_sorf_state *) noexcept
    ctypedef void (*olk_sorf_scores_fn)(const olk_sorf *, const olk_sorf_state *,
                                        const olk_sorf_row *, ptrdiff_t m, double *out) noexcept
    ctypedef void (*olk_sorf_features_fn)(const olk_sorf *, const olk_sorf_row *, double norm,
                                          int wide, void *to) noexcept
    ctypedef void (*olk_forecast_answer_fn)(const olk_forecast *, const olk_forecast_state *,
                                            const olk_sorf *, const olk_sorf_state *, void *z,
                                            olk_forecast_answer *answer) noexcept
    ctypedef int (*olk_forecast_tell_fn)(const olk_forecast *, const olk_forecast_state *,
                                         const olk_sorf *, const olk_sorf_state *, void *z,
                                         double target, double *answer) noexcept
    ctypedef void (*olk_forecast_plain_fn)(const olk_forecast *,
                                           const olk_forecast_state *) noexcept
    ctypedef struct olk_sorf:
        ptrdiff_t d
        ptrdiff_t D
        ptrdiff_t classes
        int32_t task
        int32_t groups
        int32_t first[5]
        int32_t widths[4]
        double omega[4][8]
        double size[4]
        int32_t n_blends
        int32_t linear
        int32_t last_label
        int32_t drift
        int32_t relevance
        double leak
        double blends[8]
        double kappa
        double r
        double sharp
        double memory
        double cmin
        double cmax
        double shrink
        double nu
        double forget
        int32_t history
        int32_t robust
        uint64_t signs
        int32_t row_memory
        int32_t memory_narrow
        double memory_steps
        double hold

    ctypedef struct olk_sorf_state:
        void* w
        void* a
        double* L
        double* n
        uint64_t* t
        uint64_t* mistakes
        uint64_t* updates
        uint64_t* rounding
        uint16_t* flags
        double* target
        double* last
        double* novelty
        void* wl
        void* Sl
        void* log_scale
        void* gradient_square
        void* shared
        uint64_t* gradient_steps
        void* drift
        uint8_t* memory_rows
        uint64_t* memory_held
        double* memory_mistakes
        double* memory_narrow
        void* channels
        uint32_t* readings
        void* deviations
        uint64_t* watch
        void* inputs
        double* scores
        double* recalled
        void* row

    ctypedef struct olk_sorf_row:
        const void* values
        const int32_t* index
        ptrdiff_t count

    ctypedef struct olk_sorf_ops:
        const char* name
        olk_sorf_learn_fn learn
        olk_sorf_novelty_fn learn_novelty
        olk_sorf_novelty_fn learn_in_time
        olk_sorf_event_fn accept
        olk_sorf_event_fn restart_rows
        olk_sorf_scores_fn scores
        olk_sorf_features_fn features
        olk_forecast_answer_fn predict
        olk_forecast_answer_fn ask
        olk_forecast_tell_fn tell
        olk_forecast_plain_fn restart
        olk_forecast_plain_fn begin
        double largest_target


cdef extern from "kept_rows.h" nogil:
    enum:
        OLK_MAX_CODE
        OLK_ZERO_CODE

    const double olk_memory_step
    const double olk_memory_cost
    const double olk_memory_cost_of_two
    const double olk_memory_undecided
    ctypedef struct olk_memory_blend:
        double mean
        double narrow

    int olk_has_memory(const olk_sorf *) noexcept
    void olk_set_memory_steps(olk_sorf *, double) noexcept
    uint8_t* olk_memory_codes(const olk_sorf *, const olk_sorf_state *, ptrdiff_t) noexcept
    uint8_t* olk_memory_labels(const olk_sorf *, const olk_sorf_state *) noexcept
    ptrdiff_t olk_memory_n_rows(const olk_sorf_state *) noexcept
    ptrdiff_t olk_memory_head(const olk_sorf_state *) noexcept
    void olk_memory_set_rows(const olk_sorf_state *, ptrdiff_t, ptrdiff_t) noexcept
    double olk_cost_of_memory(const olk_sorf *) noexcept
    olk_memory_blend olk_memory_blend_of(const olk_sorf *, const olk_sorf_state *) noexcept
    double olk_memory_weight(const olk_sorf *, const olk_sorf_state *) noexcept
    void olk_clear_memory(const olk_sorf_state *) noexcept
    ptrdiff_t olk_best_rival(const double *, ptrdiff_t, ptrdiff_t) noexcept
    double olk_memory_score(const double *, ptrdiff_t, olk_memory_blend, ptrdiff_t) noexcept
    double olk_memory_margin(const olk_sorf *, const double *, olk_memory_blend, double) noexcept
    int olk_n_memory_experts(const olk_sorf_state *) noexcept
    olk_memory_blend olk_memory_expert(int) noexcept


cdef extern from "drift.h" nogil:
    enum:
        OLK_DRIFT_SPREAD
        OLK_DRIFT_GAP
        OLK_DRIFT_FAST
        OLK_DRIFT_SLOW
        OLK_DRIFT_SINCE
        OLK_DRIFT_ALARMS
        OLK_DRIFT_NUMBERS
        OLK_ALARM_AGE

    const double olk_max_counted
    const double olk_fast_rows
    const double olk_slow_rows
    const double olk_first_check
    const double olk_alarm_interval
    const double olk_alarm_retry
    const double olk_alarm_factor
    const double olk_alarm_margin
    const double olk_min_fitting_spread
    const double olk_alarm_gap
    const double olk_max_square
    double olk_drift_number(const olk_sorf_state *, int, int) noexcept
    void olk_put_drift_number(const olk_sorf_state *, int, int, double) noexcept
    void olk_update_average(const olk_sorf_state *, int, int, double, double) noexcept
    void olk_record_losses(const olk_sorf *, const olk_sorf_state *, int, double, double,
                           double) noexcept
    void olk_record_spread(const olk_sorf_state *, double, ptrdiff_t, int) noexcept
    void olk_reset_weights(const olk_sorf *, const olk_sorf_state *, size_t) noexcept
    void olk_check_drift(const olk_sorf *, const olk_sorf_state *, const olk_scaler *, double,
                         ptrdiff_t, int64_t, int, size_t) noexcept


cdef extern from "sorf_row.h" nogil:
    const double olk_max_double_sum
    const double olk_max_single_sum
    const double olk_max_growth
    const double olk_max_linear_sum
    const double olk_max_gradient_sum
    const double olk_max_regression_target
    double olk_sorf_set_width(olk_sorf *, const double (*)[OLK_SORF_WIDTHS], double, int) noexcept
    int olk_sorf_accepts(const void *, ptrdiff_t, int, double) noexcept
    int olk_sorf_accepts_target(double) noexcept
    void olk_sorf_begin(const olk_sorf *, const olk_sorf_state *, int) noexcept


cdef inline void take_parameters(olk_sorf* p, const Params* v) noexcept nogil:
    p.groups = <int32_t>v.groups
    p.linear = <int32_t>v.linear
    p.last_label = <int32_t>v.last_label
    p.drift = <int32_t>v.drift
    p.relevance = <int32_t>v.relevance
    p.leak = v.leak
    p.r = v.r
    p.sharp = v.sharp
    p.memory = v.memory
    p.cmin = v.cmin
    p.cmax = v.cmax
    p.shrink = v.shrink
    p.nu = v.nu
    p.forget = v.forget
    p.history = <int32_t>v.history
    p.robust = <int32_t>v.robust
    p.row_memory = <int32_t>v.row_memory
    p.memory_narrow = <int32_t>v.memory_narrow
