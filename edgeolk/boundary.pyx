# cython: nonecheck=True
"""Between numpy and the engine: rows and labels are checked here, and nowhere else.

Design. A plain ndarray (C-contiguous, aligned, native float32 or float64) is used where it lies: no
allocation, about 25 ns. A typed-memoryview argument would cost three allocations and 130 ns a call.
Anything else that holds numbers is converted first. Everything is checked before the first write,
rows last: converting another argument may run code of the caller, which may change them.
"""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import warnings

import numpy as np

from edgeolk.core.arena cimport lies_in_use
from edgeolk.core.engine cimport Engine, is_label, labels_allowed
from edgeolk.core.losses cimport sigmoid
from edgeolk.core.finite cimport all_finite, all_within, finite_as_float
from edgeolk.core.parts cimport (
    DTYPE_FLOAT16, DTYPE_FLOAT64, LOSS_LOGISTIC, LOSS_NOVELTY, LOSS_SQUARE,
)
from edgeolk.core.rows cimport (
    accepts_f32, accepts_f64, half_most, place_f32, place_f64, place_sparse,
)
from edgeolk.core.state cimport DONE, REFUSED_FULL, REFUSED_ROW, State
from edgeolk.core.step cimport decide, learn, prepare_mean, wants
from edgeolk.batches cimport (
    Batch, converted_rows, describe, first_bad_row, is_vector, place_row, whole_numbers,
)
from edgeolk.ndarray cimport as_numbers, is_plain

from edgeolk.errors import BudgetError

cnp.import_array()


