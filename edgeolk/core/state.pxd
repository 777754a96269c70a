"""One model as a C struct: the state in the block, the configuration, pointers to the regions.

Invariants, true between any two steps:
- slots 0..n-1 are in use, alpha_i = scale * coef[i]; coef[i] = 0 for n <= i < stride;
- norm2 = alpha' K alpha where the norm is tracked, summed over the columns;
- diagonal[i] = k(s_i, s_i) where the region exists (kernels with k(x, x) != 1);
- the coefficients of f_1 + ... + f_t are mean_sum[i] + coef[i] (weight - mean_start[i]).
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Choices, Params
from edgeolk.core.c cimport (
    olk_forecast_answer, olk_indices as Indices, olk_intake, olk_kernel, olk_model,
    olk_process_ops, olk_quantizer, olk_setup, olk_simd,
)


cdef extern from "sorf_model.h" nogil:
    # Outcomes of a step: why it was refused.
    enum:
        DONE "OLK_DONE"
        REFUSED_FULL "OLK_REFUSED_FULL"
        REFUSED_OVERFLOW "OLK_REFUSED_OVERFLOW"
        REFUSED_ROW "OLK_REFUSED_ROW"
        REFUSED_COUNT "OLK_REFUSED_COUNT"
        REFUSED_COEFFICIENT "OLK_REFUSED_COEFFICIENT"
        REFUSED_TARGET "OLK_REFUSED_TARGET"
        REFUSED_PENDING "OLK_REFUSED_PENDING"
        REFUSED_NO_PENDING "OLK_REFUSED_NO_PENDING"
        REFUSED_LATE "OLK_REFUSED_LATE"
        REFUSED_LABEL "OLK_REFUSED_LABEL"


cdef extern from "setup.h":
    const int64_t MAX_COUNT "OLK_MAX_COUNT"    # limit of every counter (c/holds.h)


cdef struct Model:
    # The first bytes of the block, as laid out by configuration/header.py. Only what a step
    # changes is read here; the configuration is decoded once, into Settings.
    char mark[4]
    uint16_t version
    uint16_t head_bytes
    uint32_t crc
    uint32_t eighths
    uint32_t n_features
    uint32_t budget
    uint64_t seed
    uint8_t parts[14]
    uint16_t columns
    uint8_t n_values
    uint8_t n_regions
    uint16_t flags            # bits of c/sorf_types.h
    int32_t n                 # support vectors stored
    uint64_t rng
    int64_t steps             # examples seen, t
    int64_t mistakes          # y f <= 0
    int64_t updates           # examples that changed the model


# Words of state, each struct a separate region: the block has only those that the parts need. The
# names and types match edgeolk/files/live.py.

cdef struct Function:
    double scale              # common factor of the coefficients
    double norm2              # ||f||^2, where it is tracked
    int64_t cursor            # slot of the oldest support vector, once full
    int64_t removals          # since norm2, or the stored inverse, was last recomputed
    int64_t capacity_hits     # examples that needed an update of a full, frozen ring
    int64_t labels_asked      # calls of ask_label that said yes
    int64_t clipped           # numbers learned outside the range of int8 storage

cdef struct Mean:
    double weight             # sum of the scales of f_1..f_t since the last apply_scale

cdef struct Errors:
    double squared            # sum of (y - f)^2
    double absolute           # sum of |y - f|

cdef struct Forgetron:
    double q                  # Q of the self-tuned Forgetron

cdef struct Halving:
    int64_t count             # halvings of the ring
    int64_t anchored          # whether the projection phase is over (POMDR)

cdef struct Hints:
    double error              # S, the squared error of the hints since the last halving (POMDR)
    int64_t seen              # examples added to the window

cdef struct Nystrom:
    int64_t rank              # eigenfunctions in use, 0 before the change of basis

cdef struct Skipped:
    int64_t rows              # number of bad rows skipped


cdef struct Preprocessing:
    # Preprocessing of a row before the learner sees it.
    bint reshapes             # rows are scaled or bounded
    bint on                   # statistics or the width are updated after a row is learned
    olk_intake intake


cdef enum:
    MAX_AHEAD = 64            # rows computed ahead, at most
    MAX_CHANGED = 8           # slots that a step may change without recomputing all values


cdef enum:
    NO_ROW = -1
    NO_SLOT = -1

cdef struct Ahead:
    # Rows to be learned next, whose kernel values with the ring are known (ring/lookahead.pxd).
    int64_t rows              # capacity, 0 for none
    int32_t beyond[MAX_AHEAD]  # of each row, as in State
    int value_type            # the type of the values
    int64_t next              # which of them is about to be learned, or NO_ROW
    int32_t changed[MAX_CHANGED]  # slots of the ring written since the values were computed
    int64_t n_changed         # more than MAX_CHANGED: unknown which


cdef enum Gaps:
    NO_GAPS                   # every reading is a finite number
    GAPS_NAN                  # NaN is a missing reading
    GAPS_NOT_FINITE           # infinity, too


cdef enum Labels:
    LABELS_TWO                # -1 and +1
    LABELS_CLASSES            # 0 to K - 1
    LABELS_TARGETS            # finite numbers
    LABELS_KNOWN_OR_NOT       # or none: the target is not known
    LABELS_UNUSED             # finite numbers or none, which change nothing
    LABELS_TIMES              # the same to callers; inside, the time of the row in seconds or NaN


cdef struct Settings:
    # The configuration, filled in by ring/fill.pxd or sorf/fill.pxd; constant.
    double max_weight         # the largest weight of a row
    int64_t n_features        # d
    int64_t budget            # B
    int64_t stride            # numbers between the starts of two features in the ring
    int64_t weights           # coefficients of a column, padding included
    int64_t columns
    int64_t window_rows       # examples in the window of an update
    double added              # to k(x, x) in the stored inverse
    int64_t n_per_update      # numbers that the update stores per coefficient
    int vectors               # storage type that rows are rounded to
    bint tracks_norm
    bint reads_row            # whether a step reads the kernel row after the score
    bint weighs               # whether row weights other than 1 are supported
    bint softmax              # several classes with the logistic loss
    Gaps gaps                 # which numbers are missing readings
    Labels labels             # the labels that rows are learned with
    Choices choice
    Params p
    olk_kernel kernel


cdef struct State             # below


# What the two families do differently, called through a table that is chosen once.

ctypedef int (*learn_fn)(State* s, const void* x, double y, double weight,
                         double* f) noexcept nogil
ctypedef int (*decide_fn)(State* s, const void* x, bint mean, double* f) noexcept nogil
ctypedef int64_t (*scores_fn)(State* s, const void* rows, int64_t count, bint mean,
                              double* f) noexcept nogil
ctypedef double (*row_fn)(State* s, const void* x) noexcept nogil
ctypedef int64_t (*count_fn)(const State* s) noexcept nogil
ctypedef double (*number_fn)(const State* s) noexcept nogil
ctypedef void (*change_fn)(State* s) noexcept nogil
ctypedef void (*outputs_fn)(const State* s, double* numbers) noexcept nogil
ctypedef bint (*fact_fn)(const State* s) noexcept nogil
ctypedef bint (*repair_fn)(State* s) noexcept nogil
ctypedef int (*fill_fn)(State* s, object config, object regions) except -1
ctypedef object (*views_fn)(State* s, dict views)
ctypedef void (*bind_fn)(State* s, object ring) noexcept
ctypedef dict (*counters_fn)(const State* s)
ctypedef int (*ask_fn)(State* s, const void* x, double* f) noexcept nogil
ctypedef int (*tell_fn)(State* s, double y) noexcept nogil


cdef struct Family:
    # Learns one placed row; f receives the score before. Returns an Outcome: a refusal changes
    # nothing but scratch. Statistics and width are updated, the step is not yet ended.
    learn_fn learn
    decide_fn decide          # score of a placed row, or scores of its classes; returns an Outcome
    scores_fn scores          # of several rows; returns how many have finite scores
    count_fn rows_together    # maximum number of rows of ``scores``
    change_fn construct       # initialises a new model
    number_fn threshold       # of novelty
    count_fn n_outputs        # number of additional outputs per row learned
    outputs_fn write_outputs
    count_fn rows_ahead       # how many rows are worth computing ahead now, 0 for none
    fact_fn maps_features     # whether rows, sparse ones too, are mapped to features together
    change_fn count_asked     # counts a requested label, if the model keeps this counter
    repair_fn rebuild         # derived numbers, again; False where that is impossible
    fill_fn fill              # settings and setup, from the configuration
    views_fn ring_of          # an object with the views of a ring, bound to the struct; or None
    bind_fn bind              # binds such an object to another struct
    counters_fn counters      # further counters of the block, by name
    # Of models whose rows may wait for their targets (a count of 0 says that none may).
    count_fn may_wait         # number of rows
    ask_fn ask                # answers a placed row, which then waits; returns an Outcome
    tell_fn tell              # the target of the oldest row, NaN if never known; an Outcome
    count_fn n_pending
    change_fn restart         # forgets the history
    row_fn variance           # of the target of a placed row


cdef struct State:
    Model* m
    Settings c
    olk_setup setup           # the same for code in C; constant but for a forecaster's ``frozen``
    PyObject* ring            # SupportVectorRing of the ring family, or NULL
    Errors* errors            # or NULL
    Skipped* skipped          # if bad rows are skipped
    double* novelty           # threshold rho of novelty
    olk_quantizer quantizer   # (d,) scale and offset of int8 storage, or NULLs
    # The row of this call, in scratch: nothing of it is kept between calls.
    void* query               # (d,) the example, in the row type
    int32_t* nonzero_index    # (d,) indices of the non-zeros of the example, or NULL
    void* nonzero_value       # (d,) their values
    const void* sparse_x      # the example that the non-zeros belong to, or NULL
    int64_t nonzeros
    int64_t beyond            # numbers of the example outside the range of int8 storage
    const olk_simd* simd      # the variant in use: linear algebra, searches
    Ahead ahead
    Preprocessing preprocessing
    const Family* family
    olk_model sorf            # of the SORF family; of a ring only options and features
    olk_process_ops process   # of a Gaussian process beside the features, for the type of rows
    olk_forecast_answer forecast  # the last one; not in the block


cdef struct Example:
    const void* x             # (d,) in the row type
    double y                  # the label; 1 with several classes; the threshold for novelty
    # Current score of f; kept up to date if the norm is tracked. With several classes the margin,
    # then the scores weighted by share.
    double f
    double weight             # weight of the row
    double self_kernel        # k(x, x)
    double hint               # added to the score by an optimistic prediction, else 0
    double slope              # l'(f), of a gradient step
    int64_t label             # the class, with several classes
    double* share             # (columns,) coefficients of the incoming example divided by a
    double power              # sum of the squares of share
    double one                # the share if there is one column
    # Of a kernel adaptive filter.
    int64_t slot              # the slot that the row enters, or NO_SLOT
    double distance           # squared distance of k(x, .) from the span of the support vectors
    double variance           # of the target, over the variance of the function
