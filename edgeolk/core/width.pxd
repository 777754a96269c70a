"""The width of the kernel from the first rows, where it is not given.

Gaussian: gamma = 1 / (2 sum of the variances) = 1 / (mean squared distance of two rows), by
Welford's recurrence on whole rows: only the mean is kept of each feature. Laplacian: 1 / (sqrt(2)
sum of the mean distances from the running mean), which for normal features is 1 / (mean distance of
two rows). Rows that are all alike leave the provisional width.
"""

from libc.math cimport fabs, fmax, fmin, isfinite, sqrt
from libc.stdint cimport int64_t

from edgeolk.core.parts cimport DTYPE_FLOAT64
from edgeolk.core.simd cimport OLK_LAPLACIAN
from edgeolk.core.state cimport State
from edgeolk.core.updates.sorf cimport sorf_set_width

ctypedef fused computed:
    float
    double


cdef inline void use_width(State* s) noexcept nogil:
    """The width in the block, once it is known, is that of the kernel."""
    if s.intake.width.gamma > 0.0:
        s.c.kernel.gamma = s.intake.width.gamma
        if s.structured.step != NULL:
            sorf_set_width(s)


cdef inline void measure_row(State* s, const computed* x) noexcept nogil:
    cdef int64_t j
    cdef double before, after, reading
    cdef computed* mean = <computed*>s.intake.mean
    s.intake.width.measured += 1
    for j in range(s.c.n_features):
        # Squares of what is larger would not be finite.
        reading = fmax(-1e140, fmin(1e140, x[j]))
        before = reading - mean[j]
        mean[j] += <computed>(before / s.intake.width.measured)
        after = reading - mean[j]
        if s.c.kernel.kind == OLK_LAPLACIAN:
            s.intake.width.spread += fabs(before)
        else:
            s.intake.width.spread += fabs(before * after)


cdef inline bint width_is_due(State* s, const void* x) noexcept nogil:
    """A row that was learned goes into the width; whether it is known with it."""
    if s.intake.width == NULL or s.intake.width.gamma > 0.0:
        return False
    if s.c.vectors == DTYPE_FLOAT64:
        measure_row(s, <const double*>x)
    else:
        measure_row(s, <const float*>x)
    return s.intake.width.measured == s.intake.gamma_rows


cdef inline void set_width(State* s) noexcept nogil:
    """The width from what was measured."""
    cdef double rows = <double>s.intake.width.measured
    cdef double gamma = rows / (2.0 * s.intake.width.spread)
    if s.c.kernel.kind == OLK_LAPLACIAN:
        gamma = rows / (sqrt(2.0) * s.intake.width.spread)
    if not (isfinite(gamma) and gamma > 0.0):
        gamma = s.c.kernel.gamma
    s.intake.width.gamma = gamma
    use_width(s)
