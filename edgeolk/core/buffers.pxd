"""Rows in float64 buffers of any object, for processes without numpy.

Uses the buffer protocol directly: the code of typed memoryviews would be half of the module.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.string cimport strcmp


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
