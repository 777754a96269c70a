"""A batch of rows in place, dense or sparse, checked once, then placed one by one without Python.

Design. Converting runs code of the caller (properties, ``__array__``), which may change arrays
that have been checked. So all conversions come first, in ``convert_rows``; ``describe`` then
takes the pointers and checks, with no Python code from there to the last use. Another thread may
still write to the arrays while the interpreter lock is released: every index is checked again where
it is used. Modules that cimport this call ``cnp.import_array()`` first.
"""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t

from edgeolk.core.c cimport olk_read_i64, olk_read_index
from edgeolk.core.preprocessing cimport take_dense, take_sparse
from edgeolk.core.rows cimport accepts, indices_from
from edgeolk.core.state cimport Indices, State
from edgeolk.rows.arrays cimport as_doubles, as_numbers, is_plain, is_vector


cdef enum:
    ROWS_CHECKED = 64         # dense rows checked together


cdef struct Batch:
    Py_ssize_t n
    Py_ssize_t d
    const double* wide        # dense float64, or NULL
    const float* narrow       # dense float32, or NULL
    const int64_t* start      # sparse: row i holds entries start[i]..start[i+1]-1, or NULL
    Indices index
    const double* value
    int64_t entries           # length of index and value


cdef inline bint has_entries(const Batch* rows, Py_ssize_t i, int64_t* first,
                             int64_t* last) noexcept nogil:
    """Bounds of the entries of sparse row i, each read once; False if invalid."""
    first[0] = olk_read_i64(rows.start + i)
    last[0] = olk_read_i64(rows.start + i + 1)
    return 0 <= first[0] <= last[0] <= rows.entries


cdef inline const void* take_row(
    State* s, const Batch* rows, Py_ssize_t i, bint learning
) noexcept nogil:
    """The preprocessed row i; NULL if it is invalid."""
    cdef int64_t first, last
    if rows.wide != NULL:
        return take_dense(s, rows.wide + i * rows.d, learning)
    if rows.narrow != NULL:
        return take_dense(s, rows.narrow + i * rows.d, learning)
    if not has_entries(rows, i, &first, &last):
        return NULL
    return take_sparse(s, indices_from(rows.index, first), rows.value + first, last - first,
                       learning)


cdef inline bint accept(const State* s, const Batch* rows, Py_ssize_t i,
                        Py_ssize_t count) noexcept nogil:
    """Whether storage can represent dense rows i .. i + count - 1."""
    if rows.wide != NULL:
        return accepts(s, rows.wide + i * rows.d, count * rows.d)
    return accepts(s, rows.narrow + i * rows.d, count * rows.d)


cdef inline Py_ssize_t first_bad_dense(State* s, const Batch* rows,
                                       Py_ssize_t first) noexcept nogil:
    """Index of the first dense row from ``first`` that storage cannot represent, or rows.n."""
    cdef Py_ssize_t many
    while first < rows.n:
        # Bad rows are rare: check many at a time.
        many = min(<Py_ssize_t>ROWS_CHECKED, rows.n - first)
        if not accept(s, rows, first, many):
            break
        first += many
    while first < rows.n and accept(s, rows, first, 1):
        first += 1
    return first


cdef inline object as_integers(object x, str name, object kind):
    """Integers in one dimension as a contiguous array of the given type."""
    import numpy as np

    from edgeolk.arrays import refuse_masked

    refuse_masked(x, name)
    cdef object array = np.asarray(x)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise TypeError(f"{name} must be integers in one dimension, got {array.dtype} of shape"
                        f" {array.shape}")
    if len(array) and not (-1 < array.min() and array.max() <= np.iinfo(kind).max):
        raise ValueError(f"{name} must be from 0 to {np.iinfo(kind).max}")
    return np.require(array, dtype=kind, requirements="CA")


cdef inline bint is_wide(object indices):
    """Whether they are an array of int64, which is read in place."""
    return cnp.PyArray_Check(indices) and cnp.PyArray_TYPE(indices) == cnp.NPY_INT64


cdef inline tuple convert_csr(object X):
    """indptr, indices and data of a CSR matrix (any object with these attributes) as plain arrays.

    Indices increase strictly within each row: other matrices are converted to this canonical format
    of scipy by their own methods.
    """
    import numpy as np

    if not getattr(X, "has_canonical_format", True):
        X = X.copy()
        X.sum_duplicates()
    value = as_doubles(X.data, "X.data")
    return (
        as_integers(X.indptr, "X.indptr", np.int64),
        as_integers(X.indices, "X.indices", np.int64 if is_wide(X.indices) else np.int32),
        value,
    )


