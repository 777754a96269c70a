"""Arrays and short rows of plain Python: read in place if plain, otherwise converted.

Modules that cimport this call ``cnp.import_array()`` first.
"""

cimport numpy as cnp
from cpython.array cimport array as python_array
from cpython.bool cimport PyBool_Check
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.memoryview cimport PyMemoryView_Check
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_GET_ITEM, PySequence_Fast_GET_SIZE
from cpython.tuple cimport PyTuple_CheckExact
from libc.math cimport INFINITY, NAN, ldexp

from edgeolk.core.rows cimport accepts
from edgeolk.core.state cimport State


# Intake of arrays: used in place if plain, otherwise converted.
#
# Modules that cimport this call `cnp.import_array()` first.

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


# Short rows of plain Python, read without numpy: lists, tuples, buffers, arrays of any real type.
#
# No code of the caller runs here. Anything else, or invalid, is left to the slow path
# (`as_numbers`), which raises the error.

cdef enum:
    SHORT = 256               # numbers of a short row: 2 KiB on the C stack

# The C types of the codes of the struct module.
ctypedef fused Element:
    signed char
    unsigned char
    short
    unsigned short
    int
    unsigned int
    long
    unsigned long
    long long
    unsigned long long
    float
    double


cdef inline void copy_row(const Element* first, Py_ssize_t stride, Py_ssize_t d,
                          double* row) noexcept nogil:
    cdef const char* at = <const char*>first
    cdef Py_ssize_t j
    for j in range(d):
        row[j] = <double>(<const Element*>(at + j * stride))[0]


cdef inline double half_number(unsigned short bits) noexcept nogil:
    """The value of an IEEE 754 binary16."""
    cdef int power = (bits >> 10) & 31
    cdef int digits = bits & 1023
    cdef double size
    if power == 31:
        size = NAN if digits else INFINITY
    elif power == 0:
        size = ldexp(<double>digits, -24)
    else:
        size = ldexp(<double>(1024 + digits), power - 25)
    return -size if bits >> 15 else size


cdef inline bint copy_typed(const void* at, char code, Py_ssize_t stride, Py_ssize_t d,
                            double* row) noexcept nogil:
    """Numbers of a native type of the struct module as float64; False for any other type."""
    cdef Py_ssize_t j
    if code == b"d":
        copy_row(<const double*>at, stride, d, row)
    elif code == b"f":
        copy_row(<const float*>at, stride, d, row)
    elif code == b"h":
        copy_row(<const short*>at, stride, d, row)
    elif code == b"H":
        copy_row(<const unsigned short*>at, stride, d, row)
    elif code == b"i":
        copy_row(<const int*>at, stride, d, row)
    elif code == b"I":
        copy_row(<const unsigned int*>at, stride, d, row)
    elif code == b"l":
        copy_row(<const long*>at, stride, d, row)
    elif code == b"L":
        copy_row(<const unsigned long*>at, stride, d, row)
    elif code == b"q":
        copy_row(<const long long*>at, stride, d, row)
    elif code == b"Q":
        copy_row(<const unsigned long long*>at, stride, d, row)
    elif code == b"b":
        copy_row(<const signed char*>at, stride, d, row)
    elif code == b"B" or code == b"?":
        copy_row(<const unsigned char*>at, stride, d, row)
    elif code == b"e":
        for j in range(d):
            row[j] = half_number((<const unsigned short*>(<const char*>at + j * stride))[0])
    else:
        return False
    return True


cdef inline char code_of(const char* format) noexcept nogil:
    """The struct code of the elements of a buffer; 0 if they are not native numbers."""
    if format == NULL:
        return b"B"
    format += format[0] == b"@"
    return format[0] if format[0] != 0 and format[1] == 0 else 0


cdef inline bint copy_array(object x, Py_ssize_t d, double* row) noexcept:
    """Copy a one-dimensional array; numpy's types have the codes of the struct module."""
    if (cnp.PyArray_NDIM(x) != 1 or cnp.PyArray_DIM(x, 0) != d or not cnp.PyArray_ISBEHAVED_RO(x)
            or not 0 <= cnp.PyArray_TYPE(x) < cnp.NPY_NTYPES_LEGACY):
        return False
    return copy_typed(cnp.PyArray_DATA(x), (<cnp.dtype><PyObject*>cnp.PyArray_DESCR(x)).type,
                      cnp.PyArray_STRIDE(x, 0), d, row)


cdef inline bint copy_buffer(object x, Py_ssize_t d, double* row) except -1:
    """Copy an ``array.array`` or a one-dimensional memoryview."""
    cdef Py_buffer view
    cdef bint copied = False
    try:
        PyObject_GetBuffer(x, &view, PyBUF_STRIDES | PyBUF_FORMAT)
    except (BufferError, ValueError):  # released, or not available in this form
        return False
    if view.ndim == 1 and view.shape[0] == d:
        copied = copy_typed(view.buf, code_of(view.format), view.strides[0], d, row)
    PyBuffer_Release(&view)
    return copied


cdef inline bint copy_item(PyObject* item, double* number) noexcept:
    """Copy a float, an int of 64 bits or a bool; False for anything else."""
    cdef int overflow = 0
    if PyFloat_Check(<object>item):
        number[0] = PyFloat_AS_DOUBLE(<object>item)
    elif PyLong_CheckExact(<object>item):
        number[0] = <double>PyLong_AsLongLongAndOverflow(<object>item, &overflow)
    elif PyBool_Check(<object>item):
        number[0] = <object>item is True
    else:
        return False
    return overflow == 0


cdef inline bint short_row(const State* s, object x, double* row) except -1:
    """Copy x to ``row`` (of SHORT numbers) if it is a short row that storage can represent."""
    cdef Py_ssize_t d = s.c.n_features
    cdef Py_ssize_t j
    if d > SHORT:
        return False
    if PyList_CheckExact(x) or PyTuple_CheckExact(x):
        if PySequence_Fast_GET_SIZE(x) != d:
            return False
        for j in range(d):
            if not copy_item(PySequence_Fast_GET_ITEM(x, j), row + j):
                return False
    elif cnp.PyArray_CheckExact(x):
        if not copy_array(x, d, row):
            return False
    elif type(x) is python_array or PyMemoryView_Check(x):
        if not copy_buffer(x, d, row):
            return False
    else:
        return False
    return accepts(s, row, d)
