"""Bounds put on the function after an update."""

from libc.math cimport sqrt

from edgeolk.core.expansion cimport fold, largest_weight, rescale, squared_norm
from edgeolk.core.parts cimport (
    BASIS_SUPPORT_VECTORS, POLICY_LIGHTEST, POLICY_LIGHTEST_PROJECT, POLICY_MERGE, POLICY_NEAREST,
    POLICY_PROJECT, POLICY_SIMPLE, POLICY_UNBIASED_BY_SIZE, PROJECTION_BALL, PROJECTION_CLIP,
    PROJECTION_COEFFICIENTS, PROJECTION_SHRINK,
)
from edgeolk.core.policies.replacement cimport dynamic_budget
from edgeolk.core.simd cimport OLK_F64
from edgeolk.core.state cimport Example, Model, State


cdef inline bint norm_is_stale(const Model* m) noexcept nogil:
    """Policies that move single coefficients do not follow the norm; nor may errors pile up.

    Each removal may magnify the rounding error of norm2 by (B / (B-1))^2, B that of the moment.
    """
    cdef int policy = m.choice.policy
    return m.choice.basis == BASIS_SUPPORT_VECTORS and (
        m.removals >= dynamic_budget(m)
        or policy == POLICY_SIMPLE or policy == POLICY_NEAREST or policy == POLICY_PROJECT
        or policy == POLICY_UNBIASED_BY_SIZE or policy == POLICY_LIGHTEST
        or policy == POLICY_LIGHTEST_PROJECT or policy == POLICY_MERGE)


cdef inline void clamp_to_ball(State* s, Example* e) noexcept nogil:
    """||f|| <= U, by the norm as kept."""
    cdef Model* m = s.m
    if m.norm2 > m.p.U * m.p.U:
        rescale(s, m.p.U / sqrt(m.norm2), e)
        m.norm2 = m.p.U * m.p.U


cdef inline void clip(State* s, double most) noexcept nogil:
    """|alpha_i| <= most, each on its own."""
    fold(s)
    s.simd.clamp[OLK_F64](s.coef, s.m.n, most)


cdef inline double largest_coefficient(const State* s) noexcept nogil:
    return s.m.scale * s.simd.max_abs[OLK_F64](s.coef, NULL, s.m.n)


cdef inline void project(State* s, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double bound
    cdef int projection = m.choice.projection
    if m.tracks_norm and norm_is_stale(m):
        m.norm2 = squared_norm(s)
        if m.choice.policy != POLICY_PROJECT:  # there they count towards a fresh inverse
            m.removals = 0
    if projection == PROJECTION_BALL:
        clamp_to_ball(s, e)
    elif projection == PROJECTION_COEFFICIENTS:
        # B max |alpha_i| sqrt(k(s_i, s_i)) <= U bounds ||f|| (He & Kwok 2014, eq. 22)
        bound = <double>dynamic_budget(m) * largest_weight(s)
        if bound > m.p.U:
            rescale(s, m.p.U / bound, e)
    elif projection == PROJECTION_CLIP:
        clip(s, m.p.eta * m.p.clip)
        if m.tracks_norm:
            m.norm2 = squared_norm(s)
    elif projection == PROJECTION_SHRINK:
        bound = largest_coefficient(s)
        if bound > m.p.eta * m.p.clip:
            rescale(s, m.p.eta * m.p.clip / bound, e)