cdef object outcome_error(int outcome, str where):
    if outcome == REFUSED_FULL:
        return BudgetError(f"{where}: the ring is full and full='raise'; nothing was changed by it")
    if outcome == REFUSED_ROW:
        return ValueError(
            f"{where}: its indices or numbers have changed since they were checked. The row changed"
            " nothing"
        )
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
        if cnp.PyArray_DIM(x, 0) != engine.state.c.n_features:
            raise ValueError(
                f"x must have {engine.state.c.n_features} features, got {cnp.PyArray_DIM(x, 0)}")
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            good = accepts_f64(&engine.state, <const double*>cnp.PyArray_DATA(x))
        else:
            good = accepts_f32(&engine.state, <const float*>cnp.PyArray_DATA(x))
        if not good:
            raise_not_finite(x, "x")
        if engine.busy:
            raise RuntimeError("the learner is in use by another thread")
        return x

    cdef const void* placed(self, object x) noexcept:
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            return place_f64(&self.engine.state, <const double*>cnp.PyArray_DATA(x))
        return place_f32(&self.engine.state, <const float*>cnp.PyArray_DATA(x))

    cdef int check_rows(self, object arrays, Batch* rows) except -1:
        """Describe converted rows, each checked. No Python code runs until the caller's next."""
        cdef State* s = &self.engine.state
        cdef Py_ssize_t bad
        describe(s, arrays, rows)
        if rows.start != NULL:
            bad = first_bad_value(s, rows)
            if bad >= 0:
                raise ValueError(f"X must be finite and fit storage, got {rows.value[bad]}")
            return 0
        bad = first_bad_row(s, rows)
        if bad >= 0:
            raise_not_finite(arrays[bad], f"X[{bad}]")
        return 0

    cdef object result_array(self, object out, Py_ssize_t n, tuple read):
        """out if it will do, and does not lie over what is read while it is written."""
        cdef char* start
        cdef char* lent
        if out is None:
            return np.empty(n)
        if not (is_plain(out, 1) and cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT64
                and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_DIM(out, 0) == n):
            raise ValueError(f"out must be a writable contiguous float64 array of length {n}")
        start = <char*>cnp.PyArray_DATA(out)
        for array in read:
            lent = <char*>cnp.PyArray_DATA(array)
            if start < lent + cnp.PyArray_NBYTES(array) and lent < start + cnp.PyArray_NBYTES(out):
                raise ValueError("out must not share memory with X or y")
        if lies_in_use(start, start + cnp.PyArray_NBYTES(out)):
            raise ValueError("out must not share memory with a learner's buffer")
        return out

    cdef const void* checked_sparse(self, object indices, object values) except NULL:
        """One row by its non-zeros, checked and laid out in scratch."""
        cdef State* s = &self.engine.state
        cdef object index = indices
        cdef object value = values
        cdef const void* placed
        cdef Py_ssize_t n
        if not (is_vector(index, cnp.NPY_INT32) and is_vector(value, cnp.NPY_FLOAT64)):
            index = whole_numbers(index, "indices", np.int32)
            value = as_numbers(value, "values", 1).astype(np.float64, copy=False)
            if not (is_vector(index, cnp.NPY_INT32) and is_vector(value, cnp.NPY_FLOAT64)):
                raise ValueError("indices have changed while values were converted")
        n = cnp.PyArray_DIM(index, 0)
        if n != cnp.PyArray_DIM(value, 0):
            raise ValueError(f"values must have {n} numbers, got {cnp.PyArray_DIM(value, 0)}")
        if not indices_increase(<const int32_t*>cnp.PyArray_DATA(index), n, s.c.n_features):
            raise ValueError(f"indices must increase within 0 to {s.c.n_features - 1}")
        if n and not values_fit(s, <const double*>cnp.PyArray_DATA(value), n):
            raise_not_finite(value, "values")
        if self.engine.busy:
            raise RuntimeError("the learner is in use by another thread")
        placed = place_sparse(s, <const int32_t*>cnp.PyArray_DATA(index),
                              <const double*>cnp.PyArray_DATA(value), n)
        if placed == NULL:
            raise outcome_error(REFUSED_ROW, "x")
        return placed

    cdef int one_score(self) except -1:
        if self.engine.state.c.columns > 1:
            raise TypeError(
                "a row has a score for each class here: scores_one and scores give them")
        return 0

    cdef object class_scores(self, const void* x):
        """The scores of a placed row, one a class."""
        cdef object scores = np.empty(self.engine.state.c.columns)
        if decide(&self.engine.state, x, False, <double*>cnp.PyArray_DATA(scores)) != DONE:
            raise outcome_error(-1, "x")
        return scores

    def scores_one(self, x):
        """Scores of one row, one a class; for two classes, the one score there is.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        float64 ndarray of shape (n_classes,)
        """
        x = self.checked_row(x)
        return self.class_scores(self.placed(x))

    def scores(self, X):
        """Scores of many rows, float64 of shape (n, n_classes)."""
        cdef Batch rows
        cdef Py_ssize_t i
        cdef const void* x
        cdef object held = converted_rows(&self.engine.state, X)
        cdef object made = np.empty((row_count(held), self.engine.state.c.columns))
        cdef double* f = <double*>cnp.PyArray_DATA(made)
        cdef int outcome = DONE
        self.check_rows(held, &rows)
        self.engine.take()
        with nogil:
            for i in range(rows.n):
                x = place_row(&self.engine.state, &rows, i)
                outcome = REFUSED_ROW
                if x != NULL:
                    outcome = decide(&self.engine.state, x, False,
                                     f + i * self.engine.state.c.columns)
                if outcome != DONE:
                    break
        self.engine.release()
        if outcome != DONE:
            raise outcome_error(outcome, f"X[{i}]")
        return made

    cdef double score_placed(self, const void* x) except? -1.0:
        cdef double f
        self.one_score()
        if self.mean:
            prepare_mean(&self.engine.state)
        if decide(&self.engine.state, x, self.mean, &f) != DONE:
            raise outcome_error(-1, "x")
        return f

    cdef object label_of(self, double f):
        if self.engine.state.c.choice.loss == LOSS_SQUARE:
            return f
        return 1 if f >= 0.0 else -1

    cdef double score_row(self, object x) except? -1.0:
        x = self.checked_row(x)
        return self.score_placed(self.placed(x))

    def decision_one_sparse(self, indices, values):
        """Score of one row given by its non-zeros; every other number of it is 0.

        Parameters
        ----------
        indices : integers of shape (k,)
            Increasing, from 0 to n_features - 1. A contiguous int32 array beside contiguous
            float64 values is read where it lies; anything else is converted.
        values : array-like of shape (k,)
            Finite.
        """
        return self.score_placed(self.checked_sparse(indices, values))

    def predict_one_sparse(self, indices, values):
        """As ``predict_one`` for a row given by its non-zeros."""
        return self.label_of(self.score_placed(self.checked_sparse(indices, values)))

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
        """Label of one row: 1 where f(x) >= 0, else -1; the class with the highest score, the
        lowest of equals; the score itself in regression; -1 for novelty, else 1."""
        if self.engine.state.c.columns > 1:
            return int(np.argmax(self.scores_one(x)))
        return self.label_of(self.score_row(x))

    def predict_proba_one(self, x):
        """Probability that the label of one row is +1: 1 / (1 + exp(-f(x))).

        Raises
        ------
        AttributeError
            The loss is not logistic: its scores are no log odds.
        """
        if self.engine.state.c.choice.loss != LOSS_LOGISTIC:
            raise AttributeError("predict_proba_one needs the logistic loss")
        return sigmoid(self.score_row(x))

    def decision_function(self, X, out=None):
        """Scores of many rows, computed without the interpreter lock.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            A C-contiguous float32 or float64 array is read where it lies; a CSR matrix (scipy's)
            row by row.
        out : float64 ndarray of shape (n,), optional
            Receives the scores; without it an array is made.

        Returns
        -------
        float64 ndarray of shape (n,)
        """
        cdef Engine engine = self.engine
        cdef Batch rows
        self.one_score()
        cdef object held = converted_rows(&engine.state, X)
        cdef object scores = self.result_array(out, row_count(held), as_tuple(held))
        cdef double* f = <double*>cnp.PyArray_DATA(scores)
        cdef const void* x
        cdef bint mean = self.mean
        cdef Py_ssize_t i
        cdef Py_ssize_t look = look_every(&engine.state)
        cdef int outcome = DONE
        # From here on no code of the caller runs, but for handlers of signals: they find the
        # learner busy, and indices are checked again where they are used.
        self.check_rows(held, &rows)
        engine.take()
        try:
            with nogil:
                if mean:
                    prepare_mean(&engine.state)
                for i in range(rows.n):
                    if i >= look:
                        look += look_every(&engine.state)
                        with gil:
                            PyErr_CheckSignals()
                    x = place_row(&engine.state, &rows, i)
                    outcome = REFUSED_ROW
                    if x != NULL:
                        outcome = decide(&engine.state, x, mean, f + i)
                    if outcome != DONE:
                        break
        finally:
            engine.release()
        if outcome != DONE:
            raise outcome_error(outcome, f"X[{i}]")
        return scores

    def predict(self, X):
        """Labels of many rows as int8, 1 where f(x) >= 0, else -1; classes as whole numbers; the
        scores in regression."""
        if self.engine.state.c.columns > 1:
            return np.argmax(self.scores(X), axis=1)
        scores = self.decision_function(X)
        if self.engine.state.c.choice.loss == LOSS_SQUARE:
            return scores
        return np.where(scores >= 0.0, np.int8(1), np.int8(-1))


