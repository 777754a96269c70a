"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from libc.stdint cimport int32_t

cdef enum:
    DTYPE_FLOAT32 = 1
    DTYPE_FLOAT64 = 2
    DTYPE_FLOAT16 = 3
    DTYPE_INT8 = 4
    UPDATE_PERCEPTRON = 1
    UPDATE_AGGRESSIVE = 2
    UPDATE_PA = 3
    UPDATE_PA1 = 4
    UPDATE_PA2 = 5
    UPDATE_GRADIENT = 6
    UPDATE_SPARSE_PA = 7
    UPDATE_SHIFTING = 8
    UPDATE_MARGIN = 9
    UPDATE_PROJECTRON_JMLR = 10
    UPDATE_PROJECTRON_ICML = 11
    UPDATE_PEGASOS = 12
    UPDATE_LOGISTIC = 13
    UPDATE_LOGISTIC_SHIFT = 14
    UPDATE_LOGISTIC_SCALE = 15
    UPDATE_LOGISTIC_CUT = 16
    UPDATE_OPTIMISTIC = 17
    UPDATE_BLENDED = 18
    LOSS_HINGE = 1
    LOSS_RAMP = 2
    LOSS_LOGISTIC = 3
    LOSS_SQUARE = 4
    LOSS_NOVELTY = 5
    LOSS_EPSILON = 6
    SAMPLING_ALWAYS = 1
    SAMPLING_LOSS = 2
    SAMPLING_DECAY = 3
    SAMPLING_DERIVATIVE = 4
    SAMPLING_MARGIN = 5
    SAMPLING_AUXILIARY = 6
    POLICY_STOP = 1
    POLICY_RAISE = 2
    POLICY_OLDEST = 3
    POLICY_SMALLEST = 4
    POLICY_RANDOM = 5
    POLICY_FORGETRON = 6
    POLICY_SIMPLE = 7
    POLICY_UNBIASED = 8
    POLICY_HALVE = 9
    POLICY_SPAN = 10
    POLICY_NEAREST = 11
    POLICY_PROJECT = 12
    POLICY_UNBIASED_BY_SIZE = 13
    POLICY_LIGHTEST = 14
    POLICY_LIGHTEST_PROJECT = 15
    POLICY_MERGE = 16
    POLICY_ANCHOR = 17
    POLICY_FORGETRON_BASIC = 18
    POLICY_FORGETRON_GREEDY = 19
    PROJECTION_NONE = 1
    PROJECTION_BALL = 2
    PROJECTION_COEFFICIENTS = 3
    PROJECTION_CLIP = 4
    PROJECTION_SHRINK = 5
    SCHEDULE_CONSTANT = 1
    SCHEDULE_SQRT = 2
    SCHEDULE_DECAY = 3
    AVERAGING_NONE = 1
    AVERAGING_MEAN = 2
    BASIS_SUPPORT_VECTORS = 1
    BASIS_FOURIER = 2
    BASIS_NYSTROM = 3
    BASIS_STRUCTURED = 4
    BASIS_FOURIER_DRAWN = 5
    ROWS_DENSE = 1
    ROWS_SPARSE = 2
    ROWS_EITHER = 3
    COEFFICIENTS_FLOAT32 = 1
    COEFFICIENTS_FLOAT64 = 2
    KERNEL_GAUSSIAN = 1
    KERNEL_LAPLACIAN = 2
    KERNEL_POLYNOMIAL = 3
    KERNEL_LINEAR = 4
    KERNEL_SIGMOID = 5

cdef struct Choices:
    int32_t dtype
    int32_t update
    int32_t loss
    int32_t sampling
    int32_t policy
    int32_t projection
    int32_t schedule
    int32_t averaging
    int32_t basis
    int32_t rows
    int32_t coefficients

cdef struct Params:
    double C
    double eta
    double lam
    double rate
    double eps
    double U
    double alpha
    double beta
    double c
    double ridge
    double rescale
    double allow_skip
    double growth
    double shift
    double sparsity
    double singular
    double decay
    double horizon
    double G
    double boost
    double delta
    double clip_coefficients
    double eta2
    double rank
    double iters
    double hint_rows
    double coe
    double b0
    double ald
    double r
    double unit
    double sharp
    double memory
    double cmin
    double cmax
    double shrink
    double linear
    double last_label
    double relevance
    double groups
    double nu
    double forget
    double epsilon
    double scratch
    double history
    double lead
    double season
    double drift
    double leak
    double row_memory
    double lapse
    double robust
    double memory_narrow


cdef inline bint policy_freezes(int part) noexcept nogil:
    return part == POLICY_STOP or part == POLICY_RAISE


