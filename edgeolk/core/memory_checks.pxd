"""Memory that a call would write to, or that another thread uses: refused before anything changes.

For classes with a block of their own: scalers, windows.
"""

cimport numpy as cnp
from libc.stdint cimport uintptr_t


cdef inline int check_idle(bint busy, str what) except -1:
    """Raise RuntimeError if another thread is at work.

    Checked last, so that no Python code runs between the check and the work.

    what: with its verb, as "the scaler is".
    """
    if busy:
        raise RuntimeError(f"{what} in use by another thread")
    return 0


cdef inline int check_no_overlap(
    object out, const void* memory, Py_ssize_t nbytes, str what
) except -1:
    """Raise ValueError if the array ``out`` overlaps so many bytes of memory."""
    cdef uintptr_t start = <uintptr_t>cnp.PyArray_DATA(out), base = <uintptr_t>memory
    if start < base + <uintptr_t>nbytes and base < start + <uintptr_t>cnp.PyArray_NBYTES(out):
        raise ValueError(f"out must not overlap {what}")
    return 0