cdef inline object convert_rows(State* s, object X):
    """The arrays of a matrix: one if dense, three if CSR. Runs Python code."""
    form = getattr(X, "format", None)
    if not isinstance(form, str):  # a table may have a column of this name
        form = ""
    if form and hasattr(X, "tocsr"):
        from edgeolk.arrays import refuse_broken_sparse

        refuse_broken_sparse(X, "X")
        if form != "csr":
            X = X.tocsr()
            form = X.format
    if form == "csr":
        shape = tuple(X.shape)
        arrays = convert_csr(X)
        if len(shape) != 2 or shape[1] != s.c.n_features:
            raise ValueError(f"X must have {s.c.n_features} columns, got shape {shape}")
        if len(arrays[0]) != shape[0] + 1:
            raise ValueError(
                "X must be a CSR matrix: indptr, indices and data contradict each other")
        return arrays
    return X if is_plain(X, 2) else as_numbers(X, "X", 2)


cdef inline Py_ssize_t row_count(object arrays):
    """Number of rows in the result of ``convert_rows``."""
    if isinstance(arrays, tuple):
        return cnp.PyArray_DIM(arrays[0], 0) - 1
    return cnp.PyArray_DIM(arrays, 0)


cdef inline tuple as_tuple(object arrays):
    return arrays if isinstance(arrays, tuple) else (arrays,)


cdef inline int describe(State* s, object arrays, Batch* rows) except -1:
    """Take pointers to the result of ``convert_rows``, and check its structure."""
    if isinstance(arrays, tuple):
        return describe_csr(s, arrays, rows)
    if not is_plain(arrays, 2):
        raise ValueError("X has changed while the arguments were converted")
    rows.n = cnp.PyArray_DIM(arrays, 0)
    rows.d = cnp.PyArray_DIM(arrays, 1)
    rows.wide = rows.value = NULL
    rows.narrow = NULL
    rows.start = NULL
    rows.index = Indices(NULL, NULL)
    rows.entries = 0
    if rows.d != s.c.n_features:
        raise ValueError(f"X must have {s.c.n_features} columns, got {rows.d}")
    if cnp.PyArray_TYPE(arrays) == cnp.NPY_FLOAT64:
        rows.wide = <const double*>cnp.PyArray_DATA(arrays)
    else:
        rows.narrow = <const float*>cnp.PyArray_DATA(arrays)
    return 0


ctypedef fused Integer:
    int32_t
    int64_t


cdef inline bint indices_rise(const Integer* at, int64_t count, int64_t d) noexcept nogil:
    """0 <= at[0] < at[1] < ... < d."""
    cdef int64_t k
    cdef int32_t not_rising
    if count == 0:
        return True
    not_rising = at[0] < 0 or at[count - 1] >= d
    for k in range(1, count):
        not_rising |= at[k] <= at[k - 1]
    return not_rising == 0


cdef inline int describe_csr(State* s, tuple arrays, Batch* rows) except -1:
    cdef Py_ssize_t i
    cdef int64_t first, last
    cdef bint rise
    cdef object start = arrays[0]
    cdef object index = arrays[1]
    cdef object value = arrays[2]
    cdef bint wide = is_vector(index, cnp.NPY_INT64)
    if not (is_vector(start, cnp.NPY_INT64) and (wide or is_vector(index, cnp.NPY_INT32))
            and is_vector(value, cnp.NPY_FLOAT64)):
        raise ValueError("X has changed while the arguments were converted")
    rows.n = cnp.PyArray_DIM(start, 0) - 1
    rows.d = s.c.n_features
    rows.wide = NULL
    rows.narrow = NULL
    rows.start = <const int64_t*>cnp.PyArray_DATA(start)
    if wide:
        rows.index = Indices(NULL, <const int64_t*>cnp.PyArray_DATA(index))
    else:
        rows.index = Indices(<const int32_t*>cnp.PyArray_DATA(index), NULL)
    rows.value = <const double*>cnp.PyArray_DATA(value)
    rows.entries = cnp.PyArray_DIM(value, 0)
    if (rows.n < 0 or cnp.PyArray_DIM(index, 0) != rows.entries or rows.start[0] != 0
            or rows.start[rows.n] != rows.entries):
        raise ValueError("X must be a CSR matrix: indptr, indices and data contradict each other")
    for i in range(rows.n):
        if not has_entries(rows, i, &first, &last):
            raise ValueError(
                "X must be a CSR matrix: indptr, indices and data contradict each other")
        if wide:
            rise = indices_rise(rows.index.wide + first, last - first, rows.d)
        else:
            rise = indices_rise(rows.index.narrow + first, last - first, rows.d)
        if not rise:
            raise_bad_indices(rows, first, last)
    return 0


cdef inline int raise_bad_indices(const Batch* rows, int64_t first, int64_t last) except -1:
    """Raise the error for bad indices in a row."""
    cdef int64_t k
    for k in range(first, last):
        if not 0 <= olk_read_index(rows.index, k) < rows.d:
            raise ValueError(f"X must have indices from 0 to {rows.d - 1}")
    raise ValueError("X must have increasing indices within each row")
