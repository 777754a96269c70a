# cython: nonecheck=True
"""Scores of rows: one or many, dense or sparse, by the last function or the mean of all."""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t

from types import SimpleNamespace

import numpy as np

from edgeolk.intervals import half_width

from edgeolk.rows.batches cimport (
    Batch, as_integers, as_tuple, convert_rows, describe, indices_rise, row_count,
)
from edgeolk.rows.blocks cimport run_in_order, variances_in_order
from edgeolk.rows.checks cimport describe_array, first_bad_row, numbers_fit, warn_of_zeros
from edgeolk.rows.arrays cimport SHORT, as_doubles, as_numbers, is_plain, is_vector, short_row
from edgeolk.core.arena cimport overlaps_model
from edgeolk.engine.engine cimport Engine
from edgeolk.ring.ring cimport ring_average, ring_familiarity
from edgeolk.core.preprocessing cimport take_dense, take_sparse
from edgeolk.ring.losses cimport sigmoid
from edgeolk.core.parts cimport BASIS_SUPPORT_VECTORS, LOSS_LOGISTIC
from edgeolk.core.refusals cimport not_finite, outcome_error, wrong_length
from edgeolk.core.rows cimport accepts
from edgeolk.core.state cimport DONE, REFUSED_ROW, Indices, State
from edgeolk.engine.step cimport answer

cnp.import_array()


