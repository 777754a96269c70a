"""Files on Windows; ``posix`` documents each function.

Design: files are opened so that other processes may read, write, rename and remove them, as on
other systems: Python's ``open`` forbids the last two, and so the rename of a locked file. Locks
keep others from *reading* the locked bytes, so the lock is on a byte far beyond the end of any
file. A file cannot be replaced while any process has it open: virus scanners close it soon, so a
replacement is tried for half a second. Folders cannot be synced; renames are written through, and
whether they survive a power cut depends on the file system's journal.

Other systems import this module too, so modules that only Windows has are imported where used.
"""

from __future__ import annotations

import errno
import os
import time
from functools import cache
from io import FileIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types

REPLACES_OPEN = False
_READ, _WRITE = 0x80000000, 0x40000000  # GENERIC_READ, GENERIC_WRITE
_ATTRIBUTES, _SYNCHRONIZE = 0x80, 0x100000
_SHARED = 7  # FILE_SHARE_READ, _WRITE and _DELETE
_NEW, _OPEN, _ALWAYS = 1, 3, 4  # CREATE_NEW, OPEN_EXISTING, OPEN_ALWAYS
_NORMAL, _NO_LINK = 0x80, 0x200000  # FILE_ATTRIBUTE_NORMAL, FILE_FLAG_OPEN_REPARSE_POINT
_REPLACE, _THROUGH = 1, 8  # MOVEFILE_REPLACE_EXISTING, _WRITE_THROUGH
_DENIED, _SHARING = 5, 32  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION
_LOCKED = 33  # ERROR_LOCK_VIOLATION
#: Offset of the locked byte, low and high half.
_FAR = (0, 1 << 30)
_TRIES, _PAUSE = 50, 0.01
#: The file that locks a folder; it is removed when the process closes it.
_CLAIM = ".claimed"


@cache
def _kernel() -> Any:
    """The functions of kernel32 that are used here, with their types."""
    import ctypes
    from ctypes import wintypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    kernel.CreateFileW.argtypes = (
        *(wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p),
        *(wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE),
    )
    kernel.CreateFileW.restype = ctypes.c_void_p
    kernel.LockFile.argtypes = (wintypes.HANDLE, *4 * (wintypes.DWORD,))
    kernel.MoveFileExW.argtypes = (wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD)
    return kernel


def _crt() -> types.ModuleType:
    import msvcrt

    return msvcrt


def _error(path: str) -> tuple[int, OSError]:
    """The system's last error: its number and an exception with the path."""
    import ctypes

    number = ctypes.get_last_error()  # type: ignore[attr-defined,unused-ignore]
    message = ctypes.FormatError(number).strip()  # type: ignore[attr-defined,unused-ignore]
    return number, OSError(0, message, path, number)


def _opened(path: str, access: int, how: int, flags: int = 0) -> int:
    import ctypes

    handle = _kernel().CreateFileW(path, access, _SHARED, None, how, _NORMAL | flags, None)
    if handle in (None, ctypes.c_void_p(-1).value):
        number, error = _error(path)
        if number == _DENIED and os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", path)
        raise error
    crt: Any = _crt()
    mode = os.O_RDWR if access & _WRITE else os.O_RDONLY
    fd: int = crt.open_osfhandle(handle, mode | getattr(os, "O_BINARY", 0))
    return fd


def open_file(path: str, *, write: bool = False, create: bool = False) -> int:
    return _opened(path, _READ | (_WRITE if write else 0), _ALWAYS if create else _OPEN)


def lock(fd: int) -> None:
    crt: Any = _crt()
    # Not msvcrt.locking, which is limited to offsets below 2^31 in some versions.
    if not _kernel().LockFile(crt.get_osfhandle(fd), *_FAR, 1, 0):
        number, error = _error("")
        if number == _LOCKED:
            raise BlockingIOError(errno.EAGAIN, "is locked")
        raise error


def sync(fd: int) -> None:
    os.fsync(fd)  # FlushFileBuffers


def read_at(fd: int, memory: memoryview, offset: int) -> int:
    os.lseek(fd, offset, os.SEEK_SET)
    with FileIO(fd, closefd=False) as file:
        return file.readinto(memory) or 0


def write_at(fd: int, memory: memoryview, offset: int) -> int:
    os.lseek(fd, offset, os.SEEK_SET)
    return os.write(fd, memory)


def forget(fd: int) -> None:
    """Nothing: Windows has no call for it."""


def keep_owner_and_mode(fd: int, before: os.stat_result) -> None:
    """Nothing: permissions are inherited from the folder."""


def has_name(fd: int, path: str) -> bool:
    """Whether a path refers to an open file, by opening the path too.

    Wine forgets the volume of a file that is renamed while it is open: 0 matches any volume.
    """
    try:
        other = _opened(path, _ATTRIBUTES | _SYNCHRONIZE, _OPEN)
    except OSError:
        return False  # gone, or about to be
    try:
        mine, theirs = os.fstat(fd), os.fstat(other)
        return mine.st_ino == theirs.st_ino and mine.st_dev in (0, theirs.st_dev)
    finally:
        os.close(other)


def sync_folder_at(path: str) -> None:
    """Nothing: renames are written through, and folders have no sync."""


def claim_folder(path: str) -> int:
    """Lock a folder by a temporary file; return the descriptor that holds the lock.

    Raises BlockingIOError: another process has the lock. OSError: the folder is not writable.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_TEMPORARY", 0)
    try:
        fd = os.open(os.path.join(path, _CLAIM), flags | getattr(os, "O_NOINHERIT", 0))
    except PermissionError:
        # After a second claim was refused, the file is marked as deleted and cannot be opened.
        if _CLAIM in os.listdir(path):
            raise BlockingIOError(errno.EAGAIN, "is claimed") from None
        raise
    try:
        lock(fd)
    except BaseException:
        os.close(fd)
        raise
    return fd


class Folder:
    """A folder, by its path."""

    def __init__(self, path: str) -> None:
        self._path = path

    def _at(self, name: str) -> str:
        return os.path.join(self._path, name)

    def names(self) -> list[str]:
        return os.listdir(self._path)

    def stat(self, name: str) -> os.stat_result:
        return os.lstat(self._at(name))

    def make(self, name: str, mode: int) -> int:
        return _opened(self._at(name), _READ | _WRITE, _NEW, _NO_LINK)

    def open(self, name: str) -> int:
        return _opened(self._at(name), _READ, _OPEN, _NO_LINK)

    def holds(self, name: str, fd: int) -> bool:
        return has_name(fd, self._at(name))

    def remove(self, name: str) -> None:
        os.unlink(self._at(name))

    def replace(self, name: str, other: str) -> None:
        """As in ``posix``; raises PermissionError if another program has ``other`` open."""
        source, target = self._at(name), self._at(other)
        for left in reversed(range(_TRIES)):
            if _kernel().MoveFileExW(source, target, _REPLACE | _THROUGH):
                return
            number, error = _error(target)
            if number not in (_DENIED, _SHARING):
                raise error
            if os.path.isdir(target):
                raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", target)
            if left:
                time.sleep(_PAUSE)
        why = "is open in another program, or not writable: it is unchanged"
        raise PermissionError(errno.EACCES, why, target)

    def sync(self) -> None:
        """Nothing: renames are written through."""

    def close(self) -> None:
        """Nothing is open."""
