"""Optimistic mirror descent (POMDR, Li & Liao 2023): an adaptive rate that trusts good hints."""

from libc.math cimport sqrt

from edgeolk.core.hints cimport window_hint, window_push
from edgeolk.core.state cimport Example, State


cdef inline double optimistic_rate(const State* s) noexcept nogil:
    """c U / sqrt(3 + S), c = 1 before the first halving, coe after it."""
    cdef double c = 1.0 if s.halving.count == 0 else s.c.p.coe
    return c * s.c.p.U / sqrt(3.0 + s.hints.error)


cdef inline double optimistic_coefficient(const State* s, const Example* e,
                                          double p) noexcept nogil:
    return e.y * optimistic_rate(s)


cdef inline void optimistic_begin(State* s, Example* e) noexcept nogil:
    """The prediction includes the hint of the recent examples."""
    e.hint = optimistic_rate(s) * window_hint(s, e.x)


cdef inline void optimistic_end(State* s, const Example* e) noexcept nogil:
    """Add every example to the window."""
    window_push(s, e.x, e.y)
