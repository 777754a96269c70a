"""Checksums inside a live block detect flipped bits.

The region ``checksums`` has a CRC-32 of each region of state, in the order of the table; in the
place of its own stands that of the header. They hold while the flag says so: the next step takes it
away, and changes at least its count. What lies between two regions is read by nobody, and has none.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from edgeolk.configuration.header import FLAGS_OFFSET, NATIVE, SEALED, Head, length_of, unpack
from edgeolk.configuration.regions import ELEMENT_BYTES

NAME = "checksums"
#: Flips every bit of a checksum.
_ALL = 2**32 - 1


def _sums(head: Head, block: memoryview) -> Iterator[tuple[str, int]]:
    """What each checksum covers, and what it should be."""
    for name, (element, offset, count) in head.table.items():
        if name == NAME:
            start = bytearray(block[: length_of(block, NATIVE)])
            start[FLAGS_OFFSET : FLAGS_OFFSET + 2] = bytes(2)
            yield "header", zlib.crc32(start)
        else:
            yield name, zlib.crc32(block[offset : offset + ELEMENT_BYTES[element] * count])


def _held(head: Head, block: memoryview) -> memoryview[Any]:
    _, offset, count = head.table[NAME]
    return block[offset : offset + 4 * count].cast("B").cast("I")


def seal(block: memoryview) -> None:
    """Write the checksums of a block that has room for them, then the flag.

    Until all of that is written the header's checksum stands with every bit flipped: a seal that
    was cut is none, whichever writes were the last.
    """
    head = unpack(block, NATIVE)
    held = _held(head, block)
    own = list(head.table).index(NAME)
    sums = [crc for _, crc in _sums(head, block)]
    held[own] = sums[own] ^ _ALL
    for at, crc in enumerate(sums):
        if at != own:
            held[at] = crc
    struct.pack_into("=H", block, FLAGS_OFFSET, SEALED)
    held[own] = sums[own]


def forget(head: Head, block: memoryview) -> None:
    """Wipe what an earlier seal has left, where there is room for one.

    A step that was cut before its first write leaves all as it was sealed but the flag.
    """
    if NAME in head.table:
        _, offset, count = head.table[NAME]
        block[offset : offset + 4 * count] = bytes(4 * count)


def verify(head: Head, block: memoryview) -> bool:
    """Compare the checksums of a block; whether it is sealed.

    Raises ValueError: a region is not as it was sealed, or nothing but the flag is not; says which.
    """
    if NAME not in head.table:
        return False
    held = _held(head, block)
    own = list(head.table).index(NAME)
    sums = list(_sums(head, block))
    if held[own] == sums[own][1] ^ _ALL:
        return False
    changed = [name for at, (name, crc) in enumerate(sums) if held[at] != crc]
    if head.flags == SEALED:
        if changed:
            raise ValueError(f"the model has changed since it was sealed: {', '.join(changed)}")
        return True
    # Whatever takes the flag away counts itself, or leaves the mark of a cut step.
    if not head.flags and not changed:
        raise ValueError("the model has changed since it was sealed: the flag of the seal is off")
    return False
