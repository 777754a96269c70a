# cython: freethreading_compatible=True
"""The operations on one model, and a step of the ring family: score, loss, sampling, update,
budget, bound.

Design. What the families do differently is called through a table (``Family``), which is chosen
once. The step of the SORF family is in sorf/sorf.pxd; that of a ring, below, is the same for every
composition. Kernel, storage type, update, loss, sampling, policy and projection are numbers, each
switched on once per row and outside every loop over support vectors; the switches are generated
from the rows of the parts. A step first checks whether it can be done at all; only then does it
write. Free functions over the C struct, without Python objects.
"""

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t, uint8_t
from libc.string cimport memset

from edgeolk.ring.losses cimport score_classes, share_weighted_score
from edgeolk.ring.expansion cimport (
    class_row, coefficient, coefficient_count, self_kernel, squared_norm,
)
from edgeolk.sorf.sorf cimport (
    sorf_construct, sorf_decide, sorf_learn, sorf_n_outputs, sorf_rows_together,
    sorf_scores, sorf_threshold, sorf_write_outputs,
)
from edgeolk.core.preprocessing cimport use_width
from edgeolk.core.c cimport (
    OLK_RUNS, olk_begin_step, olk_bernoulli, olk_end_step, olk_intake, olk_intake_keep,
    olk_intake_measured, olk_intake_set_width, olk_intake_width_is_due, olk_model_begin_answers,
    olk_model_count_answers, olk_pcg32_seed, olk_width,
)
from edgeolk.core.parts cimport (
    BASIS_SUPPORT_VECTORS, FAMILY_SORF, POLICY_RAISE, basis_freezes, basis_starts_full,
    loss_is_capped, policy_counts_exchanges, policy_freezes, policy_moves_norm,
)
from edgeolk.ring.policies.replacement cimport dynamic_budget
from edgeolk.core.numbers cimport in_range, may_enter, put
from edgeolk.ring.updates cimport sampling_probability, threshold
from edgeolk.core.state cimport (
    DONE, Example, Family, MAX_COUNT, Model, REFUSED_COEFFICIENT, REFUSED_COUNT, REFUSED_FULL,
    REFUSED_OVERFLOW, State,
)
from edgeolk.engine.lookahead cimport ring_rows_together, ring_scores
from edgeolk.engine.switches cimport (
    basis_admit, basis_construct, basis_score, bound, update_asks, update_begin, update_coefficient,
    update_construct, update_end, update_shrink,
)


cdef inline bint is_frozen(const State* s) noexcept nogil:
    """Whether the ring is full and accepts no further vector."""
    return (s.m.n == s.c.budget and policy_freezes(s.c.choice.policy)
            and basis_freezes(s.c.choice.basis))


cdef inline double propose(State* s, Example* e, int* outcome) noexcept nogil:
    """The coefficient of the incoming example; 0 leaves the model unchanged."""
    cdef double a, p
    if loss_is_capped(s.c.choice.loss) and fabs(e.f) > 1.0:
        return 0.0
    if not update_asks(s, e):
        return 0.0
    if is_frozen(s):
        if s.c.choice.policy == POLICY_RAISE:
            outcome[0] = REFUSED_FULL
        else:
            s.function.capacity_hits += 1
        return 0.0
    p = sampling_probability(s, e)
    if not olk_bernoulli(&s.m.rng, p):
        return 0.0
    a = update_coefficient(s, e, p)
    if s.c.tracks_norm and s.c.softmax:
        e.f = share_weighted_score(s, e)
    if not may_enter(s, a):
        outcome[0] = REFUSED_COEFFICIENT
        return 0.0
    return a


cdef struct Tally:
    # What a step writes before it is certain to succeed, as it was before.
    uint16_t flags
    uint64_t rng
    int64_t mistakes
    double mean_weight, squared, absolute  # if they are kept


