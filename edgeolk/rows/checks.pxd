"""Checks of labels, weights and sparse rows; warnings, each given once."""

cimport cython
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from libc.math cimport INFINITY, NAN, fabs, isfinite, isnan
from libc.stdint cimport int64_t

from edgeolk.rows.batches cimport Batch, first_bad_dense, has_entries
from edgeolk.engine.engine cimport Engine
from edgeolk.core.refusals cimport check_weight, is_label, label_error, labels_allowed
from edgeolk.core.parts cimport BASIS_SUPPORT_VECTORS, DTYPE_INT8
from edgeolk.core.rows cimport accepts
from edgeolk.core.state cimport (
    LABELS_CLASSES, LABELS_KNOWN_OR_NOT, LABELS_TARGETS, LABELS_TIMES, LABELS_TWO, LABELS_UNUSED,
    State,
)


# Error messages for unsupported arrays.

cdef inline str describe_array(object array):
    """Kind, type and shape of an array, for a message."""
    if not hasattr(array, "flags"):
        return type(array).__name__
    kind = "" if array.flags.c_contiguous else "strided "
    if not array.flags.writeable:
        kind += "read-only "
    return f"{kind}{array.dtype} of shape {array.shape}"


# Checks of labels and targets, one or many.

cdef inline str others():
    return "; the estimators of edgeolk.sklearn take labels of any kind"


cdef inline str label_hint(Engine engine):
    """Hint where such labels are accepted, if anywhere."""
    cdef State* s = &engine.state
    if s.c.labels != LABELS_TWO and s.c.labels != LABELS_CLASSES:
        return ""
    return others() if s.c.columns > 1 else f"; n_classes=2 takes 0 and 1{others()}"


cdef inline bint takes_no_labels(const State* s) noexcept nogil:
    return s.c.labels == LABELS_UNUSED or s.c.labels == LABELS_TIMES


cdef inline bint is_given_label(const State* s, double label) noexcept nogil:
    """Whether a caller may give this label."""
    return is_label(s, label) and (s.c.labels != LABELS_TIMES or isfinite(label))


cdef inline double parse_label(Engine engine, object y, str name) except? -2.0:
    """The label as a number: -1 or +1, a class, or any finite target in regression."""
    cdef int overflow = 0
    cdef double label
    if y is None and takes_no_labels(&engine.state):
        return 0.0
    if y is None and engine.state.c.labels == LABELS_KNOWN_OR_NOT:
        return NAN
    if PyLong_CheckExact(y):
        label = <double>PyLong_AsLongAndOverflow(y, &overflow)
        if overflow:
            label = INFINITY  # never a valid label or target
    elif PyFloat_CheckExact(y):
        label = PyFloat_AS_DOUBLE(y)
    else:
        try:
            if isinstance(y, (str, bytes, bytearray)):
                raise TypeError
            label = float(y)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(
                f"{name} must be a number, got {type(y).__name__}{others()}") from None
    if not is_given_label(&engine.state, label):
        raise label_error(
            label, labels_allowed(&engine.state), name, f"{y!r}{label_hint(engine)}")
    return label


cdef inline Py_ssize_t first_bad_label(const State* s, const double* label, Py_ssize_t first,
                                       Py_ssize_t end) noexcept nogil:
    """Index of the first invalid label, or ``end``."""
    cdef Py_ssize_t i
    cdef bint two = s.c.columns == 1
    for i in range(first, end):
        # The common labels are recognised without a call.
        if not (two and fabs(label[i]) == 1.0) and not is_given_label(s, label[i]):
            return i
    return end


# Checks of row weights: a single one, or one per row.

cdef inline double parse_weight(Engine engine, object weight) except? -2.0:
    """The weight as a number > 0; other than 1 only if the learner supports weights."""
    cdef double number
    try:
        if isinstance(weight, (bool, str, bytes, bytearray)):
            raise TypeError
        number = float(weight)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"weight must be a number, got {type(weight).__name__}") from None
    if number != 1.0:
        check_weight(&engine.state, engine.config, number)
    return number


