"""Small dense linear algebra in place; the loops over triangles are loops/linalg.h's."""

from libc.stdint cimport int64_t

from edgeolk.core.state cimport State


cdef inline void solve_packed(const State* s, const double* l, double* b, int64_t n) noexcept nogil:
    """b <- (L L')^-1 b, L a packed lower triangle."""
    s.simd.solve_lower(l, b, n)
    s.simd.solve_lower_transposed(l, b, n)


cdef inline double kth_largest(double* v, int64_t n, int64_t k) noexcept nogil:
    """The k-th largest of v[0..n-1] (k from 1), by quickselect; v is reordered."""
    cdef int64_t low = 0
    cdef int64_t high = n - 1
    cdef int64_t i, j
    cdef double pivot, t
    while low < high:
        pivot = v[low + (high - low) // 2]
        i = low
        j = high
        while i <= j:
            while v[i] > pivot:
                i += 1
            while v[j] < pivot:
                j -= 1
            if i <= j:
                t = v[i]
                v[i] = v[j]
                v[j] = t
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return v[k - 1]
