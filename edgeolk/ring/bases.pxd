"""Bases: what f is a weighted sum of. Kernels with support vectors, or features of the row."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from edgeolk.ring.expansion cimport (
    apply_scale, coefficient_count, gather, kernel_row, next_row, plain_row, put,
)
from edgeolk.core.c cimport (
    OLK_F64, OLK_LINEAR, OLK_PCG_NORMALS, olk_normals, olk_pcg_seed, olk_sorf_row, olk_store,
    olk_symmetric_eigen,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.state cimport Example, Model, State
from edgeolk.core.numbers cimport doubles, put as write, value_type


# The ring of support vectors as a basis: f is a sum of kernels.

cdef inline double ring_score(State* s, const void* x, const void* coef,
                              void* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x); the kernel values go to row unless NULL."""
    return next_row(s, x, coef, row)


# Shared by the bases of features: f is a weighted sum of features z(x).

cdef inline bint admit_features(State* s, double a, Example* e) noexcept nogil:
    """w <- w + a z(x), with the z that the score wrote to the kernel row."""
    return add_features(s, a, e, s.row)


cdef inline bint add_features(State* s, double a, Example* e, const void* z) noexcept nogil:
    """w <- w + a z, z = z(x) in the type of coefficients."""
    if s.mean_sum != NULL:
        s.simd.flush_average[value_type(s)](s.coef, s.averaging.weight, s.mean_start, s.mean_sum,
                                            coefficient_count(s))
    s.simd.axpy[value_type(s)](s.coef, a / s.function.scale, z, coefficient_count(s))
    if s.c.tracks_norm:
        s.function.norm2 = max(
            0.0, s.function.norm2 + a * a * e.self_kernel + 2.0 * a * e.f)
        e.f += a * e.self_kernel
    return True


# Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.
#
# The frequencies Omega are stored in place of the support vectors of a ring, one row per input
# feature, so Omega x is the row of inner products.

cdef inline double fourier_score(State* s, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """w . z(x); sets s.row[:D] to the cosines and s.row[D:2D] to the sines."""
    cdef int64_t n = s.m.n
    plain_row(s, OLK_LINEAR, x, s.row)
    s.simd.cos_sin[value_type(s)](s.row, n, 1.0 / sqrt(<double>n))
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)


cdef enum:
    DRAWS = 64                # normal draws at a time, on the C stack


cdef inline int64_t draw_frequency(State* s, int64_t first, uint64_t* generator,
                                   double* omega) noexcept nogil:
    """Numbers ``first`` and up to 63 after it of the next frequency; returns how many."""
    cdef int64_t j
    cdef int64_t m = min(<int64_t>DRAWS, s.c.n_features - first)
    cdef double width = sqrt(2.0 * s.c.kernel.gamma)
    olk_normals(generator, m, omega)
    for j in range(m):
        omega[j] *= width
    return m


cdef inline double drawn_score(State* s, const void* x, const void* coef,
                               void* row) noexcept nogil:
    """As fourier_score, with Omega regenerated instead of stored: the same numbers."""
    cdef int64_t j, k, m, first
    cdef int64_t n = s.m.n
    cdef double angle
    cdef double[DRAWS] omega
    cdef uint64_t generator = olk_pcg_seed(s.m.seed, OLK_PCG_NORMALS)
    for k in range(n):
        angle = 0.0
        first = 0
        while first < s.c.n_features:
            m = draw_frequency(s, first, &generator, omega)
            for j in range(m):
                if s.c.vectors == DTYPE_FLOAT64:
                    angle += omega[j] * (<const double*>x)[first + j]
                else:
                    angle += <double><float>omega[j] * (<const float*>x)[first + j]
            first += m
        write(s, s.row, k, angle)
    s.simd.cos_sin[value_type(s)](s.row, n, 1.0 / sqrt(<double>n))
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)


cdef inline void fourier_construct(State* s) noexcept nogil:
    """Omega = normal draws (D, d) * sqrt(2 gamma), one frequency after another (c/normals.h)."""
    cdef int64_t j, k, m, first
    cdef double[DRAWS] omega
    cdef uint64_t generator = olk_pcg_seed(s.m.seed, OLK_PCG_NORMALS)
    for k in range(s.c.budget):
        first = 0
        while first < s.c.n_features:
            m = draw_frequency(s, first, &generator, omega)
            for j in range(m):
                olk_store(s.c.vectors, s.sv, (first + j) * s.c.stride + k, first + j, omega[j],
                          &s.quantizer)
            first += m


# Structured features: cosines and sines regenerated from the seed for every row; see
# c/sorf.h.

cdef inline double structured_score(State* s, const void* x, const void* coef,
                                    void* row) noexcept nogil:
    """w . z(x); sets s.row[:D] to the cosines and s.row[D:2D] to the sines."""
    cdef int64_t n = s.m.n
    cdef olk_sorf_row input = olk_sorf_row(x, NULL, 0)
    s.sorf.ops.features(&s.sorf.config, &input, 1.0 / sqrt(<double>n),
                        value_type(s) == OLK_F64, s.row)
    return s.simd.dot[value_type(s)](coef, s.row, 2 * n)


# Nystrom features (NOGD, Lu et al. 2016): eigenfunctions of the first B support vectors.
#
# When the ring is full, K = V diag(l) V' is decomposed once; from then on f = w . z with z(x) = M
# (k(s_i, x))_i, M = diag(l^-1/2) V' cut to the rank, and w starts as the orthogonal projection of f
# on the kept eigenfunctions.

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
