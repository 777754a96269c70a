# cython: nonecheck=True
"""Between numpy and the engine: rows and labels are checked here, and nowhere else.

Design. A plain ndarray (C-contiguous, aligned, native float32 or float64) is used where it lies: no
allocation, about 25 ns. A typed-memoryview argument would cost three allocations and 130 ns a call.
Anything else that holds numbers is converted first. Everything is checked before the first write.
"""

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from libc.math cimport INFINITY, isfinite

import numpy as np

from edgeolk.core.engine cimport Engine
from edgeolk.core.losses cimport sigmoid
from edgeolk.core.parts cimport LOSS_LOGISTIC, LOSS_SQUARE
from edgeolk.core.state cimport DONE, REFUSED_FULL
from edgeolk.ndarray cimport as_numbers, is_plain

from edgeolk.errors import BudgetError

cnp.import_array()


cdef object outcome_error(int outcome, str where):
    if outcome == REFUSED_FULL:
        return BudgetError(f"{where}: the ring is full and full='raise'; nothing was changed by it")
    return ValueError(
        f"{where}: the kernel overflows for this row; scale the features or the kernel."
        " The row changed nothing"
    )


cdef class Scorer:
    """Scores of one model: the last function, or the mean of all of them."""

    cdef Engine engine
    cdef bint mean

    def __cinit__(self, *args, **kwargs):
        self.engine = None
        self.mean = False

    def _bind(self, Engine engine not None, bint mean=False):
        self.engine = engine
        self.mean = mean

    @property
    def _engine(self):
        return self.engine

    cdef object checked_row(self, object x):
        """x if it is plain and of the right length, else a plain copy; finite in storage."""
        cdef Engine engine = self.engine
        cdef bint good
        if not is_plain(x, 1):
            x = as_numbers(x, "x", 1)
        if cnp.PyArray_DIM(x, 0) != engine.state.m.n_features:
            raise ValueError(
                f"x must have {engine.state.m.n_features} features, got {cnp.PyArray_DIM(x, 0)}")
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            good = engine.accepts_f64(<const double*>cnp.PyArray_DATA(x))
        else:
            good = engine.accepts_f32(<const float*>cnp.PyArray_DATA(x))
        if not good:
            raise_not_finite(x, "x")
        if engine.busy:
            raise RuntimeError("the learner is in use by another thread")
        return x

    cdef const void* placed(self, object x) noexcept:
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            return self.engine.place_f64(<const double*>cnp.PyArray_DATA(x))
        return self.engine.place_f32(<const float*>cnp.PyArray_DATA(x))

    cdef object checked_rows(self, object X):
        """As checked_row for a matrix."""
        cdef Engine engine = self.engine
        cdef Py_ssize_t i, n
        cdef Py_ssize_t d = engine.state.m.n_features
        cdef Py_ssize_t bad = -1
        cdef const double* x64
        cdef const float* x32
        if not is_plain(X, 2):
            X = as_numbers(X, "X", 2)
        n = cnp.PyArray_DIM(X, 0)
        if cnp.PyArray_DIM(X, 1) != d:
            raise ValueError(f"X must have {d} columns, got {cnp.PyArray_DIM(X, 1)}")
        if cnp.PyArray_TYPE(X) == cnp.NPY_FLOAT64:
            x64 = <const double*>cnp.PyArray_DATA(X)
            for i in range(n):
                if not engine.accepts_f64(x64 + i * d):
                    bad = i
                    break
        else:
            x32 = <const float*>cnp.PyArray_DATA(X)
            for i in range(n):
                if not engine.accepts_f32(x32 + i * d):
                    bad = i
                    break
        if bad >= 0:
            raise_not_finite(X[bad], f"X[{bad}]")
        return X

    cdef object result_array(self, object out, Py_ssize_t n, object read):
        """out if it will do, and does not lie over what is read while it is written."""
        cdef char* start
        cdef char* lent
        if out is None:
            return np.empty(n)
        if not (is_plain(out, 1) and cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT64
                and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_DIM(out, 0) == n):
            raise ValueError(f"out must be a writable contiguous float64 array of length {n}")
        start = <char*>cnp.PyArray_DATA(out)
        lent = <char*>cnp.PyArray_DATA(read)
        if start < lent + cnp.PyArray_NBYTES(read) and lent < start + cnp.PyArray_NBYTES(out):
            raise ValueError("out must not share memory with X or y")
        return out

    cdef double score_row(self, object x) except? -1.0:
        cdef double f
        x = self.checked_row(x)
        if self.mean:
            self.engine.prepare_mean()
        if self.engine.decide(self.placed(x), self.mean, &f) != DONE:
            raise outcome_error(-1, "x")
        return f

    def decision_one(self, x):
        """Score f(x) of one row; nothing is learned.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            Finite. A contiguous float32 or float64 array is read where it lies; other array-likes
            of real numbers are converted.

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            Wrong kind, length or dimension, or a number that is not finite in storage.
        """
        return self.score_row(x)

    def predict_one(self, x):
        """Label of one row: 1 where f(x) >= 0, else -1; the score itself in regression."""
        cdef double f = self.score_row(x)
        if self.engine.state.m.choice.loss == LOSS_SQUARE:
            return f
        return 1 if f >= 0.0 else -1

    def predict_proba_one(self, x):
        """Probability that the label of one row is +1: 1 / (1 + exp(-f(x))).

        Raises
        ------
        AttributeError
            The loss is not logistic: its scores are no log odds.
        """
        if self.engine.state.m.choice.loss != LOSS_LOGISTIC:
            raise AttributeError("predict_proba_one needs the logistic loss")
        return sigmoid(self.score_row(x))

    def decision_function(self, X, out=None):
        """Scores of many rows, computed without the interpreter lock.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
        out : float64 ndarray of shape (n,), optional
            Receives the scores; without it an array is made.

        Returns
        -------
        float64 ndarray of shape (n,)
        """
        cdef Engine engine = self.engine
        cdef object rows = self.checked_rows(X)
        cdef Py_ssize_t i
        cdef Py_ssize_t n = cnp.PyArray_DIM(rows, 0)
        cdef Py_ssize_t d = engine.state.m.n_features
        cdef object scores = self.result_array(out, n, rows)
        cdef double* f = <double*>cnp.PyArray_DATA(scores)
        cdef const double* x64 = <const double*>cnp.PyArray_DATA(rows)
        cdef const float* x32 = <const float*>cnp.PyArray_DATA(rows)
        cdef bint wide = cnp.PyArray_TYPE(rows) == cnp.NPY_FLOAT64
        cdef bint mean = self.mean
        cdef const void* x
        cdef int outcome = DONE
        engine.take()
        with nogil:
            if mean:
                engine.prepare_mean()
            for i in range(n):
                x = engine.place_f64(x64 + i * d) if wide else engine.place_f32(x32 + i * d)
                outcome = engine.decide(x, mean, f + i)
                if outcome != DONE:
                    break
        engine.release()
        if outcome != DONE:
            raise outcome_error(outcome, f"X[{i}]")
        return scores

    def predict(self, X):
        """Labels of many rows as int8, 1 where f(x) >= 0, else -1; the scores in regression."""
        scores = self.decision_function(X)
        if self.engine.state.m.choice.loss == LOSS_SQUARE:
            return scores
        return np.where(scores >= 0.0, np.int8(1), np.int8(-1))


