"""krls_auto: the tracker without settings of c/krls_auto.h, over the regions of a ring.

It has kernel rows of its own, with a width for each input, and a linear part: scores are not those
of the basis. Vectors are kept relative to the first row (``origin``). With ``lags`` the last
targets are inputs too, and rows may wait for their targets.
"""

from libc.math cimport INFINITY, isnan, sqrt

from libc.stdint cimport int32_t, int64_t

from edgeolk.core.c cimport olk_lagging, olk_untuned, olk_tracking
from edgeolk.core.state cimport Example
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficients, is_wide, kernel_values, may_enter, row_at, value_type,
    vectors_from,
)

cdef extern from "ring_table.h" nogil:
    const double NORMAL_95 "olk_normal_95"


cdef inline void attach_tracker(SupportVectorRing ring, olk_tracking* words,
                                olk_lagging* lagging) noexcept:
    """Set where the numbers of the tracker are."""
    cdef olk_untuned* t = &ring.tracker
    t.lags = <int64_t>ring.c.p.lags
    t.delay = <int64_t>ring.c.p.delay
    t.d = ring.c.n_features + t.lags
    if t.lags:
        t.lagging = lagging
        t.recent = &ring.recent[0]
        t.pending_rows = &ring.pending_rows[0, 0]
    t.budget = ring.c.budget
    t.weight = 1.0
    t.stride = ring.c.stride
    t.words = words
    t.origin = &ring.origin[0]
    t.vectors = vectors_from(ring.vectors, 0)
    t.coef = coefficients(ring)
    t.kernel_row = kernel_values(ring)
    if is_wide(ring):
        t.inputs = &ring.input_scales_f64[0, 0]
        t.whitening = &ring.whitening_f64[0]
        t.factor = &ring.posterior_factor_f64[0]
        t.mean = &ring.mean_f64[0]
        t.scratch = &ring.tracker_rows_f64[0]
    else:
        t.inputs = &ring.input_scales_f32[0, 0]
        t.whitening = &ring.whitening_f32[0]
        t.factor = &ring.posterior_factor_f32[0]
        t.mean = &ring.mean_f32[0]
        t.scratch = &ring.tracker_rows_f32[0]


cdef inline bint is_tracker(SupportVectorRing ring) noexcept nogil:
    return ring.tracker.words != NULL


cdef inline bint tracker_accepts(SupportVectorRing ring, const void* x) noexcept nogil:
    """Whether differences of its inputs can be squared."""
    return ring.simd.auto_accepts[value_type(ring)](&ring.tracker, x)


cdef inline bint tracker_takes(SupportVectorRing ring, double y) noexcept nogil:
    """Whether a target may be learned; NaN, which is not known, with ``lags`` alone."""
    if isnan(y):
        return ring.tracker.lags > 0
    return may_enter(ring, y) and ring.simd.auto_takes[value_type(ring)](&ring.tracker, y)


cdef inline void enter_tracker(SupportVectorRing ring) noexcept nogil:
    """What a call may find changed."""
    ring.tracker.n = ring.m.n
    ring.tracker.frozen = ring.s.setup.forecast.frozen


cdef inline void keep_interval(SupportVectorRing ring, double f) noexcept nogil:
    """The last answer, and half the width of its interval of level .9, 0 if it is not known."""
    cdef double variance = ring.tracker.variance
    ring.s.forecast.answer = f
    ring.s.forecast.share[0] = 1.0
    ring.s.forecast.half_width[0] = (
        NORMAL_95 * sqrt(variance) if variance < INFINITY else 0.0)


cdef inline bint untuned_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """Answers and learns the row; its score becomes the answer."""
    enter_tracker(ring)
    e.f = ring.simd.auto_learn[value_type(ring)](&ring.tracker, e.x, e.y)
    ring.m.n = <int32_t>ring.tracker.n
    keep_interval(ring, e.f)
    return not (ring.tracker.frozen or isnan(e.y))


cdef inline double tracker_ask(SupportVectorRing ring, const void* x) noexcept nogil:
    """The answer to a row, which then waits for its target."""
    cdef double f
    enter_tracker(ring)
    f = ring.simd.auto_ask[value_type(ring)](&ring.tracker, x)
    keep_interval(ring, f)
    return f


cdef inline double tracker_tell(SupportVectorRing ring, double y) noexcept nogil:
    """Learns the target of the oldest waiting row, and returns its answer."""
    cdef double f
    enter_tracker(ring)
    f = ring.simd.auto_tell[value_type(ring)](&ring.tracker, y)
    ring.m.n = <int32_t>ring.tracker.n
    return f


cdef inline int64_t tracker_delay(SupportVectorRing ring) noexcept nogil:
    """Rows that may wait for their targets, 0 without ``lags``."""
    return ring.tracker.delay if ring.tracker.lags else 0


cdef inline int64_t tracker_pending(SupportVectorRing ring) noexcept nogil:
    """Rows that wait for their targets."""
    return <int64_t>ring.tracker.lagging.pending


cdef inline void tracker_forget(SupportVectorRing ring) noexcept nogil:
    """After a gap: the last targets are unknown, and no row waits."""
    ring.simd.auto_forget[value_type(ring)](&ring.tracker)


cdef inline double untuned_answer(SupportVectorRing ring, const void* x) noexcept nogil:
    """The answer to a row by the state as it is."""
    cdef double f
    enter_tracker(ring)
    f = ring.simd.auto_answer[value_type(ring)](&ring.tracker, x)
    keep_interval(ring, f)
    return f


cdef inline double untuned_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    """Of the target of a row; infinite while the scale of the targets is not known."""
    enter_tracker(ring)
    return ring.simd.auto_variance[value_type(ring)](&ring.tracker, x)


cdef inline double untuned_similarity(SupportVectorRing ring, const void* x) noexcept nogil:
    """The largest kernel value with a vector, by the widths in use; 0 if there are none."""
    cdef int64_t i
    cdef double best = 0.0
    untuned_answer(ring, x)
    for i in range(ring.m.n):
        best = max(best, row_at(ring, i))
    return best


cdef inline void untuned_construct(SupportVectorRing ring) noexcept nogil:
    ring.simd.auto_begin[value_type(ring)](&ring.tracker)
