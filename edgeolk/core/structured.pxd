"""The learner on structured features: its C structs, and its functions for the processor in use."""

from libc.stdint cimport int32_t, uint16_t, uint64_t


cdef extern from "sorf_types.h" nogil:
    enum: OLK_SORF_TWO, OLK_SORF_CLASSES, OLK_SORF_REGRESSION, OLK_SORF_NOVELTY

    ctypedef struct olk_sorf:
        Py_ssize_t d, D, classes
        int32_t task
        int32_t groups
        int32_t first[5]
        int32_t widths[4]
        double omega[4][8]
        double size[4]
        int32_t n_blends
        int32_t linear, last_label, relevance
        double blends[8]
        double kappa
        double r, sharp, delta, cmin, cmax, shrink
        double nu, window
        uint64_t signs

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
        void* lambda_ "lambda"
        void* G
        uint64_t* turns
        void* inputs
        double* scores
        void* row

    ctypedef struct olk_sorf_row:
        const void* values
        const int32_t* index
        Py_ssize_t count

    ctypedef double (*olk_sorf_step_fn)(const olk_sorf*, const olk_sorf_state*,
                                        const olk_sorf_row*, double, double) noexcept
    ctypedef double (*olk_sorf_novelty_fn)(const olk_sorf*, const olk_sorf_state*,
                                           const olk_sorf_row*) noexcept
    ctypedef void (*olk_sorf_scores_fn)(const olk_sorf*, const olk_sorf_state*,
                                        const olk_sorf_row*, Py_ssize_t, double*) noexcept
    ctypedef void (*olk_sorf_features_fn)(const olk_sorf*, const olk_sorf_row*, double, bint,
                                          void*) noexcept

    ctypedef struct olk_sorf_functions:
        const char* name
        olk_sorf_step_fn step[3]
        olk_sorf_novelty_fn novelty[3]
        olk_sorf_scores_fn scores[3]
        olk_sorf_features_fn features[3]


cdef extern from "sorf_row.h" nogil:
    double olk_sorf_set_width(olk_sorf* p, const double (*widths)[8], double gamma,
                              bint wide) noexcept
    bint olk_sorf_takes(const void* x, Py_ssize_t d, bint wide, double most) noexcept
    bint olk_sorf_takes_target(double y) noexcept
    void olk_sorf_begin(const olk_sorf* p, const olk_sorf_state* s, bint wide) noexcept


cdef extern from "pcg.h" nogil:
    uint64_t OLK_PCG_SIGNS
    uint64_t olk_pcg_seed(uint64_t seed, uint64_t step) noexcept


cdef struct Structured:
    # Structured features and the learner on them, decoded: functions are NULL for any other basis.
    olk_sorf_step_fn step
    olk_sorf_novelty_fn novelty
    olk_sorf_scores_fn scores
    olk_sorf_features_fn features
    olk_sorf made
    olk_sorf_state state
    double widths[4][8]       # of each group, as multiples of gamma
    double most               # the largest sum |x_j| that is taken


cdef void choose(Structured* f, int dtype) noexcept
