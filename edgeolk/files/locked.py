"""A file that only one checkpointer at a time can write, by a lock that ends with its process."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from collections.abc import Iterable

from edgeolk.files import system
from edgeolk.files.atomic import placed_whole

Piece = bytes | bytearray | memoryview

#: Times that a file may be replaced while it is opened.
_TRIES = 10

#: Open files of this process. A lock lasts as long as any process has the file open that took it.
_open_files: weakref.WeakSet[OpenFile] = weakref.WeakSet()


def _let_go() -> None:
    """In a process just forked: its parent's files, and locks, end with its parent."""
    for file in list(_open_files):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class OpenFile:
    """An open file that one checkpointer at a time may write.

    Design. The lock is one of the file, not of its name, and a file is made by a rename. So a lock
    counts only while the file has its name: that is looked at when it is taken and before every
    write, and a file that is made is locked before it gets its name. Whoever is to make one begins
    with an empty file there, so that of two who do so at once the second finds a lock.
    """

    def __init__(self, path: str) -> None:
        # The name is looked up again later, wherever the program has gone meanwhile.
        self.path = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
        self.times_locked = 0
        self._fd = -1
        self._writable = False
        _open_files.add(self)

    def fd(self, writable: bool = False) -> int:
        """The descriptor, opened when first asked for; -1 if there is nothing to read.

        Raises OSError: another one writes there, or what was locked has lost its name; the next
        call takes what has the name then.
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
            self.close()  # another one has been made between opening and locking
        raise self._lost()

    def _found(self, writable: bool) -> int:
        """A descriptor of what has the name; one who is to write makes an empty file if nothing."""
        try:
            return system.open_file(self.path, write=writable)
        except FileNotFoundError:
            if not writable:
                return -1
        return system.open_file(self.path, write=True, create=True)

    def _has_name(self) -> bool:
        """Whether the open file is what its name leads to."""
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
            return  # no locks here

    def is_device(self) -> bool:
        fd = self.fd()
        return fd >= 0 and stat.S_ISBLK(os.fstat(fd).st_mode)

    def size(self) -> int:
        fd = self.fd()
        return 0 if fd < 0 else os.lseek(fd, 0, os.SEEK_END)

    def create(self, pieces: Iterable[Piece]) -> None:
        """A file that was never seen half made; one that another writes is not replaced."""
        self.fd(True)
        if not system.REPLACES_OPEN:
            self.close()  # another one who opens it now keeps it: then it cannot be replaced
        try:
            made = placed_whole(self.path, pieces)
        except BaseException:
            # It may have been made all the same, and what is locked have lost its name.
            self.close()
            raise
        self.close()
        self._fd, self._writable = made, True

    def read_into(self, offset: int, memory: memoryview) -> int:
        fd, done = self.fd(), 0
        while fd >= 0 and done < len(memory):
            got = system.read_at(fd, memory[done:], offset + done)
            if not got:
                break
            done += got
        return done

    def start(self, offset: int, count: int) -> bytes:
        """What lies at an offset, fewer bytes at the end; none where nothing can be read."""
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
            # The cache keeps what the device has not: whoever opens next is to read the device.
            system.forget(fd)
            raise

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            self._writable = False
            os.close(fd)
