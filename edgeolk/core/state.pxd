"""One model as C sees it: what lies in the block, its configuration, and where its regions are.

CONVENTION, true between any two steps:
- slots 0..n-1 are in use, alpha_i = scale * coef[i]; coef[i] = 0 for n <= i < stride;
- norm2 = alpha' K alpha where the norm is tracked, summed over the columns;
- diagonal[i] = k(s_i, s_i) where the region exists (kernels with k(x, x) != 1);
- the coefficients of f_1 + ... + f_t are mean_sum[i] + coef[i] (weight - mean_start[i]).
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from edgeolk.core.parts cimport Choices, Params
from edgeolk.core.headers cimport (
    olk_common, olk_kernel, olk_pair_fn, olk_quantum, olk_row_fn, olk_scaler, olk_simd,
    olk_sparse_fn, olk_two_numbers, olk_width as Width,
)
from edgeolk.core.structured cimport Forecasting, Structured


cdef extern from *:
    """#define OLK_MOST_COUNT ((int64_t)1 << 62)"""
    const int64_t MOST_COUNT "OLK_MOST_COUNT"  # no counter is larger (files/invariants.py)


cdef struct Model:
    # The first bytes of the block, as configuration/header.py lays them out. Only what a step
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
    uint16_t flags            # bits of loops/dirty_flag.h
    int32_t n                 # support vectors held
    uint64_t rng
    int64_t steps             # examples seen, t
    int64_t mistakes          # y f <= 0
    int64_t updates           # examples that changed the model


# Words of state, each struct a region of its own: only what the parts need is in the block. The
# names and types are those of edgeolk/files/words.py.

cdef struct Function:
    double scale              # common factor of the coefficients
    double norm2              # ||f||^2, where it is tracked
    int64_t cursor            # slot of the oldest support vector, once full
    int64_t removals          # since norm2, or the kept inverse, was last computed afresh
    int64_t capacity_hits     # examples that asked for an update of a full, frozen ring
    int64_t labels_asked      # calls of ask_label that said yes
    int64_t clipped           # numbers learned that lay beyond the levels of int8 storage

cdef struct Mean:
    double weight             # sum of the scales of f_1..f_t since the last fold

cdef struct Errors:
    double squared            # sum of (y - f)^2
    double absolute           # sum of |y - f|

cdef struct Forgetron:
    double q                  # Q of the self-tuned Forgetron

cdef struct Halving:
    int64_t count             # halvings of the ring
    int64_t anchored          # whether the projecting phase is over (POMDR)

cdef struct Hints:
    double error              # S, the squared error of the hints since the last halving (POMDR)
    int64_t seen              # examples put in the window

cdef struct Nystrom:
    int64_t rank              # eigenfunctions in use, 0 before the change of basis

cdef struct Skipped:
    int64_t rows              # skipped bad rows


cdef struct Indices:
    # Of the non-zeros of a sparse row, in one of two types; both NULL where there are none to read.
    const int32_t* narrow
    const int64_t* wide

cdef struct Raw:
    # A row as the caller has it: one of wide, narrow, index with value.
    const double* wide
    const float* narrow
    Indices index
    const double* value       # NULL for a dense row
    int64_t count             # of index and value

cdef struct Span:
    char* start
    int64_t nbytes


cdef enum:
    MODEL_RUNS = 4            # of regions in a row that start anew, at most
    MOST_LEARNED = 64         # inputs whose learned records wait for the row to be taken


cdef struct Preprocessing:
    # What is done with a row before the learner sees it.
    bint reshapes             # rows are scaled or bounded
    bint on                   # something is done after a row is learned
    olk_scaler scaler         # of method 0 where there is none
    # Records of the first inputs of the row that is being learned, so that they are made once.
    uint8_t learned[MOST_LEARNED * 9]
    double longest            # bound of a row's norm, 0 for none
    int64_t* clipped          # rows that were bounded, or NULL
    bint bounded              # the row in scratch was
    Raw raw                   # the row that is being learned
    int64_t gamma_rows        # rows that the width is made from, 0 where it is given
    Width* width              # or NULL
    double* follows           # q of a width that follows the rows (loops/width.h), or NULL
    # One scale for all inputs (loops/common.h): for good, or while readings are two numbers.
    olk_common* common
    olk_two_numbers* pair
    olk_common common_now     # with the row that is being learned
    olk_two_numbers pair_now
    bint pairs                # whether two numbers are looked for, beside the width
    bint alike                # the row in scratch was scaled so
    double alike_clip         # deviations that it is clipped to then
    double hold               # where features see inputs that are scaled each by itself, 0: as is
    void* mean                # (d,) of these rows, in the type rows are computed in
    Span model[MODEL_RUNS]    # what starts anew with the width, in runs of regions


cdef enum:
    MOST_AHEAD = 64           # rows that may wait
    MOST_CHANGED = 8          # slots that a step may change without all values being made anew


cdef struct Ahead:
    # Rows that wait to be learned, and their kernel values with the ring (lookahead.pxd).
    int64_t rows              # how many there is room for, 0 for none
    int32_t beyond[MOST_AHEAD]     # of each row, as State has it
    void* x                   # (rows, d) in the type rows are computed in
    void* values              # (rows, weights) k(s_i, x)
    double* features          # (rows, rank) M (k(s_i, x))_i, NULL where there is no such map
    int real                  # the type of the values
    int64_t value_bytes       # of one of them
    const void* next          # those of the row that is about to be learned, or NULL
    int32_t changed[MOST_CHANGED]  # slots of the ring written since they were made
    int64_t n_changed         # more than MOST_CHANGED: nobody knows which


