"""Small dense linear algebra in place, on packed lower triangles (row p holds entries 0..p)."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from edgeolk.core.simd cimport olk_dot_fn


cdef inline bint cholesky_packed(double* a, int64_t n, olk_dot_fn dot) noexcept nogil:
    """A = L L', L over A. False (A then spoilt) if a pivot is not positive."""
    cdef int64_t i, j
    cdef double* row_i = a
    cdef double* row_j
    cdef double pivot
    for i in range(n):
        row_j = a
        for j in range(i):
            row_i[j] = (row_i[j] - dot(row_i, row_j, j)) / row_j[j]
            row_j += j + 1
        # A pivot lost to rounding is no pivot.
        pivot = row_i[i] - dot(row_i, row_i, i)
        if not pivot > 1e-14 * row_i[i]:
            return False
        row_i[i] = sqrt(pivot)
        row_i += i + 1
    return True


cdef inline void solve_lower(const double* l, double* b, int64_t n, olk_dot_fn dot) noexcept nogil:
    """b <- L^-1 b."""
    cdef int64_t i
    cdef const double* row = l
    for i in range(n):
        b[i] = (b[i] - dot(row, b, i)) / row[i]
        row += i + 1


cdef inline void solve_lower_transposed(const double* l, double* b, int64_t n) noexcept nogil:
    """b <- L'^-1 b."""
    cdef int64_t i, j
    cdef const double* row = l + n * (n + 1) // 2
    cdef double x
    for i in range(n - 1, -1, -1):
        row -= i + 1
        x = b[i] / row[i]
        b[i] = x
        for j in range(i):
            b[j] -= x * row[j]


cdef inline void solve_packed(const double* l, double* b, int64_t n,
                              olk_dot_fn dot) noexcept nogil:
    """b <- (L L')^-1 b."""
    solve_lower(l, b, n, dot)
    solve_lower_transposed(l, b, n)


cdef inline bint invert_positive(double* a, int64_t n) noexcept nogil:
    """A <- A^-1 in place, A symmetric positive definite, full, row-major (sweep operator).

    False (A then spoilt) if a pivot is not positive.
    """
    cdef int64_t i, j, k
    cdef double pivot, x
    cdef double* row_k
    cdef double* row_i
    for k in range(n):
        row_k = a + k * n
        pivot = row_k[k]
        if not pivot > 0.0:
            return False
        for j in range(n):
            row_k[j] /= pivot
        row_k[k] = 1.0 / pivot
        for i in range(n):
            if i == k:
                continue
            row_i = a + i * n
            x = row_i[k]
            row_i[k] = 0.0
            for j in range(n):
                row_i[j] -= x * row_k[j]
    return True


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
