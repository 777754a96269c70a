"""Small dense linear algebra in place, composed of the functions in edgeolk/c."""

from libc.stdint cimport int64_t

from edgeolk.core.state cimport State


cdef inline void solve_packed(const State* s, const double* l, double* b, int64_t n) noexcept nogil:
    """b <- (L L')^-1 b, L a packed lower triangle."""
    s.simd.solve_lower(l, b, n)
    s.simd.solve_lower_transposed(l, b, n)
