"""Checks of labels and targets, one or many."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from libc.math cimport INFINITY, NAN, fabs

from edgeolk.core.engine cimport Engine
from edgeolk.core.labels cimport is_label, labels_allowed
from edgeolk.core.parts cimport LOSS_NOVELTY
from edgeolk.core.refusals cimport label_error
from edgeolk.core.state cimport State


cdef inline str others():
    return "; the estimators of edgeolk.sklearn take labels of any kind"


cdef inline str label_hint(Engine engine):
    """Hint where such labels are accepted, if anywhere."""
    cdef State* s = &engine.state
    if s.errors != NULL or s.c.choice.loss == LOSS_NOVELTY:
        return ""
    return others() if s.c.columns > 1 else f"; n_classes=2 takes 0 and 1{others()}"


cdef inline double parse_label(Engine engine, object y, str name) except? -2.0:
    """The label as a number: -1 or +1, a class, or any finite target in regression."""
    cdef int overflow = 0
    cdef double label
    if y is None and engine.state.c.choice.loss == LOSS_NOVELTY:
        return 0.0
    if y is None and engine.state.forecast.on:
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
    if not is_label(&engine.state, label):
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
        if not (two and fabs(label[i]) == 1.0) and not is_label(s, label[i]):
            return i
    return end