cdef inline void count(State* s, const Example* e, double f, Tally* before) noexcept nogil:
    """Count the example, the first write of a step; saves what that changes in ``before``."""
    cdef Model* m = s.m
    before.flags = m.flags
    olk_begin_step(&m.flags)
    before.rng = m.rng
    before.mistakes = m.mistakes
    before.mean_weight = before.squared = before.absolute = 0.0
    m.steps += 1
    if s.averaging != NULL:
        before.mean_weight = s.averaging.weight
        s.averaging.weight += s.function.scale
    if s.errors != NULL:
        before.squared = s.errors.squared
        before.absolute = s.errors.absolute
        s.errors.squared += (e.y - e.f) * (e.y - e.f)
        s.errors.absolute += fabs(e.y - e.f)
    elif s.novelty != NULL:
        m.mistakes += f < 0.0
    elif not (e.y * f > 0.0):
        m.mistakes += 1


cdef inline void restore(State* s, const Tally* before) noexcept nogil:
    s.m.rng = before.rng
    s.m.steps -= 1
    s.m.mistakes = before.mistakes
    if s.averaging != NULL:
        s.averaging.weight = before.mean_weight
    if s.errors != NULL:
        s.errors.squared = before.squared
        s.errors.absolute = before.absolute
    olk_end_step(&s.m.flags, before.flags)


cdef inline void refresh_norm(State* s) noexcept nogil:
    """Recompute ||f||^2 where the tracked value may be inaccurate.

    Some policies change single coefficients without updating the norm; and each removal may magnify
    the rounding error of norm2 by (B / (B-1))^2, with the current B.
    """
    if not s.c.tracks_norm or s.c.choice.basis != BASIS_SUPPORT_VECTORS:
        return
    if policy_moves_norm(s.c.choice.policy) or s.function.removals >= dynamic_budget(s):
        s.function.norm2 = squared_norm(s)
        if not policy_counts_exchanges(s.c.choice.policy):
            s.function.removals = 0


cdef inline void score_example(State* s, double y, Example* e) noexcept nogil:
    """The score of a row, and the target that its loss compares with it."""
    if s.c.columns > 1:
        score_classes(s, y, e)
        return
    e.y = y
    e.f = s.function.scale * basis_score(s, e.x, s.coef, s.row)
    e.one = 1.0
    e.share = &e.one
    e.power = 1.0
    if s.novelty != NULL:
        # The first row counts as novel whatever its score, so that the model starts.
        e.y = s.novelty[0] if s.m.updates > 0 else INFINITY


cdef inline int ring_step(State* s, const void* x, double y, double weight,
                          double* f) noexcept nogil:
    """One step of the model; on a refusal nothing but scratch has changed."""
    cdef Tally before
    cdef Example e
    cdef double a
    cdef int outcome = DONE
    e.x = x
    e.weight = weight
    score_example(s, y, &e)
    e.self_kernel = self_kernel(s, x)
    e.hint = 0.0
    update_begin(s, &e)
    f[0] = e.f + e.hint - threshold(s)
    if not in_range(s, x, f[0], e.self_kernel):
        return REFUSED_OVERFLOW
    count(s, &e, f[0], &before)
    a = propose(s, &e, &outcome)
    if outcome != DONE:
        restore(s, &before)
        return outcome
    update_shrink(s, a, &e)
    if a != 0.0 and basis_admit(s, a, &e):
        s.m.updates += 1
        refresh_norm(s)
        bound(s, &e)
    if s.quantizer.scale != NULL:
        s.function.clipped = min(s.function.clipped + s.beyond, MAX_COUNT)
    update_end(s, &e)
    return DONE


cdef int ring_learn(State* s, const void* x, double y, double weight, double* f) noexcept nogil:
    cdef olk_intake* intake = &s.preprocessing.intake
    cdef int outcome = ring_step(s, x, y, weight, f)
    if outcome == DONE and s.preprocessing.on:
        olk_intake_keep(intake)
        if olk_intake_width_is_due(intake, x):
            olk_intake_set_width(intake)
            use_width(s)
            ring_clear(s)
    return outcome


