"""A step of the ring family: score, loss, sampling, update, budget, bound.

The same for every composition. Kernel, storage type, update, loss, sampling, policy and projection
are numbers, each switched on once per row and outside every loop over support vectors; the switches
are generated from the rows of the parts. A step first checks whether it can be done at all; only
then does it write.
"""

from libc.math cimport INFINITY, fabs, isfinite, isnan
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t, uint8_t
from libc.string cimport memset

from edgeolk.core.c cimport (
    OLK_LINEAR, OLK_RUNS, OLK_SIGMOID, olk_begin_step, olk_bernoulli, olk_end_step,
    olk_intake_measured, olk_kernel, olk_pcg32_seed, olk_width,
)
from edgeolk.core.parts cimport (
    BASIS_SUPPORT_VECTORS, DTYPE_FLOAT64, POLICY_RAISE, basis_freezes, basis_starts_full,
    coefficients_max_kernel, kernel_normalised, loss_is_capped, policy_counts_exchanges,
    policy_freezes, policy_is_filter, policy_moves_norm,
)
from edgeolk.core.state cimport (
    DONE, Example, MAX_COUNT, Model, NO_SLOT, REFUSED_COEFFICIENT, REFUSED_COUNT, REFUSED_FULL,
    REFUSED_LATE, REFUSED_NO_PENDING, REFUSED_OVERFLOW, REFUSED_PENDING,
)
from edgeolk.ring.expansion cimport class_row, coefficient_count, self_kernel, squared_norm
from edgeolk.ring.filters.range cimport is_sound, start_again
from edgeolk.ring.filters.untuned cimport (
    is_tracker, tracker_accepts, tracker_ask, tracker_takes, tracker_tell, untuned_answer,
)
from edgeolk.ring.losses cimport score_classes, share_weighted_score
from edgeolk.ring.policies.replacement cimport dynamic_budget
from edgeolk.ring.ring cimport (
    SupportVectorRing, Tally, coefficient, coefficients, is_wide, kernel_values, may_enter,
    mean_coefficients,
)
from edgeolk.ring.switches cimport (
    basis_admit, basis_construct, basis_score, bound, policy_novel, policy_victim, update_asks,
    update_begin, update_coefficient, update_construct, update_end, update_shrink, update_step,
)
from edgeolk.ring.updates cimport sampling_probability, threshold


cdef extern from "ring_holds.h" nogil:
    # The largest |x|^2 for a sigmoid, for rows of doubles and of floats.
    const double olk_max_wide, olk_max_narrow


cdef inline bint is_frozen(SupportVectorRing ring) noexcept nogil:
    """Whether the ring is full and accepts no further vector."""
    return (ring.m.n == ring.c.budget and policy_freezes(ring.c.choice.policy)
            and basis_freezes(ring.c.choice.basis))


cdef inline double propose(SupportVectorRing ring, Example* e, int* outcome) noexcept nogil:
    """The coefficient of the incoming example; 0 leaves the model unchanged."""
    cdef double a, p
    if loss_is_capped(ring.c.choice.loss) and fabs(e.f) > 1.0:
        return 0.0
    if not update_asks(ring, e):
        return 0.0
    if is_frozen(ring):
        if ring.c.choice.policy == POLICY_RAISE:
            outcome[0] = REFUSED_FULL
        else:
            ring.function.capacity_hits += 1
        return 0.0
    p = sampling_probability(ring, e)
    if not olk_bernoulli(&ring.m.rng, p):
        return 0.0
    a = update_coefficient(ring, e, p)
    if ring.c.tracks_norm and ring.c.softmax:
        e.f = share_weighted_score(ring, e)
    if not may_enter(ring, a):
        outcome[0] = REFUSED_COEFFICIENT
        return 0.0
    return a


cdef inline void count(SupportVectorRing ring, const Example* e, double f) noexcept nogil:
    """Count the example, the first write of a step; saves what that changes in ``before``."""
    cdef Model* m = ring.m
    cdef Tally* before = &ring.before
    before.flags = m.flags
    olk_begin_step(&m.flags)
    before.rng = m.rng
    before.mistakes = m.mistakes
    m.steps += 1
    if ring.averaging != NULL:
        before.mean_weight = ring.averaging.weight
        ring.averaging.weight += ring.function.scale
    if ring.s.errors != NULL:
        before.squared = ring.s.errors.squared
        before.absolute = ring.s.errors.absolute
        ring.s.errors.squared += (e.y - e.f) * (e.y - e.f)
        ring.s.errors.absolute += fabs(e.y - e.f)
    elif ring.novelty != NULL:
        m.mistakes += f < 0.0
    elif not (e.y * f > 0.0):
        m.mistakes += 1


cdef inline void restore(SupportVectorRing ring) noexcept nogil:
    cdef const Tally* before = &ring.before
    ring.m.rng = before.rng
    ring.m.steps -= 1
    ring.m.mistakes = before.mistakes
    if ring.averaging != NULL:
        ring.averaging.weight = before.mean_weight
    if ring.s.errors != NULL:
        ring.s.errors.squared = before.squared
        ring.s.errors.absolute = before.absolute
    olk_end_step(&ring.m.flags, before.flags)


