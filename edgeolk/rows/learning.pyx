# cython: nonecheck=True
"""Learning from rows: one or many, dense or sparse."""

cimport cython
cimport numpy as cnp
from libc.math cimport NAN, isfinite

import numpy as np

from edgeolk.errors import BadRowError
from edgeolk.progress import Progress

from edgeolk.rows.batches cimport Batch, as_tuple, convert_rows, describe, row_count
from edgeolk.rows.checks cimport (
    check_weights, describe_array, first_bad_label, first_bad_row, label_hint, parse_label,
    parse_weight, takes_no_labels, warn_of_levels, watch_error,
)
from edgeolk.rows.arrays cimport SHORT, as_doubles, is_plain, is_vector, pointer_to, short_row
from edgeolk.rows.scoring cimport Scorer
from edgeolk.core.refusals cimport (
    check_clock, label_error, labels_allowed, outcome_error, seconds_of,
)
from edgeolk.core.state cimport (
    DONE, LABELS_KNOWN_OR_NOT, LABELS_TARGETS, LABELS_TIMES, LABELS_TWO, State,
)
from edgeolk.engine.step cimport asks_score, learn, skip, wants

cnp.import_array()


cdef int check_out(object array, str name) except -1:
    if not is_vector(array, cnp.NPY_FLOAT64) or not cnp.PyArray_ISWRITEABLE(array):
        raise TypeError(f"{name} must be a writable float64 array, got {describe_array(array)}")
    return 0


