"""Many rows, one after the other, without the interpreter lock."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

from edgeolk.boundary.batches cimport Batch, take_row
from edgeolk.boundary.blocks cimport ask_before, learn_block, learn_placed, look_every, score_block
from edgeolk.core.engine cimport Engine
from edgeolk.core.lookahead cimport rows_ahead
from edgeolk.core.refused cimport outcome_error
from edgeolk.core.said cimport note_said, numbers_said
from edgeolk.core.state cimport DONE, REFUSED_ROW, State
from edgeolk.core.step cimport decide, prepare_mean
from edgeolk.core.together cimport rows_together
from edgeolk.core.updates.sorf cimport begin_answers, count_answers


cdef inline int take_in_order(
    Engine engine, bint mean, bint counts, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
    const double* label, const double* weight, double* f, double* before, double* after,
    object progress
) except -1:
    """Checked rows in order: learned where labels are given, else scored, a score a column.

    ``counts``: rows that are scored are answers, which ``lapse`` counts once all have succeeded.
    Without it they are not, and each is scored as the next row would be.
    ``before`` receives what ``ask_before`` says of each row that is learned, and has room for
    a score a column behind that; ``after`` receives what is said of each beside its score,
    ``numbers_said`` numbers a row. ``progress`` is called now and then with the rows done
    since its last call.

    Where bad rows are left out, so are those that are found to be bad when they are learned. No
    code of the caller runs here but handlers of signals, which find the learner busy;
    indices are checked again where they are used.
    """
    cdef State* s = &engine.state
    cdef State own            # a reader's: what it notes of a row is not for other readers
    cdef void* scratch = NULL
    cdef bint learns = label != NULL
    cdef const void* x
    cdef Py_ssize_t i, together
    cdef Py_ssize_t look = first + look_every(s)
    cdef Py_ssize_t told = first
    cdef Py_ssize_t alike = end       # rows up to there are answered alike
    cdef int64_t left
    cdef int outcome = DONE
    if learns:
        engine.take()
    else:
        engine.enter(&own, &scratch)
        s = &own
        left = begin_answers(s)
        if counts:
            alike = first + min(<int64_t>(end - first), max(<int64_t>0, left))
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
                if i >= alike:  # the last label counts no more
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
    if counts and not learns:
        count_answers(&engine.state, end - first)
    return 0
