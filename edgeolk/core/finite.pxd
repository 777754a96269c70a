"""Whether every number of a vector is finite, or fits a narrower type."""

from libc.stdint cimport int64_t

ctypedef fused real:
    float
    double


cdef inline bint all_finite(const real* x, int64_t d) noexcept nogil:
    """No NaN, no infinity. A product with 0 is 0 exactly for finite numbers only."""
    cdef int64_t j
    cdef int64_t k
    cdef real lane[8]
    for k in range(8):
        lane[k] = 0
    for j in range(0, d - 7, 8):
        for k in range(8):
            lane[k] += x[j + k] * 0
    for j in range(d - d % 8, d):
        lane[0] += x[j] * 0
    for k in range(1, 8):
        lane[0] += lane[k]
    return lane[0] == 0


cdef inline bint finite_as_float(const double* x, int64_t d) noexcept nogil:
    """Every |x_j| fits a float32."""
    cdef int64_t j
    cdef int64_t k
    cdef float lane[8]
    for k in range(8):
        lane[k] = 0
    for j in range(0, d - 7, 8):
        for k in range(8):
            lane[k] += <float>x[j + k] * 0
    for j in range(d - d % 8, d):
        lane[0] += <float>x[j] * 0
    for k in range(1, 8):
        lane[0] += lane[k]
    return lane[0] == 0


cdef inline bint all_within(const real* x, int64_t d, double most) noexcept nogil:
    """Every |x_j| <= most; False for NaN."""
    cdef int64_t j
    cdef bint good = True
    for j in range(d):
        good = good and (-most <= x[j] <= most)
    return good
