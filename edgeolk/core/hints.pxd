"""The window of recent examples from which an optimistic learner predicts the next gradient."""

from libc.stdint cimport int64_t

from edgeolk.core.expansion cimport kernel_row
from edgeolk.core.ring cimport take_vector, write_vector
from edgeolk.core.headers cimport OLK_F64
from edgeolk.core.state cimport State


cdef inline int64_t window_length(const State* s) noexcept nogil:
    return min(<int64_t>s.c.p.hint_rows, s.hints.seen)


cdef inline double window_hint(State* s, const void* x) noexcept nogil:
    """(1/q) sum over the window of y_r k(x_r, x); 0 while it is empty."""
    cdef int64_t q = window_length(s)
    cdef double total
    if q == 0:
        return 0.0
    total = s.row_fn(&s.c.kernel, s.window, NULL, &s.quantizer, s.c.window_stride, q,
                     s.c.n_features, x, OLK_F64, s.window_y, NULL, NULL)
    return total / <double>q


cdef inline double window_correlation(State* s, const double* beta) noexcept nogil:
    """(1/q) sum over the window of y_r sum_j beta_j k(s_j, x_r); uses the column scratch."""
    cdef int64_t q = window_length(s)
    cdef int64_t r
    cdef const void* x
    cdef double total = 0.0
    if q == 0:
        return 0.0
    for r in range(q):
        x = take_vector(s, s.window, s.c.window_stride, r)
        total += s.window_y[r] * kernel_row(s, x, beta, NULL)
    return total / <double>q


cdef inline void window_push(State* s, const void* x, double y) noexcept nogil:
    """Add an example, whether or not it caused an update."""
    cdef int64_t slot = s.hints.seen % <int64_t>s.c.p.hint_rows
    write_vector(s, s.window, s.c.window_stride, slot, x)
    s.window_y[slot] = y
    s.hints.seen += 1
