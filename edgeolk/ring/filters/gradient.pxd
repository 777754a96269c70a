"""Gradient steps on all coefficients: KNLMS and kernel affine projection (Richard et al. 2009)."""

from libc.stdint cimport int64_t

from edgeolk.core.c cimport OLK_F64
from edgeolk.core.state cimport Example
from edgeolk.ring.expansion cimport kernel_row, put
from edgeolk.ring.inverse cimport solve_packed
from edgeolk.ring.ring cimport SupportVectorRing, coefficients, take_vector
from edgeolk.ring.updates cimport window_length, window_push


cdef inline bint normalised_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """a += eta e k / (ridge + k'k), over all slots, that of the row too."""
    cdef double size, step
    cdef double* k = &ring.row_f64[0]
    if e.slot >= 0:
        put(ring, e.slot, 0.0, e)
        k[e.slot] = e.self_kernel
    size = ring.simd.dot[OLK_F64](k, k, ring.m.n)
    step = ring.c.p.eta * (e.y - e.f) / (ring.c.p.ridge + size)
    if step == 0.0 or size == 0.0:
        return e.slot >= 0
    ring.simd.axpy[OLK_F64](coefficients(ring), step, k, ring.m.n)
    return True


cdef inline bint affine_step(SupportVectorRing ring, Example* e) noexcept nogil:
    """a += eta H' (ridge I + H H')^-1 (targets - H a), H the kernel rows of the last rows.

    ``window_gram`` has the matrix, then the errors.
    """
    cdef int64_t i, j, line, n
    cdef int64_t rows
    cdef double* errors
    cdef bint moved = False
    window_push(ring, e.x, e.y)
    if e.slot >= 0:
        put(ring, e.slot, 0.0, e)
    n = ring.m.n
    rows = window_length(ring)
    errors = &ring.window_gram[rows * (rows + 1) // 2]
    for i in range(rows):
        errors[i] = ring.window_y[i] - kernel_row(
            ring, take_vector(ring, ring.window, i), coefficients(ring),
            &ring.window_kernel[i, 0])
    line = 0
    for i in range(rows):
        for j in range(i + 1):
            ring.window_gram[line + j] = ring.simd.dot[OLK_F64](
                &ring.window_kernel[i, 0], &ring.window_kernel[j, 0], n)
        ring.window_gram[line + i] += ring.c.p.ridge
        line += i + 1
    if not ring.simd.cholesky(&ring.window_gram[0], rows):
        return e.slot >= 0  # a ridge far below rounding: no step
    solve_packed(ring, &ring.window_gram[0], errors, rows)
    for i in range(rows):
        if errors[i] != 0.0:
            moved = True
            ring.simd.axpy[OLK_F64](
                coefficients(ring), ring.c.p.eta * errors[i], &ring.window_kernel[i, 0], n)
    return moved or e.slot >= 0
