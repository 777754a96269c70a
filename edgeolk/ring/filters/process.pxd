"""Gaussian processes on a budget: KRLS-T (Van Vaerenbergh et al. 2012), SOGP (Csato & Opper 2002).

Matrices and coefficients are those of c/gaussian_process.h, which boards have too; here are the
vectors, and the inverse again from them.
"""

from libc.stdint cimport int64_t

from edgeolk.core.c cimport olk_max_entry, olk_process
from edgeolk.core.parts cimport POLICY_LEAST_DIVERGENCE, UPDATE_WHITENED, coefficients_max
from edgeolk.core.parts cimport coefficients_max_factor, kernel_normalised
from edgeolk.core.state cimport Example, NO_SLOT
from edgeolk.ring.expansion cimport kernel_row, move_vector, place, self_kernel
from edgeolk.ring.inverse cimport has_pivots, min_pivot, refresh_inverse
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, is_wide, kernel_values, value_type


cdef inline void attach_process(SupportVectorRing ring) noexcept:
    """Set what is constant about the process of a ring."""
    cdef olk_process* g = &ring.process
    g.forgetting = ring.c.p.forgetting
    g.noise = ring.c.p.noise
    g.jitter = ring.c.p.jitter
    g.whitened = ring.c.choice.update == UPDATE_WHITENED
    g.by_divergence = ring.c.choice.policy == POLICY_LEAST_DIVERGENCE
    g.max_coefficient = coefficients_max(ring.c.choice.coefficients)
    g.max_scale = coefficients_max_factor(ring.c.choice.coefficients)
    g.max_entry = olk_max_entry(is_wide(ring), kernel_normalised(ring.c.kernel.kind))
    g.min_pivot = min_pivot(ring)
    g.budget = ring.c.budget
    g.coef = coefficients(ring)
    g.scale = &ring.function.scale
    g.evidence = ring.evidence
    g.row = kernel_values(ring)
    g.mean = g.work3 = NULL
    if not g.whitened:
        g.gram = &ring.inverse[0]
        g.posterior = &ring.posterior[0]
        g.work = &ring.work[0]
        g.work2 = &ring.work2[0]
        g.work3 = &ring.work3[0]
    elif is_wide(ring):
        g.gram = &ring.whitening_f64[0]
        g.posterior = &ring.covariance_f64[0]
        g.mean = &ring.mean_f64[0]
        g.work = &ring.rows_f64[0, 0]
        g.work2 = &ring.rows_f64[1, 0]
    else:
        g.gram = &ring.whitening_f32[0]
        g.posterior = &ring.covariance_f32[0]
        g.mean = &ring.mean_f32[0]
        g.work = &ring.rows_f32[0, 0]
        g.work2 = &ring.rows_f32[1, 0]


cdef inline double process_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    """Of the target of a row, of the state as it is; infinite before the first row."""
    kernel_row(ring, x, NULL, kernel_values(ring))
    ring.process.n = ring.m.n
    ring.process.self_kernel = self_kernel(ring, x)
    return ring.simd.process_variance[value_type(ring)](&ring.process)


cdef inline bint process_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """The row was compared with the vectors by the policy."""
    cdef olk_process* g = &ring.process
    cdef int64_t i, left
    g.slot = e.slot
    left = ring.simd.process_learn[value_type(ring)](g)
    if left >= 0:
        for i in range(left, g.n - 1):
            move_vector(ring, i + 1, i)
        e.slot = g.n - 1 if left < g.n else NO_SLOT
    if e.slot != NO_SLOT:
        place(ring, e.slot, e)
    if e.slot < g.n and e.slot != NO_SLOT and not g.whitened:
        ring.function.removals += 1
        if ring.function.removals >= 10 * ring.c.budget or not has_pivots(ring):
            refresh_inverse(ring, ring.c.p.jitter)
    return True


cdef inline void process_construct(SupportVectorRing ring) noexcept nogil:
    ring.evidence.scale = 1.0
