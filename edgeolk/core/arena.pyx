"""Arena: the one allocation of a model, or memory lent by the caller.

Design. All state of a model is in one aligned block. Its size is the total of the plan, including
the slack for alignment, so that any buffer of that size will do wherever it starts, and exactly
the planned size is used. The block comes from Python's allocator, so that tracemalloc sees it and
a failed allocation is an ordinary MemoryError. No other file may allocate.
"""

cimport cython
from cpython.buffer cimport PyBUF_ANY_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE
from cpython.buffer cimport PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uintptr_t
from libc.string cimport memmove, memset

cdef enum:
    WIDEST = 64

ALIGNMENT = WIDEST


# Buffers in use. Not a dict: removing an entry may allocate, and an arena must be deallocated even
# if no memory is left.
cdef Claim* CLAIMS = NULL
# Its lock where there is no interpreter lock.
cdef object CLAIMS_LOCK = object()


cdef int enter(Claim* claim) except -1:
    """Register a buffer; ValueError if another model uses it."""
    global CLAIMS
    cdef Claim* other
    with cython.critical_section(CLAIMS_LOCK):
        other = CLAIMS
        while other != NULL:
            if claim.start < other.end and other.start < claim.end:
                raise ValueError("buffer is in use by another model; delete that one first")
            other = other.next
        claim.next = CLAIMS
        CLAIMS = claim
    return 0


cdef void leave(Claim* claim) noexcept:
    global CLAIMS
    cdef Claim** link
    with cython.critical_section(CLAIMS_LOCK):
        link = &CLAIMS
        while link[0] != NULL:
            if link[0] == claim:
                link[0] = claim.next
                return
            link = &link[0].next


cdef bint overlaps_model(const char* start, const char* end) noexcept:
    """Whether memory overlaps a buffer in which a model is built."""
    cdef const Claim* claim
    with cython.critical_section(CLAIMS_LOCK):
        claim = CLAIMS
        while claim != NULL:
            if start < claim.end and claim.start < end:
                return True
            claim = claim.next
    return False


cdef bint holds_numbers(const char* kind) noexcept:
    """Whether a buffer has elements of bytes or numbers; objects must not be zeroed."""
    if kind == NULL:
        return True
    if kind[0] in b"@=<>!":
        kind += 1
    return kind[0] in b"cbB?hHiIlLqQnNefdg" and kind[0] != 0 and kind[1] == 0


cdef class Arena:
    """A zeroed block of ``nbytes`` bytes, aligned within its first ``boundary`` bytes.

    Parameters
    ----------
    nbytes : int
        Total bytes, including slack for alignment.
    buffer : writable contiguous buffer, optional
        Memory of the caller, at least ``nbytes`` long; only its first ``nbytes`` bytes are used.
        Without it the memory is allocated.
    mark : bytes, optional
        First bytes of a block that is already in the buffer: it is kept instead of zeroed, and
        moved to the boundary if it was written at another alignment.
    boundary : int
        Alignment of the block: a power of two from 8 to 64.

    Raises
    ------
    MemoryError
        Allocation failed.
    TypeError
        ``buffer`` has no writable contiguous buffer.
    ValueError
        ``buffer`` is shorter than ``nbytes``, has no such block, or is in use by another arena.
    """

    def __cinit__(self, Py_ssize_t nbytes, buffer=None, bytes mark=None,
                  Py_ssize_t boundary=WIDEST):
        cdef char* start
        cdef Py_ssize_t at
        if boundary not in (8, 16, 32, 64):
            raise ValueError(f"boundary must be 8, 16, 32 or 64, got {boundary}")
        if nbytes <= boundary:
            raise ValueError(f"nbytes must be above {boundary}, got {nbytes}")
        if buffer is None:
            self.owned = PyMem_Calloc(nbytes, 1)
            if self.owned == NULL:
                raise MemoryError(f"no memory for {nbytes} bytes")
            start = <char*>self.owned
        else:
            try:
                PyObject_GetBuffer(
                    buffer, &self.lent, PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT)
            except (BufferError, TypeError, ValueError) as error:
                raise TypeError(
                    f"buffer must be a writable contiguous buffer, got {type(buffer).__name__}:"
                    f" {error}"
                ) from None
            self.borrowed = True
            if not holds_numbers(self.lent.format):
                raise TypeError(
                    "buffer must be memory of bytes or numbers, got elements of format"
                    f" {self.lent.format.decode('ascii', 'replace')!r}")
            if self.lent.len < nbytes:
                raise ValueError(f"buffer must hold {nbytes} bytes, got {self.lent.len}")
            start = <char*>self.lent.buf
            self.claim.start = start
            self.claim.end = start + nbytes
            enter(&self.claim)
        self.nbytes = nbytes
        self.length = nbytes - boundary
        self.base = start + (-<uintptr_t>start) % <uintptr_t>boundary
        if mark is not None:
            at = start[:boundary + len(mark)].find(mark)
            if at < 0:
                raise ValueError("buffer holds no block that begins with the mark")
            memmove(self.base, start + at, self.length)
            if start + at < self.base:
                # No second mark may remain before the block.
                memset(start + at, 0, self.base - (start + at))
        elif self.borrowed:
            memset(start, 0, nbytes)

    def __dealloc__(self):
        leave(&self.claim)
        if self.borrowed:
            PyBuffer_Release(&self.lent)
        PyMem_Free(self.owned)

    def __getbuffer__(self, Py_buffer* view, int flags):
        # The block without its slack, as writable bytes.
        PyBuffer_FillInfo(view, self, self.base, self.length, 0, flags)

    def __len__(self):
        return self.length
