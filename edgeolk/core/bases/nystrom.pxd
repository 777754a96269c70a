"""Nystrom features (NOGD, Lu et al. 2016): eigenfunctions of the first B support vectors.

When the ring is full, K = V diag(l) V' is decomposed once; from then on f = w . z with
z(x) = M (k(s_i, x))_i, M = diag(l^-1/2) V' cut to the rank, and w starts as the orthogonal
projection of f on the kept eigenfunctions.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from edgeolk.core.headers cimport OLK_F64, olk_symmetric_eigen
from edgeolk.core.bases.weights cimport add_features
from edgeolk.core.expansion cimport apply_scale, gather, kernel_row, put
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.value_types cimport doubles
from edgeolk.core.state cimport Example, Model, State


cdef inline bint maps_features(const State* s) noexcept nogil:
    """Whether features of several rows can be computed together: the map exists, and scratch."""
    return s.nystrom != NULL and s.nystrom.rank > 0 and s.ahead.features != NULL


cdef inline void take_values(State* s, int64_t i, const void* x) noexcept nogil:
    """Compute the kernel values of the row just placed, the i-th of the rows ahead."""
    kernel_row(s, x, NULL, <double*>s.ahead.values + i * s.c.weights)


cdef inline void map_features(const State* s, int64_t count) noexcept nogil:
    """Features of the rows ahead, in one pass over the map."""
    s.simd.matrix_vectors(s.map, s.m.n, s.nystrom.rank, s.m.n, <const double*>s.ahead.values,
                          s.c.weights, count, s.ahead.features, s.nystrom.rank)


cdef inline double* features_of(const State* s, int64_t i) noexcept nogil:
    return s.ahead.features + i * s.nystrom.rank


cdef inline double nystrom_score(State* s, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """As the ring before the change of basis; then w . z(x), with work[:rank] = z(x)."""
    cdef int64_t rank = s.nystrom.rank
    if rank == 0:
        return kernel_row(s, x, coef, row)
    if s.ahead.next != NULL:
        memcpy(s.work, s.ahead.next, <size_t>rank * sizeof(double))
        s.ahead.next = NULL
    else:
        kernel_row(s, x, NULL, s.row)
        s.simd.matrix_vector(s.map, s.m.n, rank, s.m.n, doubles(s.row), s.work)
    return s.simd.dot[OLK_F64](coef, s.work, rank)


cdef inline void swap_rows(double* a, double* values, int64_t n, int64_t i,
                           int64_t j) noexcept nogil:
    cdef int64_t c
    cdef double t = values[i]
    values[i] = values[j]
    values[j] = t
    for c in range(n):
        t = a[i * n + c]
        a[i * n + c] = a[j * n + c]
        a[j * n + c] = t


cdef inline void change_basis(State* s) noexcept nogil:
    """From the full ring to its leading eigenfunctions; O(B^3), once."""
    cdef Model* m = s.m
    cdef int64_t n = m.n
    cdef int64_t i, j, best
    cdef int64_t rank = 0
    # Eigenvalues below this share of the first are noise of the rows.
    cdef double min_ratio = 1e-10 if s.c.choice.dtype == DTYPE_FLOAT64 else 1e-6
    cdef double root
    apply_scale(s)
    for i in range(n):
        kernel_row(s, gather(s, i), NULL, s.map + i * n)
    olk_symmetric_eigen(s.simd, s.map, s.work, s.work2, n)
    while rank < <int64_t>s.c.p.rank:
        best = rank
        for j in range(rank + 1, n):
            if s.work[j] > s.work[best]:
                best = j
        swap_rows(s.map, s.work, n, rank, best)
        if not s.work[rank] > min_ratio * s.work[0]:
            break
        rank += 1
    if rank == 0:
        # No positive direction (such as K = 0): nothing can be learned. One feature, always 0.
        memset(s.map, 0, <size_t>n * sizeof(double))
        memset(s.coef, 0, <size_t>n * sizeof(double))
        s.nystrom.rank = 1
        return
    # w = diag(sqrt(l)) V' alpha, then the rows become those of M.
    for i in range(rank):
        s.work2[i] = sqrt(s.work[i]) * s.simd.dot[OLK_F64](s.map + i * n, s.coef, n)
    for i in range(rank):
        root = sqrt(s.work[i])
        for j in range(n):
            s.map[i * n + j] /= root
    for i in range(n):
        doubles(s.coef)[i] = s.work2[i] if i < rank else 0.0
    s.nystrom.rank = rank


cdef inline bint nystrom_admit(State* s, double a, Example* e) noexcept nogil:
    """A landmark while the ring fills, then w <- w + a z(x)."""
    if s.nystrom.rank > 0:
        return add_features(s, a, e, s.work)
    put(s, s.m.n, a, e)
    if s.m.n == s.c.budget:
        change_basis(s)
    return True