cdef inline void refresh_norm(SupportVectorRing ring) noexcept nogil:
    """Recompute ||f||^2 where the tracked value may be inaccurate.

    Some policies change single coefficients without updating the norm; and each removal may magnify
    the rounding error of norm2 by (B / (B-1))^2, with the current B.
    """
    if not ring.c.tracks_norm or ring.c.choice.basis != BASIS_SUPPORT_VECTORS:
        return
    if policy_moves_norm(ring.c.choice.policy) or ring.function.removals >= dynamic_budget(ring):
        ring.function.norm2 = squared_norm(ring)
        if not policy_counts_exchanges(ring.c.choice.policy):
            ring.function.removals = 0


cdef inline void score_example(SupportVectorRing ring, double y, Example* e) noexcept nogil:
    """The score of a row, and the target that its loss compares with it."""
    if ring.c.columns > 1:
        score_classes(ring, y, e)
        return
    e.y = y
    e.f = ring.function.scale * basis_score(ring, e.x, coefficients(ring), kernel_values(ring))
    e.one = 1.0
    e.share = &e.one
    e.power = 1.0
    if ring.novelty != NULL:
        # The first row counts as novel whatever its score, so that the model starts.
        e.y = ring.novelty[0] if ring.m.updates > 0 else INFINITY


cdef inline bint in_range(SupportVectorRing ring, const void* x, double f,
                          double k_self) noexcept nogil:
    """Whether a row with this score and k(x, x) may be learned; False for NaN.

    Products of two rows are bounded by their squares (Cauchy-Schwarz), so only the square is
    checked: a step multiplies a few kernel values and scores, never more than fit between these
    bounds and the largest number of their type. Distance kernels are at most 1 for all rows.
    """
    cdef double limit
    cdef olk_kernel inner
    if not fabs(f) <= 1e120:
        return False
    if kernel_normalised(ring.c.kernel.kind):
        return True
    if not fabs(k_self) <= coefficients_max_kernel(ring.c.choice.coefficients):
        return False
    if ring.c.kernel.kind != OLK_SIGMOID:
        return True
    # k(x, x) does not bound the inner product it is computed from, and infinities cancel to NaN.
    inner = ring.c.kernel
    inner.kind = OLK_LINEAR
    limit = olk_max_wide if ring.c.vectors == DTYPE_FLOAT64 else olk_max_narrow
    return ring.pair_fn(&inner, x, x, ring.c.n_features) <= limit


cdef inline void learn_by_filter(SupportVectorRing ring, Example* e) noexcept nogil:
    """A kernel adaptive filter learns every row: does it enter, who leaves, all coefficients."""
    e.slot = NO_SLOT
    if policy_novel(ring, e):
        e.slot = ring.m.n if ring.m.n < ring.c.budget else policy_victim(ring, e)
    ring.m.updates += update_step(ring, e)
    if not is_sound(ring):
        start_again(ring)


cdef inline void count_error(SupportVectorRing ring, double y, double f) noexcept nogil:
    """Count the error of a tracker's answer; an unknown target has none."""
    if not (isnan(y) or ring.tracker.frozen):
        ring.s.errors.squared += (y - f) * (y - f)
        ring.s.errors.absolute += fabs(y - f)


cdef inline int ask_tracker(SupportVectorRing ring, const void* x, double* f) noexcept nogil:
    """Answer a row, which then waits for its target; on a refusal nothing has changed."""
    if ring.m.steps >= MAX_COUNT:
        return REFUSED_COUNT
    if not tracker_accepts(ring, x):
        return REFUSED_OVERFLOW
    olk_begin_step(&ring.m.flags)
    f[0] = tracker_ask(ring, x)
    ring.m.steps += not ring.tracker.frozen
    olk_end_step(&ring.m.flags, 0)
    return DONE


cdef inline int tell_tracker(SupportVectorRing ring, double y) noexcept nogil:
    """Learn the target of the oldest row that waits; on a refusal nothing has changed."""
    cdef double f
    if not tracker_takes(ring, y):
        return REFUSED_COEFFICIENT
    if not ring.tracker.lagging.pending > 0.0:
        return REFUSED_NO_PENDING
    olk_begin_step(&ring.m.flags)
    f = tracker_tell(ring, y)
    ring.m.updates += not (isnan(y) or ring.tracker.frozen)
    count_error(ring, y, f)
    olk_end_step(&ring.m.flags, 0)
    return DONE


