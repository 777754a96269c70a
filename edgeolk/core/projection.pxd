"""Bounds put on the function after an update."""

from libc.math cimport sqrt

from edgeolk.core.expansion cimport largest_weight, rescale, squared_norm
from edgeolk.core.parts cimport PROJECTION_BALL, PROJECTION_COEFFICIENTS
from edgeolk.core.policies.replacement cimport dynamic_budget
from edgeolk.core.state cimport Example, Model, State


cdef inline void project(State* s, Example* e) noexcept nogil:
    cdef Model* m = s.m
    cdef double bound
    if m.choice.projection == PROJECTION_BALL:
        if m.removals >= m.budget:
            # Each removal may magnify the rounding error of norm2 by (B / (B-1))^2.
            m.norm2 = squared_norm(s)
            m.removals = 0
        if m.norm2 > m.p.U * m.p.U:
            rescale(s, m.p.U / sqrt(m.norm2), e)
            m.norm2 = m.p.U * m.p.U
    elif m.choice.projection == PROJECTION_COEFFICIENTS:
        # B max |alpha_i| sqrt(k(s_i, s_i)) <= U bounds ||f|| (He & Kwok 2014, eq. 22)
        bound = <double>dynamic_budget(m) * largest_weight(s)
        if bound > m.p.U:
            rescale(s, m.p.U / bound, e)
