"""A store of checkpoints that a power cut cannot break: slots written in turn.

Design: each slot is a header of 32 bytes and a payload; the header has a sequence number, the
payload's length and CRC-32, and a CRC-32 of the header. A checkpoint goes to a slot that is not the
newest valid one: payload, sync, header, sync. So the header never reaches the device before its
payload, and until it does, the newest slot is still the previous one. Nothing is renamed, grown or
moved, which file systems without a journal (FAT) do not do safely. Opening only reads.

Data may be in the cache only, if a process was killed before its sync. So the first write of a
process first syncs everything that it found; later it syncs only its own writes.

Sequence numbers wrap: a is newer than b if (a - b) mod 2^32 is below 2^31.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from edgeolk.errors import NewerFormatError
from edgeolk.files.atomic import Path
from edgeolk.files.locked import Piece
from edgeolk.files.media import Medium, medium_at

MAGIC = b"edgeckpt"
VERSION = 1
#: magic, format version, sequence number, payload length and CRC-32; then their CRC-32.
_FIELDS = struct.Struct("<8sIIQI")
_SEAL = struct.Struct("<I")
HEADER_BYTES = _FIELDS.size + _SEAL.size
_ROUND = 2**32

#: Bytes of a payload that are read at a time.
_PIECE = 65_536

#: The bytes of flash memory that was erased.
_ERASED = {0xFF}
_DAMAGED = "its payload is damaged: the CRC-32 does not match"

Check = Callable[[bytearray], Any]
#: Bytes of a payload from an offset on, fewer at its end.
Part = Callable[[int, int], bytes]
Look = Callable[[int, Part], Any]


@dataclass(frozen=True)
class Opened:
    """The result of opening.

    Attributes
    ----------
    slot : int or None
        The slot of the newest complete checkpoint, None if there is none.
    sequence : int or None
        Its sequence number.
    refused : dict of int to str
        Every other slot that is not an older complete checkpoint, and why.
    newer : tuple of int
        Those of them that a newer version of the library has written.
    """

    slot: int | None
    sequence: int | None
    refused: dict[int, str]
    newer: tuple[int, ...] = ()

    def __str__(self) -> str:
        found = "no checkpoint" if self.slot is None else f"slot {self.slot}, no. {self.sequence}"
        return "; ".join([found, *(f"slot {i}: {why}" for i, why in self.refused.items())])


@dataclass(frozen=True)
class _Head:
    sequence: int
    length: int
    crc: int


class _Newer(str):
    """Why a slot is refused that a newer version of the library has written."""


def packed_head(sequence: int, length: int, crc: int) -> bytes:
    """A header; length 0 marks a slot that was created, but never written."""
    fields = _FIELDS.pack(MAGIC, VERSION, sequence, length, crc)
    return fields + _SEAL.pack(zlib.crc32(fields))


def _head_in(raw: bytes | bytearray) -> _Head | str:
    """The header at the start of a slot, or why it is invalid."""
    if len(raw) < HEADER_BYTES or set(raw) in ({0}, _ERASED):
        return "empty"
    magic, version, sequence, length, crc = _FIELDS.unpack_from(raw)
    if magic != MAGIC:
        return "its header is not that of a checkpoint"
    if _SEAL.unpack_from(raw, _FIELDS.size)[0] != zlib.crc32(raw[: _FIELDS.size]):
        return "its header is damaged: the CRC-32 does not match"
    if version != VERSION:
        why = f"checkpoint format {version}; this version reads {VERSION}"
        return _Newer(why) if version > VERSION else why
    if length == 0:
        return "empty"
    return _Head(sequence, length, crc)


def taken(raw: bytes) -> int:
    """Bytes of a header and its checkpoint, if they start with these bytes; 0 if it is no header.

    Also for a slot that was never written, and of a newer version, whose lengths are not known.
    """
    head = _head_in(raw)
    if isinstance(head, _Head):
        return HEADER_BYTES + head.length
    is_mark = isinstance(head, _Newer) or raw[:HEADER_BYTES] == packed_head(0, 0, 0)
    return HEADER_BYTES if is_mark else 0


def has_checkpoints(path: Path) -> bool:
    """Whether a file or a folder has the header of a slot, even where others are damaged."""
    medium, start = medium_at(path, 2), bytearray(len(MAGIC))
    try:
        medium.read_into(0, 0, memoryview(start))
        return start == MAGIC or bool(medium.arrangement(taken, HEADER_BYTES).places)
    finally:
        medium.close()


def is_newer(a: int, b: int) -> bool:
    """Whether sequence number a comes after b, even across the wrap."""
    return 0 < (a - b) % _ROUND < _ROUND // 2


def _crc(pieces: Sequence[Piece]) -> int:
    crc = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
    return crc


class Slots:
    """Checkpoints on a medium.

    Parameters
    ----------
    medium : Medium
        At least two slots.
    check : callable
        Payload -> its objects; raises ValueError if it is invalid.
    look : callable, optional
        Gets a payload's length and a function that reads parts of it; raises ValueError if the
        payload is invalid. Then no more is read and no memory is allocated.
    finds : bool
        Whether the medium gets the number of slots that are there; else it must be its own.
    """

    def __init__(
        self, medium: Medium, check: Check, look: Look | None = None, *, finds: bool = False
    ) -> None:
        self._medium = medium
        self._check = check
        self._look = look
        self._heads: dict[int, _Head] = {}
        self._head = bytearray(HEADER_BYTES)
        self._in_doubt: set[int] = set()
        self._unread: set[int] = set()
        self._newer: set[int] = set()
        self._finds = finds
        self._claim = 0
        #: The process that writes, 0 before the first write.
        self._owner = 0
        self.opened: Opened | None = None

    # ---- reading ----------------------------------------------------------------------------

    def _read_head(self, slot: int) -> _Head | str:
        """The header of a slot, or why it has none."""
        raw = self._head
        got = self._medium.read_into(slot, 0, memoryview(raw))
        head = _head_in(raw if got == HEADER_BYTES else b"")
        if isinstance(head, _Head) and head.length > self._medium.capacity(slot) - HEADER_BYTES:
            return f"{head.length} bytes do not fit into the slot"
        return head

    def _find_slots(self) -> None:
        """Find the number of slots; raises ValueError if it is not the one that was given."""
        try:
            found = self._medium.arrangement(taken, HEADER_BYTES)
        except OSError:
            return  # reported for each slot later
        numbers, given = found.numbers, self._medium.slots
        if not found.places or (given in numbers and not self._finds):
            return
        if not numbers:
            raise ValueError(
                f"headers of checkpoints at {', '.join(found.places)} do not lie as those of any"
                " number of slots: keep them under another name, and begin in another place; if"
                " several learners have slots in it, open the bytes of each by themselves (edgeolk"
                " info --pairs)"
            )
        if not self._finds:
            raise ValueError(
                f"the checkpoints are in {numbers[0]} slots, got slots={given}: pass"
                f" slots={numbers[0]}, or leave it out"
            )
        if numbers[0] != given:
            self._medium.use(numbers[0])

    def _read_heads(self) -> tuple[dict[int, _Head], dict[int, str]]:
        """The headers by slot, and why the other slots have none."""
        heads: dict[int, _Head] = {}
        refused: dict[int, str] = {}
        for slot in range(self._medium.slots):
            try:
                head = self._read_head(slot)
            except OSError as error:
                head = f"it cannot be read: {error}"
            if isinstance(head, str):
                refused[slot] = head
            else:
                heads[slot] = head
        return heads, refused

    def _fill(self, slot: int, head: _Head, offset: int, memory: memoryview) -> None:
        """Fill memory from an offset of a payload on; raises ValueError if it ends before."""
        got = self._medium.read_into(slot, HEADER_BYTES + offset, memory)
        if got < len(memory):
            raise ValueError(f"it ends after {offset + got} of {head.length} bytes")

    def _look_at(self, slot: int, head: _Head) -> None:
        """Check a payload by parts of it; raises ValueError if it is invalid."""

        def part(offset: int, count: int) -> bytes:
            piece = bytearray(min(count, head.length - offset))
            self._fill(slot, head, offset, memoryview(piece))
            return bytes(piece)

        if self._look is None:
            return
        try:
            self._look(head.length, part)
        except NewerFormatError:
            crc = 0
            for offset in range(0, head.length, _PIECE):
                crc = zlib.crc32(part(offset, _PIECE), crc)
            if crc != head.crc:
                raise ValueError(_DAMAGED) from None  # so may be the number of its version
            raise

    def _read_payload(self, slot: int, head: _Head) -> Any:
        """The objects in a payload; raises ValueError if it is invalid."""
        self._look_at(slot, head)
        payload = bytearray(head.length)
        with memoryview(payload) as memory:
            for offset in range(0, head.length, _PIECE):
                self._fill(slot, head, offset, memory[offset : offset + _PIECE])
        if _crc([payload]) != head.crc:
            raise ValueError(_DAMAGED)
        return self._check(payload)

    def open(self) -> Any:
        """The objects of the newest complete checkpoint, or None; writes nothing.

        ``opened`` then says which slot it was and why others were refused.

        Raises ValueError: there is a checkpoint written with another number of slots.
        Raises MemoryError: there are checkpoints, but not enough memory for any of them.
        """
        self._find_slots()
        self._heads, refused = self._read_heads()
        self._unread = set()
        self._newer = {slot for slot, why in refused.items() if isinstance(why, _Newer)}
        untried = set(self._heads)
        while untried:
            slot = max(untried, key=self._age)
            untried.remove(slot)
            try:
                value = self._read_payload(slot, self._heads[slot])
            except (ValueError, OSError) as error:
                refused[slot] = str(error)
                if isinstance(error, NewerFormatError):
                    self._newer.add(slot)
                continue
            except MemoryError:
                refused[slot] = f"no memory for the objects in its {self._heads[slot].length} bytes"
                self._unread.add(slot)
                continue
            self._find_newer(untried, refused)
            self._newest(slot, self._heads[slot].sequence, refused)
            return value
        self.opened = Opened(None, None, refused, tuple(sorted(self._newer)))
        if self._unread:
            raise MemoryError(str(self.opened))
        return None

    def _find_newer(self, slots: set[int], refused: dict[int, str]) -> None:
        """Find those of the older checkpoints that a newer version has written."""
        for slot in sorted(slots):
            try:
                self._look_at(slot, self._heads[slot])
            except NewerFormatError as error:
                refused[slot] = str(error)
                self._newer.add(slot)
            except (ValueError, OSError, MemoryError):
                continue  # it will be overwritten

    def _age(self, slot: int) -> int:
        """A number that grows from the oldest to the newest header, even across the wrap."""
        first = self._heads[min(self._heads)].sequence
        return (self._heads[slot].sequence - first + _ROUND // 2) % _ROUND

    def _newest(self, slot: int, sequence: int, refused: dict[int, str]) -> None:
        """Record the newest slot; slots that claim to be newer are in doubt."""
        self.opened = Opened(slot, sequence, refused, tuple(sorted(self._newer)))
        self._in_doubt |= {
            other
            for other, head in self._heads.items()
            if other not in self._newer and is_newer(head.sequence, sequence)
        }

    # ---- writing ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Lock out other writers, and read the slots again if others may have written.

        Since they were opened, another process may have written checkpoints and ended, such as a
        program that overlaps with its successor. Its writes may not be on the device yet, and the
        next checkpoint relies on them: they are synced before anything is written.
        """
        here = os.getpid()
        if self._owner not in (0, here):
            raise RuntimeError(
                f"these checkpoints are written by process {self._owner}, from which process {here}"
                " was forked: create a new Checkpointer in another place"
            )
        claim = self._medium.claim()
        self._owner = here
        if claim == self._claim:
            return
        before = self._medium.slots
        try:
            self._find_slots()
            claim = self._medium.claim()  # of other slots, if these were found
            self._medium.sync_all()
        except OSError:
            self._heads = {}  # read the device again at the next call
            raise
        if (
            self.opened is None
            or self._medium.slots != before
            or self._read_heads()[0] != self._heads
        ):
            self.open()
        self._claim = claim

    def _target(self, newest: int | None) -> int:
        """The slot to write: an invalid one, else the oldest; never the newest.

        Raises ValueError: newer versions of the library have written all slots but one.
        """
        own = [slot for slot in range(self._medium.slots) if slot not in self._newer]
        if len(own) < 2:
            whose = ", ".join(map(str, sorted(self._newer)))
            raise ValueError(
                f"a newer version of the library has written slot {whose} of"
                f" {self._medium.slots}, and two others are needed to write: go on with that"
                " version, or keep these checkpoints under another name"
            )
        others = [slot for slot in own if slot != newest]
        for slot in others:
            if slot in self._in_doubt or slot not in self._heads:
                return slot
        return min(others, key=self._age)

    def write(self, pieces: Sequence[Piece]) -> int:
        """Write the pieces, one after the other, as the newest checkpoint; return its number.

        Parameters
        ----------
        pieces : sequence of bytes-like
            Copies of the objects' bytes, which nothing else changes.

        Raises
        ------
        OSError
            The medium failed, or another process writes there: the newest checkpoint is the
            previous one or this one. Or there was no memory to open one that may be the newest:
            nothing was written.
        MemoryError
            There was no memory to open any checkpoint; nothing was written.
        ValueError
            The slots are too small, were written with another number or have other contents, or
            all but one were written by a newer version; nothing was written.
        RuntimeError
            This process was forked from the one that writes; nothing was written.
        """
        self.refresh()
        assert self.opened is not None
        if self._unread:
            # An unread slot may be the newest one, and would be overwritten.
            raise OSError(errno.ENOMEM, f"cannot overwrite the other checkpoint: {self.opened}")
        newest, last = self.opened.slot, self.opened.sequence
        length, crc = sum(memoryview(piece).nbytes for piece in pieces), _crc(pieces)
        slot, sequence = self._target(newest), 1 if last is None else (last + 1) % _ROUND
        for other in sorted(self._newer & self._heads.keys()):
            if not is_newer(sequence, self._heads[other].sequence):
                sequence = (self._heads[other].sequence + 1) % _ROUND
        medium = self._medium
        medium.prepare(slot, HEADER_BYTES + length, packed_head(0, 0, 0), newest is None)
        if slot in self._in_doubt:
            # Its header may be valid for the payload about to be overwritten, with a newer number.
            medium.write(slot, 0, bytes(HEADER_BYTES))
            medium.sync(slot)
        self._in_doubt.add(slot)
        offset = HEADER_BYTES
        for piece in pieces:
            medium.write(slot, offset, piece)
            offset += memoryview(piece).nbytes
        medium.sync(slot)
        # Recorded before the write: even if that fails, our own header may be on the medium.
        self._heads[slot] = _Head(sequence, length, crc)
        medium.write(slot, 0, packed_head(sequence, length, crc))
        medium.sync(slot)
        self._in_doubt.discard(slot)
        refused = {i: why for i, why in self.opened.refused.items() if i != slot}
        self.opened = Opened(slot, sequence, refused, tuple(sorted(self._newer)))
        return sequence
