"""Learning or scoring a batch of rows in order, without the interpreter lock."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

from edgeolk.boundary.batches cimport Batch, take_row
from edgeolk.boundary.blocks cimport (
    learn_block, learn_placed, predict_before, score_block, signal_interval,
)
from edgeolk.core.engine cimport Engine
from edgeolk.core.lookahead cimport rows_ahead
from edgeolk.core.refusals cimport outcome_error
from edgeolk.core.outputs cimport n_outputs, write_outputs
from edgeolk.core.state cimport DONE, REFUSED_ROW, State
from edgeolk.core.step cimport decide, prepare_mean
from edgeolk.core.block_scores cimport block_rows
from edgeolk.core.updates.sorf cimport begin_answers, count_answers


cdef inline int run_in_order(
    Engine engine, bint mean, bint counts, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
    const double* label, const double* weight, double* f, double* before, double* after,
    object progress
) except -1:
    """Learn checked rows in order if labels are given, else score them, one score per column.

    ``counts``: scored rows are answers, which ``lapse`` counts once all have succeeded; without it
    they are not, and each is scored as the next row would be.
    ``before`` receives the result of ``predict_before`` for each row learned, followed by scratch
    for one score per column; ``after`` receives the additional outputs of each row, ``n_outputs``
    numbers. ``progress`` is called now and then with the number of rows done since its last call.

    If bad rows are skipped, so are rows that turn out bad when learned. The only code of the caller
    that runs here is signal handlers, which find the learner busy; indices are checked again where
    they are used.
    """
    cdef State* s = &engine.state
    cdef State reader         # private copy of a reader, which stores properties of the current row
    cdef void* scratch = NULL
    cdef bint learns = label != NULL
    cdef const void* x
    cdef Py_ssize_t i, together
    cdef Py_ssize_t check_at = first + signal_interval(s)
    cdef Py_ssize_t reported = first
    cdef Py_ssize_t label_end = end   # the last label is used for rows up to here
    cdef int64_t left
    cdef int outcome = DONE
    if learns:
        engine.take()
    else:
        engine.enter(&reader, &scratch)
        s = &reader
        left = begin_answers(s)
        if counts:
            label_end = first + min(<int64_t>(end - first), max(<int64_t>0, left))
    try:
        with nogil:
            if mean:
                prepare_mean(s)
            together = 1 if learns else block_rows(s)
            i = first
            while i < end and outcome == DONE:
                if i >= check_at:
                    check_at += signal_interval(s)
                    with gil:
                        PyErr_CheckSignals()
                        if progress is not None:
                            progress(i - reported)
                            reported = i
                if i >= label_end:  # the last label has expired
                    s.sorf.lapsed = True
                    label_end = end
                if together > 1:
                    i += score_block(s, rows, i, min(together, label_end - i), mean, f, &outcome)
                    continue
                if before != NULL:
                    outcome = predict_before(s, rows, i, before + i, before + rows.n)
                    if outcome != DONE:
                        break
                elif learns and after == NULL and rows_ahead(s) > 0:
                    i += learn_block(s, rows, i, end, label, weight, f, &outcome)
                    continue
                x = take_row(s, rows, i, learns)
                if learns:
                    outcome = learn_placed(s, x, label, weight, i, f)
                    if after != NULL and outcome == DONE:
                        write_outputs(s, after + i * n_outputs(s))
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
        progress(i - reported)
    if outcome != DONE:
        raise outcome_error(outcome, f"X[{i}]")
    if counts and not learns:
        count_answers(&engine.state, end - first)
    return 0
