"""Optimistic mirror descent (POMDR, Li & Liao 2023): an adaptive rate that trusts good hints."""

from libc.math cimport sqrt

from edgeolk.core.state cimport Example, Model


cdef inline double optimistic_rate(const Model* m) noexcept nogil:
    """c U / sqrt(3 + S), c = 1 before the first halving, coe after it."""
    cdef double c = 1.0 if m.halvings == 0 else m.p.coe
    return c * m.p.U / sqrt(3.0 + m.hint_error)


cdef inline double optimistic_coefficient(const Model* m, const Example* e) noexcept nogil:
    return e.y * optimistic_rate(m)
