"""Checksums inside a live block: a bit that flipped while nobody looked is found.

The region ``checksums`` has a CRC-32 of each region of state, in the order of the table; in the
place of its own stands that of the header. They hold while the flag says so: the next step takes it
away.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from edgeolk.head import FLAGS_OFFSET, NATIVE, SEALED, Head, length_of, unpack
from edgeolk.planning.regions import ELEMENT_BYTES

NAME = "checksums"


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
    """Write the checksums of a block that has room for them, then the flag."""
    head = unpack(block, NATIVE)
    held = _held(head, block)
    for at, (_, crc) in enumerate(_sums(head, block)):
        held[at] = crc
    struct.pack_into("=H", block, FLAGS_OFFSET, SEALED)


def is_sealed(head: Head) -> bool:
    return NAME in head.table and head.flags == SEALED


def verify(head: Head, block: memoryview) -> None:
    """Compare the checksums of a sealed block.

    Raises
    ------
    ValueError
        A region is not as it was sealed; says which.
    """
    held = _held(head, block)
    changed = [name for at, (name, crc) in enumerate(_sums(head, block)) if held[at] != crc]
    if changed:
        raise ValueError(f"the model has changed since it was sealed: {', '.join(changed)}")
