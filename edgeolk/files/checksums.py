"""Checksums: CRC-32 and length of a file, and the checksums inside a live block.

In a live block they detect flipped bits. The region ``checksums`` has a CRC-32 of each region of
state, in the order of the table; its own entry is the CRC-32 of the header. They are valid while
the flag SEALED is set: the next step clears it, and changes at least the number of steps. Bytes
between regions are never read and not covered.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from edgeolk.configuration.header import FLAGS_OFFSET, NATIVE, SEALED, Head, length_of, unpack
from edgeolk.configuration.regions import ELEMENT_BYTES


def checksum(block: bytes | bytearray | memoryview, at: int) -> int:
    """CRC-32 of a block, with the four bytes of the checksum itself as 0."""
    view = memoryview(block)
    crc = zlib.crc32(view[:at])
    crc = zlib.crc32(bytes(4), crc)
    return zlib.crc32(view[at + 4 :], crc)


def verify_file(block: bytes | memoryview, nbytes: int, what: str, at: int) -> None:
    """Check length and CRC-32 of a sealed block.

    Raises ValueError: wrong length or CRC.
    """
    if nbytes != len(block):
        raise ValueError(f"the {what} should have {nbytes} bytes, got {len(block)}")
    if int.from_bytes(block[at : at + 4], "little") != checksum(block, at):
        raise ValueError(f"the {what} is damaged: its CRC-32 does not match")


NAME = "checksums"
#: Flips every bit of a checksum.
_EVERY_BIT = 2**32 - 1


def _sums(head: Head, block: memoryview) -> Iterator[tuple[str, int]]:
    """The name of what each checksum covers, and its right value."""
    for name, (element, offset, count) in head.table.items():
        if name == NAME:
            start = bytearray(block[: length_of(block, NATIVE)])
            start[FLAGS_OFFSET : FLAGS_OFFSET + 2] = bytes(2)
            yield "header", zlib.crc32(start)
        else:
            yield name, zlib.crc32(block[offset : offset + ELEMENT_BYTES[element] * count])


def _stored(head: Head, block: memoryview) -> memoryview[Any]:
    _, offset, count = head.table[NAME]
    return block[offset : offset + 4 * count].cast("B").cast("I")


def seal(block: memoryview) -> None:
    """Write the checksums of a block with a region for them, then the flag.

    Until all of that is written, the header's checksum is stored with every bit flipped: an
    interrupted seal is invalid, whichever writes were the last.
    """
    head = unpack(block, NATIVE)
    stored = _stored(head, block)
    header_place = list(head.table).index(NAME)
    sums = [crc for _, crc in _sums(head, block)]
    stored[header_place] = sums[header_place] ^ _EVERY_BIT
    for at, crc in enumerate(sums):
        if at != header_place:
            stored[at] = crc
    struct.pack_into("=H", block, FLAGS_OFFSET, SEALED)
    stored[header_place] = sums[header_place]


def forget(head: Head, block: memoryview) -> None:
    """Zero the checksums of an earlier seal, if the block has them.

    A step that was interrupted before its first write leaves everything as sealed, but for the
    flag.
    """
    if NAME in head.table:
        _, offset, count = head.table[NAME]
        block[offset : offset + 4 * count] = bytes(4 * count)


def verify(head: Head, block: memoryview) -> bool:
    """Compare the checksums of a block; return whether it is sealed.

    Raises ValueError with their names: regions have changed since the block was sealed. Also if
    only the flag has.
    """
    if NAME not in head.table:
        return False
    stored = _stored(head, block)
    header_place = list(head.table).index(NAME)
    sums = list(_sums(head, block))
    if stored[header_place] == sums[header_place][1] ^ _EVERY_BIT:
        return False
    changed = [name for at, (name, crc) in enumerate(sums) if stored[at] != crc]
    if head.flags == SEALED:
        if changed:
            raise ValueError(f"the model has changed since it was sealed: {', '.join(changed)}")
        return True
    # A step that clears the flag changes a counter, or leaves the mark of an interrupted step.
    if not head.flags and not changed:
        raise ValueError("the model has changed since it was sealed: the flag of the seal is off")
    return False
