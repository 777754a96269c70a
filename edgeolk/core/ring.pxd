"""Feature-major arrays of examples, whatever their storage type: the ring, and the hint window.

Number j of the vector in a slot lies at [j, slot]; a vector taken out is contiguous, in the type
rows are computed in: double for float64 storage, else float.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from edgeolk.core.parts cimport DTYPE_FLOAT32, DTYPE_FLOAT64
from edgeolk.core.simd cimport (
    OLK_LAPLACIAN, olk_fetch, olk_nonzeros_f32, olk_nonzeros_f64, olk_store,
)
from edgeolk.core.state cimport State


cdef inline double read_number(const State* s, const void* x, int64_t j) noexcept nogil:
    """Number j of a contiguous vector."""
    if s.c.choice.dtype == DTYPE_FLOAT64:
        return (<const double*>x)[j]
    return (<const float*>x)[j]


cdef inline void write_vector(State* s, void* base, int64_t stride, int64_t slot,
                              const void* x) noexcept nogil:
    """base[:, slot] <- x."""
    cdef int64_t j
    cdef int64_t d = s.c.n_features
    cdef int dtype = s.c.choice.dtype
    # The two wide types by loops of their own: this runs at every update.
    if dtype == DTYPE_FLOAT32:
        for j in range(d):
            (<float*>base)[j * stride + slot] = (<const float*>x)[j]
    elif dtype == DTYPE_FLOAT64:
        for j in range(d):
            (<double*>base)[j * stride + slot] = (<const double*>x)[j]
    else:
        for j in range(d):
            olk_store(dtype, base, j * stride + slot, j, (<const float*>x)[j], &s.quantum)


cdef inline const void* take_vector(State* s, const void* base, int64_t stride,
                                    int64_t slot) noexcept nogil:
    """base[:, slot], contiguous, in the column scratch."""
    cdef int64_t j
    cdef int64_t d = s.c.n_features
    cdef int dtype = s.c.choice.dtype
    if dtype == DTYPE_FLOAT32:
        for j in range(d):
            (<float*>s.column)[j] = (<const float*>base)[j * stride + slot]
    elif dtype == DTYPE_FLOAT64:
        for j in range(d):
            (<double*>s.column)[j] = (<const double*>base)[j * stride + slot]
    else:
        for j in range(d):
            (<float*>s.column)[j] = <float>olk_fetch(dtype, base, j * stride + slot, j, &s.quantum)
    return s.column


cdef inline void copy_slot(State* s, int64_t source, int64_t target) noexcept nogil:
    """The ring's [:, target] <- [:, source], as stored."""
    cdef int64_t j
    cdef int64_t stride = s.c.stride
    cdef int dtype = s.c.choice.dtype
    for j in range(s.c.n_features):
        olk_store(dtype, s.sv, j * stride + target, j,
                  olk_fetch(dtype, s.sv, j * stride + source, j, &s.quantum), &s.quantum)


cdef inline void note_norm(State* s, int64_t slot) noexcept nogil:
    """norms[slot] <- that of the vector as stored, where norms are kept."""
    cdef int64_t j
    cdef double v
    cdef double total = 0.0
    if s.norms == NULL:
        return
    for j in range(s.c.n_features):
        v = olk_fetch(s.c.choice.dtype, s.sv, j * s.c.stride + slot, j, &s.quantum)
        total += fabs(v) if s.c.kernel.kind == OLK_LAPLACIAN else v * v
    if s.c.choice.dtype == DTYPE_FLOAT64:
        (<double*>s.norms)[slot] = total
    else:
        (<float*>s.norms)[slot] = <float>total


cdef inline void note_nonzeros(State* s, const void* x) noexcept nogil:
    """List the non-zeros of x; sparse_x = x if they are few enough to pay, else NULL."""
    cdef int64_t d = s.c.n_features
    if s.c.choice.dtype == DTYPE_FLOAT64:
        s.nonzeros = olk_nonzeros_f64(<const double*>x, d, s.nonzero_index,
                                      <double*>s.nonzero_value)
    else:
        s.nonzeros = olk_nonzeros_f32(<const float*>x, d, s.nonzero_index,
                                      <float*>s.nonzero_value)
    s.sparse_x = x if 2 * s.nonzeros <= d else NULL