cdef Py_ssize_t look_every(const State* s) noexcept nogil:
    """Rows after which a long call looks at signals: some hundredths of a second of kernels."""
    cdef int64_t rows = 40_000_000 // (1000 + s.c.n_features * s.c.budget)
    return max(<int64_t>16, min(<int64_t>65536, rows))


cdef Py_ssize_t row_count(object held):
    """Rows of what converted_rows gave."""
    if isinstance(held, tuple):
        return cnp.PyArray_DIM(held[0], 0) - 1
    return cnp.PyArray_DIM(held, 0)


cdef tuple as_tuple(object held):
    return held if isinstance(held, tuple) else (held,)


cdef bint indices_increase(const int32_t* index, Py_ssize_t n, int64_t d) noexcept:
    """0 <= index[0] < index[1] < ... < d."""
    cdef Py_ssize_t k
    cdef int64_t before = -1
    for k in range(n):
        if not before < index[k] < d:
            return False
        before = index[k]
    return True


cdef bint values_fit(State* s, const double* value, Py_ssize_t n) noexcept:
    """Each of n numbers, as if each were a row's only one."""
    if s.c.vectors == DTYPE_FLOAT64:
        return all_finite(value, n)
    if s.c.vectors == DTYPE_FLOAT16:
        return all_within(value, n, half_most())
    return finite_as_float(value, n)


cdef Py_ssize_t first_bad_value(State* s, const Batch* rows) noexcept:
    """The first entry of a sparse batch that storage cannot hold, or -1."""
    cdef Py_ssize_t k
    cdef Py_ssize_t n = rows.start[rows.n]
    if values_fit(s, rows.value, n):
        return -1
    for k in range(n):
        if not values_fit(s, rows.value + k, 1):
            return k
    return -1


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
    if y is None and engine.state.c.choice.loss == LOSS_NOVELTY:
        return 0.0
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
    if not is_label(&engine.state, label):
        raise ValueError(f"{name} must be {labels_allowed(&engine.state)}, got {y!r}")
    return label