cdef object raise_not_finite(object row, str name):
    row = np.asarray(row)
    for j, value in enumerate(row):
        if not np.isfinite(value):
            raise ValueError(f"{name} must be finite, got {value} at feature {j}")
    j = int(np.argmax(np.abs(row)))
    raise ValueError(f"{name} must fit the storage type, got {row[j]} at feature {j}")


cdef double checked_label(Engine engine, object y, str name) except? -2.0:
    """A label in {-1, +1}, or any finite target in regression."""
    cdef int overflow = 0
    cdef double label
    if PyLong_CheckExact(y):
        label = <double>PyLong_AsLongAndOverflow(y, &overflow)
        if overflow:
            label = INFINITY  # no label; as a target beyond any use
    elif PyFloat_CheckExact(y):
        label = PyFloat_AS_DOUBLE(y)
    else:
        try:
            if isinstance(y, (str, bytes, bytearray)):
                raise TypeError
            label = float(y)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{name} must be a number, got {type(y).__name__}") from None
    if engine.state.m.choice.loss == LOSS_SQUARE:
        if not isfinite(label):
            raise ValueError(f"{name} must be finite, got {y!r}")
    elif label != 1.0 and label != -1.0:
        raise ValueError(f"{name} must be -1 or +1, got {y!r}")
    return label