cdef struct Settings:
    # The configuration, decoded from the header; no step changes it.
    int64_t n_features        # d
    int64_t budget            # B
    int64_t stride            # numbers from one feature's row of the ring to the next
    int64_t weights           # coefficients of a column, padding included
    int64_t columns
    int64_t own               # numbers of the update's own beside each coefficient
    int64_t item              # bytes of one stored number
    int64_t coefficient_bytes  # of one coefficient
    int vectors               # storage type that rows are seen in
    int64_t window_stride
    bint tracks_norm
    bint reads_row            # whether a step reads the kernel row after the score
    bint weighs               # whether a row may count more or less than one
    bint softmax              # several classes with the logistic loss
    bint takes_gaps           # what is not a number in a row is a reading that is missing
    Choices choice
    Params p
    olk_kernel kernel


cdef struct State:
    Model* m
    Settings c
    # words
    Function* function
    Mean* averaging           # or NULL, as all below
    Errors* errors
    Forgetron* forgetron
    Halving* halving
    Hints* hints
    Nystrom* nystrom
    Skipped* skipped          # where bad rows are left out
    double* novelty           # threshold rho of novelty
    # arrays
    void* sv                  # (d, stride) in the storage type
    olk_quantum quantum       # (d,) scale and offset of int8 storage, or NULLs
    void* coef                # (columns, weights) of the coefficients' type
    double* diagonal          # (slots,) or NULL
    int64_t* arrival          # (slots,) step of arrival, or NULL
    double* inverse           # packed inverse of the Gram matrix, or NULL
    double* factor            # packed: L^-1 of the Gram matrix K = L L', or K itself, or NULL
    double* scores            # (slots,) f(s_i) / scale, kept, or NULL
    int64_t* nearest          # (B,) slot of the nearest other support vector, or NULL
    void* nearest_d2          # (B,) its squared distance, of the coefficients' type
    double* nearest_k         # (B,) kernel with it
    double* map               # (B, B): V, then (rank, B): kernel row -> features, or NULL
    void* window              # (d, window_stride) last examples (POMDR), or NULL
    double* own               # (own, weights) numbers of the update's own, or NULL
    double* window_y          # (window_stride,) their labels
    double* mean_start        # (columns, weights) or NULL
    double* mean_sum          # (columns, weights) or NULL
    void* norms               # (stride,) |s_i|^2, or |s_i|_1 for the Laplacian kernel, or NULL
    void* lengths             # norms where rows read in full use them, else NULL
    # scratch: nothing below outlives a call
    void* query               # (d,) the example, in the type rows are computed in
    int32_t* nonzero_index    # (d,) where the example is not zero, or NULL
    void* nonzero_value       # (d,) its numbers there
    const void* sparse_x      # the example the non-zeros are those of, or NULL for none
    int64_t nonzeros
    int64_t beyond            # numbers of the example beyond the levels of int8 storage
    void* column              # (d,) one support vector gathered, or NULL
    void* row                 # (weights,) k(s_i, x), or features of x, of the coefficients' type
    void* distance            # (stride,) ||s_i - x||^2, of the coefficients' type, or NULL
    void* products            # distance, where the kernel row yields it on the way, or NULL
    void* mean_coef           # (columns, weights) of the coefficients' type, or NULL
    double* class_scores      # (columns,) scores of the classes, then the shares of a candidate
    double* gram              # packed lower triangle, or NULL
    double* pulls             # (columns, budget // 2) right-hand sides of a halving, or NULL
    double* work              # (slots,) or NULL
    double* work2             # (slots,) or NULL
    int32_t* order            # (B,) or NULL
    olk_row_fn row_fn         # for the storage type, chosen once
    olk_sparse_fn sparse_fn
    olk_pair_fn pair_fn
    const olk_simd* simd      # the variant in use: linear algebra, searches
    Ahead ahead
    Preprocessing preprocessing
    Structured structured     # the learner on structured features, all = NULL for the others
    Forecasting forecast      # the forecaster over it


cdef struct Example:
    const void* x             # (d,) in the type rows are computed in
    double y                  # the label; 1 with several classes; the threshold for novelty
    # Score of f as it is now; kept true where the norm is tracked. With several classes the margin,
    # then the scores weighted by share.
    double f
    double weight             # what the row counts
    double self_kernel        # k(x, x)
    double hint               # what an optimistic prediction adds, else 0
    int64_t label             # the class, of several
    double* share             # (columns,) a candidate's coefficients over a
    double power              # sum of the squares of share
    double one                # the share where there is one column


cdef enum Outcome:
    DONE = 0
    REFUSED_FULL = 1          # policy RAISE and no slot left
    REFUSED_OVERFLOW = 2      # score or k(x, x) is beyond its range (range.pxd)
    REFUSED_ROW = 3           # a sparse row that is none: indices, or a number that is not finite
    REFUSED_COUNT = 4         # as many steps as a counter holds
    REFUSED_COEFFICIENT = 5   # the candidate's is beyond its range (range.pxd)
    REFUSED_TARGET = 6        # a target beyond what structured features take
    REFUSED_WAITING = 7       # a target at once, while rows wait for theirs
    REFUSED_NONE_WAITS = 8    # a late target, and no row waits for one
    REFUSED_LATE = 9          # a target at once, of a learner whose targets come later
