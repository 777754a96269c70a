"""Learning or scoring a batch of rows in order, without the interpreter lock."""

from cpython.exc cimport PyErr_CheckSignals

from edgeolk.boundary.batches cimport Batch, take_row
from edgeolk.boundary.blocks cimport ask_before, learn_block, learn_placed, look_every, score_block
from edgeolk.core.engine cimport Engine
from edgeolk.core.lookahead cimport rows_ahead
from edgeolk.core.refused cimport outcome_error
from edgeolk.core.said cimport note_said, numbers_said
from edgeolk.core.state cimport DONE, REFUSED_ROW, State
from edgeolk.core.step cimport decide, prepare_mean
from edgeolk.core.together cimport rows_together
from edgeolk.core.updates.sorf cimport answer_by_label


cdef inline int take_in_order(
    Engine engine, bint mean, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
    const double* label, const double* weight, double* f, double* before, double* after,
    object progress
) except -1:
    """Learn checked rows in order if labels are given, else score them, one score per column.

    ``before`` receives the result of ``ask_before`` for each row learned, followed by scratch for
    one score per column; ``after`` receives the additional outputs of each row, ``numbers_said``
    numbers. ``progress`` is called now and then with the number of rows done since its last call.

    If bad rows are skipped, so are rows that turn out bad when learned. The only code of the caller
    that runs here is signal handlers, which find the learner busy; indices are checked again where
    they are used.
    """
    cdef State* s = &engine.state
    cdef State own            # private copy of a reader, which stores properties of the current row
    cdef void* scratch = NULL
    cdef bint learns = label != NULL
    cdef const void* x
    cdef Py_ssize_t i, together
    cdef Py_ssize_t look = first + look_every(s)
    cdef Py_ssize_t told = first
    cdef Py_ssize_t alike = end       # the last label is used for rows up to here
    cdef int outcome = DONE
    if learns:
        engine.take()
    else:
        alike = first + answer_by_label(s, end - first)
        engine.enter(&own, &scratch)
        s = &own
    try:
        with nogil:
            if mean:
                prepare_mean(s)
            together = 1 if learns else rows_together(s)
            i = first
            while i < end and outcome == DONE:
                if i >= look:
                    look += look_every(s)
                    with gil:
                        PyErr_CheckSignals()
                        if progress is not None:
                            progress(i - told)
                            told = i
                if i >= alike:  # the last label has expired
                    s.structured.lapsed = True
                    alike = end
                if together > 1:
                    i += score_block(s, rows, i, min(together, alike - i), mean, f, &outcome)
                    continue
                if before != NULL:
                    outcome = ask_before(s, rows, i, before + i, before + rows.n)
                    if outcome != DONE:
                        break
                elif learns and after == NULL and rows_ahead(s) > 0:
                    i += learn_block(s, rows, i, end, label, weight, f, &outcome)
                    continue
                x = take_row(s, rows, i, learns)
                if learns:
                    outcome = learn_placed(s, x, label, weight, i, f)
                    if after != NULL and outcome == DONE:
                        note_said(s, after + i * numbers_said(s))
                elif x == NULL:
                    outcome = REFUSED_ROW
                else:
                    outcome = decide(s, x, mean, f + i * s.c.columns)
                if outcome == DONE:
                    i += 1
    finally:
        if learns:
            engine.release()
        else:
            engine.leave(scratch)
    if progress is not None:
        progress(i - told)
    if outcome != DONE:
        raise outcome_error(outcome, f"X[{i}]")
    return 0