cdef class RowLearner(Scorer):
    """Adds learning to scoring."""

    def learn_one(self, x, y):
        """Learn one example.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.
        y : int or float
            -1 or +1; any finite number with the square loss.

        Returns
        -------
        float
            The score f(x) before the update.

        Raises
        ------
        TypeError, ValueError
            Bad row or label; the model is unchanged.
        BudgetError
            The ring is full under ``full="raise"``; the model is unchanged.

        Notes
        -----
        With a contiguous float32 or float64 row nothing is allocated but the returned float.
        """
        cdef double label = checked_label(self.engine, y, "y")
        cdef object row = self.checked_row(x)
        cdef double f
        cdef int outcome = self.engine.step(self.placed(row), label, &f)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return f

    def wants_label(self, x):
        """Whether the label of a row could change the model; a yes is counted.

        With the ramp loss a row with abs(f(x)) > 1 is left alone whatever its label, so the label
        need not be bought (Wang & Vucetic 2010, section 4). With any other loss always True.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        bool
            After False, ``learn_one(x, y)`` would leave the function as it is.
        """
        return self.engine.wants(self.score_row(x))

    def learn_many(self, X, y, out=None):
        """Learn rows in order, without the interpreter lock.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            A C-contiguous float32 or float64 array is read where it lies.
        y : array-like of shape (n,)
            Labels as for ``learn_one``.
        out : float64 ndarray of shape (n,), optional
            Receives the scores; without it an array is made.

        Returns
        -------
        float64 ndarray of shape (n,)
            Score of each row before its update.

        Raises
        ------
        TypeError, ValueError
            Bad rows or labels; all are checked before the first is learned. Only a kernel that
            overflows is found on the way: the rows before it have then been learned.
        BudgetError
            As ``learn_one``; the rows before the refused one have been learned.
        """
        cdef Engine engine = self.engine
        cdef object rows = self.checked_rows(X)
        cdef Py_ssize_t i
        cdef Py_ssize_t n = cnp.PyArray_DIM(rows, 0)
        cdef Py_ssize_t d = engine.state.m.n_features
        cdef object targets = checked_labels(engine, y, n)
        cdef const double* label = <const double*>cnp.PyArray_DATA(targets)
        cdef object scores = self.result_array(self.result_array(out, n, rows), n, targets)
        cdef double* f = <double*>cnp.PyArray_DATA(scores)
        cdef const double* x64 = <const double*>cnp.PyArray_DATA(rows)
        cdef const float* x32 = <const float*>cnp.PyArray_DATA(rows)
        cdef bint wide = cnp.PyArray_TYPE(rows) == cnp.NPY_FLOAT64
        cdef const void* x
        cdef int outcome = DONE
        engine.take()
        with nogil:
            for i in range(n):
                x = engine.place_f64(x64 + i * d) if wide else engine.place_f32(x32 + i * d)
                outcome = engine.step(x, label[i], f + i)
                if outcome != DONE:
                    break
        engine.release()
        if outcome != DONE:
            raise outcome_error(outcome, f"X[{i}]")
        return scores


cdef object checked_labels(Engine engine, object y, Py_ssize_t n):
    """Labels as plain float64, each checked."""
    cdef Py_ssize_t i
    cdef const double* label
    cdef bint regression = engine.state.m.choice.loss == LOSS_SQUARE
    if not (is_plain(y, 1) and cnp.PyArray_TYPE(y) == cnp.NPY_FLOAT64):
        y = as_numbers(y, "y", 1).astype(np.float64, copy=False)
    if cnp.PyArray_DIM(y, 0) != n:
        raise ValueError(f"y must have {n} labels, one for each row, got {cnp.PyArray_DIM(y, 0)}")
    label = <const double*>cnp.PyArray_DATA(y)
    for i in range(n):
        if regression:
            if not isfinite(label[i]):
                raise ValueError(f"y[{i}] must be finite, got {label[i]}")
        elif label[i] != 1.0 and label[i] != -1.0:
            raise ValueError(f"y[{i}] must be -1 or +1, got {label[i]:g}")
    return y