cdef int ring_decide(State* s, const void* x, bint mean, double* f) noexcept nogil:
    cdef Example e
    cdef int64_t k
    if s.c.columns > 1:
        class_row(s, x, s.mean_coef if mean else s.coef, 1.0 if mean else s.function.scale, f)
        for k in range(s.c.columns):
            if not isfinite(f[k]):
                return REFUSED_OVERFLOW
        return DONE
    if mean:
        f[0] = basis_score(s, x, s.mean_coef, NULL)
    else:
        e.x = x
        e.hint = 0.0
        update_begin(s, &e)
        f[0] = s.function.scale * basis_score(s, x, s.coef, NULL) + e.hint - threshold(s)
    return DONE if isfinite(f[0]) else REFUSED_OVERFLOW


cdef void ring_construct(State* s) noexcept nogil:
    s.function.scale = 1.0
    if basis_starts_full(s.c.choice.basis):
        s.m.n = <int32_t>s.c.budget
    basis_construct(s)
    update_construct(s)


cdef void ring_clear(State* s) noexcept nogil:
    """The counters of the stream are kept."""
    cdef int64_t asked = s.function.labels_asked
    cdef int64_t clipped = s.function.clipped
    cdef olk_width* before = olk_intake_measured(&s.preprocessing.intake)
    cdef int k
    before.steps = s.m.steps
    before.mistakes = s.m.mistakes
    before.updates = s.m.updates
    before.capacity_hits = s.function.capacity_hits
    for k in range(OLK_RUNS):
        memset(<uint8_t*>s.m + s.setup.cleared[k].offset, 0, s.setup.cleared[k].bytes)
    s.m.n = 0
    s.m.steps = s.m.mistakes = s.m.updates = 0
    construct(s)
    s.function.labels_asked = asked
    s.function.clipped = clipped


cdef double ring_threshold(const State* s) noexcept nogil:
    return s.novelty[0]


cdef int64_t ring_n_outputs(const State* s) noexcept nogil:
    return 0


cdef void ring_write_outputs(const State* s, double* numbers) noexcept nogil:
    pass


# The two families.

cdef Family RING = Family(
    learn=ring_learn,
    decide=ring_decide,
    scores=ring_scores,
    rows_together=ring_rows_together,
    construct=ring_construct,
    threshold=ring_threshold,
    n_outputs=ring_n_outputs,
    write_outputs=ring_write_outputs,
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
    """The score of the next row, or scores of its classes, of the mean model after prepare_mean;
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


cdef void prepare_mean(State* s) noexcept nogil:
    """mean_coef <- coefficients of (f_1 + ... + f_T) / T."""
    cdef int64_t i, at, column
    cdef double total
    for column in range(s.c.columns):
        for i in range(coefficient_count(s)):
            at = column * s.c.weights + i
            total = coefficient(s, at) * (s.averaging.weight - s.mean_start[at])
            if s.mean_sum != NULL:
                total += s.mean_sum[at]
            put(s, s.mean_coef, at, total / <double>max(s.m.steps, 1))


cdef bint asks_score(const State* s) noexcept nogil:
    """Whether it is the score that decides if a row would use its label."""
    return s.c.columns == 1 and loss_is_capped(s.c.choice.loss)


cdef bint wants(const State* s, double f) noexcept nogil:
    """Whether the label of a row with this score could change the model."""
    return not (loss_is_capped(s.c.choice.loss) and fabs(f) > 1.0)


cdef void count_asked(State* s) noexcept nogil:
    """Count a requested label, for models that keep this counter."""
    if s.function != NULL:
        olk_begin_step(&s.m.flags)
        s.function.labels_asked += s.function.labels_asked < MAX_COUNT
        olk_end_step(&s.m.flags, 0)
