"""Rows in blocks: scored together, or learned with kernel values computed ahead.

A block consists of dense rows; a row processed as sparse ends it and is handled alone, unless
features are computed from kernel values: these are computed row by row.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from edgeolk.rows.batches cimport Batch, take_row
from edgeolk.ring.ring cimport (
    ring_average, ring_compute_ahead, ring_put_row_ahead, ring_take_row_ahead, ring_take_values,
    ring_update_changed_slots,
)
from edgeolk.engine.engine cimport Engine
from edgeolk.core.refusals cimport is_bad_row, is_label, is_weight, outcome_error
from edgeolk.core.c cimport olk_read_f64
from edgeolk.core.state cimport DONE, NO_ROW, REFUSED_OVERFLOW, REFUSED_ROW, State
from edgeolk.core.together cimport NUMBERS_OF_BLOCK, row_bytes
from edgeolk.engine.step cimport answer, learn, skip


cdef inline Py_ssize_t signal_interval(const State* s) noexcept nogil:
    """Rows between checks for signals in a long call: some hundredths of a second."""
    cdef int64_t rows = 40_000_000 // (1000 + s.c.n_features * s.c.budget)
    return max(<int64_t>16, min(<int64_t>65536, rows))


cdef inline int learn_placed(State* s, const void* x, const double* label, const double* weight,
                             Py_ssize_t i, double* f) noexcept nogil:
    """Learn row i, already placed, or skip it if it is bad and bad rows are skipped; f[i] <- score.

    Another thread may have changed label and weight since they were checked: a label is an index.
    """
    cdef double y = olk_read_f64(label + i)
    cdef double row_weight = 1.0 if weight == NULL else olk_read_f64(weight + i)
    cdef int outcome
    if x == NULL or not is_label(s, y) or not is_weight(s, row_weight):
        return REFUSED_ROW
    outcome = learn(s, x, y, row_weight, f + i)
    if is_bad_row(outcome) and s.skipped != NULL:
        skip(s)
        f[i] = NAN
        return DONE
    return outcome


cdef inline int predict_before(State* s, const Batch* rows, Py_ssize_t i, double* known,
                               double* scores) noexcept nogil:
    """The prediction for row i before it is learned: its class, or the threshold of novelty."""
    cdef const void* x
    cdef int outcome
    cdef int64_t k, best
    if s.c.columns == 1:
        known[0] = s.family.threshold(s)
        return DONE
    x = take_row(s, rows, i, False)
    if x == NULL:
        return REFUSED_ROW
    outcome = answer(s, x, False, True, scores)
    best = 0
    for k in range(1, s.c.columns):
        if scores[k] > scores[best]:
            best = k
    known[0] = <double>best
    return outcome


cdef inline Py_ssize_t learn_block(
    State* s, const Batch* rows, Py_ssize_t first, Py_ssize_t end, const double* label,
    const double* weight, double* f, int* outcome
) noexcept nogil:
    """Learn the next rows, with kernel values computed together; returns how many."""
    cdef Py_ssize_t max_rows = min(s.family.rows_ahead(s), end - first)
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k, i
    cdef const void* x = NULL
    while count < max_rows:
        x = take_row(s, rows, first + count, True)
        if x == NULL or (x == s.sparse_x and not s.family.maps_features(s)):
            break
        ring_put_row_ahead(s, count, x)
        count += 1
    if count == 0:
        outcome[0] = learn_placed(s, x, label, weight, first, f)
        return 1 if outcome[0] == DONE else 0
    ring_compute_ahead(s, count)
    for k in range(count):
        i = first + k
        x = ring_take_row_ahead(s, k)
        outcome[0] = learn_placed(s, x, label, weight, i, f)
        if outcome[0] != DONE:
            s.ahead.next = NO_ROW
            return k
        if k + 1 < count and not ring_update_changed_slots(s, k + 1, count):
            return k + 1
    return count


cdef inline Py_ssize_t score_block(
    State* s, const Batch* rows, Py_ssize_t first, Py_ssize_t max_rows, bint mean, double* f,
    int* outcome
) noexcept nogil:
    """Score the next rows together; returns how many."""
    cdef double block[NUMBERS_OF_BLOCK]
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t good
    cdef const void* x = NULL
    while count < max_rows:
        x = take_row(s, rows, first + count, False)
        if x == NULL or (x == s.sparse_x and not s.family.maps_features(s)):
            break
        memcpy(<char*>block + count * row_bytes(s), x, <size_t>row_bytes(s))
        if s.family.maps_features(s):
            ring_take_values(s, count, x)
        count += 1
    if count == 0:
        outcome[0] = REFUSED_ROW
        if x != NULL:
            outcome[0] = s.family.decide(s, x, mean, f + first * s.c.columns)
        return 1 if outcome[0] == DONE else 0
    good = s.family.scores(s, block, count, mean, f + first * s.c.columns)
    if good < count:
        outcome[0] = REFUSED_OVERFLOW
    return good


# Learning or scoring a batch of rows in order, without the interpreter lock.

cdef inline int run_in_order(
    Engine engine, bint mean, bint counts, const Batch* rows, Py_ssize_t first, Py_ssize_t end,
    const double* label, const double* weight, double* f, double* before, double* after,
    object progress, double* parts=NULL, const double* counted=NULL
) except -1:
    """Learn checked rows in order if labels are given, else score them, one score per column.

    ``counts``: scored rows are answers, which ``lapse`` counts once all have succeeded; without it
    they are not, and each is scored as the next row would be.
    ``before`` receives the result of ``predict_before`` for each row learned, followed by scratch
    for one score per column; ``after`` receives the additional outputs of each row, ``n_outputs``
    numbers. ``progress`` is called now and then with the number of rows done since its last call.
    ``parts`` receives the three scores behind that of each row, ``counted`` has what each row
    weighs in the counters of mistakes: wishes that only the SORF family knows.

    If bad rows are skipped, so are rows that turn out bad when learned. The only code of the caller
    that runs here is signal handlers, which find the learner busy; indices are checked again where
    they are used.
    """
    cdef State* s = &engine.state
    cdef State reader         # private copy of a reader, which stores properties of the current row
    cdef object _scratch = None  # owns what the copy points to
    cdef bint learns = label != NULL
    cdef const void* x
    cdef Py_ssize_t i, together
    cdef Py_ssize_t check_at = first + signal_interval(s)
    cdef Py_ssize_t reported = first
    cdef Py_ssize_t label_end = end   # the last label is used for rows up to here
    cdef int64_t left
    cdef int64_t answers = 0  # to count
    cdef double count         # of one row: another thread may write to the array
    cdef int outcome = DONE
    if learns:
        engine.take()
    else:
        _scratch = engine.enter(&reader, &left)
        s = &reader
        if counts:
            label_end = first + min(<int64_t>(end - first), max(<int64_t>0, left))
    try:
        with nogil:
            if mean:
                ring_average(s)
            together = 1 if learns else s.family.rows_together(s)
            i = first
            while i < end and outcome == DONE:
                if parts != NULL:
                    s.sorf.state.parts = parts + 3 * i
                if i >= check_at:
                    check_at += signal_interval(s)
                    with gil:
                        PyErr_CheckSignals()
                        if progress is not None:
                            progress(i - reported)
                            reported = i
                if i >= label_end:  # the last label has expired
                    s.sorf.lapsed = 1
                    label_end = end
                if together > 1:
                    i += score_block(s, rows, i, min(together, label_end - i), mean, f, &outcome)
                    continue
                if before != NULL:
                    outcome = predict_before(s, rows, i, before + i, before + rows.n)
                    if outcome != DONE:
                        break
                elif learns and after == NULL and s.family.rows_ahead(s) > 0:
                    i += learn_block(s, rows, i, end, label, weight, f, &outcome)
                    continue
                x = take_row(s, rows, i, learns)
                if learns:
                    if counted != NULL:
                        count = olk_read_f64(counted + i)
                        if not is_weight(s, count):
                            outcome = REFUSED_ROW
                            break
                        s.sorf.state.counted = &count
                    outcome = learn_placed(s, x, label, weight, i, f)
                    if after != NULL and outcome == DONE:
                        s.family.write_outputs(s, after + i * s.family.n_outputs(s))
                elif x == NULL:
                    outcome = REFUSED_ROW
                else:
                    outcome = s.family.decide(s, x, mean, f + i * s.c.columns)
                if outcome == DONE:
                    i += 1
        if counts and outcome == DONE:
            answers = end - first
    finally:
        s.sorf.state.parts = NULL
        s.sorf.state.counted = NULL
        if learns:
            engine.release()
        else:
            engine.leave(answers)
    if progress is not None:
        progress(i - reported)
    if outcome != DONE:
        raise outcome_error(outcome, f"X[{i}]")
    return 0


cdef inline int variances_in_order(Engine engine, const Batch* rows, double* v) except -1:
    """The variances of the targets of checked rows, without the interpreter lock."""
    cdef State reader
    cdef int64_t _left
    cdef object _scratch = engine.enter(&reader, &_left)
    cdef const void* x = NULL
    cdef Py_ssize_t i
    cdef Py_ssize_t bad = -1
    cdef Py_ssize_t check_at = signal_interval(&reader)
    try:
        with nogil:
            for i in range(rows.n):
                if i >= check_at:
                    check_at += signal_interval(&reader)
                    with gil:
                        PyErr_CheckSignals()
                x = take_row(&reader, rows, i, False)
                if x == NULL:
                    bad = i
                    break
                v[i] = reader.family.variance(&reader, x)
    finally:
        engine.leave(0)
    if bad >= 0:
        raise outcome_error(REFUSED_ROW, f"X[{bad}]")
    return 0
