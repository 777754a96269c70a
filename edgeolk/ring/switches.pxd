"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from libc.stdint cimport int64_t

from edgeolk.ring.bases cimport (
    admit_features,
    drawn_score,
    fourier_construct,
    fourier_score,
    nystrom_admit,
    nystrom_score,
    ring_score,
    structured_score,
)
from edgeolk.ring.filters.gradient cimport (
    affine_step,
    normalised_step,
)
from edgeolk.ring.filters.process cimport (
    process_construct,
    process_step,
    process_variance,
)
from edgeolk.ring.filters.recursive cimport (
    recursive_step,
)
from edgeolk.ring.filters.ridge cimport (
    ridge_step,
)
from edgeolk.ring.filters.untuned cimport (
    untuned_construct,
    untuned_step,
    untuned_variance,
)
from edgeolk.ring.policies.admission cimport (
    is_bordered,
    is_incoherent,
    is_independent,
    is_outside,
    least_error,
    least_needed,
    oldest,
)
from edgeolk.ring.policies.budgeted_pa cimport (
    admit_nearest,
    admit_project,
    admit_simple,
)
from edgeolk.ring.policies.forgetron cimport (
    admit_forgetron,
    admit_forgetron_basic,
    admit_forgetron_greedy,
)
from edgeolk.ring.policies.halving cimport (
    admit_halving,
)
from edgeolk.ring.policies.lightest cimport (
    admit_lightest_merged,
    admit_lightest_project,
    admit_lightest_removed,
)
from edgeolk.ring.policies.projectron cimport (
    admit_anchored,
    admit_span,
)
from edgeolk.ring.policies.quantised cimport (
    admit_quantised,
)
from edgeolk.ring.policies.replacement cimport (
    admit_free,
    admit_replacing_oldest,
    admit_replacing_random,
    admit_replacing_smallest,
    admit_unbiased,
    admit_unbiased_by_size,
)
from edgeolk.ring.projection cimport (
    bound_coefficients,
    clamp_to_ball,
    clip_each,
    shrink_all,
)
from edgeolk.ring.updates cimport (
    aggressive_asks,
    aggressive_coefficient,
    gradient_asks,
    gradient_coefficient,
    gradient_shrink,
    logistic_asks,
    logistic_coefficient,
    margin_asks,
    optimistic_begin,
    optimistic_coefficient,
    optimistic_end,
    pa1_coefficient,
    pa2_coefficient,
    pa_coefficient,
    passive_aggressive_asks,
    pegasos_coefficient,
    pegasos_shrink,
    perceptron_asks,
    shifting_coefficient,
    shifting_shrink,
    sparse_pa_coefficient,
    unit_coefficient,
)
from edgeolk.core.parts cimport (
    BASIS_FOURIER,
    BASIS_FOURIER_DRAWN,
    BASIS_NYSTROM,
    BASIS_STRUCTURED,
    BASIS_SUPPORT_VECTORS,
    POLICY_ANCHOR,
    POLICY_COHERENT,
    POLICY_DEPENDENT,
    POLICY_FORGETRON,
    POLICY_FORGETRON_BASIC,
    POLICY_FORGETRON_GREEDY,
    POLICY_HALVE,
    POLICY_LEAST_CHANGE,
    POLICY_LEAST_DIVERGENCE,
    POLICY_LEAST_ERROR,
    POLICY_LIGHTEST,
    POLICY_LIGHTEST_PROJECT,
    POLICY_MERGE,
    POLICY_NEAREST,
    POLICY_OLDEST,
    POLICY_PROJECT,
    POLICY_QUANTISED,
    POLICY_RAISE,
    POLICY_RANDOM,
    POLICY_SIMPLE,
    POLICY_SLIDING,
    POLICY_SMALLEST,
    POLICY_SPAN,
    POLICY_STOP,
    POLICY_UNBIASED,
    POLICY_UNBIASED_BY_SIZE,
    PROJECTION_BALL,
    PROJECTION_CLIP,
    PROJECTION_COEFFICIENTS,
    PROJECTION_SHRINK,
    UPDATE_AFFINE,
    UPDATE_AGGRESSIVE,
    UPDATE_GRADIENT,
    UPDATE_LOGISTIC,
    UPDATE_LOGISTIC_CUT,
    UPDATE_LOGISTIC_SCALE,
    UPDATE_LOGISTIC_SHIFT,
    UPDATE_MARGIN,
    UPDATE_NORMALISED,
    UPDATE_OPTIMISTIC,
    UPDATE_PA,
    UPDATE_PA1,
    UPDATE_PA2,
    UPDATE_PEGASOS,
    UPDATE_PERCEPTRON,
    UPDATE_POSTERIOR,
    UPDATE_PROJECTRON_ICML,
    UPDATE_PROJECTRON_JMLR,
    UPDATE_RECURSIVE,
    UPDATE_RIDGE,
    UPDATE_SHIFTING,
    UPDATE_SPARSE_PA,
    UPDATE_UNTUNED,
    UPDATE_WHITENED,
)
from edgeolk.core.state cimport Example, NO_SLOT
from edgeolk.ring.ring cimport SupportVectorRing