cdef int warn_of_levels(Engine engine) except -1:
    """Once, when the first reading lay beyond the levels of int8 storage."""
    cdef State* s = &engine.state
    if s.quantum.scale == NULL or s.function.clipped == 0 or engine.warned:
        return 0
    engine.warned = True
    warnings.warn(
        "a reading lies beyond feature_range and counts as its end; give dtype='int8' a wider"
        " feature_range= or scale the features (learner.clipped counts such readings)",
        stacklevel=2,
    )
    return 0


cdef class RowLearner(Scorer):
    """Adds learning to scoring."""

    def learn_one(self, x, y=None):
        """Learn one example.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.
        y : int or float
            -1 or +1; a class from 0 to n_classes - 1; any finite number with the square loss; not
            needed for novelty.

        Returns
        -------
        float
            The score f(x) before the update; with several classes the margin of y's class, for
            novelty f(x) less the threshold.

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
        cdef int outcome = learn(&self.engine.state, self.placed(row), label, &f)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        if self.engine.state.quantum.scale != NULL:
            warn_of_levels(self.engine)
        return f

    def learn_one_sparse(self, indices, values, y):
        """Learn one example given by its non-zeros; as ``learn_one``.

        Parameters
        ----------
        indices, values
            As for ``decision_one_sparse``.
        y : int or float
            As for ``learn_one``.
        """
        cdef double label = checked_label(self.engine, y, "y")
        cdef double f
        cdef const void* x = self.checked_sparse(indices, values)
        cdef int outcome = learn(&self.engine.state, x, label, &f)
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
        if self.engine.state.c.columns > 1:
            self.checked_row(x)
            return wants(&self.engine.state, 0.0)
        return wants(&self.engine.state, self.score_row(x))

    def learn_many(self, X, y=None, out=None):
        """Learn rows in order, without the interpreter lock.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            A C-contiguous float32 or float64 array is read where it lies; a CSR matrix (scipy's)
            row by row.
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
        KeyboardInterrupt
            Signals are looked at every few hundredths of a second: the rows before have been
            learned, the others not (``steps`` says how many), and the model is whole.
        """
        cdef Engine engine = self.engine
        cdef Batch rows
        cdef object held = converted_rows(&engine.state, X)
        cdef object targets
        if y is None and engine.state.c.choice.loss == LOSS_NOVELTY:
            y = np.zeros(row_count(held))
        targets = converted_labels(y)
        cdef object scores = self.result_array(out, row_count(held), (*as_tuple(held), targets))
        cdef const double* label = <const double*>cnp.PyArray_DATA(targets)
        cdef double* f = <double*>cnp.PyArray_DATA(scores)
        cdef const void* x
        cdef Py_ssize_t i
        cdef Py_ssize_t look = look_every(&engine.state)
        cdef int outcome = DONE
        # From here on no code of the caller runs, but for handlers of signals: they find the
        # learner busy, and indices are checked again where they are used.
        self.check_rows(held, &rows)
        check_labels(engine, targets, rows.n)
        engine.take()
        try:
            with nogil:
                for i in range(rows.n):
                    if i >= look:
                        look += look_every(&engine.state)
                        with gil:
                            PyErr_CheckSignals()
                    x = place_row(&engine.state, &rows, i)
                    outcome = REFUSED_ROW
                    if x != NULL:
                        outcome = learn(&engine.state, x, label[i], f + i)
                    if outcome != DONE:
                        break
        finally:
            engine.release()
        if outcome != DONE:
            raise outcome_error(outcome, f"X[{i}]")
        warn_of_levels(engine)
        return scores


cdef object converted_labels(object y):
    """Labels as plain float64. Runs Python code."""
    if is_vector(y, cnp.NPY_FLOAT64):
        return y
    return as_numbers(y, "y", 1).astype(np.float64, copy=False)


cdef int check_labels(Engine engine, object y, Py_ssize_t n) except -1:
    """Each of n labels."""
    cdef Py_ssize_t i
    cdef const double* label
    if not is_vector(y, cnp.NPY_FLOAT64):
        raise ValueError("y has changed while the arguments were converted")
    if cnp.PyArray_DIM(y, 0) != n:
        raise ValueError(f"y must have {n} labels, one for each row, got {cnp.PyArray_DIM(y, 0)}")
    label = <const double*>cnp.PyArray_DATA(y)
    for i in range(n):
        if not is_label(&engine.state, label[i]):
            raise ValueError(
                f"y[{i}] must be {labels_allowed(&engine.state)}, got {label[i]:g}")
    return 0