cdef class RowLearner(Scorer):
    """Adds learning to scoring."""

    def learn_one(self, x, y=None, weight=None, time=None):
        """Learn one example.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.
        y : int or float
            -1 or +1; a class from 0 to n_classes - 1; any finite number in regression; not needed
            for novelty.
        weight : float, optional
            The weight of the row, > 0, at most 1e6; default 1. It multiplies C or the step; for
            ``sorf`` the required margin is sqrt(weight), the step towards a target is multiplied by
            weight, at most to reach the target, and mistakes of the experts count by weight.
            Updates with a fixed step size refuse any other weight.
        time : float, optional
            With ``clock=True``: when the row was read, in seconds since an epoch that begins at a
            midnight of the place, so that hours of the day are those of its clocks. None or NaN if
            it is not known.

        Returns
        -------
        float
            The score f(x) before the update; with several classes the margin of y's class, for
            novelty f(x) minus the threshold, for novelty with ``history=True`` 0.5 - ``anomaly``.

        Raises
        ------
        TypeError, ValueError
            Bad row, label or weight; the model is unchanged. Instead of ``BadRowError``,
            ``on_bad_row="skip"`` counts the row and returns NaN.
        BudgetError
            The ring is full under ``full="raise"``; the model is unchanged.

        Notes
        -----
        With a contiguous float32 or float64 row only the returned float is allocated.
        """
        return self.learn_or_skip(x, y, weight, time, 0)

    cdef double learn_or_skip(self, object x, object y, object weight, object time,
                              int place) except? -1.0:
        """Learn one example; ``place``: see ``_learn_pending``."""
        if self.engine.state.skipped == NULL:
            return self.learn_example(x, y, weight, time, place)
        try:
            return self.learn_example(x, y, weight, time, place)
        except BadRowError:
            return self.skipped_row()

    cdef double label_or_time(self, object y, object time) except? -2.0:
        """The label as a number; the time of a row in time."""
        cdef double label = parse_label(self.engine, y, "y")
        if time is not None or self.engine.state.c.labels == LABELS_TIMES:
            return seconds_of(&self.engine.state, time)
        return label

    cdef double learn_example(self, object x, object y, object weight, object time,
                              int place) except? -1.0:
        cdef double label = self.label_or_time(y, time)
        cdef double row_weight = 1.0 if weight is None else parse_weight(self.engine, weight)
        cdef double numbers[SHORT]
        cdef object row
        if not is_plain(x, 1) and short_row(&self.engine.state, x, numbers):
            with cython.critical_section(self.engine):
                self.engine.idle()
                return self.learn_placed_row(
                    self.place_numbers(numbers, True), label, row_weight, place)
        row = self.check_row(x)
        with cython.critical_section(self.engine):
            self.engine.idle()
            return self.learn_placed_row(self.place_row(row, True), label, row_weight, place)

    cdef double learn_placed_row(self, const void* x, double label, double row_weight,
                                 int place=0) except? -1.0:
        cdef double f
        cdef int outcome
        self.engine.state.sorf.state.place = place
        outcome = learn(&self.engine.state, x, label, row_weight, &f)
        # Before Python code runs: another thread may learn meanwhile.
        self.engine.state.sorf.state.place = 0
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        if self.engine.state.errors != NULL:
            watch_error(self.engine, &label, &f, 1)
        if self.engine.state.quantizer.scale != NULL:
            warn_of_levels(self.engine)
        return f

    cdef double skipped_row(self) except? -1.0:
        """Count a bad row; its score is NaN."""
        with cython.critical_section(self.engine):
            self.engine.idle()
            skip(&self.engine.state)
        return NAN

    def ask_one(self, x):
        """Answer one row, which then waits; with ``history=True``, ``lags=`` or ``delay=``.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``learn_one``. NaN is a missing reading of a forecaster.

        Returns
        -------
        float
            The forecast; with ``delay=`` the score, or with several classes an ndarray of them.

        Raises
        ------
        TypeError, ValueError
            Bad row; nothing has changed.
        AttributeError
            The learner was created with none of ``history=True``, ``lags=``, ``delay=``.

        Notes
        -----
        Pending rows are in a queue of ``horizon`` places: one more row drops the oldest, whose
        target then counts as never known. So in every period first ``tell_one`` the target that
        has arrived, from row ``horizon`` on, then ``ask_one``. The other order raises no error, but
        learns another horizon. With ``delay=k`` it has k + 1 places, and holds what the
        experts answered instead of rows: ``learn_one`` with the oldest row and its label counts
        the experts' mistakes in those answers, ``tell_one(None)`` drops a row without a label.

        See Also
        --------
        tell_one : brings the target of the oldest pending row.
        """
        cdef double f
        cdef double* to = &f
        cdef int outcome
        cdef object scores = None
        self.engine.check_pending()
        if self.engine.state.c.columns > 1:
            scores = np.empty(self.engine.state.c.columns)
            to = <double*>cnp.PyArray_DATA(scores)
        cdef object row = self.check_row(x)
        with cython.critical_section(self.engine):
            self.engine.idle()
            outcome = self.engine.state.family.ask(
                &self.engine.state, self.place_row(row, self.engine.forecasts()), to)
        if outcome != DONE:
            raise outcome_error(outcome, "x")
        return f if scores is None else scores

    def _learn_pending(self, x, y, weight, int place):
        """Learn the row in this place of those that wait, 0 the oldest, which leaves them; -1: one
        that was not asked. A row of another place stays, as one whose label never comes."""
        return self.learn_or_skip(x, y, weight, None, place)

    def learn_one_sparse(self, indices, values, y=None, weight=None, time=None):
        """Learn one example given by its non-zeros; as ``learn_one``.

        Parameters
        ----------
        indices, values
            As for ``decision_one_sparse``.
        y, weight, time
            As for ``learn_one``.
        """
        if self.engine.state.skipped == NULL:
            return self.learn_sparse_row(indices, values, y, weight, time)
        try:
            return self.learn_sparse_row(indices, values, y, weight, time)
        except BadRowError:
            return self.skipped_row()

    cdef double learn_sparse_row(self, object indices, object values, object y,
                                 object weight, object time) except? -1.0:
        cdef double label = self.label_or_time(y, time)
        cdef double row_weight = 1.0 if weight is None else parse_weight(self.engine, weight)
        with cython.critical_section(self.engine):
            return self.learn_placed_row(
                self.check_sparse(indices, values, True), label, row_weight)

    def wants_label(self, x):
        """Whether the label of a row could change the model; nothing changes.

        With the ramp loss a row with abs(f(x)) > 1 causes no update whatever its label, so the
        label is not needed (Wang & Vucetic 2010, section 4). With any other loss always True.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        bool
            If False, ``learn_one(x, y)`` would leave the function unchanged.

        See Also
        --------
        ask_label : also counts the labels asked for.
        """
        cdef double f = 0.0
        if asks_score(&self.engine.state):
            f = self.score_row(x)
        else:
            self.engine.check_idle()
            self.check_row(x)
        with cython.critical_section(self.engine):
            return wants(&self.engine.state, f)

    def ask_label(self, x):
        """As ``wants_label``, and a yes is counted in ``labels_asked`` by learners with a ring.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        bool

        Raises
        ------
        RuntimeError
            Another thread is inside a long call, and a counter in the block would change.
        """
        cdef bint wanted
        with cython.critical_section(self.engine):
            self.engine.idle()
        wanted = self.wants_label(x)
        with cython.critical_section(self.engine):
            self.engine.idle()
            if wanted:
                self.engine.state.family.count_asked(&self.engine.state)
        return wanted

    def learn_many(self, X, y=None, out=None, weight=None, verbose=False, time=None):
        """Learn rows in order, without the interpreter lock.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            A C-contiguous float32 or float64 array is read in place; a CSR matrix (scipy's)
            row by row.
        y : array-like of shape (n,)
            Labels as for ``learn_one``.
        out : float64 ndarray of shape (n,), optional
            Receives the scores; by default a new array.
        weight : array-like of shape (n,), optional
            Weights as for ``learn_one``.
        verbose : bool
            Whether a call that takes longer than a second shows its progress on stderr: by a bar
            of tqdm if that is installed, else by a line every few seconds.
        time : array-like of shape (n,), optional
            Times as for ``learn_one``; NaN where it is not known.

        Returns
        -------
        float64 ndarray of shape (n,)
            Score of each row before its update; NaN for a bad row that was skipped.

        Raises
        ------
        TypeError, ValueError
            The arrays have a wrong shape, kind, or structure, or a weight is bad; nothing has been
            learned. Or a row or label is bad: the message names it, and only the rows before it
            have been learned.
        BudgetError
            As ``learn_one``; the rows before the refused one have been learned.
        KeyboardInterrupt
            Signals are checked every few hundredths of a second: the rows before have been
            learned, the others not (``steps`` says how many), and the model is consistent.
        """
        if not verbose:
            return self.learn_batch(X, y, out, weight, None, None, None, time)
        with Progress() as progress:
            return self.learn_batch(X, y, out, weight, progress, None, None, time)

    def _learn_many(self, X, y, weight=None, counted=None, parts=None):
        """As ``learn_many``, with what only ``sorf`` knows.

        Parameters
        ----------
        X, y, weight
            As for ``learn_many``, also for exceptions.
        counted : array-like of shape (n,), optional
            What each row weighs in the counts of mistakes that decide between experts; None: as in
            its step. Weights of classes belong in ``weight`` alone.
        parts : float64 ndarray of shape (n, 3), optional
            Receives the scores behind that of each row of two classes, as of ``_parts_one``.

        Returns
        -------
        float64 ndarray of shape (n,)
            As of ``learn_many``.
        """
        return self.learn_batch(X, y, None, weight, None, None, None, None, counted, parts)

    def _answer_many(self, X, y, out, before, after=None, time=None):
        """Learn rows as ``learn_many`` does, and record predictions before and outputs after each.

        Parameters
        ----------
        X, y, out, time
            As for ``learn_many``, also for exceptions.
        before : float64 ndarray of shape (n + n_classes or 1,) or None
            Receives, for each row, the class that ``predict_one`` returns or, for novelty, the
            threshold; the numbers after these n are scratch. None for a forecaster, and possible
            for a stream without labels.
        after : float64 ndarray of shape (n * numbers,), optional
            Receives, for each row, the additional outputs (``sorf/sorf.pxd``): half widths of
            the intervals of a forecast and the weights of its experts, or verdict and score of a
            row of a stream without labels.
        """
        cdef State* s = &self.engine.state
        if s.c.labels == LABELS_KNOWN_OR_NOT:
            if before is not None:
                raise TypeError("learn_many already returns all forecasts")
        elif s.c.labels == LABELS_TWO or s.c.labels == LABELS_TARGETS:
            raise TypeError("learn_many already returns the only score")
        elif before is not None or s.c.labels != LABELS_TIMES:
            check_out(before, "before")
        if after is not None:
            if s.family.n_outputs(s) == 0:
                raise TypeError("outputs in addition to the score need history=True")
            check_out(after, "after")
        self.learn_batch(X, y, out, None, None, before, after, time)

    cdef object learn_batch(self, object X, object y, object out, object weight, object progress,
                            object before, object after, object time, object counted=None,
                            object parts=None):
        """Learn rows; ``before`` takes a number per row and has scratch for a score per column,
        ``after`` takes the additional outputs of each row; ``counted``, ``parts``: see
        ``_learn_many``."""
        cdef Batch rows
        cdef object arrays = convert_rows(&self.engine.state, X)
        cdef object targets
        if y is None and takes_no_labels(&self.engine.state):
            y = np.zeros(row_count(arrays))
        cdef object row_weight
        cdef object row_count_weight
        cdef const double* weights = NULL
        cdef const double* counts = NULL
        cdef const double* label
        cdef const double* learned
        cdef double* f
        cdef double* predicted = NULL
        cdef double* outputs = NULL
        cdef double* behind = self.parts_of(parts, row_count(arrays))
        cdef object times = None
        targets = as_doubles(y, "y")
        row_weight = None if weight is None else as_doubles(weight, "weight")
        row_count_weight = None if counted is None else as_doubles(counted, "counted")
        if time is not None:
            check_clock(&self.engine.state)
            times = as_doubles(time, "time")
        elif self.engine.state.c.labels == LABELS_TIMES:
            times = np.zeros(row_count(arrays))
            times.fill(NAN)
        read = (*as_tuple(arrays), targets)
        if row_weight is not None:
            read += (row_weight,)
        if times is not None:
            read += (times,)
        cdef object scores = self.result_array(out, row_count(arrays), read)
        cdef State* s = &self.engine.state
        cdef Py_ssize_t bad_row, bad_label, bad
        cdef Py_ssize_t first = 0
        describe(s, arrays, &rows)
        label = learned = pointer_to(targets, "y", "labels", rows.n)
        if times is not None:
            learned = pointer_to(times, "time", "numbers", rows.n)
        if row_weight is not None:
            weights = pointer_to(row_weight, "weight", "numbers", rows.n)
            check_weights(self.engine, weights, rows.n)
        if row_count_weight is not None:
            counts = pointer_to(row_count_weight, "counted", "numbers", rows.n)
            check_weights(self.engine, counts, rows.n)
        if before is not None:
            if cnp.PyArray_DIM(before, 0) != rows.n + s.c.columns:
                raise ValueError(f"before must have {rows.n + s.c.columns} numbers")
            predicted = <double*>cnp.PyArray_DATA(before)
        if after is not None:
            if cnp.PyArray_DIM(after, 0) != rows.n * s.family.n_outputs(s):
                raise ValueError(f"after must have {rows.n * s.family.n_outputs(s)} numbers")
            outputs = <double*>cnp.PyArray_DATA(after)
        if progress is not None:
            progress.total = rows.n
        f = <double*>cnp.PyArray_DATA(scores)
        while True:
            bad_row = first_bad_row(s, &rows, first)
            # As in learn_one, the label of a bad row is checked before the row.
            bad_label = first_bad_label(s, label, first, min(bad_row + 1, rows.n))
            bad = min(bad_row, bad_label)
            self.in_order(&rows, first, bad, learned, weights, f, predicted, outputs, progress,
                          behind, counts)
            if bad == rows.n:
                break
            if s.skipped == NULL or (bad == bad_label and isfinite(label[bad])):
                if bad < bad_label:
                    raise self.row_error(arrays, &rows, bad)
                raise label_error(label[bad], labels_allowed(s), f"y[{bad}]",
                                  f"{label[bad]:g}{label_hint(self.engine)}")
            f[bad] = self.skipped_row()
            first = bad + 1
        warn_of_levels(self.engine)
        watch_error(self.engine, label, f, rows.n)
        return scores
