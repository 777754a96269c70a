"""krls_auto: the tracker without settings of c/krls_auto.h, over the regions of a ring.

It has kernel rows of its own, with a width for each input, and a linear part: scores are not those
of the basis. Vectors are kept relative to the first row (``origin``).
"""

from libc.stdint cimport int32_t, int64_t

from edgeolk.core.c cimport olk_untuned, olk_tracking
from edgeolk.core.state cimport Example
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficients, is_wide, kernel_values, row_at, value_type,
    vectors_from,
)


cdef inline void attach_tracker(SupportVectorRing ring, olk_tracking* words) noexcept:
    """Set where the numbers of the tracker are."""
    cdef olk_untuned* t = &ring.tracker
    t.d = ring.c.n_features
    t.budget = ring.c.budget
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


cdef inline bint untuned_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """Answers and learns the row; its score becomes the answer."""
    ring.tracker.n = ring.m.n
    e.f = ring.simd.auto_learn[value_type(ring)](&ring.tracker, e.x, e.y)
    ring.m.n = <int32_t>ring.tracker.n
    return True


cdef inline double untuned_answer(SupportVectorRing ring, const void* x) noexcept nogil:
    """The answer to a row by the state as it is."""
    ring.tracker.n = ring.m.n
    return ring.simd.auto_answer[value_type(ring)](&ring.tracker, x)


cdef inline double untuned_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    """Of the target of a row; infinite while the scale of the targets is not known."""
    ring.tracker.n = ring.m.n
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
