"""Similarity of a row to the learned rows: the largest cosine with a support vector."""

from libc.math cimport INFINITY, isfinite, pow, sqrt, tanh
from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport self_kernel
from edgeolk.core.parts cimport kernel_normalised
from edgeolk.core.ring cimport lengths_from
from edgeolk.core.headers cimport OLK_F64, OLK_LINEAR, OLK_POLYNOMIAL, olk_fetch
from edgeolk.core.state cimport State

cdef enum:
    CHUNK = 64  # slots at a time: their kernel row is on the stack


cdef inline double slot_self_kernel(const State* s, int64_t slot) noexcept nogil:
    """k(s_i, s_i), computed from the vector if no diagonal is stored."""
    cdef int64_t j
    cdef double v
    cdef double total = 0.0
    if s.diagonal != NULL:
        return s.diagonal[slot]
    if kernel_normalised(s.c.kernel.kind):
        return 1.0
    for j in range(s.c.n_features):
        v = olk_fetch(s.c.vectors, s.sv, j * s.c.stride + slot, j, &s.quantizer)
        total += v * v
    if s.c.kernel.kind == OLK_LINEAR:
        return total
    total = s.c.kernel.scale * total + s.c.kernel.offset
    if s.c.kernel.kind == OLK_POLYNOMIAL:
        return pow(total, s.c.kernel.degree)
    return tanh(total)


cdef inline double familiarity(State* s, const void* x) noexcept nogil:
    """max_i k(s_i, x) / sqrt(k_ii k_xx) over i with k_ii > 0; 0 if there are none."""
    cdef double row[CHUNK]
    cdef int64_t i, n
    cdef int64_t start = 0
    cdef double k_self
    cdef double best = -INFINITY
    cdef double k_row = self_kernel(s, x)
    if not k_row > 0.0:
        return 0.0
    while start < s.m.n:
        n = min(<int64_t>CHUNK, s.m.n - start)
        s.row_fn(&s.c.kernel, <const char*>s.sv + start * s.c.item, lengths_from(s, start),
                 &s.quantizer, s.c.stride, n, s.c.n_features, x, OLK_F64, NULL, row, NULL)
        for i in range(n):
            k_self = slot_self_kernel(s, start + i)
            if k_self > 0.0:
                best = max(best, row[i] / (sqrt(k_self) * sqrt(k_row)))
        start += n
    return best if isfinite(best) else 0.0
