"""Rows into and out of a scaler; mean and scale of its features.

Modules that cimport this call ``cnp.import_array()`` first.
"""

cimport numpy as cnp
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uintptr_t

from edgeolk.rows.arrays cimport as_numbers, is_plain
from edgeolk.core.numbers cimport all_finite
from edgeolk.core.c cimport (
    OLK_COMPACT_BYTES, olk_compact, olk_compact_mean, olk_compact_of, olk_compact_sd,
    olk_load_statistics,
)
from edgeolk.core.scaler cimport Lines, Scaler, learn_rows, lines, transform_rows, unit
from edgeolk.core.refusals cimport wrong_length


# Rows into and out of a scaler. Modules that cimport this call cnp.import_array().

cdef inline bint is_wide(object array) noexcept:
    return cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT64


cdef inline void learn_any(Scaler* s, const void* x, bint wide, int64_t n) noexcept nogil:
    if wide:
        learn_rows(s, <const double*>x, n)
    else:
        learn_rows(s, <const float*>x, n)


cdef inline int64_t transform_any(
    const Scaler* s, const void* x, bint wide, void* z, bint wide_out, int64_t n
) noexcept nogil:
    if wide and wide_out:
        return transform_rows(s, <const double*>x, <double*>z, n)
    if wide:
        return transform_rows(s, <const double*>x, <float*>z, n)
    if wide_out:
        return transform_rows(s, <const float*>x, <double*>z, n)
    return transform_rows(s, <const float*>x, <float*>z, n)


cdef inline object check_rows(object x, str name, int ndim, int64_t d):
    """x if it is plain, else a plain copy; checked for shape and finite numbers."""
    cdef bint finite
    if not is_plain(x, ndim):
        x = as_numbers(x, name, ndim)
    if cnp.PyArray_DIM(x, ndim - 1) != d:
        raise wrong_length(name, d, cnp.PyArray_DIM(x, ndim - 1))
    if is_wide(x):
        finite = all_finite(<const double*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x))
    else:
        finite = all_finite(<const float*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x))
    if not finite:
        raise_not_finite(x, name, ndim)
    return x


cdef inline int raise_not_finite(object x, str name, int ndim) except -1:
    import numpy as np

    bad = np.argwhere(~np.isfinite(x))[0]
    where = f"row {bad[0]}, " if ndim == 2 else ""
    raise ValueError(
        f"{name} must be finite, got {x[tuple(bad)]} at {where}feature {bad[ndim - 1]}")


cdef inline object check_out(object out, object x):
    """out if it is suitable for x scaled; a new float64 array for None."""
    cdef int ndim = cnp.PyArray_NDIM(x)
    cdef uintptr_t start, start_out
    if out is None:
        return cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(x), cnp.NPY_FLOAT64, 0)
    if not cnp.PyArray_Check(out):
        raise TypeError(f"out must be an ndarray, got {type(out).__name__}")
    if cnp.PyArray_TYPE(out) != cnp.NPY_FLOAT64 and cnp.PyArray_TYPE(out) != cnp.NPY_FLOAT32:
        raise TypeError(f"out must be float64 or float32, got {out.dtype}")
    if not (
        cnp.PyArray_NDIM(out) == ndim
        and cnp.PyArray_DIM(out, 0) == cnp.PyArray_DIM(x, 0)
        and cnp.PyArray_DIM(out, ndim - 1) == cnp.PyArray_DIM(x, ndim - 1)
    ):
        raise ValueError(f"out must have shape {x.shape}, got {out.shape}")
    if not cnp.PyArray_ISCARRAY(out):
        raise ValueError("out must be writable, contiguous, aligned and in native byte order")
    start = <uintptr_t>cnp.PyArray_DATA(x)
    start_out = <uintptr_t>cnp.PyArray_DATA(out)
    if (
        start < start_out + <uintptr_t>cnp.PyArray_NBYTES(out)
        and start_out < start + <uintptr_t>cnp.PyArray_NBYTES(x)
        and not (start == start_out and is_wide(x) == is_wide(out))
    ):
        raise ValueError("out must be x itself or share no memory with it")
    return out


# Mean and scale of a feature in a scaler.

cdef inline olk_compact record_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    return olk_compact_of(s.kept.records + OLK_COMPACT_BYTES * j)


cdef inline bint keeps_mean(const Scaler* s) noexcept nogil:
    return s.kept.records != NULL or s.kept.numbers != NULL or s.moments.mean != NULL


cdef inline double mean_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    """The mean, if it is kept."""
    cdef olk_compact record
    if s.kept.records != NULL:
        record = record_of(s, j)
        return olk_compact_mean(&record)
    if s.kept.numbers != NULL:
        return olk_load_statistics(&s.kept, j).feature.mean
    return s.moments.mean[j] * unit(s.moments.level[j])


cdef inline double scale_of(const Scaler* s, Py_ssize_t j) noexcept nogil:
    """The divisor of the feature; 0 if it counts as constant."""
    cdef Lines f
    cdef olk_compact record
    if s.kept.records != NULL:
        record = record_of(s, j)
        return olk_compact_sd(&record)
    lines(s, j, 1, &f)
    return 2.0 * f.half[0] if isfinite(f.half[0]) else 0.0
