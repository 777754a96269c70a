"""Where checkpoints are stored: files in a folder, one file, a block device, or caller's memory.

A medium is a few slots of bytes. It can read, write and sync; it does not interpret the bytes.
Writes may reach the device in any order until ``sync`` returns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from edgeolk.files import system
from edgeolk.files.atomic import Path
from edgeolk.files.locked import OpenFile, Piece

MAX_SLOTS = 64

#: First bytes of a slot -> bytes of its header and checkpoint; 0 if they are not a header.
Taken = Callable[[bytes], int]


def slot_bytes(total: int, slots: int, unit: int) -> int:
    """Bytes of each of this many adjacent slots, each starting at a multiple of ``unit``."""
    return total // slots // unit * unit


@dataclass(frozen=True)
class Arrangement:
    """Headers found at all places where a slot may begin.

    Attributes
    ----------
    places : tuple of str
        Where they are.
    numbers : tuple of int
        The numbers of slots that have all of them, the likeliest first.
    """

    places: tuple[str, ...]
    numbers: tuple[int, ...]


def arrangement(total: int, unit: int, taken: Taken, read: Callable[[int], bytes]) -> Arrangement:
    """The headers in adjacent slots.

    Looks at every offset at which a slot starts if there are 2 to ``MAX_SLOTS`` slots. A file has
    a header in each of its slots from the start, so that the least number that fits is its own.

    Parameters
    ----------
    total, unit
        Bytes of all slots, and the alignment of each.
    taken : callable
        First bytes of a slot -> bytes of its header and checkpoint, 0 if they are not a header.
    read : callable
        Offset -> the first bytes there.
    """
    sizes = {n: slot_bytes(total, n, unit) for n in range(2, MAX_SLOTS + 1)}
    starts = {i * nbytes for n, nbytes in sizes.items() if nbytes for i in range(n)}
    found = {at: size for at in sorted(starts) if (size := taken(read(at)))}

    def holds(n: int, at: int) -> bool:
        nbytes = sizes[n]
        return bool(nbytes) and not at % nbytes and at // nbytes < n and found[at] <= nbytes

    found = {at: size for at, size in found.items() if any(holds(n, at) for n in sizes)}
    fit = [n for n in sizes if all(holds(n, at) for at in found)]
    fit.sort(key=lambda n: (n * sizes[n] != total, n))  # files have no bytes left over
    return Arrangement(tuple(f"byte {at}" for at in found), tuple(fit))


#: Slots share no sector, so an interrupted write damages one slot only.
SECTOR = 4096
#: Memory has no sectors; slots start on cache lines.
LINE = 64
#: Formats of elements for which any bytes are valid; objects are not among them.
_NUMBERS = frozenset("cbB?hHiIlLqQnNefdg")
_ZEROS = bytes(SECTOR)


class Medium(Protocol):
    """What ``Slots`` needs of the place it writes to."""

    slots: int
    bytes_written: int

    def capacity(self, slot: int) -> int:
        """Bytes of a slot, 0 if it does not exist yet."""

    def claim(self) -> int:
        """Lock out other writers until ``close``.

        The returned number changes whenever the lock had to be taken again: others may have written
        since.
        """

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        """Prepare to write a slot of at least ``need`` bytes.

        A newly created slot starts with ``mark``. ``alone`` says that no other slot has a
        checkpoint to keep.
        """

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        """Fill memory from a slot; return the bytes read."""

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        """Write a piece into a slot."""

    def sync(self, slot: int) -> None:
        """Return when everything written to a slot is on the device."""

    def sync_all(self) -> None:
        """Return when everything others have written here is on the device, including names."""

    def arrangement(self, taken: Taken, head: int) -> Arrangement:
        """The headers of slots of any number; ``taken`` gets the first ``head`` bytes of each."""

    def use(self, slots: int) -> None:
        """Have this number of slots from now on."""

    def close(self) -> None:
        """Close the files."""


def _too_small(nbytes: int, need: int, what: str) -> ValueError:
    return ValueError(f"a slot of this {what} has {nbytes} bytes, the checkpoint needs {need}")


class MemoryMedium:
    """Adjacent slots in a writable buffer: battery-backed memory, or a mapped file."""

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
        self.use(slots)
        self.bytes_written = 0

    def capacity(self, slot: int) -> int:
        return self._capacity

    def claim(self) -> int:
        return 1

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        if need > self._capacity:
            raise _too_small(self._capacity, need, "buffer")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        start = slot * self._capacity + offset
        count = min(len(memory), self._capacity - offset)
        memory[:count] = self._memory[start : start + count]
        return count

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        view = memoryview(piece).cast("B")
        start = slot * self._capacity + offset
        self._memory[start : start + len(view)] = view
        self.bytes_written += len(view)

    def sync(self, slot: int) -> None:
        if self._flush is not None:
            self._flush()

    def sync_all(self) -> None:
        self.sync(0)

    def arrangement(self, taken: Taken, head: int) -> Arrangement:
        memory = self._memory
        return arrangement(len(memory), LINE, taken, lambda at: bytes(memory[at : at + head]))

    def use(self, slots: int) -> None:
        self.slots = slots
        self._capacity = slot_bytes(len(self._memory), slots, LINE)

    def close(self) -> None:
        self._memory.release()


def _sync_files(files: Iterable[OpenFile]) -> None:
    """Sync files and their names; empty files are skipped, since they are created again later."""
    folders = set()
    for file in files:
        if file.size():
            file.sync()
            if not file.is_device():
                folders.add(os.path.dirname(os.path.realpath(file.path)))
    for folder in folders:
        system.sync_folder_at(folder)


def _rounded(need: int) -> int:
    return -(-need // SECTOR) * SECTOR


def _formatted(mark: Piece, nbytes: int, slots: int) -> Iterator[Piece]:
    """Empty slots, each starting with the mark; the zeros allocate the blocks of the file."""
    first = bytes(mark) + bytes(SECTOR - len(mark))
    for _ in range(slots):
        yield first
        for _ in range(nbytes // SECTOR - 1):
            yield _ZEROS


class FileMedium:
    """Adjacent slots in one file of fixed size, or on a block device."""

    def __init__(self, path: Path, slots: int) -> None:
        self._file = OpenFile(os.fsdecode(path))
        self.slots = slots
        self.bytes_written = 0

    def capacity(self, slot: int) -> int:
        return slot_bytes(self._file.size(), self.slots, SECTOR)

    def claim(self) -> int:
        self._file.fd(True)
        return self._file.times_locked

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        nbytes = self.capacity(slot)
        if need <= nbytes:
            self._refuse_foreign(mark, nbytes)
            return
        if self._file.is_device():
            raise _too_small(nbytes, need, "device")
        if not alone:
            raise _too_small(nbytes, need, "file")
        if self._file.size():
            self._refuse_foreign(mark, nbytes)
        nbytes = _rounded(need)
        self._file.create(_formatted(mark, nbytes, self.slots))
        self.bytes_written += nbytes * self.slots

    def _refuse_foreign(self, mark: Piece, nbytes: int) -> None:
        """Raise ValueError for a file or a disk with other contents, such as a mistyped name."""
        known, blank = bytes(mark)[:8], (bytes(8), b"\xff" * 8)
        allowed = (known, *blank) if self._file.is_device() else (known,)
        start = memoryview(bytearray(8))
        for slot in range(self.slots):
            self._file.read_into(slot * nbytes, start)
            if bytes(start) in allowed:
                return
        raise ValueError(f"{self._file.path} does not hold checkpoints")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        return self._file.read_into(slot * self.capacity(slot) + offset, memory)

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        self.bytes_written += self._file.write(slot * self.capacity(slot) + offset, piece)

    def sync(self, slot: int) -> None:
        self._file.sync()

    def sync_all(self) -> None:
        _sync_files([self._file])

    def arrangement(self, taken: Taken, head: int) -> Arrangement:
        return arrangement(self._file.size(), SECTOR, taken, partial(self._file.start, count=head))

    def use(self, slots: int) -> None:
        self.slots = slots

    def close(self) -> None:
        self._file.close()


def _slot_path(folder: str, slot: int) -> str:
    return os.path.join(folder, f"slot-{slot}.checkpoint")


class FolderMedium:
    """A file of fixed size for each slot, in one folder."""

    def __init__(self, folder: Path, slots: int) -> None:
        self._folder = os.path.abspath(os.fsdecode(folder))
        self._files = [OpenFile(_slot_path(self._folder, i)) for i in range(slots)]
        self.slots = slots
        self.bytes_written = 0

    def capacity(self, slot: int) -> int:
        return self._files[slot].size()

    def claim(self) -> int:
        for file in self._files:
            file.fd(True)
        return sum(file.times_locked for file in self._files)

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        for i, file in enumerate(self._files):
            if self.capacity(i) < (need if i == slot else 1):
                # All slots at once, so that a full device fails before anything is learned.
                nbytes = _rounded(need)
                file.create(_formatted(mark, nbytes, 1))
                self.bytes_written += nbytes

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        return self._files[slot].read_into(offset, memory)

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        self.bytes_written += self._files[slot].write(offset, piece)

    def sync(self, slot: int) -> None:
        self._files[slot].sync()

    def sync_all(self) -> None:
        _sync_files(self._files)

    def arrangement(self, taken: Taken, head: int) -> Arrangement:
        places, least, likely = [], 2, 2
        for i in range(MAX_SLOTS):
            file = OpenFile(_slot_path(self._folder, i))
            start = file.start(0, head)
            file.close()
            if start:
                likely = max(likely, i + 1)
            if taken(start):
                places.append(file.path)
                least = max(least, i + 1)
        others = (n for n in range(least, MAX_SLOTS + 1) if n != likely)
        return Arrangement(tuple(places), (likely, *others))

    def use(self, slots: int) -> None:
        for file in self._files[slots:]:
            file.close()
        more = range(len(self._files), slots)
        self._files = self._files[:slots] + [OpenFile(_slot_path(self._folder, i)) for i in more]
        self.slots = slots

    def close(self) -> None:
        for file in self._files:
            file.close()


def medium_at(place: Any, slots: int) -> Medium:
    """The medium for a path or a writable buffer."""
    if isinstance(place, (str, bytes, os.PathLike)):
        name = os.fsdecode(place)
        kind = FolderMedium if os.path.isdir(name) else FileMedium
        return kind(name, slots)
    return MemoryMedium(place, slots)
