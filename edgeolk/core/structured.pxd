"""The learner on structured features: its C structs, and its functions for the processor in use."""

from libc.stdint cimport int64_t, uint64_t

from edgeolk.core.structs cimport (
    olk_forecast, olk_forecast_answer, olk_forecast_state, olk_scaler, olk_sorf, olk_sorf_row,
    olk_sorf_state,
)


cdef extern from "sorf_types.h" nogil:
    ctypedef double (*olk_sorf_step_fn)(const olk_sorf*, const olk_sorf_state*,
                                        const olk_sorf_row*, double, double) noexcept
    ctypedef double (*olk_sorf_novelty_fn)(const olk_sorf*, const olk_sorf_state*,
                                           const olk_sorf_row*) noexcept
    ctypedef void (*olk_sorf_told_fn)(const olk_sorf*, const olk_sorf_state*) noexcept
    ctypedef void (*olk_sorf_scores_fn)(const olk_sorf*, const olk_sorf_state*,
                                        const olk_sorf_row*, Py_ssize_t, double*) noexcept
    ctypedef void (*olk_sorf_features_fn)(const olk_sorf*, const olk_sorf_row*, double, bint,
                                          void*) noexcept

    ctypedef void (*olk_forecast_answer_fn)(const olk_forecast*, const olk_forecast_state*,
                                            const olk_sorf*, const olk_sorf_state*, void*,
                                            olk_forecast_answer*) noexcept
    ctypedef int (*olk_forecast_tell_fn)(const olk_forecast*, const olk_forecast_state*,
                                         const olk_sorf*, const olk_sorf_state*, void*,
                                         double, double*) noexcept
    ctypedef void (*olk_forecast_plain_fn)(const olk_forecast*, const olk_forecast_state*) noexcept

    ctypedef struct olk_sorf_functions:
        const char* name
        olk_sorf_step_fn step
        olk_sorf_novelty_fn novelty
        olk_sorf_novelty_fn watch
        olk_sorf_told_fn accept
        olk_sorf_told_fn restart_rows
        olk_sorf_scores_fn scores
        olk_sorf_features_fn features
        olk_forecast_answer_fn predict
        olk_forecast_answer_fn ask
        olk_forecast_tell_fn tell
        olk_forecast_plain_fn restart
        olk_forecast_plain_fn begin
        double largest_target


cdef extern from "sorf_row.h" nogil:
    double olk_sorf_set_width(olk_sorf* p, const double (*widths)[8], double gamma,
                              bint wide) noexcept
    bint olk_sorf_takes(const void* x, Py_ssize_t d, bint wide, double most) noexcept
    bint olk_sorf_takes_target(double y) noexcept
    void olk_sorf_begin(const olk_sorf* p, const olk_sorf_state* s, bint wide) noexcept


cdef extern from "drift.h" nogil:
    void olk_watch(const olk_sorf* p, const olk_sorf_state* s, const olk_scaler* scaler,
                   double squares, Py_ssize_t deviating, int64_t seen, bint wide,
                   size_t item) noexcept
    double olk_drift_number(const olk_sorf_state* s, bint wide, int i) noexcept
    int OLK_DRIFT_ALARMS
    int OLK_DRIFT_SINCE


cdef extern from "kept_rows.h" nogil:
    void olk_set_memory_steps(olk_sorf* p, double gamma) noexcept
    double olk_memory_share(const olk_sorf* p, const olk_sorf_state* s) noexcept
    Py_ssize_t olk_memory_held(const olk_sorf_state* s) noexcept


cdef extern from "intake.h" nogil:
    Py_ssize_t olk_deviating(const olk_scaler* s, Py_ssize_t d) noexcept


cdef extern from "width.h" nogil:
    ctypedef struct olk_row_sums:
        double sizes, squares, held
    olk_row_sums olk_sums_of_row(const void* row, Py_ssize_t d, bint wide, double hold) noexcept


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
    double squares            # sum of those of the row that is learned, as it was scaled
    double held_square        # the same as the features hold it
    double most               # the largest sum |x_j| that is taken
    int64_t* answered         # rows answered since the last label came, where it lapses; else NULL
    bint lapsed               # the last label counts no more for the rows that are answered now
    const olk_sorf_functions* all  # those of the type and the processor


cdef struct Forecasting:
    # The forecaster over them.
    bint on
    olk_forecast made
    olk_forecast_state state
    olk_forecast_answer said  # what was answered last; no part of the block


cdef void choose(Structured* f, int dtype, bint watches) noexcept
