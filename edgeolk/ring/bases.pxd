"""Bases: what f is a weighted sum of. Kernels with support vectors, or features of the row."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from edgeolk.ring.expansion cimport (
    apply_scale, coefficient_count, gather, kernel_row, next_row, plain_row, put,
)
from edgeolk.core.c cimport (
    OLK_F64, OLK_LINEAR, OLK_PCG_NORMALS, olk_normals, olk_pcg_seed,
    olk_symmetric_eigen,
)
from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.state cimport Example, Model, NO_ROW
from edgeolk.ring.ring cimport (
    SupportVectorRing, coefficients, is_wide, kernel_values, set_coefficient, store_number,
    value_type,
)


# The ring of support vectors as a basis: f is a sum of kernels.

cdef inline double ring_score(SupportVectorRing ring, const void* x, const void* coef,
                              void* row) noexcept nogil:
    """sum_i coef[i] k(s_i, x); the kernel values go to row unless NULL."""
    return next_row(ring, x, coef, row)


# Shared by the bases of features: f is a weighted sum of features z(x).

cdef inline bint admit_features(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """w <- w + a z(x), with the z that the score wrote to the kernel row."""
    return add_features(ring, a, e, kernel_values(ring))


cdef inline bint add_features(SupportVectorRing ring, double a, Example* e,
                              const void* z) noexcept nogil:
    """w <- w + a z, z = z(x) in the type of coefficients."""
    if ring.mean_sum is not None:
        ring.simd.flush_average[value_type(ring)](
            coefficients(ring), ring.averaging.weight, &ring.mean_start[0, 0],
            &ring.mean_sum[0, 0], coefficient_count(ring))
    ring.simd.axpy[value_type(ring)](
        coefficients(ring), a / ring.function.scale, z, coefficient_count(ring))
    if ring.c.tracks_norm:
        ring.function.norm2 = max(
            0.0, ring.function.norm2 + a * a * e.self_kernel + 2.0 * a * e.f)
        e.f += a * e.self_kernel
    return True


# Random Fourier features: z(x) = [cos(Omega x); sin(Omega x)] / sqrt(D), |z| = 1.
#
# The frequencies Omega are stored in place of the support vectors of a ring, one row per input
# feature, so Omega x is the row of inner products.

cdef inline double fourier_score(SupportVectorRing ring, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """w . z(x); sets the kernel row to D cosines, then D sines."""
    plain_row(ring, OLK_LINEAR, x, kernel_values(ring))
    return weighted_waves(ring, coef)


cdef inline double weighted_waves(SupportVectorRing ring, const void* coef) noexcept nogil:
    """w . z for the angles in the kernel row, which become z."""
    cdef int64_t n = ring.m.n
    ring.simd.cos_sin[value_type(ring)](kernel_values(ring), n, 1.0 / sqrt(<double>n))
    return ring.simd.dot[value_type(ring)](coef, kernel_values(ring), 2 * n)


cdef enum:
    DRAWS = 64                # normal draws at a time, on the C stack


cdef inline int64_t draw_frequency(SupportVectorRing ring, int64_t first, uint64_t* generator,
                                   double* omega) noexcept nogil:
    """Numbers ``first`` and up to 63 after it of the next frequency; returns how many."""
    cdef int64_t j
    cdef int64_t m = min(<int64_t>DRAWS, ring.c.n_features - first)
    cdef double width = sqrt(2.0 * ring.c.kernel.gamma)
    olk_normals(generator, m, omega)
    for j in range(m):
        omega[j] *= width
    return m


cdef inline double drawn_score(SupportVectorRing ring, const void* x, const void* coef,
                               void* row) noexcept nogil:
    """As fourier_score, with Omega regenerated instead of stored: the same numbers."""
    cdef int64_t j, k, m, first
    cdef int64_t n = ring.m.n
    cdef double angle
    cdef double[DRAWS] omega
    cdef uint64_t generator = olk_pcg_seed(ring.m.seed, OLK_PCG_NORMALS)
    for k in range(n):
        angle = 0.0
        first = 0
        while first < ring.c.n_features:
            m = draw_frequency(ring, first, &generator, omega)
            for j in range(m):
                if ring.c.vectors == DTYPE_FLOAT64:
                    angle += omega[j] * (<const double*>x)[first + j]
                else:
                    angle += <double><float>omega[j] * (<const float*>x)[first + j]
            first += m
        if is_wide(ring):
            ring.row_f64[k] = angle
        else:
            ring.row_f32[k] = <float>angle
    return weighted_waves(ring, coef)


cdef inline void fourier_construct(SupportVectorRing ring) noexcept nogil:
    """Omega = normal draws (D, d) * sqrt(2 gamma), one frequency after another (c/normals.h)."""
    cdef int64_t j, k, m, first
    cdef double[DRAWS] omega
    cdef uint64_t generator = olk_pcg_seed(ring.m.seed, OLK_PCG_NORMALS)
    for k in range(ring.c.budget):
        first = 0
        while first < ring.c.n_features:
            m = draw_frequency(ring, first, &generator, omega)
            for j in range(m):
                store_number(ring.vectors, first + j, k, omega[j])
            first += m


# Structured features: cosines and sines regenerated from the seed for every row; see
# c/sorf.h.

cdef inline double structured_score(SupportVectorRing ring, const void* x, const void* coef,
                                    void* row) noexcept nogil:
    """w . z(x); sets the kernel row to D cosines, then D sines."""
    cdef int64_t n = ring.m.n
    ring.s.sorf.constants.ops.features(&ring.s.sorf.config, x, 1.0 / sqrt(<double>n),
                                       is_wide(ring), kernel_values(ring))
    return ring.simd.dot[value_type(ring)](coef, kernel_values(ring), 2 * n)


# Nystrom features (NOGD, Lu et al. 2016): eigenfunctions of the first B support vectors.
#
# When the ring is full, K = V diag(l) V' is decomposed once; from then on f = w . z with z(x) = M
# (k(s_i, x))_i, M = diag(l^-1/2) V' cut to the rank, and w starts as the orthogonal projection of f
# on the kept eigenfunctions.

cdef inline bint maps_features(SupportVectorRing ring) noexcept nogil:
    """Whether features of several rows can be computed together: the map exists, and scratch."""
    return (ring.nystrom != NULL and ring.nystrom.rank > 0
            and ring.features_ahead is not None)


cdef inline void take_values(SupportVectorRing ring, int64_t i, const void* x) noexcept nogil:
    """Compute the kernel values of the row just placed, the i-th of the rows ahead."""
    kernel_row(ring, x, NULL, &ring.values_ahead_f64[i, 0])


cdef inline void map_features(SupportVectorRing ring, int64_t count) noexcept nogil:
    """Features of the rows ahead, in one pass over the map."""
    ring.simd.matrix_vectors(
        &ring.map[0, 0], ring.m.n, ring.nystrom.rank, ring.m.n, &ring.values_ahead_f64[0, 0],
        ring.c.weights, count, &ring.features_ahead[0, 0], ring.features_ahead.shape[1])


cdef inline double nystrom_score(SupportVectorRing ring, const void* x, const void* coef,
                                 void* row) noexcept nogil:
    """As the ring before the change of basis; then w . z(x), with work[:rank] = z(x)."""
    cdef int64_t rank = ring.nystrom.rank
    if rank == 0:
        return kernel_row(ring, x, coef, row)
    if ring.ahead.next >= 0:
        memcpy(&ring.work[0], &ring.features_ahead[ring.ahead.next, 0],
               <size_t>rank * sizeof(double))
        ring.ahead.next = NO_ROW
    else:
        kernel_row(ring, x, NULL, kernel_values(ring))
        ring.simd.matrix_vector(
            &ring.map[0, 0], ring.m.n, rank, ring.m.n, &ring.row_f64[0], &ring.work[0])
    return ring.simd.dot[OLK_F64](coef, &ring.work[0], rank)


cdef inline void swap_eigenvectors(SupportVectorRing ring, int64_t i, int64_t j) noexcept nogil:
    """Exchange two rows of the map and their eigenvalues."""
    cdef int64_t k
    cdef double t = ring.work[i]
    ring.work[i] = ring.work[j]
    ring.work[j] = t
    for k in range(ring.m.n):
        t = ring.map[i, k]
        ring.map[i, k] = ring.map[j, k]
        ring.map[j, k] = t


cdef inline void change_basis(SupportVectorRing ring) noexcept nogil:
    """From the full ring to its leading eigenfunctions; O(B^3), once."""
    cdef Model* m = ring.m
    cdef int64_t n = m.n
    cdef int64_t i, j, best
    cdef int64_t rank = 0
    # Eigenvalues below this share of the first are noise of the rows.
    cdef double min_ratio = 1e-10 if ring.c.choice.dtype == DTYPE_FLOAT64 else 1e-6
    cdef double root
    apply_scale(ring)
    for i in range(n):
        kernel_row(ring, gather(ring, i), NULL, &ring.map[i, 0])
    olk_symmetric_eigen(ring.simd, &ring.map[0, 0], &ring.work[0], &ring.work2[0], n)
    while rank < <int64_t>ring.c.p.rank:
        best = rank
        for j in range(rank + 1, n):
            if ring.work[j] > ring.work[best]:
                best = j
        swap_eigenvectors(ring, rank, best)
        if not ring.work[rank] > min_ratio * ring.work[0]:
            break
        rank += 1
    if rank == 0:
        # No positive direction (such as K = 0): nothing can be learned. One feature, always 0.
        for j in range(n):
            ring.map[0, j] = 0.0
            set_coefficient(ring, 0, j, 0.0)
        ring.nystrom.rank = 1
        return
    # w = diag(sqrt(l)) V' alpha, then the rows become those of M.
    for i in range(rank):
        ring.work2[i] = sqrt(ring.work[i]) * ring.simd.dot[OLK_F64](
            &ring.map[i, 0], coefficients(ring), n)
    for i in range(rank):
        root = sqrt(ring.work[i])
        for j in range(n):
            ring.map[i, j] /= root
    for i in range(n):
        set_coefficient(ring, 0, i, ring.work2[i] if i < rank else 0.0)
    ring.nystrom.rank = rank


cdef inline bint nystrom_admit(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """A landmark while the ring fills, then w <- w + a z(x)."""
    if ring.nystrom.rank > 0:
        return add_features(ring, a, e, &ring.work[0])
    put(ring, ring.m.n, a, e)
    if ring.m.n == ring.c.budget:
        change_basis(ring)
    return True
