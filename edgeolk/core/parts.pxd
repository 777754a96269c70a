"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from libc.stdint cimport int32_t

cdef enum:
    FAMILY_RING = 1
    FAMILY_SORF = 2
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
    UPDATE_NORMALISED = 18
    UPDATE_AFFINE = 19
    UPDATE_RECURSIVE = 20
    UPDATE_RIDGE = 21
    UPDATE_POSTERIOR = 22
    UPDATE_WHITENED = 23
    UPDATE_UNTUNED = 24
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
    POLICY_QUANTISED = 20
    POLICY_COHERENT = 21
    POLICY_DEPENDENT = 22
    POLICY_SLIDING = 23
    POLICY_LEAST_ERROR = 24
    POLICY_LEAST_CHANGE = 25
    POLICY_LEAST_DIVERGENCE = 26
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


cdef inline void fill_choices(Choices* p, object parts) except *:
    """Set each choice from its member, 0 for an axis that there is not."""
    p.dtype = parts.get("dtype", 0)
    p.update = parts.get("update", 0)
    p.loss = parts.get("loss", 0)
    p.sampling = parts.get("sampling", 0)
    p.policy = parts.get("policy", 0)
    p.projection = parts.get("projection", 0)
    p.schedule = parts.get("schedule", 0)
    p.averaging = parts.get("averaging", 0)
    p.basis = parts.get("basis", 0)
    p.rows = parts.get("rows", 0)
    p.coefficients = parts.get("coefficients", 0)


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
    double epsilon
    double nu
    double radius
    double coherence
    double last_rows
    double dependence
    double forgetting
    double noise
    double jitter
    double lags
    double delay


cdef inline void fill_params(Params* p, object values) except *:
    """Set each parameter from its number, 0 for those that are not used."""
    p.C = values.get("C", 0.0)
    p.eta = values.get("eta", 0.0)
    p.lam = values.get("lam", 0.0)
    p.rate = values.get("rate", 0.0)
    p.eps = values.get("eps", 0.0)
    p.U = values.get("U", 0.0)
    p.alpha = values.get("alpha", 0.0)
    p.beta = values.get("beta", 0.0)
    p.c = values.get("c", 0.0)
    p.ridge = values.get("ridge", 0.0)
    p.rescale = values.get("rescale", 0.0)
    p.allow_skip = values.get("allow_skip", 0.0)
    p.growth = values.get("growth", 0.0)
    p.shift = values.get("shift", 0.0)
    p.sparsity = values.get("sparsity", 0.0)
    p.singular = values.get("singular", 0.0)
    p.decay = values.get("decay", 0.0)
    p.horizon = values.get("horizon", 0.0)
    p.G = values.get("G", 0.0)
    p.boost = values.get("boost", 0.0)
    p.delta = values.get("delta", 0.0)
    p.clip_coefficients = values.get("clip_coefficients", 0.0)
    p.eta2 = values.get("eta2", 0.0)
    p.rank = values.get("rank", 0.0)
    p.iters = values.get("iters", 0.0)
    p.hint_rows = values.get("hint_rows", 0.0)
    p.coe = values.get("coe", 0.0)
    p.b0 = values.get("b0", 0.0)
    p.ald = values.get("ald", 0.0)
    p.epsilon = values.get("epsilon", 0.0)
    p.nu = values.get("nu", 0.0)
    p.radius = values.get("radius", 0.0)
    p.coherence = values.get("coherence", 0.0)
    p.last_rows = values.get("last_rows", 0.0)
    p.dependence = values.get("dependence", 0.0)
    p.forgetting = values.get("forgetting", 0.0)
    p.noise = values.get("noise", 0.0)
    p.jitter = values.get("jitter", 0.0)
    p.lags = values.get("lags", 0.0)
    p.delay = values.get("delay", 0.0)


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
        or part == POLICY_QUANTISED
    )


cdef inline bint policy_is_filter(int part) noexcept nogil:
    return (
        part == POLICY_COHERENT
        or part == POLICY_DEPENDENT
        or part == POLICY_SLIDING
        or part == POLICY_LEAST_ERROR
        or part == POLICY_LEAST_CHANGE
        or part == POLICY_LEAST_DIVERGENCE
    )


cdef inline bint policy_counts_exchanges(int part) noexcept nogil:
    return (
        part == POLICY_PROJECT
        or part == POLICY_SLIDING
        or part == POLICY_LEAST_ERROR
        or part == POLICY_LEAST_CHANGE
        or part == POLICY_LEAST_DIVERGENCE
    )


cdef inline bint loss_is_capped(int part) noexcept nogil:
    return part == LOSS_RAMP


cdef inline bint kernel_normalised(int part) noexcept nogil:
    return part == KERNEL_GAUSSIAN or part == KERNEL_LAPLACIAN


cdef inline bint dtype_is_short(int part) noexcept nogil:
    return part == DTYPE_FLOAT16


cdef inline bint basis_freezes(int part) noexcept nogil:
    return part == BASIS_SUPPORT_VECTORS


cdef inline bint basis_has_frequencies(int part) noexcept nogil:
    return part == BASIS_FOURIER or part == BASIS_STRUCTURED or part == BASIS_FOURIER_DRAWN


cdef inline bint basis_starts_full(int part) noexcept nogil:
    return part == BASIS_FOURIER or part == BASIS_STRUCTURED or part == BASIS_FOURIER_DRAWN


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
