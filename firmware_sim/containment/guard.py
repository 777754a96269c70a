"""A memory block between two guard pages.

Design: one mapping contains a guard page, the block and another guard page. The block ends where
the upper page begins, so an access to the first byte beyond it kills the process at that
instruction. If the size is not a multiple of a page, up to a page less a byte between the lower
guard page and the block remains writable; ``slack`` reports how much.
"""

from __future__ import annotations

import ctypes
import mmap

PAGE = mmap.PAGESIZE
_FORBIDDEN = 0  # PROT_NONE: not in the mmap module
_NO_ACCESS = 1  # PAGE_NOACCESS of Windows


class GuardedBlock:
    """Zeroed memory of an exact size, with guard pages on both sides if the system allows them.

    nbytes: size of the block, at least 1.
    refusal: why there are no guard pages; empty if there are.
    slack: bytes below the block that are as writable as the block itself.
    Raises OSError, OverflowError, ValueError: the memory cannot be allocated.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        body = -(-nbytes // PAGE) * PAGE
        self._map = mmap.mmap(-1, body + 2 * PAGE)
        self.refusal = _protect(self._map, (0, PAGE + body))
        if self.refusal:
            self._map = mmap.mmap(-1, nbytes)
            self._start = self.slack = 0
        else:
            self.slack = body - nbytes
            self._start = PAGE + self.slack
        self.address = _address(self._map) + self._start

    def view(self, offset: int, nbytes: int) -> memoryview:
        """Return bytes of the block.

        Raises ValueError: they are not within the block.
        """
        if not 0 <= offset <= offset + nbytes <= self.nbytes:
            raise ValueError(f"{nbytes} bytes at {offset} are not within {self.nbytes}")
        start = self._start + offset
        return memoryview(self._map)[start : start + nbytes]

    def write_beyond(self, offset: int, nbytes: int) -> None:
        """Write beyond the end of the block, as broken firmware would: the process is killed.

        Raises RuntimeError: there is no guard page to stop it.
        """
        if self.refusal:
            raise RuntimeError(self.refusal)
        # Not with ctypes.memset: on Windows that raises an exception instead.
        there = (ctypes.c_ubyte * nbytes).from_address(self.address + self.nbytes + offset)
        memoryview(there).cast("B")[:] = b"\xee" * nbytes


def _address(block: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(block))


def _protect(block: mmap.mmap, offsets: tuple[int, ...]) -> str:
    """Remove all access rights from the page at each offset; return why that failed, or ""."""
    if hasattr(ctypes, "WinDLL"):
        return _protect_on_windows(_address(block), offsets)
    try:
        mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    except (OSError, AttributeError, TypeError) as error:
        return f"no mprotect here: {error}"
    mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    start = _address(block)
    for offset in offsets:
        if mprotect(start + offset, PAGE, _FORBIDDEN) != 0:
            return f"mprotect failed with error {ctypes.get_errno()}"
    return ""


def _protect_on_windows(start: int, offsets: tuple[int, ...]) -> str:
    protect = ctypes.WinDLL("kernel32", use_last_error=True).VirtualProtect  # type: ignore[attr-defined,unused-ignore]
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p)
    before = ctypes.c_uint32()
    for offset in offsets:
        if not protect(start + offset, PAGE, _NO_ACCESS, ctypes.byref(before)):
            number = ctypes.get_last_error()  # type: ignore[attr-defined,unused-ignore]
            return f"VirtualProtect failed with error {number}"
    return ""