cdef inline bint policy_moves_norm(int part) noexcept nogil:
    return (
        part == POLICY_SIMPLE
        or part == POLICY_NEAREST
        or part == POLICY_PROJECT
        or part == POLICY_UNBIASED_BY_SIZE
        or part == POLICY_LIGHTEST
        or part == POLICY_LIGHTEST_PROJECT
        or part == POLICY_MERGE
    )


cdef inline bint policy_counts_exchanges(int part) noexcept nogil:
    return part == POLICY_PROJECT


cdef inline bint loss_is_capped(int part) noexcept nogil:
    return part == LOSS_RAMP


cdef inline bint kernel_normalised(int part) noexcept nogil:
    return part == KERNEL_GAUSSIAN or part == KERNEL_LAPLACIAN


cdef inline bint update_is_sorf(int part) noexcept nogil:
    return part == UPDATE_BLENDED


cdef inline bint dtype_is_short(int part) noexcept nogil:
    return part == DTYPE_FLOAT16


cdef inline bint basis_freezes(int part) noexcept nogil:
    return part == BASIS_SUPPORT_VECTORS


cdef inline bint basis_has_frequencies(int part) noexcept nogil:
    return part == BASIS_FOURIER or part == BASIS_STRUCTURED or part == BASIS_FOURIER_DRAWN


cdef inline bint basis_starts_full(int part) noexcept nogil:
    return part == BASIS_FOURIER or part == BASIS_STRUCTURED or part == BASIS_FOURIER_DRAWN


cdef inline double update_max_weight(int part) noexcept nogil:
    if part == UPDATE_PERCEPTRON:
        return 1000000.0
    if part == UPDATE_AGGRESSIVE:
        return 1000000.0
    if part == UPDATE_PA:
        return 1000000.0
    if part == UPDATE_PA1:
        return 1000000.0
    if part == UPDATE_PA2:
        return 1000000.0
    if part == UPDATE_GRADIENT:
        return 1000000.0
    if part == UPDATE_SPARSE_PA:
        return 1000000.0
    if part == UPDATE_SHIFTING:
        return 1000000.0
    if part == UPDATE_MARGIN:
        return 1000000.0
    if part == UPDATE_PROJECTRON_JMLR:
        return 1000000.0
    if part == UPDATE_PROJECTRON_ICML:
        return 1000000.0
    if part == UPDATE_PEGASOS:
        return 1000000.0
    if part == UPDATE_LOGISTIC:
        return 1000000.0
    if part == UPDATE_LOGISTIC_SHIFT:
        return 1000000.0
    if part == UPDATE_LOGISTIC_SCALE:
        return 1000000.0
    if part == UPDATE_LOGISTIC_CUT:
        return 1000000.0
    if part == UPDATE_BLENDED:
        return 1000000.0
    if part == UPDATE_OPTIMISTIC:
        return 1000000.0
    return 0  # no such part


cdef inline int basis_per_member(int part) noexcept nogil:
    if part == BASIS_SUPPORT_VECTORS:
        return 1
    if part == BASIS_FOURIER:
        return 2
    if part == BASIS_STRUCTURED:
        return 2
    if part == BASIS_FOURIER_DRAWN:
        return 2
    if part == BASIS_NYSTROM:
        return 1
    return 0  # no such part


cdef inline double dtype_max(int part) noexcept nogil:
    if part == DTYPE_FLOAT32:
        return 3.4028234663852886e+38
    if part == DTYPE_FLOAT64:
        return 1.7976931348623157e+308
    if part == DTYPE_FLOAT16:
        return 65519.0
    if part == DTYPE_INT8:
        return 3.4028234663852886e+38
    return 0  # no such part


cdef inline double dtype_max_gamma(int part) noexcept nogil:
    if part == DTYPE_FLOAT32:
        return 1.4134774833230458e+75
    if part == DTYPE_FLOAT64:
        return 1.2207031249999996e+298
    if part == DTYPE_FLOAT16:
        return 52401603.52783203
    if part == DTYPE_INT8:
        return 1.4134774833230458e+75
    return 0  # no such part


cdef inline double coefficients_max(int part) noexcept nogil:
    if part == COEFFICIENTS_FLOAT32:
        return 1e+25
    if part == COEFFICIENTS_FLOAT64:
        return 1e+100
    return 0  # no such part


cdef inline double coefficients_max_kernel(int part) noexcept nogil:
    if part == COEFFICIENTS_FLOAT32:
        return 1e+30
    if part == COEFFICIENTS_FLOAT64:
        return 1e+100
    return 0  # no such part


cdef inline double coefficients_max_factor(int part) noexcept nogil:
    if part == COEFFICIENTS_FLOAT32:
        return 10000000000.0
    if part == COEFFICIENTS_FLOAT64:
        return 1e+100
    return 0  # no such part
