"""The rules of what a block may hold (c/holds.h), over the configuration of a model."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer

from edgeolk.core.c cimport olk_kernel, olk_setup
from edgeolk.core.parts cimport FAMILY_RING, FAMILY_SORF
from edgeolk.engine.setup cimport fill_setup, fill_sorf_setup, offsets_of

from edgeolk.files.sentences import SENTENCES
from edgeolk.parts.numbers import Basis, Policy, Update
from edgeolk.parts.storage import COEFFICIENTS

# The rules: 0, or the number of a sentence.

cdef extern from "holds.h" nogil:
    enum:
        OLK_SENTENCES

    ctypedef struct olk_problem:
        int32_t sentence
        ptrdiff_t where
        double got


cdef extern from "sorf_holds.h" nogil:
    int olk_check_sorf(const olk_setup* m, const uint8_t* block, olk_problem* problem) noexcept


cdef extern from "ring_holds.h" nogil:
    ctypedef struct olk_ring_offsets:
        size_t function
        size_t averaging
        size_t forgetron
        size_t halving
        size_t hints
        size_t nystrom
        size_t evidence
        size_t whitening
        size_t covariance
        size_t coordinates
        size_t support_vectors
        size_t coefficients
        size_t levels
        size_t diagonal
        size_t arrivals
        size_t norms
        size_t mean_start
        size_t mean_sum
        size_t nearest
        size_t nearest_distance
        size_t nearest_kernel
        size_t factor
        size_t inverse
        size_t posterior
        size_t scores
        size_t feature_map
        size_t window
        size_t window_labels
        size_t per_update
        size_t novelty
        size_t tracking
        size_t origin
        size_t input_scales
        size_t posterior_factor
        size_t lagging
        size_t recent_targets
        size_t pending_rows
        size_t tracker_rows
        size_t kernel_row
        size_t column
        size_t work
        size_t work2
        size_t work3
        size_t whitened_rows

    ctypedef struct olk_ring_setup:
        olk_setup common
        ptrdiff_t inputs
        ptrdiff_t lags
        ptrdiff_t delay
        ptrdiff_t budget
        ptrdiff_t stride
        ptrdiff_t window_stride
        ptrdiff_t weights
        ptrdiff_t per_member
        ptrdiff_t per_update
        int32_t storage
        int32_t item
        olk_kernel kernel
        int32_t normalised
        int32_t starts_full
        int32_t changes_basis
        int32_t never_full
        int32_t factor_pivots
        int32_t bounds_cost
        int32_t anchors
        int32_t has_window
        int32_t scales_by_steps
        int64_t rank
        int64_t anchored_from
        int32_t window_of_targets
        int64_t window_rows
        double lam
        double added
        double max_kernel
        double max_factor
        double max_alpha
        double max_stored
        olk_ring_offsets at

    int olk_check_ring(const olk_ring_setup* m, const uint8_t* block,
                       olk_problem* problem) noexcept

cdef extern from "scaler_holds.h" nogil:
    ctypedef struct olk_scaler_setup:
        olk_setup common
        size_t moments
        size_t units
        size_t frozen

    int olk_check_scaler(const olk_scaler_setup* m, const uint8_t* block,
                         olk_problem* problem) noexcept


if OLK_SENTENCES != len(SENTENCES) + 1:
    raise ImportError("edgeolk.files: the sentences are not those of c/holds.h")


cdef int fill_ring(olk_ring_setup* m, object config, object regions) except -1:
    """Fill the struct of a model of the ring family."""
    values, kind = config.values, COEFFICIENTS[config.coefficients]
    memset(m, 0, sizeof(olk_ring_setup))
    fill_setup(&m.common, config, regions)
    m.at = offsets_of(regions)
    m.inputs = config.n_inputs
    m.lags = config.lags
    m.delay = int(values.get("delay", 1))
    m.budget = config.budget
    m.stride = config.stride
    m.window_stride = config.window_stride
    m.weights = config.weights
    m.per_member = config.basis.per_member
    m.per_update = config.update.per_update
    m.storage = config.vectors
    m.item = config.coefficient_bytes
    m.kernel.kind, m.kernel.degree = config.kernel.fields()[:2]
    m.kernel.gamma, m.kernel.scale, m.kernel.offset = config.kernel.fields()[2:]
    m.normalised = config.kernel.normalised
    m.starts_full = config.basis.starts_full
    m.changes_basis = config.parts["basis"] == Basis.NYSTROM
    m.never_full = config.policy.never_full
    m.factor_pivots = config.policy.factor_pivots
    m.bounds_cost = config.policy.bounds_cost
    m.anchors = config.parts["policy"] == Policy.ANCHOR
    m.has_window = config.window_rows > 0
    m.window_of_targets = config.is_regression
    m.scales_by_steps = config.parts["update"] == Update.PEGASOS
    m.rank = int(values.get("rank", 0))
    m.anchored_from = int(values.get("b0", 0))
    m.window_rows = config.window_rows
    m.added = config.added
    m.lam = values.get("lam", 0.0)
    m.max_kernel = kind.max_kernel
    m.max_factor = kind.max_factor
    m.max_alpha = kind.max_alpha
    m.max_stored = kind.max_stored
    return 0


def ring_setup(config, regions):
    """What a model of the ring family is (c/ring_holds.h): a dict by member name."""
    cdef olk_ring_setup setup
    fill_ring(&setup, config, regions)
    return setup


def ring_problem(config, regions, block):
    """``problem_of`` a model of the ring family."""
    cdef olk_ring_setup setup
    cdef olk_problem problem
    cdef Py_buffer view
    cdef int number
    fill_ring(&setup, config, regions)
    PyObject_GetBuffer(block, &view, PyBUF_SIMPLE)
    number = olk_check_ring(&setup, <const uint8_t*>view.buf, &problem)
    PyBuffer_Release(&view)
    return said(number, &problem)


def sorf_problem(config, regions, block):
    """``problem_of`` a model of the sorf family."""
    cdef olk_setup setup
    cdef olk_problem problem
    cdef Py_buffer view
    cdef int number
    fill_sorf_setup(&setup, config, regions)
    PyObject_GetBuffer(block, &view, PyBUF_SIMPLE)
    number = olk_check_sorf(&setup, <const uint8_t*>view.buf, &problem)
    PyBuffer_Release(&view)
    return said(number, &problem)


CHECKS = {FAMILY_RING: ring_problem, FAMILY_SORF: sorf_problem}


def problem_of(config, regions, block):
    """Why learning cannot lead to the state in a block, one sentence; "" if it can.

    ``regions`` are those to check; ``block`` starts with the header, in native byte order, at any
    address.
    """
    return CHECKS[config.family](config, regions, block)


def scaler_problem_of(n_features, options, regions, block):
    """The same for the block of a scaler with these options."""
    cdef olk_scaler_setup setup
    cdef olk_problem problem
    cdef Py_buffer view
    cdef int number
    memset(&setup, 0, sizeof(olk_scaler_setup))
    at = offsets_of(regions)
    setup.common.features = n_features
    setup.common.columns = 1
    setup.common.wide = True
    setup.common.preprocessing.method = options.method
    setup.common.preprocessing.clip = options.clip
    setup.common.preprocessing.window = options.window
    setup.common.preprocessing.freeze_after = options.freeze_after
    setup.common.at = at
    setup.moments = at["moments"]
    setup.units = at["units"]
    setup.frozen = at["frozen"]
    PyObject_GetBuffer(block, &view, PyBUF_SIMPLE)
    number = olk_check_scaler(&setup, <const uint8_t*>view.buf, &problem)
    PyBuffer_Release(&view)
    return said(number, &problem)


cdef str said(int number, const olk_problem* problem):
    """The sentence of this number with the numbers of a problem; "" for 0."""
    if number == 0:
        return ""
    got = int(problem.got) if problem.got == int_or_nan(problem.got) else problem.got
    return SENTENCES[number - 1][1].format(got=got, where=problem.where)


cdef inline double int_or_nan(double value) noexcept:
    """The value if it can be written as an integer, else another number."""
    if -1e18 < value < 1e18 and value == <double><long long>value:
        return value
    return 1.0 if value != 1.0 else 0.0
