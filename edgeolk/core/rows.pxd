"""An example on its way in: whether storage can hold it, and where it lies as storage holds it.

The learner sees every example as its storage type would keep it, so that a support vector and the
same example seen again are the same numbers.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from edgeolk.core.finite cimport all_finite, all_within, finite_as_float
from edgeolk.core.parts cimport DTYPE_FLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT8
from edgeolk.core.ring cimport note_nonzeros, read_number
from edgeolk.core.simd cimport olk_seen
from edgeolk.core.state cimport State


cdef inline double half_most() noexcept nogil:
    """The largest number that still rounds to a finite float16."""
    return 65519.0


cdef inline bint accepts_f32(const State* s, const float* x) noexcept nogil:
    if s.c.choice.dtype == DTYPE_FLOAT16:
        return all_within(x, s.c.n_features, half_most())
    return all_finite(x, s.c.n_features)


cdef inline bint accepts_f64(const State* s, const double* x) noexcept nogil:
    if s.c.choice.dtype == DTYPE_FLOAT64:
        return all_finite(x, s.c.n_features)
    if s.c.choice.dtype == DTYPE_FLOAT16:
        return all_within(x, s.c.n_features, half_most())
    return finite_as_float(x, s.c.n_features)


cdef inline void place_number(State* s, int64_t j, double v) noexcept nogil:
    if s.c.choice.dtype == DTYPE_FLOAT64:
        (<double*>s.query)[j] = v
    elif s.c.choice.dtype == DTYPE_FLOAT32:
        (<float*>s.query)[j] = <float>v
    else:
        (<float*>s.query)[j] = olk_seen(s.c.choice.dtype, <float>v, j, &s.quantum)


cdef inline const void* place_f32(State* s, const float* x) noexcept nogil:
    """The row as storage holds it: where it lies, or converted in scratch."""
    cdef int64_t j
    cdef const void* placed = x
    if s.c.choice.dtype != DTYPE_FLOAT32:
        placed = s.query
        for j in range(s.c.n_features):
            place_number(s, j, x[j])
    if s.nonzero_index != NULL:
        note_nonzeros(s, placed)
    return placed


cdef inline const void* place_f64(State* s, const double* x) noexcept nogil:
    cdef int64_t j
    cdef const void* placed = x
    if s.c.choice.dtype != DTYPE_FLOAT64:
        placed = s.query
        for j in range(s.c.n_features):
            place_number(s, j, x[j])
    if s.nonzero_index != NULL:
        note_nonzeros(s, placed)
    return placed


cdef inline void note_given(State* s, const int32_t* index, int64_t count) noexcept nogil:
    """The list of note_nonzeros without a search: what was given, stored zeros left out."""
    cdef int64_t k
    cdef double v
    s.nonzeros = 0
    for k in range(count):
        v = read_number(s, s.query, index[k])
        s.nonzero_index[s.nonzeros] = index[k]
        if s.c.choice.dtype == DTYPE_FLOAT64:
            (<double*>s.nonzero_value)[s.nonzeros] = v
        else:
            (<float*>s.nonzero_value)[s.nonzeros] = <float>v
        s.nonzeros += v != 0.0
    s.sparse_x = s.query if 2 * s.nonzeros <= s.c.n_features else NULL


cdef inline const void* place_sparse(State* s, const int32_t* index, const double* value,
                                     int64_t count) noexcept nogil:
    """A row given by its non-zeros, checked, indices increasing: laid out in scratch."""
    cdef int64_t k
    cdef int64_t item = 8 if s.c.choice.dtype == DTYPE_FLOAT64 else 4
    if s.c.choice.dtype == DTYPE_INT8:
        # A zero may lie between two levels.
        for k in range(s.c.n_features):
            place_number(s, k, 0.0)
    else:
        memset(s.query, 0, <size_t>(s.c.n_features * item))
    for k in range(count):
        place_number(s, index[k], value[k])
    if s.nonzero_index != NULL:
        note_given(s, index, count)
    return s.query