cdef inline bint update_asks(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_PERCEPTRON or part == UPDATE_SHIFTING:
        return perceptron_asks(ring, e)
    if part == UPDATE_AGGRESSIVE:
        return aggressive_asks(ring, e)
    if part == UPDATE_PA or part == UPDATE_PA1 or part == UPDATE_PA2 or part == UPDATE_SPARSE_PA:
        return passive_aggressive_asks(ring, e)
    if part == UPDATE_GRADIENT:
        return gradient_asks(ring, e)
    if (
        part == UPDATE_MARGIN
        or part == UPDATE_PROJECTRON_JMLR
        or part == UPDATE_PROJECTRON_ICML
        or part == UPDATE_PEGASOS
        or part == UPDATE_OPTIMISTIC
    ):
        return margin_asks(ring, e)
    if (
        part == UPDATE_LOGISTIC
        or part == UPDATE_LOGISTIC_SHIFT
        or part == UPDATE_LOGISTIC_SCALE
        or part == UPDATE_LOGISTIC_CUT
    ):
        return logistic_asks(ring, e)
    return False


cdef inline double update_coefficient(SupportVectorRing ring, const Example* e,
                                      double p) noexcept nogil:
    cdef int part = ring.c.choice.update
    if (
        part == UPDATE_PERCEPTRON
        or part == UPDATE_MARGIN
        or part == UPDATE_PROJECTRON_JMLR
        or part == UPDATE_PROJECTRON_ICML
    ):
        return unit_coefficient(ring, e, p)
    if part == UPDATE_AGGRESSIVE:
        return aggressive_coefficient(ring, e, p)
    if part == UPDATE_PA:
        return pa_coefficient(ring, e, p)
    if part == UPDATE_PA1:
        return pa1_coefficient(ring, e, p)
    if part == UPDATE_PA2:
        return pa2_coefficient(ring, e, p)
    if part == UPDATE_GRADIENT:
        return gradient_coefficient(ring, e, p)
    if part == UPDATE_SPARSE_PA:
        return sparse_pa_coefficient(ring, e, p)
    if part == UPDATE_SHIFTING:
        return shifting_coefficient(ring, e, p)
    if part == UPDATE_PEGASOS:
        return pegasos_coefficient(ring, e, p)
    if (
        part == UPDATE_LOGISTIC
        or part == UPDATE_LOGISTIC_SHIFT
        or part == UPDATE_LOGISTIC_SCALE
        or part == UPDATE_LOGISTIC_CUT
    ):
        return logistic_coefficient(ring, e, p)
    if part == UPDATE_OPTIMISTIC:
        return optimistic_coefficient(ring, e, p)
    return 0.0


cdef inline void update_shrink(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_GRADIENT:
        gradient_shrink(ring, a, e)
    if part == UPDATE_SHIFTING:
        shifting_shrink(ring, a, e)
    if part == UPDATE_PEGASOS:
        pegasos_shrink(ring, a, e)


cdef inline void update_begin(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_OPTIMISTIC:
        optimistic_begin(ring, e)


cdef inline void update_end(SupportVectorRing ring, const Example* e) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_OPTIMISTIC:
        optimistic_end(ring, e)


cdef inline void update_construct(SupportVectorRing ring) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_POSTERIOR or part == UPDATE_WHITENED:
        process_construct(ring)
    if part == UPDATE_UNTUNED:
        untuned_construct(ring)


cdef inline bint update_step(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_NORMALISED:
        return normalised_step(ring, e)
    if part == UPDATE_AFFINE:
        return affine_step(ring, e)
    if part == UPDATE_RECURSIVE:
        return recursive_step(ring, e)
    if part == UPDATE_RIDGE:
        return ridge_step(ring, e)
    if part == UPDATE_POSTERIOR or part == UPDATE_WHITENED:
        return process_step(ring, e)
    if part == UPDATE_UNTUNED:
        return untuned_step(ring, e)
    return False


cdef inline double update_variance(SupportVectorRing ring, const void* x) noexcept nogil:
    cdef int part = ring.c.choice.update
    if part == UPDATE_POSTERIOR or part == UPDATE_WHITENED:
        return process_variance(ring, x)
    if part == UPDATE_UNTUNED:
        return untuned_variance(ring, x)
    return 0.0


cdef inline bint policy_novel(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.policy
    if part == POLICY_COHERENT:
        return is_incoherent(ring, e)
    if part == POLICY_DEPENDENT:
        return is_independent(ring, e)
    if part == POLICY_SLIDING or part == POLICY_LEAST_ERROR:
        return is_bordered(ring, e)
    if part == POLICY_LEAST_CHANGE or part == POLICY_LEAST_DIVERGENCE:
        return is_outside(ring, e)
    return False


cdef inline int64_t policy_victim(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.policy
    if part == POLICY_SLIDING:
        return oldest(ring, e)
    if part == POLICY_LEAST_ERROR:
        return least_error(ring, e)
    if part == POLICY_LEAST_CHANGE or part == POLICY_LEAST_DIVERGENCE:
        return least_needed(ring, e)
    return NO_SLOT


cdef inline bint policy_admit(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.policy
    if part == POLICY_STOP or part == POLICY_RAISE:
        return admit_free(ring, a, e)
    if part == POLICY_OLDEST:
        return admit_replacing_oldest(ring, a, e)
    if part == POLICY_SMALLEST:
        return admit_replacing_smallest(ring, a, e)
    if part == POLICY_RANDOM:
        return admit_replacing_random(ring, a, e)
    if part == POLICY_FORGETRON:
        return admit_forgetron(ring, a, e)
    if part == POLICY_FORGETRON_BASIC:
        return admit_forgetron_basic(ring, a, e)
    if part == POLICY_FORGETRON_GREEDY:
        return admit_forgetron_greedy(ring, a, e)
    if part == POLICY_SIMPLE:
        return admit_simple(ring, a, e)
    if part == POLICY_NEAREST:
        return admit_nearest(ring, a, e)
    if part == POLICY_PROJECT:
        return admit_project(ring, a, e)
    if part == POLICY_UNBIASED:
        return admit_unbiased(ring, a, e)
    if part == POLICY_UNBIASED_BY_SIZE:
        return admit_unbiased_by_size(ring, a, e)
    if part == POLICY_HALVE:
        return admit_halving(ring, a, e)
    if part == POLICY_SPAN:
        return admit_span(ring, a, e)
    if part == POLICY_LIGHTEST:
        return admit_lightest_removed(ring, a, e)
    if part == POLICY_LIGHTEST_PROJECT:
        return admit_lightest_project(ring, a, e)
    if part == POLICY_MERGE:
        return admit_lightest_merged(ring, a, e)
    if part == POLICY_ANCHOR:
        return admit_anchored(ring, a, e)
    if part == POLICY_QUANTISED:
        return admit_quantised(ring, a, e)
    return False


cdef inline double basis_score(SupportVectorRing ring, const void* x, const void* coef,
                               void* row) noexcept nogil:
    cdef int part = ring.c.choice.basis
    if part == BASIS_SUPPORT_VECTORS:
        return ring_score(ring, x, coef, row)
    if part == BASIS_FOURIER:
        return fourier_score(ring, x, coef, row)
    if part == BASIS_STRUCTURED:
        return structured_score(ring, x, coef, row)
    if part == BASIS_FOURIER_DRAWN:
        return drawn_score(ring, x, coef, row)
    if part == BASIS_NYSTROM:
        return nystrom_score(ring, x, coef, row)
    return 0.0


cdef inline bint basis_admit(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.basis
    if part == BASIS_FOURIER or part == BASIS_STRUCTURED or part == BASIS_FOURIER_DRAWN:
        return admit_features(ring, a, e)
    if part == BASIS_NYSTROM:
        return nystrom_admit(ring, a, e)
    return policy_admit(ring, a, e)


cdef inline void basis_construct(SupportVectorRing ring) noexcept nogil:
    cdef int part = ring.c.choice.basis
    if part == BASIS_FOURIER:
        fourier_construct(ring)


cdef inline void bound(SupportVectorRing ring, Example* e) noexcept nogil:
    cdef int part = ring.c.choice.projection
    if part == PROJECTION_BALL:
        clamp_to_ball(ring, e)
    if part == PROJECTION_COEFFICIENTS:
        bound_coefficients(ring, e)
    if part == PROJECTION_CLIP:
        clip_each(ring, e)
    if part == PROJECTION_SHRINK:
        shrink_all(ring, e)
