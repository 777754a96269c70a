"""Feature-major arrays of examples, of any storage type: the ring, and the hint window.

Number j of the vector in a slot is stored at [j, slot]; a gathered vector is contiguous, in the row
type: double for float64 storage, else float.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from edgeolk.core.parts cimport DTYPE_FLOAT32, DTYPE_FLOAT64, ROWS_EITHER
from edgeolk.core.headers cimport (
    OLK_F32, OLK_F64, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_NEAR_F32, OLK_NEAR_F64, olk_count_nonzeros,
    olk_dtype_bytes, olk_fetch, olk_get, olk_nonzeros, olk_put, olk_store,
)
from edgeolk.core.value_types cimport row_type
from edgeolk.core.state cimport MAX_CHANGED, State


cdef inline void write_vector(State* s, void* base, int64_t stride, int64_t slot,
                              const void* x) noexcept nogil:
    """base[:, slot] <- x."""
    cdef int64_t j
    cdef int64_t d = s.c.n_features
    cdef int dtype = s.c.vectors
    # Separate loops for the two wide types: this runs at every update.
    if dtype == DTYPE_FLOAT32:
        for j in range(d):
            (<float*>base)[j * stride + slot] = (<const float*>x)[j]
    elif dtype == DTYPE_FLOAT64:
        for j in range(d):
            (<double*>base)[j * stride + slot] = (<const double*>x)[j]
    else:
        for j in range(d):
            olk_store(dtype, base, j * stride + slot, j, (<const float*>x)[j], &s.quantizer)


cdef inline const void* take_vector(State* s, const void* base, int64_t stride,
                                    int64_t slot) noexcept nogil:
    """base[:, slot], contiguous, in the column scratch."""
    cdef int64_t j
    cdef int64_t d = s.c.n_features
    cdef int dtype = s.c.vectors
    if dtype == DTYPE_FLOAT32:
        for j in range(d):
            (<float*>s.column)[j] = (<const float*>base)[j * stride + slot]
    elif dtype == DTYPE_FLOAT64:
        for j in range(d):
            (<double*>s.column)[j] = (<const double*>base)[j * stride + slot]
    else:
        for j in range(d):
            (<float*>s.column)[j] = <float>olk_fetch(
                dtype, base, j * stride + slot, j, &s.quantizer)
    return s.column


cdef inline void copy_slot(State* s, int64_t source, int64_t target) noexcept nogil:
    """The ring's [:, target] <- [:, source], as stored."""
    cdef int64_t j
    cdef int64_t stride = s.c.stride
    cdef int dtype = s.c.vectors
    for j in range(s.c.n_features):
        olk_store(dtype, s.sv, j * stride + target, j,
                  olk_fetch(dtype, s.sv, j * stride + source, j, &s.quantizer), &s.quantizer)


cdef inline void mark_slot_changed(State* s, int64_t slot) noexcept nogil:
    """After a slot of the ring was written: update its norm, record the change."""
    if s.ahead.n_changed < MAX_CHANGED:
        s.ahead.changed[s.ahead.n_changed] = <int32_t>slot
    s.ahead.n_changed += 1
    update_slot_norm(s, slot)


cdef inline void update_slot_norm(State* s, int64_t slot) noexcept nogil:
    """norms[slot] <- norm of the vector as stored, if norms are kept."""
    if s.norms != NULL:
        olk_put(row_type(s), s.norms, slot,
                s.simd.norm[s.c.vectors](&s.c.kernel, <const char*>s.sv + slot * s.c.item,
                                         s.c.stride, s.c.n_features))


cdef inline const void* lengths_from(const State* s, int64_t slot) noexcept nogil:
    """The norms of the ring from a slot on, if dense rows use them, or NULL."""
    if s.lengths == NULL:
        return NULL
    return <const char*>s.lengths + slot * olk_dtype_bytes(row_type(s))


cdef inline bint near_origin(const State* s) noexcept nogil:
    """Whether a distance from norms and products is accurate for this row (ring_table.h)."""
    cdef int64_t k
    cdef int type = row_type(s)
    cdef double v
    cdef double size = 0.0
    if s.c.kernel.kind == OLK_GAUSSIAN:
        for k in range(s.nonzeros):
            v = olk_get(type, s.nonzero_value, k)
            size += v * v
    elif s.c.kernel.kind == OLK_LAPLACIAN and type == OLK_F32:
        for k in range(s.nonzeros):
            size += fabs(olk_get(type, s.nonzero_value, k))
    return s.c.kernel.gamma * size <= (OLK_NEAR_F64 if type == OLK_F64 else OLK_NEAR_F32)


cdef inline void choose_sparse(State* s, const void* x) noexcept nogil:
    """sparse_x = x if its non-zeros are few enough to pay, else NULL."""
    cdef bint pays = 2 * s.nonzeros <= s.c.n_features
    if pays and s.c.choice.rows == ROWS_EITHER:
        pays = near_origin(s)
    s.sparse_x = x if pays else NULL


cdef inline void list_nonzeros(State* s, const void* x) noexcept nogil:
    """List the non-zeros of x, unless they are many, and choose dense or sparse processing."""
    cdef int64_t d = s.c.n_features
    s.sparse_x = NULL
    if d > 64 and 2 * olk_count_nonzeros(row_type(s), x, d) > d:
        return
    s.nonzeros = olk_nonzeros(row_type(s), x, d, s.nonzero_index, s.nonzero_value)
    choose_sparse(s, x)
