"""Where checkpoints lie: two files, one file, a block device, or memory of the caller.

A medium is a few slots of bytes. It can read, write and sync; it knows nothing of what the bytes
mean. Writes reach the device in any order until ``sync`` returns.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from edgeolk.files.atomic import Path, placed_whole, sync_folder_at

Piece = bytes | bytearray | memoryview

#: Two slots share no sector, so a write that is cut short spoils one slot only.
SECTOR = 4096
#: Memory has no sectors; slots begin on cache lines.
LINE = 64
#: Formats of elements that any bytes are; objects are not.
_NUMBERS = frozenset("cbB?hHiIlLqQnNefdg")
_ZEROS = bytes(SECTOR)
#: Times that a file may be replaced while it is opened.
_TRIES = 10


class Medium(Protocol):
    """What the two-slot store asks of the place it writes to."""

    slots: int
    bytes_written: int

    def room(self, slot: int) -> int:
        """Bytes of a slot, 0 if it is not there yet."""

    def claim(self) -> int:
        """Keep other writers away, from now to ``close``.

        The number returned changes whenever that had to begin anew: others may have written since.
        """

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        """Get ready to write a slot of at least ``need`` bytes.

        A slot that has to be made begins with ``mark``. ``alone`` says that no other slot holds
        anything worth keeping.
        """

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        """Fill memory from a slot; returns the bytes read."""

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        """Write a piece into a slot."""

    def sync(self, slot: int) -> None:
        """Return when all that was written to a slot is on the device."""

    def settle(self) -> None:
        """Return when all that others have written here is on the device, names included."""

    def close(self) -> None:
        """Let go of what is open."""


def _too_small(room: int, need: int, what: str) -> ValueError:
    return ValueError(f"a slot of this {what} has {room} bytes, the checkpoint needs {need}")


class MemoryMedium:
    """Slots side by side in a writable buffer: battery-backed memory, or a mapped file."""

    def __init__(self, buffer: Any, slots: int) -> None:
        try:
            view = memoryview(buffer)
            self._memory = view.cast("B")
        except TypeError as error:
            raise TypeError(f"buffer must be contiguous memory: {error}") from None
        if view.readonly or view.format.lstrip("@=<>!") not in _NUMBERS:
            raise TypeError(
                f"buffer must be writable memory of numbers, got {type(buffer).__name__} of"
                f" elements {view.format!r}"
            )
        self._flush = getattr(buffer, "flush", None)
        self._room = len(self._memory) // slots // LINE * LINE
        self.slots = slots
        self.bytes_written = 0

    def room(self, slot: int) -> int:
        return self._room

    def claim(self) -> int:
        return 1

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        if need > self._room:
            raise _too_small(self._room, need, "buffer")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        start = slot * self._room + offset
        count = min(len(memory), self._room - offset)
        memory[:count] = self._memory[start : start + count]
        return count

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        view = memoryview(piece).cast("B")
        start = slot * self._room + offset
        self._memory[start : start + len(view)] = view
        self.bytes_written += len(view)

    def sync(self, slot: int) -> None:
        if self._flush is not None:
            self._flush()

    def settle(self) -> None:
        self.sync(0)

    def close(self) -> None:
        self._memory.release()


class _File:
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
        flags = (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            return os.open(self.path, flags)
        except FileNotFoundError:
            if not writable:
                return -1
        return os.open(self.path, flags | os.O_CREAT, 0o666)

    def _has_name(self) -> bool:
        """Whether the open file is what its name leads to."""
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _lost(self) -> OSError:
        why = "was removed or replaced by another program while it was written to"
        return OSError(errno.ESTALE, why, self.path)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
            got = os.preadv(fd, [memory[done:]], offset + done)
            if not got:
                break
            done += got
        return done

    def write(self, offset: int, piece: Piece) -> int:
        fd, done = self.fd(True), 0
        view = memoryview(piece).cast("B")
        while done < len(view):
            done += os.pwrite(fd, view[done:], offset + done)
        return done

    def sync(self) -> None:
        fd = self.fd(True)
        try:
            os.fsync(fd)
        except OSError:
            # The cache keeps what the device has not: whoever opens next is to read the device.
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            raise

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            self._writable = False
            os.close(fd)


def _settle(files: Iterable[_File]) -> None:
    """Sync files and their names; an empty one is made anew before it holds anything."""
    folders = set()
    for file in files:
        if file.size():
            file.sync()
            if not file.is_device():
                folders.add(os.path.dirname(os.path.realpath(file.path)))
    for folder in folders:
        sync_folder_at(folder)


def _rounded(need: int) -> int:
    return -(-need // SECTOR) * SECTOR


def _formatted(mark: Piece, room: int, slots: int) -> Iterator[Piece]:
    """Empty slots, each beginning with the mark; the zeros claim the blocks of the file."""
    first = bytes(mark) + bytes(SECTOR - len(mark))
    for _ in range(slots):
        yield first
        for _ in range(room // SECTOR - 1):
            yield _ZEROS


class FileMedium:
    """Slots side by side in one file of fixed size, or on a block device."""

    def __init__(self, path: Path, slots: int) -> None:
        self._file = _File(os.fsdecode(path))
        self.slots = slots
        self.bytes_written = 0

    def room(self, slot: int) -> int:
        return self._file.size() // self.slots // SECTOR * SECTOR

    def claim(self) -> int:
        self._file.fd(True)
        return self._file.times_locked

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        room = self.room(slot)
        if need <= room:
            self._refuse_foreign(mark, room)
            return
        if self._file.is_device():
            raise _too_small(room, need, "device")
        if not alone:
            raise _too_small(room, need, "file")
        if self._file.size():
            self._refuse_foreign(mark, room)
        room = _rounded(need)
        self._file.create(_formatted(mark, room, self.slots))
        self.bytes_written += room * self.slots

    def _refuse_foreign(self, mark: Piece, room: int) -> None:
        """A file that somebody mistyped is not written over; nor is a disk in use."""
        known, blank = bytes(mark)[:8], (bytes(8), b"\xff" * 8)
        allowed = (known, *blank) if self._file.is_device() else (known,)
        start = memoryview(bytearray(8))
        for slot in range(self.slots):
            self._file.read_into(slot * room, start)
            if bytes(start) in allowed:
                return
        raise ValueError(f"{self._file.path} holds something else than checkpoints")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        return self._file.read_into(slot * self.room(slot) + offset, memory)

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        self.bytes_written += self._file.write(slot * self.room(slot) + offset, piece)

    def sync(self, slot: int) -> None:
        self._file.sync()

    def settle(self) -> None:
        _settle([self._file])

    def close(self) -> None:
        self._file.close()


class FolderMedium:
    """A file of fixed size for each slot, in one folder."""

    def __init__(self, folder: Path, slots: int) -> None:
        where = os.fsdecode(folder)
        self._files = [_File(os.path.join(where, f"slot-{i}.checkpoint")) for i in range(slots)]
        self.slots = slots
        self.bytes_written = 0

    def room(self, slot: int) -> int:
        return self._files[slot].size()

    def claim(self) -> int:
        for file in self._files:
            file.fd(True)
        return sum(file.times_locked for file in self._files)

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        for i, file in enumerate(self._files):
            if self.room(i) < (need if i == slot else 1):
                # All of them at once: a full device says so before anything is learned.
                room = _rounded(need)
                file.create(_formatted(mark, room, 1))
                self.bytes_written += room

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        return self._files[slot].read_into(offset, memory)

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        self.bytes_written += self._files[slot].write(offset, piece)

    def sync(self, slot: int) -> None:
        self._files[slot].sync()

    def settle(self) -> None:
        _settle(self._files)

    def close(self) -> None:
        for file in self._files:
            file.close()


def medium_at(place: Any, slots: int) -> Medium:
    """The medium for what a caller names: a path, or a writable buffer."""
    if isinstance(place, (str, bytes, os.PathLike)):
        name = os.fsdecode(place)
        kind = FolderMedium if os.path.isdir(name) else FileMedium
        return kind(name, slots)
    return MemoryMedium(place, slots)