cdef inline int check_weights(Engine engine, const double* weight, Py_ssize_t n) except -1:
    """Check each of n weights."""
    cdef Py_ssize_t i
    for i in range(n):
        if weight[i] != 1.0:
            check_weight(&engine.state, engine.config, weight[i])
    return 0


# Warnings, each given once: readings out of range, diverging predictions.

cdef inline int warn_of_levels(Engine engine) except -1:
    """Warn once of a reading outside the range of int8 storage."""
    cdef State* s = &engine.state
    if s.quantizer.scale == NULL:
        return 0
    with cython.critical_section(engine):
        if engine.warned or engine.ring.function.clipped == 0:
            return 0
        engine.warned = True
    import warnings

    warnings.warn(
        "a reading lies outside feature_range and was limited to it; give dtype='int8' a wider"
        " feature_range= or scale the features (learner.n_out_of_range counts such readings)",
        stacklevel=2,
    )
    return 0


cdef enum:
    RANGE = 100   # predictions beyond this many times the largest target diverge
    KNOWN = 30    # targets after which their range counts as known


cdef inline int watch_error(
    Engine engine, const double* y, const double* f, Py_ssize_t n
) except -1:
    """Warn once of predictions that diverge from the targets: gradient steps too large."""
    cdef Py_ssize_t i
    if engine.state.c.labels != LABELS_TARGETS:
        return 0
    with cython.critical_section(engine):
        if engine.warned_of_error:
            return 0
        for i in range(n):
            if isnan(f[i]):  # a skipped row
                continue
            engine.largest_target = max(engine.largest_target, fabs(y[i]))
            engine.targets_seen += 1
            if engine.targets_seen > KNOWN and fabs(f[i]) > RANGE * engine.largest_target:
                engine.warned_of_error = True
                break
        else:
            return 0
    import warnings

    warnings.warn(
        "predictions diverge from the targets: the steps are too large for this stream; lower"
        " eta=, bound the function (U=, gamma= or lam=), or scale the targets to the size of 1",
        stacklevel=2,
    )
    return 0


# Checks of rows given by their non-zeros.

cdef enum:
    LONG = 16384  # numbers in a ring from which on dense processing is slow


cdef inline int warn_of_zeros(Engine engine, const Batch* rows) except -1:
    """Warn once of a mostly zero matrix for a ring that is read in full for every row."""
    cdef const State* s = &engine.state
    cdef str remedy
    if (rows.start == NULL or s.nonzero_index != NULL
            or s.c.choice.basis != BASIS_SUPPORT_VECTORS
            or s.c.n_features * s.c.budget < LONG
            or 4 * rows.entries > rows.n * s.c.n_features or rows.n == 0):
        return 0
    with cython.critical_section(engine):
        if engine.warned_of_zeros:
            return 0
        engine.warned_of_zeros = True
    import warnings

    if engine.config.preprocessing.method:
        remedy = "scaled rows have no zeros; omit scale= for such rows"
    elif s.c.choice.dtype == DTYPE_INT8:
        remedy = "int8 has no zero to skip; dtype='float16' with sparse=True does"
    else:
        remedy = "sparse=True skips the zeros"
    warnings.warn(f"X is mostly zeros, but every number is read: {remedy}", stacklevel=2)
    return 0


cdef inline bint numbers_fit(State* s, const double* value, Py_ssize_t n) noexcept:
    """Whether storage can represent each of n numbers."""
    if n == 0:
        return True
    return accepts(s, value, n)


cdef inline Py_ssize_t first_bad_row(State* s, const Batch* rows, Py_ssize_t first) noexcept:
    """Index of the first row from ``first`` that storage cannot represent, or rows.n."""
    cdef Py_ssize_t i
    cdef int64_t start, end
    if rows.start == NULL:
        return first_bad_dense(s, rows, first)
    # Bad rows are rare: first check all numbers at once.
    if first == 0 and numbers_fit(s, rows.value, rows.entries):
        return rows.n
    for i in range(first, rows.n):
        if (not has_entries(rows, i, &start, &end)
                or not numbers_fit(s, rows.value + start, end - start)):
            return i
    return rows.n
