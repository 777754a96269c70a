"""Intake of arrays: used in place if plain, otherwise converted.

Modules that cimport this call ``cnp.import_array()`` first.
"""

cimport numpy as cnp


cdef inline bint is_plain(object x, int ndim) noexcept:
    """Whether x is C-contiguous, aligned, native float32 or float64 of ndim dimensions."""
    cdef int kind
    if not cnp.PyArray_Check(x):
        return False
    if not cnp.PyArray_CheckExact(x) and hasattr(x, "mask"):
        return False
    kind = cnp.PyArray_TYPE(x)
    return (
        cnp.PyArray_NDIM(x) == ndim
        and cnp.PyArray_ISCARRAY_RO(x)
        and (kind == cnp.NPY_FLOAT64 or kind == cnp.NPY_FLOAT32)
    )


cdef inline object as_numbers(object x, str name, int ndim):
    """An array-like of real numbers as a plain array; the slow path."""
    import numpy as np

    from edgeolk.arrays import real_array

    array = real_array(x, name)
    if array.ndim != ndim:
        raise ValueError(f"{name} must be {ndim}-d, got shape {array.shape}")
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    return np.require(array, requirements="CA").astype(array.dtype.newbyteorder("="), copy=False)


cdef inline bint is_vector(object x, int kind) noexcept:
    """Whether x is a plain vector of the given element type."""
    return (cnp.PyArray_Check(x) and cnp.PyArray_NDIM(x) == 1 and cnp.PyArray_ISCARRAY_RO(x)
            and cnp.PyArray_TYPE(x) == kind)


cdef inline object as_doubles(object x, str name):
    """Real numbers in one dimension as a plain float64 array. Runs Python code."""
    if is_plain(x, 1) and is_vector(x, cnp.NPY_FLOAT64):
        return x
    return as_numbers(x, name, 1).astype("float64", copy=False)


cdef inline const double* pointer_to(object x, str name, str what, Py_ssize_t n) except NULL:
    """Pointer to n converted numbers, one per row; their values are not checked."""
    if not is_vector(x, cnp.NPY_FLOAT64):
        raise ValueError(f"{name} has changed while the arguments were converted")
    if cnp.PyArray_DIM(x, 0) != n:
        raise ValueError(
            f"{name} must have {n} {what}, one for each row, got {cnp.PyArray_DIM(x, 0)}")
    return <const double*>cnp.PyArray_DATA(x)
