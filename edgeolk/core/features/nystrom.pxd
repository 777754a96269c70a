"""Nystrom features (NOGD, Lu et al. 2016): eigenfunctions of the first B support vectors.

When the ring is full, K = V diag(l) V' is decomposed once; from then on f = w . z with
z(x) = M (k(s_i, x))_i, M = diag(l^-1/2) V' cut to the rank, and w starts as the orthogonal
projection of f on the kept eigenfunctions.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.core.eigen cimport symmetric_eigen
from edgeolk.core.expansion cimport fold, gather, kernel_row
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.simd cimport OLK_F64
from edgeolk.core.state cimport Model, State


cdef inline void nystrom_features(State* s, const void* x) noexcept nogil:
    """work[:rank] <- M (k(s_i, x))_i."""
    cdef Model* m = s.m
    kernel_row(s, x, NULL, s.row)
    s.simd.matrix_vector(s.map, m.n, m.rank, m.n, s.row, s.work)


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
    cdef double least = 1e-10 if m.choice.dtype == DTYPE_FLOAT64 else 1e-6
    cdef double root
    fold(s)
    for i in range(n):
        kernel_row(s, gather(s, i), NULL, s.map + i * n)
    symmetric_eigen(s.simd, s.map, s.work, s.work2, n)
    while rank < <int64_t>m.p.rank:
        best = rank
        for j in range(rank + 1, n):
            if s.work[j] > s.work[best]:
                best = j
        swap_rows(s.map, s.work, n, rank, best)
        if not s.work[rank] > least * s.work[0]:
            break
        rank += 1
    if rank == 0:
        # No positive direction (K = 0, say): there is nothing to learn in. One feature, always 0.
        memset(s.map, 0, <size_t>n * sizeof(double))
        memset(s.coef, 0, <size_t>n * sizeof(double))
        m.rank = 1
        return
    # w = diag(sqrt(l)) V' alpha, then the rows become those of M.
    for i in range(rank):
        s.work2[i] = sqrt(s.work[i]) * s.simd.dot[OLK_F64](s.map + i * n, s.coef, n)
    for i in range(rank):
        root = sqrt(s.work[i])
        for j in range(n):
            s.map[i * n + j] /= root
    for i in range(n):
        s.coef[i] = s.work2[i] if i < rank else 0.0
    m.rank = rank
