"""Where checkpoints lie: two files, one file, a block device, or memory of the caller.

A medium is a few slots of bytes. It can read, write and sync; it knows nothing of what the bytes
mean. Writes reach the device in any order until ``sync`` returns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Protocol

from edgeolk.files import system
from edgeolk.files.atomic import Path
from edgeolk.files.layouts import MOST_SLOTS, Taken, misplaced, room_of
from edgeolk.files.locked import OpenFile, Piece

#: Two slots share no sector, so a write that is cut short spoils one slot only.
SECTOR = 4096
#: Memory has no sectors; slots begin on cache lines.
LINE = 64
#: Formats of elements that any bytes are; objects are not.
_NUMBERS = frozenset("cbB?hHiIlLqQnNefdg")
_ZEROS = bytes(SECTOR)


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

    def other_slots(self, taken: Taken, head: int) -> str:
        """Where a checkpoint lies that is in none of the slots, "" where there is none.

        It was written with another number of slots. ``head`` bytes are given to ``taken``.
        """

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
        self._room = room_of(len(self._memory), slots, LINE)
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

    def other_slots(self, taken: Taken, head: int) -> str:
        memory = self._memory
        return misplaced(
            len(memory), self.slots, LINE, taken, lambda at: bytes(memory[at : at + head])
        )

    def close(self) -> None:
        self._memory.release()


def _settle(files: Iterable[OpenFile]) -> None:
    """Sync files and their names; an empty one is made anew before it holds anything."""
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
        self._file = OpenFile(os.fsdecode(path))
        self.slots = slots
        self.bytes_written = 0

    def room(self, slot: int) -> int:
        return room_of(self._file.size(), self.slots, SECTOR)

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
        raise ValueError(f"{self._file.path} does not hold checkpoints")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        return self._file.read_into(slot * self.room(slot) + offset, memory)

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        self.bytes_written += self._file.write(slot * self.room(slot) + offset, piece)

    def sync(self, slot: int) -> None:
        self._file.sync()

    def settle(self) -> None:
        _settle([self._file])

    def other_slots(self, taken: Taken, head: int) -> str:
        return misplaced(
            self._file.size(), self.slots, SECTOR, taken, partial(self._file.start, count=head)
        )

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

    def other_slots(self, taken: Taken, head: int) -> str:
        found, last = "", 0
        for i in range(self.slots, MOST_SLOTS):
            file = OpenFile(_slot_path(self._folder, i))
            start = file.start(0, head)
            file.close()
            last = i if start else last
            found = file.path if taken(start) else found
        return f"in {found}, as slots={last + 1} has them" if found else ""

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
