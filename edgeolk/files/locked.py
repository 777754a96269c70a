"""A file that only one checkpointer at a time can write, by a lock that ends with its process."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from collections.abc import Iterable

from edgeolk.files import system
from edgeolk.files.atomic import write_and_open

Piece = bytes | bytearray | memoryview

#: Times that a file may be replaced while it is opened.
_TRIES = 10

#: Open files of this process. A lock lasts as long as any process has the file open that took it.
_open_files: weakref.WeakSet[OpenFile] = weakref.WeakSet()


def _let_go() -> None:
    """After a fork, close the parent's files in the child: their locks end with the parent."""
    for file in list(_open_files):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class OpenFile:
    """An open file that one checkpointer at a time may write.

    Design: the lock belongs to the file, not to its name, and files are created by a rename. So a
    lock is valid only while the file has its name: this is checked when the lock is taken and
    before every write, and a new file is locked before it gets its name. A creator first makes an
    empty file of that name, so that of two concurrent creators the second finds it locked.
    """

    def __init__(self, path: str) -> None:
        # The name is looked up again later, when the working directory may be another one.
        self.path = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
        self.times_locked = 0
        self._fd = -1
        self._writable = False
        _open_files.add(self)

    def fd(self, writable: bool = False) -> int:
        """The descriptor, opened at the first call; -1 if there is nothing to read.

        Raises OSError: another checkpointer writes the file, or the locked file has lost its name;
        the next call uses the file that has the name then.
        """
        if self._writable:
            if writable and not self._has_name():
                self.close()
                raise self._lost()
            return self._fd
        if self._fd >= 0 and (writable or not self._has_name()):
            self.close()
        if self._fd < 0:
            self._open(writable)
        return self._fd

    def _open(self, writable: bool) -> None:
        for _ in range(_TRIES):
            self._fd = self._found(writable)
            if self._fd < 0:
                return
            mode = os.fstat(self._fd).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISBLK(mode)):
                self.close()
                raise OSError(errno.EINVAL, "is neither a file nor a block device", self.path)
            if not writable:
                return
            self._lock()
            if self._has_name():
                self._writable = True
                self.times_locked += 1
                return
            self.close()  # the file was replaced between opening and locking
        raise self._lost()

    def _found(self, writable: bool) -> int:
        """A descriptor of the file of this name; a writer creates an empty one if there is none."""
        try:
            return system.open_file(self.path, write=writable)
        except FileNotFoundError:
            if not writable:
                return -1
        return system.open_file(self.path, write=True, create=True)

    def _has_name(self) -> bool:
        """Whether the name still refers to the open file."""
        return system.has_name(self._fd, self.path)

    def _lost(self) -> OSError:
        why = "was removed or replaced by another program while it was written to"
        return OSError(errno.ESTALE, why, self.path)

    def _lock(self) -> None:
        try:
            system.lock(self._fd)
        except BlockingIOError:
            self.close()
            raise BlockingIOError(
                errno.EAGAIN, "is being written by another checkpointer", self.path
            ) from None
        except OSError:
            return  # a file system without locks

    def is_device(self) -> bool:
        fd = self.fd()
        return fd >= 0 and stat.S_ISBLK(os.fstat(fd).st_mode)

    def size(self) -> int:
        fd = self.fd()
        return 0 if fd < 0 else os.lseek(fd, 0, os.SEEK_END)

    def create(self, pieces: Iterable[Piece]) -> None:
        """Create the file atomically; raises OSError if another checkpointer writes it."""
        self.fd(True)
        if not system.REPLACES_OPEN:
            self.close()  # if another process opens it now, it cannot be replaced
        try:
            fd = write_and_open(self.path, pieces)
        except BaseException:
            # It may have been created nevertheless: then the locked file has lost its name.
            self.close()
            raise
        self.close()
        self._fd, self._writable = fd, True

    def read_into(self, offset: int, memory: memoryview) -> int:
        fd, done = self.fd(), 0
        while fd >= 0 and done < len(memory):
            got = system.read_at(fd, memory[done:], offset + done)
            if not got:
                break
            done += got
        return done

    def start(self, offset: int, count: int) -> bytes:
        """The bytes at an offset, fewer at the end of the file; none if it cannot be read."""
        memory = bytearray(count)
        try:
            return bytes(memory[: self.read_into(offset, memoryview(memory))])
        except OSError:
            return b""

    def write(self, offset: int, piece: Piece) -> int:
        fd, done = self.fd(True), 0
        view = memoryview(piece).cast("B")
        while done < len(view):
            done += system.write_at(fd, view[done:], offset + done)
        return done

    def sync(self) -> None:
        fd = self.fd(True)
        try:
            system.sync(fd)
        except OSError:
            # The cache has data that the device lacks: the next reader must read the device.
            system.forget(fd)
            raise

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            self._writable = False
            os.close(fd)