cdef inline int learn_untuned(SupportVectorRing ring, const void* x, double y,
                              double* f) noexcept nogil:
    """One step of a tracker, which answers the row itself; on a refusal nothing has changed."""
    cdef Example e
    if not tracker_accepts(ring, x):
        return REFUSED_OVERFLOW
    if not tracker_takes(ring, y):
        return REFUSED_COEFFICIENT
    if ring.tracker.delay > 1:
        return REFUSED_LATE
    if ring.tracker.lags and ring.tracker.lagging.pending > 0.0:
        return REFUSED_PENDING
    olk_begin_step(&ring.m.flags)
    e.x = x
    e.y = y
    ring.m.updates += update_step(ring, &e)
    ring.m.steps += not ring.tracker.frozen
    count_error(ring, y, e.f)
    f[0] = e.f
    return DONE


cdef inline int learn_row(SupportVectorRing ring, const void* x, double y, double weight,
                          double* f) noexcept nogil:
    """One step of the model; on a refusal nothing but scratch has changed."""
    cdef Example e
    cdef double a
    cdef int outcome = DONE
    if is_tracker(ring):
        return learn_untuned(ring, x, y, f)
    e.x = x
    e.weight = weight
    score_example(ring, y, &e)
    e.self_kernel = self_kernel(ring, x)
    e.hint = 0.0
    update_begin(ring, &e)
    f[0] = e.f + e.hint - threshold(ring)
    if not in_range(ring, x, f[0], e.self_kernel):
        return REFUSED_OVERFLOW
    count(ring, &e, f[0])
    if policy_is_filter(ring.c.choice.policy):
        if not may_enter(ring, e.y - e.f):
            restore(ring)
            return REFUSED_COEFFICIENT
        learn_by_filter(ring, &e)
        return DONE
    a = propose(ring, &e, &outcome)
    if outcome != DONE:
        restore(ring)
        return outcome
    update_shrink(ring, a, &e)
    if a != 0.0 and basis_admit(ring, a, &e):
        ring.m.updates += 1
        refresh_norm(ring)
        bound(ring, &e)
    if ring.s.quantizer.scale != NULL:
        ring.function.clipped = min(ring.function.clipped + ring.s.beyond, MAX_COUNT)
    update_end(ring, &e)
    return DONE


cdef inline int decide(SupportVectorRing ring, const void* x, bint mean, double* f) noexcept nogil:
    """The score of a row, or scores of its classes, of the last function or the mean."""
    cdef Example e
    cdef int64_t k
    cdef const void* coef = mean_coefficients(ring) if mean else coefficients(ring)
    if is_tracker(ring):
        if not tracker_accepts(ring, x):
            return REFUSED_OVERFLOW
        f[0] = untuned_answer(ring, x)
        return DONE if isfinite(f[0]) else REFUSED_OVERFLOW
    if ring.c.columns > 1:
        class_row(ring, x, coef, 1.0 if mean else ring.function.scale, f)
        for k in range(ring.c.columns):
            if not isfinite(f[k]):
                return REFUSED_OVERFLOW
        return DONE
    if mean:
        f[0] = basis_score(ring, x, coef, NULL)
    else:
        e.x = x
        e.hint = 0.0
        update_begin(ring, &e)
        f[0] = ring.function.scale * basis_score(ring, x, coef, NULL) + e.hint - threshold(ring)
    return DONE if isfinite(f[0]) else REFUSED_OVERFLOW


cdef inline void construct(SupportVectorRing ring) noexcept nogil:
    """Initialise a new model, whose generator is seeded."""
    ring.function.scale = 1.0
    if basis_starts_full(ring.c.choice.basis):
        ring.m.n = <int32_t>ring.c.budget
    basis_construct(ring)
    update_construct(ring)


cdef inline void clear(SupportVectorRing ring) noexcept nogil:
    """Start again, once the width of the kernel is known; counters of the stream are kept."""
    cdef int64_t asked = ring.function.labels_asked
    cdef int64_t clipped = ring.function.clipped
    cdef olk_width* before = olk_intake_measured(&ring.s.preprocessing.intake)
    cdef int k
    before.steps = ring.m.steps
    before.mistakes = ring.m.mistakes
    before.updates = ring.m.updates
    before.capacity_hits = ring.function.capacity_hits
    for k in range(OLK_RUNS):
        memset(<uint8_t*>ring.m + ring.s.setup.cleared[k].offset, 0, ring.s.setup.cleared[k].bytes)
    ring.m.n = 0
    ring.m.steps = ring.m.mistakes = ring.m.updates = 0
    olk_pcg32_seed(&ring.m.rng, ring.m.seed)
    construct(ring)
    ring.function.labels_asked = asked
    ring.function.clipped = clipped


cdef inline void average(SupportVectorRing ring) noexcept nogil:
    """mean_coef <- coefficients of (f_1 + ... + f_T) / T."""
    cdef int64_t i, column
    cdef double total
    for column in range(ring.c.columns):
        for i in range(coefficient_count(ring)):
            total = coefficient(ring, column, i) * (
                ring.averaging.weight - ring.mean_start[column, i])
            if ring.mean_sum is not None:
                total += ring.mean_sum[column, i]
            total /= <double>max(ring.m.steps, 1)
            if is_wide(ring):
                ring.mean_coef_f64[column, i] = total
            else:
                ring.mean_coef_f32[column, i] = <float>total
