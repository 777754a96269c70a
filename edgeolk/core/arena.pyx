"""Arena: the one allocation of a model, or memory lent by the caller.

Design. Everything a model holds lies in one 64-byte aligned block. Its size is the plan's total, in
which 64 bytes of slack are counted, so that any buffer of that size serves wherever it starts, and
what the plan says is what is taken. The block comes from Python's own allocator, so that
tracemalloc sees it and a failed allocation is a MemoryError like any other. No other file may
allocate.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBUF_ANY_CONTIGUOUS
from cpython.buffer cimport PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uintptr_t
from libc.string cimport memset

cdef enum:
    BOUNDARY = 64

ALIGNMENT = BOUNDARY


cdef class Arena:
    """One zeroed block of ``nbytes`` bytes, aligned inside its first 64.

    Parameters
    ----------
    nbytes : int
        Bytes taken in all, slack for alignment included.
    buffer : writable contiguous buffer, optional
        Memory of the caller, at least ``nbytes`` long; only its first ``nbytes`` bytes are used.
        Without it the memory is allocated.

    Raises
    ------
    MemoryError
        Allocation failed.
    TypeError
        ``buffer`` has no writable contiguous buffer.
    ValueError
        ``buffer`` is shorter than ``nbytes``.
    """

    def __cinit__(self, Py_ssize_t nbytes, buffer=None):
        cdef char* start
        if nbytes <= BOUNDARY:
            raise ValueError(f"nbytes must be above {BOUNDARY}, got {nbytes}")
        if buffer is None:
            self.owned = PyMem_Calloc(nbytes, 1)
            if self.owned == NULL:
                raise MemoryError(f"no memory for {nbytes} bytes")
            start = <char*>self.owned
        else:
            try:
                PyObject_GetBuffer(buffer, &self.lent, PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS)
            except (BufferError, TypeError, ValueError) as error:
                raise TypeError(
                    f"buffer must be a writable contiguous buffer, got {type(buffer).__name__}:"
                    f" {error}"
                ) from None
            self.borrowed = True
            if self.lent.len < nbytes:
                raise ValueError(f"buffer must hold {nbytes} bytes, got {self.lent.len}")
            start = <char*>self.lent.buf
            memset(start, 0, nbytes)
        self.nbytes = nbytes
        self.length = nbytes - BOUNDARY
        self.base = start + (-<uintptr_t>start) % BOUNDARY

    def __dealloc__(self):
        if self.borrowed:
            PyBuffer_Release(&self.lent)
        PyMem_Free(self.owned)

    def __getbuffer__(self, Py_buffer* view, int flags):
        # The block without its slack, writable bytes.
        PyBuffer_FillInfo(view, self, self.base, self.length, 0, flags)

    def __len__(self):
        return self.length
