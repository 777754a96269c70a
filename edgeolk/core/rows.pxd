"""Placing an example: whether storage can represent it, and the example rounded to storage.

The learner sees every example rounded to the storage type, so that a support vector and the same
example seen again are equal. Also the non-zeros of an example, the buffers that rows are read from
without numpy, and the scratch of concurrent readers.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.math cimport fabs, isfinite, isinf
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset, strcmp

from edgeolk.core.numbers cimport all_finite, all_within, finite_as_float, floating, row_type
from edgeolk.core.c cimport (
    OLK_F32, OLK_F64, OLK_GAUSSIAN, OLK_LAPLACIAN, OLK_NEAR_F32, OLK_NEAR_F64, olk_count_nonzeros,
    olk_dtype_bytes, olk_get, olk_nonzeros, olk_place_nonzeros, olk_quantize_row, olk_read_f64,
    olk_read_index, olk_round_to_storage,
)
from edgeolk.core.parts cimport (
    DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT8, ROWS_EITHER, dtype_is_short, dtype_max,
)
from edgeolk.core.state cimport GAPS_NAN, GAPS_NOT_FINITE, Indices, State


# The non-zeros of an example, listed if there are few.

cdef inline bint near_origin(const State* s) noexcept nogil:
    """Whether a distance computed from norms and products is accurate for this row (tiles.h)."""
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


# Placing.

cdef inline bint no_infinity(const floating* x, int64_t count) noexcept nogil:
    """Whether all are finite or NaN."""
    cdef int64_t k
    for k in range(count):
        if isinf(x[k]):
            return False
    return True


cdef inline bint accepts(const State* s, const floating* x, int64_t count) noexcept nogil:
    """Whether storage can represent these numbers, or they are missing readings."""
    if s.c.gaps == GAPS_NOT_FINITE:
        return True
    if s.c.gaps == GAPS_NAN:
        return all_finite(x, count) or no_infinity(x, count)
    # A scaled or bounded row always fits storage.
    if s.c.vectors == DTYPE_FLOAT64 or s.preprocessing.reshapes:
        return all_finite(x, count)
    if dtype_is_short(s.c.vectors):
        return all_within(x, count, dtype_max(s.c.vectors))
    if floating is float:
        return all_finite(x, count)
    else:
        return finite_as_float(x, count)


cdef inline void place_number(State* s, int64_t j, double v) noexcept nogil:
    if s.c.vectors == DTYPE_FLOAT64:
        (<double*>s.query)[j] = v
    elif s.c.vectors == DTYPE_FLOAT32:
        (<float*>s.query)[j] = <float>v
    else:
        (<float*>s.query)[j] = olk_round_to_storage(s.c.vectors, <float>v, j, &s.quantizer)


cdef inline const void* place(State* s, const floating* x) noexcept nogil:
    """The row rounded to storage: in place, or converted in scratch."""
    cdef int64_t j
    cdef const void* placed = x
    cdef int row_dtype = DTYPE_FLOAT64
    if floating is float:
        row_dtype = DTYPE_FLOAT32
    s.beyond = 0
    if s.c.vectors == DTYPE_INT8:
        s.beyond = olk_quantize_row(row_dtype, x, <float*>s.query, s.c.n_features, &s.quantizer)
        placed = s.query
    elif s.c.vectors != row_dtype:
        placed = s.query
        for j in range(s.c.n_features):
            place_number(s, j, x[j])
    if s.nonzero_index != NULL:
        list_nonzeros(s, placed)
    return placed


cdef inline Indices indices_from(Indices index, int64_t first) noexcept nogil:
    """Those from number ``first`` on."""
    if index.wide != NULL:
        return Indices(NULL, index.wide + first)
    return Indices(index.narrow + first, NULL)


cdef inline const void* place_narrow(State* s, Indices index, const double* value,
                                     int64_t count) noexcept nogil:
    """As place_sparse, for storage that keeps numbers as others; a zero may lie between levels."""
    cdef int64_t k
    cdef int64_t previous = -1
    cdef int64_t j
    cdef double v
    cdef float* x = <float*>s.query
    s.beyond = 0
    memset(x, 0, <size_t>s.c.n_features * sizeof(float))
    for k in range(count):
        j = olk_read_index(index, k)
        v = olk_read_f64(value + k)
        if not (previous < j < s.c.n_features and isfinite(v)):
            return NULL
        previous = j
        x[j] = <float>v
        if s.c.vectors != DTYPE_INT8:
            x[j] = olk_round_to_storage(s.c.vectors, x[j], j, NULL)
    if s.c.vectors == DTYPE_INT8:
        s.beyond = olk_quantize_row(OLK_F32, x, x, s.c.n_features, &s.quantizer)
    if s.nonzero_index != NULL:
        list_nonzeros(s, x)
    return x


cdef inline const void* place_sparse(State* s, Indices index, const double* value,
                                     int64_t count) noexcept nogil:
    """A row given by its non-zeros, laid out in scratch.

    NULL if the indices do not increase within the row, or a number is neither finite nor a missing
    reading: checked here, where they are used, whatever was checked before.
    """
    cdef int64_t d = s.c.n_features
    cdef int64_t found
    s.sparse_x = NULL
    if s.c.vectors != DTYPE_FLOAT32 and s.c.vectors != DTYPE_FLOAT64:
        return place_narrow(s, index, value, count)
    memset(s.query, 0, <size_t>(d * olk_dtype_bytes(s.c.vectors)))
    found = olk_place_nonzeros(s.c.vectors, index.narrow, index.wide, value, count, d,
                               s.c.gaps == GAPS_NOT_FINITE, s.query, s.nonzero_index,
                               s.nonzero_value)
    if found < 0:
        return NULL
    if s.nonzero_index != NULL:
        s.nonzeros = found
        choose_sparse(s, s.query)
    return s.query


# Rows in float64 buffers of any object, for processes without numpy.
#
# Uses the buffer protocol directly: the code of typed memoryviews would be half of the module.

cdef inline bint is_double(const char* code) noexcept:
    """Whether a format means native doubles."""
    return code != NULL and strcmp(code + (code[0] == b"@" or code[0] == b"="), b"d") == 0


cdef inline int borrow(object x, str name, int writable, Py_buffer* view) except -1:
    """Acquire a contiguous float64 buffer; the caller releases it by ``PyBuffer_Release``."""
    try:
        PyObject_GetBuffer(x, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | writable)
    except BufferError as error:
        raise ValueError(f"{name} must be a contiguous float64 buffer: {error}") from None
    except TypeError:
        raise TypeError(
            f"{name} must be a float64 buffer, got {type(x).__name__!r}"
        ) from None
    if view.ndim != 1 or not is_double(view.format):
        code = view.format.decode("latin-1") if view.format != NULL else "B"
        ndim = view.ndim
        PyBuffer_Release(view)
        raise ValueError(
            f"{name} must be a 1-d buffer of float64 (format 'd'), got {ndim}-d of {code!r}"
        )
    return 0


# Concurrent readers of one model: each has a copy of the struct, and separate scratch.
#
# The struct stores properties of the current row, so readers cannot share it. The first reader uses
# the scratch of the block; the copies of the others point into separate memory.

cdef inline void move_pointer(void** pointer, Py_ssize_t by) noexcept nogil:
    if pointer[0] != NULL:
        pointer[0] = <char*>pointer[0] + by


cdef inline void move_scratch(State* reader, Py_ssize_t by) noexcept nogil:
    """Point the struct of a reader to scratch at another place.

    All scratch regions of ``configuration/regions.py`` that it points to must be listed: two
    readers would write to one left out (``tests/edgeolk/engine/test_readers.py``). Those of a ring
    are views, of which each reader has its own ring (``engine/engine.pyx``).
    """
    move_pointer(&reader.query, by)
    move_pointer(<void**>&reader.nonzero_index, by)
    move_pointer(&reader.nonzero_value, by)
    move_pointer(&reader.sorf.state.inputs, by)
    move_pointer(<void**>&reader.sorf.state.scores, by)
    move_pointer(<void**>&reader.sorf.state.recalled, by)
    move_pointer(&reader.sorf.state.row, by)
    move_pointer(&reader.sorf.process.kernel_row, by)
    move_pointer(&reader.sorf.process.scratch, by)
    move_pointer(<void**>&reader.sorf.process.row, by)
    move_pointer(<void**>&reader.sorf.raw, by)
