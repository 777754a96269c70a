"""Length and CRC-32 of blocks and files, independent of their contents."""

from __future__ import annotations

import zlib

from edgeolk.files.atomic import Path, open_regular

#: Offset of the checksum in a scaler's block; its length follows.
CRC_OFFSET = 12


def checksum(block: bytes | bytearray | memoryview, at: int) -> int:
    """CRC-32 of a block, with the four bytes of the checksum itself as 0."""
    view = memoryview(block)
    crc = zlib.crc32(view[:at])
    crc = zlib.crc32(bytes(4), crc)
    return zlib.crc32(view[at + 4 :], crc)


def verify(block: bytes | memoryview, nbytes: int, what: str, at: int = CRC_OFFSET) -> None:
    """Check length and CRC-32 of a sealed block.

    Raises ValueError: wrong length or CRC.
    """
    if nbytes != len(block):
        raise ValueError(f"the {what} should have {nbytes} bytes, got {len(block)}")
    if int.from_bytes(block[at : at + 4], "little") != checksum(block, at):
        raise ValueError(f"the {what} is damaged: its CRC-32 does not match")


def sealed(block: bytearray) -> bytes:
    """A scaler's block with its CRC-32 filled in."""
    block[CRC_OFFSET : CRC_OFFSET + 4] = checksum(block, CRC_OFFSET).to_bytes(4, "little")
    return bytes(block)


def read(path: Path, header_bytes: int, what: str) -> bytes:
    """Bytes of a scaler's file, which has at least ``header_bytes``.

    Raises ValueError: it is not such a file, or its size is wrong.
    """
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(header_bytes)
        if len(start) < header_bytes:
            raise ValueError(f"not a {what}: {size} bytes")
        if not start.startswith(b"edge"):
            raise ValueError(f"not a {what}: the file starts with other bytes")
        stated = int.from_bytes(start[CRC_OFFSET + 4 : CRC_OFFSET + 12], "little")
        if stated != size:
            raise ValueError(f"the {what} should have {stated} bytes, got {size}")
        return start + file.read(size - header_bytes)