cdef class Scorer:
    """Scores of one model: the last function, or the mean of all of them.

    Base of ``ek.Learner`` and of ``learner.averaged``, for ``isinstance``; it has no model itself.

    Page: docs/threads.md.

    Scoring learns nothing. With ``lapse=`` each row scored or predicted is counted as an answer,
    up to that number; this count is saved with the learner. A call that raises counts no row.
    """

    def __cinit__(self, *args, **kwargs):
        self.engine = None
        self.mean = False
        self.counts = True

    def _bind(self, Engine engine not None, bint mean=False, bint counts=True):
        self.engine = engine
        self.mean = mean
        self.counts = counts

    @property
    def _engine(self):
        return self.engine

    cdef object check_row(self, object x):
        """x if it is plain, else a plain copy; checked for length and numbers that fit storage."""
        cdef Engine engine = self.engine
        cdef int64_t d = engine.state.c.n_features
        cdef bint good
        if not is_plain(x, 1):
            x = as_numbers(x, "x", 1)
        if cnp.PyArray_DIM(x, 0) != d:
            raise wrong_length("x", d, cnp.PyArray_DIM(x, 0))
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            good = accepts(&engine.state, <const double*>cnp.PyArray_DATA(x), d)
        else:
            good = accepts(&engine.state, <const float*>cnp.PyArray_DATA(x), d)
        if not good:
            raise not_finite(x, range(len(x)), "x")
        return x

    cdef const void* place_row(self, object x, bint learning) except NULL:
        cdef const void* placed
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64:
            placed = take_dense(&self.engine.state, <const double*>cnp.PyArray_DATA(x), learning)
        else:
            placed = take_dense(&self.engine.state, <const float*>cnp.PyArray_DATA(x), learning)
        if placed == NULL:
            raise outcome_error(REFUSED_ROW, "x")
        return placed

    cdef const void* place_numbers(self, const double* row, bint learning) except NULL:
        """As ``placed``, for checked numbers in memory of the caller."""
        cdef const void* placed = take_dense(&self.engine.state, row, learning)
        if placed == NULL:
            raise outcome_error(REFUSED_ROW, "x")
        return placed

    cdef const void* place_any(self, object x, const double* row, bint is_short) except NULL:
        """Place a checked array, or the numbers of a short row."""
        return self.place_numbers(row, False) if is_short else self.place_row(x, False)

    cdef int check_rows(self, object arrays, Batch* rows) except -1:
        """Describe and check converted rows. No Python code may run before they are used."""
        cdef Py_ssize_t bad
        describe(&self.engine.state, arrays, rows)
        bad = first_bad_row(&self.engine.state, rows, 0)
        if bad < rows.n:
            raise self.row_error(arrays, rows, bad)
        return 0

    cdef object row_error(self, object arrays, const Batch* rows, Py_ssize_t bad):
        """The exception for a row that storage cannot represent."""
        cdef object numbers = arrays
        if rows.start == NULL:
            return not_finite(arrays[bad], range(rows.d), f"X[{bad}]")
        numbers = slice(*arrays[0][bad : bad + 2])
        return not_finite(arrays[2][numbers], arrays[1][numbers], f"X[{bad}]")

    cdef object result_array(self, object out, Py_ssize_t n, tuple read):
        """out if it is suitable and does not overlap the arrays read; a new array for None."""
        cdef char* start
        cdef char* read_start
        if out is None:
            return np.empty(n)
        if not (is_plain(out, 1) and cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT64
                and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_DIM(out, 0) == n):
            raise ValueError(f"out must be a writable contiguous float64 array of length {n}, got"
                             f" {describe_array(out)}")
        start = <char*>cnp.PyArray_DATA(out)
        for array in read:
            read_start = <char*>cnp.PyArray_DATA(array)
            if (start < read_start + cnp.PyArray_NBYTES(array)
                    and read_start < start + cnp.PyArray_NBYTES(out)):
                raise ValueError("out must not share memory with X or y")
        if overlaps_model(start, start + cnp.PyArray_NBYTES(out)):
            raise ValueError("out must not share memory with a learner's buffer")
        return out

    cdef int in_order(self, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
                      const double* label, const double* weight, double* f,
                      double* before=NULL, double* after=NULL, object progress=None,
                      double* parts=NULL, const double* counted=NULL) except -1:
        warn_of_zeros(self.engine, rows)
        return run_in_order(self.engine, self.mean, self.counts, rows, first, end, label, weight,
                            f, before, after, progress, parts, counted)

    cdef double* parts_of(self, object parts, Py_ssize_t n) except? NULL:
        """The numbers of an array for the scores behind those of n rows; NULL for None."""
        if parts is None:
            return NULL
        if not self.engine.config.has_parts:
            raise TypeError("only sorf with two classes has scores behind its score")
        if not (is_plain(parts, 2) and cnp.PyArray_TYPE(parts) == cnp.NPY_FLOAT64
                and cnp.PyArray_ISWRITEABLE(parts) and parts.shape == (n, 3)):
            raise ValueError(f"parts must be a writable float64 array of shape ({n}, 3)")
        return <double*>cnp.PyArray_DATA(parts)

    def _parts_one(self, x):
        """The score of one row of two classes, and the three behind it: those of the average, of
        the last weights and of the row memory (docs/sorf.md, sections 6 and 7f)."""
        cdef double[3] parts
        cdef double row[SHORT]
        cdef double f
        cdef bint is_short
        if not self.engine.config.has_parts:
            raise TypeError("only sorf with two classes has scores behind its score")
        is_short = not is_plain(x, 1) and short_row(&self.engine.state, x, row)
        if not is_short:
            x = self.check_row(x)
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                self.engine.state.sorf.state.parts = parts
                try:
                    f = self.score_placed(self.place_any(x, row, is_short))
                finally:
                    self.engine.state.sorf.state.parts = NULL
                return f, parts[0], parts[1], parts[2]
        # Another thread reads: the scratch of the block is in use.
        several = np.empty((1, 3))
        f = self._score_many(np.asarray(x)[None], several)[0]
        return f, several[0, 0], several[0, 1], several[0, 2]

    def _score_many(self, X, parts):
        """As ``decision_function``; ``parts``, a float64 array of shape (n, 3), receives the scores
        behind that of each row, as of ``_parts_one``."""
        cdef Batch rows
        self.one_score()
        cdef object arrays = convert_rows(&self.engine.state, X)
        cdef object scores = np.empty(row_count(arrays))
        cdef double* behind = self.parts_of(parts, row_count(arrays))
        self.check_rows(arrays, &rows)
        self.in_order(&rows, 0, rows.n, NULL, NULL, <double*>cnp.PyArray_DATA(scores),
                      NULL, NULL, None, behind)
        return scores

    cdef const void* check_sparse(
        self, object indices, object values, bint learning
    ) except NULL:
        """One row by its non-zeros, checked and laid out in scratch."""
        cdef State* s = &self.engine.state
        cdef object index = indices
        cdef object value = values
        cdef const void* placed
        cdef Py_ssize_t n
        if not (cnp.PyArray_CheckExact(index) and is_vector(index, cnp.NPY_INT32)
                and is_plain(value, 1)
                and is_vector(value, cnp.NPY_FLOAT64)):
            index = as_integers(index, "indices", np.int32)
            value = as_doubles(value, "values")
            if not (is_vector(index, cnp.NPY_INT32) and is_vector(value, cnp.NPY_FLOAT64)):
                raise ValueError("indices have changed while values were converted")
        n = cnp.PyArray_DIM(index, 0)
        if n != cnp.PyArray_DIM(value, 0):
            raise ValueError(f"values must have {n} numbers, got {cnp.PyArray_DIM(value, 0)}")
        if not indices_rise(<const int32_t*>cnp.PyArray_DATA(index), n, s.c.n_features):
            raise ValueError(f"indices must increase within 0 to {s.c.n_features - 1}, got"
                             f" {index.tolist()}")
        if n and not numbers_fit(s, <const double*>cnp.PyArray_DATA(value), n):
            raise not_finite(value, index, "values")
        self.engine.idle()
        placed = take_sparse(s, Indices(<const int32_t*>cnp.PyArray_DATA(index), NULL),
                             <const double*>cnp.PyArray_DATA(value), n, learning)
        if placed == NULL:
            raise outcome_error(REFUSED_ROW, "x")
        return placed

    cdef int one_score(self) except -1:
        if self.engine.state.c.columns > 1:
            raise TypeError(
                "this learner has one score per class: use scores_one or scores")
        return 0

    cdef int decide_placed(self, const void* x, double* f) except -1:
        """Compute the scores of a placed row, one per column."""
        cdef int outcome
        if self.mean:
            ring_average(&self.engine.state)
        outcome = answer(&self.engine.state, x, self.mean, self.counts, f)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return 0

    def scores_one(self, x):
        """Scores of one row, one per class; for two classes, the single score.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        float64 ndarray of shape (n_classes,)
        """
        cdef double row[SHORT]
        cdef bint is_short = not is_plain(x, 1) and short_row(&self.engine.state, x, row)
        cdef object scores = np.empty(self.engine.state.c.columns)
        if not is_short:
            x = self.check_row(x)
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                self.decide_placed(
                    self.place_any(x, row, is_short), <double*>cnp.PyArray_DATA(scores))
                return scores
        # Another thread reads: the scratch of the block is in use.
        return self.scores(np.asarray(x)[None])[0]

    def scores(self, X):
        """Scores of many rows, one per class; for two classes, the single score.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            As for ``decision_function``.

        Returns
        -------
        float64 ndarray of shape (n, n_classes), or (n, 1)

        Raises
        ------
        TypeError, ValueError, RuntimeError, KeyboardInterrupt
            As for ``decision_function``.
        """
        cdef Batch rows
        cdef object arrays = convert_rows(&self.engine.state, X)
        cdef object scores = np.empty((row_count(arrays), self.engine.state.c.columns))
        self.check_rows(arrays, &rows)
        self.in_order(&rows, 0, rows.n, NULL, NULL, <double*>cnp.PyArray_DATA(scores))
        return scores

    cdef double score_placed(self, const void* x) except? -1.0:
        cdef double f
        self.one_score()
        self.decide_placed(x, &f)
        return f

    cdef object label_of(self, double f):
        if self.engine.state.errors != NULL:
            return f
        return 1 if f >= 0.0 else -1

    cdef double score_row(self, object x) except? -1.0:
        cdef double row[SHORT]
        cdef bint is_short = not is_plain(x, 1) and short_row(&self.engine.state, x, row)
        if not is_short:
            x = self.check_row(x)
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                return self.score_placed(self.place_any(x, row, is_short))
        # Another thread reads: the scratch of the block is in use.
        return self.decision_function(np.asarray(x)[None])[0]

    def decision_one_sparse(self, indices, values):
        """Score of one row given by its non-zeros; all other numbers are 0.

        Parameters
        ----------
        indices : integers of shape (k,)
            Increasing, from 0 to n_features - 1. A contiguous int32 array with contiguous
            float64 values is read in place; anything else is converted.
        values : array-like of shape (k,)
            Finite.

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            Indices that do not increase or are not integers, a different number of values, or a
            value that is not finite in storage.
        RuntimeError
            Another thread learns.
        """
        return self.score_sparse(indices, values)

    cdef object one_row_matrix(self, object indices, object values):
        """A row given by its non-zeros, as a matrix."""
        return SimpleNamespace(
            format="csr", shape=(1, self.engine.state.c.n_features),
            indptr=[0, len(values)], indices=indices, data=values)

    cdef double score_sparse(self, object indices, object values) except? -1.0:
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                return self.score_placed(self.check_sparse(indices, values, False))
        # Another thread reads: the scratch of the block is in use.
        return self.decision_function(self.one_row_matrix(indices, values))[0]

    def predict_one_sparse(self, indices, values):
        """As ``predict_one`` for a row given by its non-zeros."""
        cdef object scores
        if self.engine.state.c.columns == 1:
            return self.label_of(self.score_sparse(indices, values))
        scores = np.empty(self.engine.state.c.columns)
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                self.decide_placed(self.check_sparse(indices, values, False),
                                   <double*>cnp.PyArray_DATA(scores))
                return int(np.argmax(scores))
        return int(self.predict(self.one_row_matrix(indices, values))[0])

    def decision_one(self, x):
        """Score f(x) of one row; nothing is learned. With ``lapse=`` it is counted as an answer.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            Finite. A contiguous float32 or float64 array is read in place. Lists, tuples,
            ``array.array``, memoryviews and arrays of any real type of up to 256 features are read
            number by number, at about the same cost; other array-likes are converted by numpy.

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
        lowest on ties; the score itself in regression; -1 for novelty, else 1."""
        if self.engine.state.c.columns > 1:
            return int(np.argmax(self.scores_one(x)))
        return self.label_of(self.score_row(x))

    def predict_proba_one(self, x):
        """Probability that the label of one row is +1: 1 / (1 + exp(-f(x))).

        With several classes the softmax of the scores, of shape (n_classes,).

        Raises
        ------
        AttributeError
            The loss is not logistic: scores are not log odds.
        """
        if self.engine.state.c.choice.loss != LOSS_LOGISTIC:
            raise AttributeError("predict_proba_one needs the logistic loss; estimators of"
                                 " edgeolk.sklearn and edgeolk.river have probabilities of sorf")
        if self.engine.state.c.columns > 1:
            scores = self.scores_one(x)
            odds = np.exp(scores - scores.max())
            return odds / odds.sum()
        return sigmoid(self.score_row(x))

    def familiarity_one(self, x):
        """Similarity of one row to the support vectors: the largest cosine.

        max_i k(s_i, x) / sqrt(k(s_i, s_i) k(x, x)): near 0 the row is far from all learned rows,
        and its score is meaningless. Costs a kernel row.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        float
            From 0 to 1 for a Gaussian or Laplacian kernel; 0 for an empty model.

        Raises
        ------
        TypeError, ValueError
            Bad row.
        AttributeError
            The learner's function is not a sum over support vectors.
        RuntimeError
            Another thread is inside a long call.
        """
        cdef double similarity
        if self.engine.state.c.choice.basis != BASIS_SUPPORT_VECTORS:
            raise AttributeError(
                "familiarity_one needs support vectors: features do not reveal which rows"
                " were seen")
        x = self.check_row(x)
        with cython.critical_section(self.engine):
            self.engine.idle()
            similarity = ring_familiarity(&self.engine.state, self.place_row(x, False))
        return similarity

    def variance_one(self, x):
        """Variance of the target of one row, by a Gaussian process.

        For ``krls_t``, ``sogp``, ``krls_auto`` and, of targets from 4 KiB on, ``sorf``.

        The posterior variance of f(x) plus that of the noise, times a scale that is the mean of
        the squared errors so far over their predicted variances (K8 of
        docs/kernel-adaptive-filters.md). Costs a kernel row and O(B^2). Of ``sorf`` with a
        process beside its features: of the mixture of the two (docs/sorf.md, section 18).

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        float
            In squared units of the targets; infinite before the first row is learned, and while all
            targets were equal.

        Raises
        ------
        AttributeError
            The algorithm has no variances.
        TypeError, ValueError
            As for ``decision_one``.
        """
        self.engine.check_variance()
        x = self.check_row(x)
        with cython.critical_section(self.engine):
            if self.engine.users == 0:
                return self.engine.state.family.variance(
                    &self.engine.state, self.place_row(x, False))
        # Another thread reads: the scratch of the block is in use.
        return float(self.variance(x[None])[0])

    def variance(self, X):
        """Variances of the targets of many rows, computed without the interpreter lock.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            As for ``decision_function``.

        Returns
        -------
        float64 ndarray of shape (n,)
            As ``variance_one`` row by row.

        Raises
        ------
        AttributeError
            The algorithm has no variances.
        TypeError, ValueError, RuntimeError, KeyboardInterrupt
            As for ``decision_function``.
        """
        cdef Batch rows
        self.engine.check_variance()
        cdef object arrays = convert_rows(&self.engine.state, X)
        cdef object variances = np.empty(row_count(arrays))
        self.check_rows(arrays, &rows)
        variances_in_order(self.engine, &rows, <double*>cnp.PyArray_DATA(variances))
        return variances

    def interval_one(self, x, level=0.9):
        """Bounds of the target of one row, by a Gaussian process.

        For ``krls_t``, ``sogp``, ``krls_auto`` and, of targets from 4 KiB on, ``sorf``.

        With ``lapse=`` the row is counted as an answer, as by ``decision_one``.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.
        level : float
            The probability that the target is within the bounds, in (0, 1).

        Returns
        -------
        tuple of float
            Lower and upper bound: f(x) minus and plus the deviation times the normal quantile.

        Raises
        ------
        AttributeError
            The algorithm has no variances.
        TypeError, ValueError
            As for ``decision_one``, or ``level`` is out of range.
        """
        self.engine.check_variance()
        half = half_width(level, self.variance_one(x))
        f = self.score_row(x)
        return f - half, f + half

    def decision_function(self, X, out=None):
        """Scores of many rows, computed without the interpreter lock.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            A C-contiguous float32 or float64 array is read in place; a CSR matrix (scipy's)
            row by row.
        out : float64 ndarray of shape (n,), optional
            Receives the scores; by default a new array.

        Returns
        -------
        float64 ndarray of shape (n,)

        Raises
        ------
        TypeError
            X does not have real numbers, or rows have one score per class.
        ValueError
            X or out has a wrong shape, X is not a CSR matrix, or its numbers changed meanwhile;
            ``BadRowError``, with row and feature, for a number that is not finite in storage.
        RuntimeError
            Another thread learns.
        KeyboardInterrupt
            Signals are checked every few hundredths of a second; out is then partially filled.
        """
        cdef Batch rows
        self.one_score()
        cdef object arrays = convert_rows(&self.engine.state, X)
        cdef object scores = self.result_array(out, row_count(arrays), as_tuple(arrays))
        self.check_rows(arrays, &rows)
        self.in_order(&rows, 0, rows.n, NULL, NULL, <double*>cnp.PyArray_DATA(scores))
        return scores

    def predict(self, X):
        """Labels of many rows: 1 where f(x) >= 0, else -1; classes; in regression the scores.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            As for ``decision_function``.

        Returns
        -------
        ndarray of shape (n,)
            int8; for several classes int64; float64 in regression.

        Raises
        ------
        TypeError, ValueError, RuntimeError, KeyboardInterrupt
            As for ``decision_function``.
        """
        if self.engine.state.c.columns > 1:
            return np.argmax(self.scores(X), axis=1)
        scores = self.decision_function(X)
        if self.engine.state.errors != NULL:
            return scores
        return np.where(scores >= 0.0, np.int8(1), np.int8(-1))
