"""Many rows as they lie, dense or sparse, checked once and then placed one by one without Python.

Whoever cimports this calls ``cnp.import_array()`` first.
"""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t

from edgeolk.core.rows cimport accepts_f32, accepts_f64, place_f32, place_f64, place_sparse
from edgeolk.core.state cimport State
from edgeolk.ndarray cimport as_numbers, is_plain


cdef struct Batch:
    Py_ssize_t n
    Py_ssize_t d
    const double* wide        # dense float64, or NULL
    const float* narrow       # dense float32, or NULL
    const int64_t* start      # sparse: row i holds entries start[i]..start[i+1]-1, or NULL
    const int32_t* index
    const double* value


cdef inline const void* place_row(State* s, const Batch* rows, Py_ssize_t i) noexcept nogil:
    """Row i as storage holds it."""
    if rows.wide != NULL:
        return place_f64(s, rows.wide + i * rows.d)
    if rows.narrow != NULL:
        return place_f32(s, rows.narrow + i * rows.d)
    return place_sparse(s, rows.index + rows.start[i], rows.value + rows.start[i],
                        rows.start[i + 1] - rows.start[i])


cdef inline Py_ssize_t first_bad_row(State* s, const Batch* rows) noexcept nogil:
    """The first dense row that storage cannot hold, or -1."""
    cdef Py_ssize_t i
    for i in range(rows.n):
        if rows.wide != NULL:
            if not accepts_f64(s, rows.wide + i * rows.d):
                return i
        elif not accepts_f32(s, rows.narrow + i * rows.d):
            return i
    return -1


cdef inline object dense_batch(State* s, object X, Batch* rows):
    """Describe a matrix; returns what keeps its memory alive."""
    if not is_plain(X, 2):
        X = as_numbers(X, "X", 2)
    rows.n = cnp.PyArray_DIM(X, 0)
    rows.d = cnp.PyArray_DIM(X, 1)
    rows.wide = rows.value = NULL
    rows.narrow = NULL
    rows.start = NULL
    rows.index = NULL
    if rows.d != s.c.n_features:
        raise ValueError(f"X must have {s.c.n_features} columns, got {rows.d}")
    if cnp.PyArray_TYPE(X) == cnp.NPY_FLOAT64:
        rows.wide = <const double*>cnp.PyArray_DATA(X)
    else:
        rows.narrow = <const float*>cnp.PyArray_DATA(X)
    return X


cdef inline object sparse_batch(State* s, object X, Batch* rows):
    """Describe a CSR matrix (anything with indptr, indices and data); checks its structure.

    Indices come to increase within each row, each once: scipy's canonical format, made by the
    matrix's own methods where it is not there. Returns what keeps the memory alive.
    """
    import numpy as np

    if len(X.shape) != 2 or X.shape[1] != s.c.n_features:
        raise ValueError(f"X must have {s.c.n_features} columns, got shape {X.shape}")
    if not getattr(X, "has_canonical_format", True):
        X = X.copy()
        X.sum_duplicates()
    start = np.ascontiguousarray(X.indptr, dtype=np.int64)
    index = np.ascontiguousarray(X.indices)
    if index.dtype.kind not in "iu" and len(index):
        raise TypeError(f"X.indices must be whole numbers, got {index.dtype}")
    value = as_numbers(X.data, "X.data", 1).astype(np.float64, copy=False)
    n, entries = int(X.shape[0]), len(value)
    if (start.shape != (n + 1,) or len(index) != entries or start[0] != 0
            or start[n] != entries or np.any(np.diff(start) < 0)):
        raise ValueError("X must be a CSR matrix: indptr, indices and data contradict each other")
    if entries and not (0 <= index.min() and index.max() < s.c.n_features):
        raise ValueError(f"X must have indices from 0 to {s.c.n_features - 1}")
    falls = np.flatnonzero(np.diff(index.astype(np.int64)) <= 0) + 1
    if not np.all(np.isin(falls, start)):
        raise ValueError("X must have increasing indices within each row")
    index = index.astype(np.int32, copy=False)
    rows.n = n
    rows.d = s.c.n_features
    rows.wide = NULL
    rows.narrow = NULL
    rows.start = <const int64_t*>cnp.PyArray_DATA(start)
    rows.index = <const int32_t*>cnp.PyArray_DATA(index)
    rows.value = <const double*>cnp.PyArray_DATA(value)
    return start, index, value
