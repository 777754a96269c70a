"""Scores several rows together: bit for bit as one by one."""

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from edgeolk.core.bases.nystrom cimport features_of, map_features, maps_features
from edgeolk.core.parts cimport (
    BASIS_SUPPORT_VECTORS, DTYPE_FLOAT64, update_is_sorf,
)
from edgeolk.core.value_types cimport row_type, value_type
from edgeolk.core.headers cimport (
    OLK_BLOCK, OLK_F64, OLK_MAX_BATCH_ROWS, OLK_SUMS_OF_BLOCK, olk_dtype_bytes, olk_row_outputs,
)
from edgeolk.core.state cimport Example, State
from edgeolk.core.switches cimport update_begin, update_decide
from edgeolk.core.thresholds cimport threshold

cdef enum:
    NUMBERS_OF_BLOCK = 2048   # stack buffer for the rows of a block, in doubles


cdef inline int64_t row_bytes(const State* s) noexcept nogil:
    """Bytes of one row in the row type."""
    return s.c.n_features * olk_dtype_bytes(row_type(s))


cdef inline bint pays_together(const State* s) noexcept nogil:
    """Whether dense rows are cheaper together than one by one."""
    if update_is_sorf(s.c.choice.update):
        return s.c.columns == 1
    return (s.m.n * s.c.n_features >= 256 and s.c.choice.basis == BASIS_SUPPORT_VECTORS)


cdef inline int64_t block_rows(const State* s) noexcept nogil:
    """Maximum number of dense rows scored at a time; 1 if one by one is no slower."""
    cdef int64_t max_rows
    if s.forecast.on:
        return 1
    max_rows = min(<int64_t>OLK_BLOCK, <int64_t>(8 * NUMBERS_OF_BLOCK) // row_bytes(s))
    if maps_features(s):
        return max(<int64_t>1, min(max_rows, s.ahead.rows))
    # Fewer rows than the loops process at a time gain nothing.
    if max_rows < OLK_MAX_BATCH_ROWS or not pays_together(s):
        return 1
    # The sums of a block are on the stack, including padding.
    if s.c.columns * 2 * OLK_MAX_BATCH_ROWS > OLK_SUMS_OF_BLOCK:
        return 1
    return max_rows - max_rows % OLK_MAX_BATCH_ROWS


cdef inline int64_t decide_block(State* s, const void* rows, int64_t count, bint mean,
                                 double* f) noexcept nogil:
    """Scores of rows as by ``decide``; returns the number of rows with finite scores.

    If features are computed from kernel values, these are present already (``take_values``).
    """
    cdef Example e
    cdef olk_row_outputs wanted
    cdef int64_t i, k
    cdef double scale
    if update_is_sorf(s.c.choice.update):
        return update_decide(s, rows, count, f)
    scale = 1.0 if mean else s.function.scale
    wanted.dtype = value_type(s)
    wanted.coef = s.mean_coef if mean else s.coef
    wanted.columns = s.c.columns
    wanted.stride = s.c.weights
    wanted.f = f
    wanted.values = NULL
    if maps_features(s):
        map_features(s, count)
        for i in range(count):
            f[i] = s.simd.dot[OLK_F64](s.coef, features_of(s, i), s.nystrom.rank)
    else:
        s.simd.rows[s.c.vectors](&s.c.kernel, s.sv, s.lengths, &s.quantizer, s.c.stride, s.m.n,
                                 s.c.n_features, rows, s.c.n_features, count, &wanted)
    for i in range(count):
        if not mean and s.c.columns == 1:
            e.x = <const char*>rows + i * row_bytes(s)
            e.hint = 0.0
            update_begin(s, &e)
            f[i] = scale * f[i] + e.hint - threshold(s)
        elif not mean:
            for k in range(s.c.columns):
                f[i * s.c.columns + k] *= scale
        for k in range(s.c.columns):
            if not isfinite(f[i * s.c.columns + k]):
                return i
    return count
