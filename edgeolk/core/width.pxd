"""The kernel width, if it is not given: c/width.h."""

from libc.float cimport DBL_MAX
from libc.stdint cimport int64_t, uint64_t

from edgeolk.core.parts cimport (
    DTYPE_FLOAT32, DTYPE_FLOAT64, basis_has_frequencies, dtype_max_gamma,
)
from edgeolk.core.headers cimport (
    OLK_LAPLACIAN, olk_gamma_from_square, olk_gamma_of, olk_measure_row, olk_min_square,
    olk_set_memory_steps, olk_sorf_set_width, olk_update_mean_square, olk_width as Width,
)
from edgeolk.core.state cimport State


cdef inline void sorf_set_width(State* s) noexcept nogil:
    """Set the angles per unit of the transform and the largest row, for the kernel width."""
    s.sorf.max_sum = olk_sorf_set_width(&s.sorf.config, s.sorf.widths,
                                        s.c.kernel.gamma, s.c.vectors != DTYPE_FLOAT32)


cdef inline void start_following(State* s) noexcept nogil:
    """Initialise a width that adapts to the rows with that of the configuration."""
    cdef double q = max(0.5 / s.c.kernel.gamma, olk_min_square * <double>s.sorf.config.d)
    s.preprocessing.follows[0] = q if s.c.vectors == DTYPE_FLOAT64 else <double><float>q


cdef inline void follow_row(State* s, double square) noexcept nogil:
    """Update the width after a row was learned and counted; ``square``: |x|^2 of its features."""
    cdef double* q = s.preprocessing.follows
    q[0] = olk_update_mean_square(q[0], square, s.sorf.config.d, s.c.vectors == DTYPE_FLOAT64,
                                  s.sorf.state.t[0])
    use_width(s)


cdef inline void use_width(State* s) noexcept nogil:
    """Copy the width in the block, once it is known, to the kernel."""
    if s.preprocessing.follows != NULL:
        if not s.preprocessing.follows[0] > 0.0:
            start_following(s)
        s.c.kernel.gamma = olk_gamma_from_square(s.preprocessing.follows[0])
        sorf_set_width(s)
    elif s.preprocessing.width.gamma > 0.0:
        s.c.kernel.gamma = s.preprocessing.width.gamma
        if s.sorf.ops != NULL:
            olk_set_memory_steps(&s.sorf.config, s.c.kernel.gamma)
            sorf_set_width(s)


cdef inline bint width_is_due(State* s, const void* x) noexcept nogil:
    """Add a learned row to the estimate of the width; whether that is now complete."""
    cdef bint laplacian = s.c.kernel.kind == OLK_LAPLACIAN
    if s.preprocessing.width == NULL or s.preprocessing.width.gamma > 0.0:
        return False
    olk_measure_row(s.preprocessing.width, s.preprocessing.mean, x, s.c.n_features,
                    s.c.vectors == DTYPE_FLOAT64, laplacian)
    return s.preprocessing.width.measured == s.preprocessing.gamma_rows


cdef inline void set_width(State* s) noexcept nogil:
    """Compute the width from the measured rows."""
    cdef double max_gamma = DBL_MAX
    if basis_has_frequencies(s.c.choice.basis):
        max_gamma = dtype_max_gamma(s.c.choice.dtype)
    s.preprocessing.width.gamma = olk_gamma_of(
        s.preprocessing.width, s.c.kernel.kind == OLK_LAPLACIAN, max_gamma, s.c.kernel.gamma
    )
    use_width(s)
