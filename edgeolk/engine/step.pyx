"""The operations on one model of either family.

Design. What the families do differently is called through a table (``Family``), which is chosen
once: the functions of a ring are in ring/ring.pyx, those of SORF in sorf/sorf.pxd. Free functions
over the C struct; those of rows are without Python objects.
"""

from libc.math cimport fabs

from edgeolk.core.c cimport (
    olk_begin_step, olk_end_step, olk_model_begin_answers, olk_model_count_answers, olk_pcg32_seed,
)
from edgeolk.core.parts cimport FAMILY_SORF, loss_is_capped
from edgeolk.core.state cimport DONE, Family, MAX_COUNT, REFUSED_COUNT, State
from edgeolk.engine.setup cimport fill_ring_setup, fill_sorf_setup
from edgeolk.ring.fill cimport fill_ring
from edgeolk.ring.ring cimport (
    ring_ask, ring_bind, ring_construct, ring_count_asked, ring_counters, ring_decide, ring_learn,
    ring_maps_features, ring_may_wait, ring_n_outputs, ring_n_pending, ring_of, ring_rebuild,
    ring_restart, ring_rows_ahead, ring_rows_together, ring_scores, ring_tell, ring_threshold,
    ring_variance, ring_write_outputs,
)
from edgeolk.sorf.fill cimport fill_sorf
from edgeolk.sorf.sorf cimport (
    sorf_ask, sorf_bind, sorf_construct, sorf_count_asked, sorf_counters, sorf_decide, sorf_learn,
    sorf_maps_features, sorf_may_wait, sorf_n_outputs, sorf_n_pending, sorf_rebuild, sorf_restart,
    sorf_ring_of, sorf_rows_ahead, sorf_rows_together, sorf_scores, sorf_tell, sorf_threshold,
    sorf_variance, sorf_write_outputs,
)


# The two families.

cdef int ring_fill(State* s, object config, object regions) except -1:
    fill_ring(s, config)
    return fill_ring_setup(&s.setup, config, regions)


cdef int sorf_fill(State* s, object config, object regions) except -1:
    fill_sorf(s, config)
    return fill_sorf_setup(&s.setup, config, regions)


cdef Family RING = Family(
    learn=ring_learn,
    decide=ring_decide,
    scores=ring_scores,
    rows_together=ring_rows_together,
    construct=ring_construct,
    threshold=ring_threshold,
    n_outputs=ring_n_outputs,
    write_outputs=ring_write_outputs,
    rows_ahead=ring_rows_ahead,
    maps_features=ring_maps_features,
    count_asked=ring_count_asked,
    rebuild=ring_rebuild,
    fill=ring_fill,
    ring_of=ring_of,
    bind=ring_bind,
    counters=ring_counters,
    may_wait=ring_may_wait,
    ask=ring_ask,
    tell=ring_tell,
    n_pending=ring_n_pending,
    restart=ring_restart,
    variance=ring_variance,
)
cdef Family SORF = Family(
    learn=sorf_learn,
    decide=sorf_decide,
    scores=sorf_scores,
    rows_together=sorf_rows_together,
    construct=sorf_construct,
    threshold=sorf_threshold,
    n_outputs=sorf_n_outputs,
    write_outputs=sorf_write_outputs,
    rows_ahead=sorf_rows_ahead,
    maps_features=sorf_maps_features,
    count_asked=sorf_count_asked,
    rebuild=sorf_rebuild,
    fill=sorf_fill,
    ring_of=sorf_ring_of,
    bind=sorf_bind,
    counters=sorf_counters,
    may_wait=sorf_may_wait,
    ask=sorf_ask,
    tell=sorf_tell,
    n_pending=sorf_n_pending,
    restart=sorf_restart,
    variance=sorf_variance,
)


cdef const Family* family_of(int number) noexcept:
    """The functions of the family of this number."""
    return &SORF if number == FAMILY_SORF else &RING


# The operations on a model of either.

cdef int learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil:
    """Learn one checked row with a weight; f receives the score before the update.

    Returns an Outcome; on a refusal nothing but scratch has changed.
    """
    cdef int outcome
    if s.m.steps >= MAX_COUNT:
        return REFUSED_COUNT
    outcome = s.family.learn(s, x, y, weight, f)
    if outcome == DONE:
        olk_end_step(&s.m.flags, 0)
    return outcome


cdef int answer(State* s, const void* x, bint mean, bint counts, double* f) noexcept nogil:
    """The score of the next row, or scores of its classes, of the mean model after ring_average;
    ``counts``: it is an answer, unless it is refused."""
    cdef int outcome
    olk_model_begin_answers(&s.sorf)
    outcome = s.family.decide(s, x, mean, f)
    if counts and outcome == DONE:
        olk_model_count_answers(&s.sorf, 1)
    return outcome


cdef void construct(State* s) noexcept nogil:
    """Initialise a new model."""
    olk_pcg32_seed(&s.m.rng, s.m.seed)
    s.family.construct(s)


cdef void skip(State* s) noexcept nogil:
    """Count a bad row that is skipped."""
    olk_begin_step(&s.m.flags)
    s.skipped.rows += s.skipped.rows < MAX_COUNT
    olk_end_step(&s.m.flags, 0)


cdef bint asks_score(const State* s) noexcept nogil:
    """Whether it is the score that decides if a row would use its label."""
    return s.c.columns == 1 and loss_is_capped(s.c.choice.loss)


cdef bint wants(const State* s, double f) noexcept nogil:
    """Whether the label of a row with this score could change the model."""
    return not (loss_is_capped(s.c.choice.loss) and fabs(f) > 1.0)
