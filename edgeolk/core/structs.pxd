"""Written from the headers in loops by generate.py; do not edit."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Params


cdef extern from "sorf_types.h" nogil:
    enum:
        OLK_SORF_GROUPS
        OLK_SORF_WIDTHS
        OLK_SORF_BLENDS
        OLK_RELEVANCE_EACH
        OLK_RELEVANCE_SHARED
        OLK_MEMORY_SHARES
        OLK_SORF_TWO
        OLK_SORF_CLASSES
        OLK_SORF_REGRESSION
        OLK_SORF_NOVELTY

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


cdef extern from "forecast_types.h" nogil:
    enum:
        OLK_INTERVALS
        OLK_HEAD_INPUTS
        OLK_HISTORY_INPUTS
        OLK_HISTORY_NUMBERS
        OLK_WAITING_NUMBERS

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
        void* guard
        void* waiting
        void* season
        uint64_t* asked
        uint16_t* flags

    ctypedef struct olk_forecast_answer:
        double answer
        double reach[8]
        double share[3]


cdef extern from "event_words.h" nogil:
    enum:
        OLK_EVENT_ROWS
        OLK_IDLE_ROWS
        OLK_EVENTS
        OLK_QUIET_ROWS
        OLK_VERDICT
        OLK_HELD
        OLK_WATCH_WORDS
        OLK_MOST_LASTED
        OLK_HELD_CHANNEL
        OLK_HOLDS_VALUE
        OLK_HOLDS_FLAT
        OLK_BEGINS_ANEW
        OLK_BEFORE_EVENT
        OLK_SCORE_NUMBERS


cdef extern from "winsor.h" nogil:
    enum:
        OLK_START

    ctypedef struct olk_feature:
        double mean
        double low
        double sd
        double held
        uint32_t age
        uint32_t clipped


cdef extern from "lines.h" nogil:
    ctypedef struct olk_line:
        double centre
        double rest
        double half
        double low
        double high


cdef extern from "compact.h" nogil:
    enum:
        OLK_COMPACT_BYTES
        OLK_COMPACT_WINDOW
        OLK_COMPACT_CLIP
        OLK_NOTHING
        OLK_ONE_READING
        OLK_ABOVE
        OLK_BELOW
        OLK_CONSTANT
        OLK_WAITS
        OLK_RUNNING
        OLK_OLDEST
        OLK_SPREAD_CUT
        OLK_MEAN_BITS
        OLK_MEAN_UNIT
        OLK_MOST_SHIFT

    ctypedef struct olk_compact_rule:
        float clip
        float least_gain
        int32_t young

    ctypedef struct olk_compact:
        uint32_t word
        uint32_t spread
        uint32_t code


cdef extern from "storage.h" nogil:
    enum:
        OLK_F32
        OLK_F64
        OLK_F16
        OLK_I8
        OLK_STORAGES
        OLK_REALS

    ctypedef struct olk_quantum:
        const float* scale
        const float* offset


cdef extern from "simd.h" nogil:
    enum:
        OLK_DISTANCE
        OLK_GAUSSIAN
        OLK_LAPLACIAN
        OLK_POLYNOMIAL
        OLK_LINEAR
        OLK_SIGMOID

    ctypedef double (*olk_row_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                  const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n,
                                  ptrdiff_t d, const void *x, int real, const void *coef, void *row,
                                  void *products) noexcept
    ctypedef void (*olk_rows_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                 const olk_quantum *quantum, ptrdiff_t stride, ptrdiff_t n,
                                 ptrdiff_t d, const void *x, ptrdiff_t pitch, ptrdiff_t count,
                                 const olk_wanted *wanted) noexcept
    ctypedef double (*olk_recall_fn)(const void *values, ptrdiff_t n, int real, const void *coef,
                                     void *row) noexcept
    ctypedef double (*olk_sparse_fn)(const olk_kernel *kernel, const void *sv, const void *norms,
                                     ptrdiff_t stride, ptrdiff_t n, ptrdiff_t count,
                                     const int32_t *index, const void *values, int real,
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

    ctypedef struct olk_wanted:
        int real
        const void* coef
        ptrdiff_t columns
        ptrdiff_t stride
        double* f
        void* values
        ptrdiff_t apart

    ctypedef double (*olk_simd_dot)(const void *a, const void *b, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_weigh)(const void *row, const void *coef, ptrdiff_t stride,
                                    ptrdiff_t n, ptrdiff_t columns, double *f) noexcept
    ctypedef void (*olk_simd_weigh_values)(int real, const void *values, const void *coef,
                                           ptrdiff_t stride, ptrdiff_t n, ptrdiff_t columns,
                                           double *f) noexcept
    ctypedef void (*olk_simd_axpy)(void *y, double w, const void *x, ptrdiff_t n) noexcept
    ctypedef void (*olk_simd_scale)(void *coef, ptrdiff_t n, double factor) noexcept
    ctypedef void (*olk_simd_clamp)(void *coef, ptrdiff_t n, double most) noexcept
    ctypedef void (*olk_simd_divide_by_probability)(void *coef, const double *w, ptrdiff_t n,
                                                    double c) noexcept
    ctypedef void (*olk_simd_settle)(const void *coef, double weight, double *start, double *sum,
                                     ptrdiff_t n) noexcept
    ctypedef double (*olk_simd_sizes)(const void *coef, const double *diagonal, ptrdiff_t n,
                                      double *size) noexcept
    ctypedef double (*olk_simd_max_abs)(const void *coef, const double *diagonal,
                                        ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin)(const void *v, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_abs)(const void *coef, const double *diagonal,
                                              const int64_t *arrival, ptrdiff_t n) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_line)(const void *coef, const double *weight,
                                               const double *diagonal, const void *row, double k_tt,
                                               ptrdiff_t n, double *least) noexcept
    ctypedef ptrdiff_t (*olk_simd_argmin_plane)(const void *coef, const double *weight,
                                                const double *diagonal, const void *row,
                                                double k_tt, const int64_t *near,
                                                const double *near_k, double singular, ptrdiff_t n,
                                                double *least) noexcept
    ctypedef void (*olk_simd_squares)(const void *coef, ptrdiff_t stride, ptrdiff_t n,
                                      ptrdiff_t columns, double *squares) noexcept
    ctypedef void (*olk_simd_cos_sin)(void *row, ptrdiff_t n, double norm) noexcept
    ctypedef void (*olk_simd_merge)(int real, double b, double gamma, ptrdiff_t iters,
                                    const void *coef, const void *distance, ptrdiff_t n,
                                    double *height, double *loss) noexcept
    ctypedef double (*olk_simd_sum_uncertain)(const double *w, ptrdiff_t n, double c,
                                              ptrdiff_t *certain) noexcept
    ctypedef ptrdiff_t (*olk_simd_leaver)(const double *w, ptrdiff_t n, double c, double u) noexcept
    ctypedef void (*olk_simd_matrix_vector)(const double *a, ptrdiff_t stride, ptrdiff_t m,
                                            ptrdiff_t n, const double *x, double *y) noexcept
    ctypedef void (*olk_simd_matrix_vectors)(const double *a, ptrdiff_t stride, ptrdiff_t m,
                                             ptrdiff_t n, const double *x, ptrdiff_t apart,
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
        olk_recall_fn recall[3]
        olk_simd_dot dot[3]
        olk_simd_weigh weigh[3]
        olk_simd_weigh_values weigh_values[3]
        olk_simd_axpy axpy[3]
        olk_simd_scale scale[3]
        olk_simd_clamp clamp[3]
        olk_simd_divide_by_probability divide_by_probability[3]
        olk_simd_settle settle[3]
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
        olk_simd_leaver leaver
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


cdef extern from "intake.h" nogil:
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
        double* least
        double* most
        uint8_t* records
        olk_compact_rule rule

    ctypedef struct olk_reading:
        olk_feature feature
        double least
        double most


cdef extern from "common.h" nogil:
    ctypedef struct olk_common:
        double mean
        double squares

    ctypedef struct olk_two_numbers:
        double first
        double second
        double others

    ctypedef struct olk_one_line:
        double centre
        double half


cdef extern from "length.h" nogil:
    ctypedef struct olk_length:
        double total
        double most


cdef extern from "width.h" nogil:
    enum:
        OLK_PRIOR_ROWS
        OLK_WIDTH_ROWS

    ctypedef struct olk_width:
        double gamma
        double spread
        int64_t measured
        int64_t steps
        int64_t mistakes
        int64_t updates
        int64_t capacity_hits


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
