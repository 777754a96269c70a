"""How an array comes in: used where it lies if it is plain, converted otherwise.

Whoever cimports this calls ``cnp.import_array()`` first.
"""

cimport numpy as cnp


cdef inline bint is_plain(object x, int ndim) noexcept:
    """C-contiguous, aligned, native float32 or float64 of ndim dimensions."""
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
    """An array-like of real numbers as a plain array; the slow way in."""
    import numpy as np

    from edgeolk.arrays import real_array

    array = real_array(x, name)
    if array.ndim != ndim:
        raise ValueError(f"{name} must be {ndim}-d, got shape {array.shape}")
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    return np.require(array, requirements="CA").astype(array.dtype.newbyteorder("="), copy=False)
