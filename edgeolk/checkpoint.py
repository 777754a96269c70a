"""Model files: the block itself, sealed with a CRC-32 in its header."""

from __future__ import annotations

import os
import zlib
from os import PathLike
from typing import Any

from edgeolk.core.arena import Arena
from edgeolk.core.engine import CRC_OFFSET, HEADER_BYTES, read_header

#: No model is larger; a file that says so is not read into memory.
MOST_BYTES = 2**40


def _crc(block: bytes | bytearray) -> int:
    crc = zlib.crc32(block[:CRC_OFFSET])
    crc = zlib.crc32(bytes(4), crc)
    return zlib.crc32(memoryview(block)[CRC_OFFSET + 4 :], crc)


def verify(block: bytes, nbytes: int, what: str = "model") -> None:
    """Check length and CRC-32 of a sealed block.

    Raises
    ------
    ValueError
        Wrong length or CRC.
    """
    if nbytes != len(block):
        raise ValueError(f"the {what} should have {nbytes} bytes, got {len(block)}")
    if int.from_bytes(block[CRC_OFFSET : CRC_OFFSET + 4], "little") != _crc(block):
        raise ValueError(f"the {what} is damaged: its CRC-32 does not match")


def sealed(arena: Arena) -> bytes:
    """Bytes of a block with its CRC-32 filled in."""
    block = bytearray(memoryview(arena))
    block[CRC_OFFSET : CRC_OFFSET + 4] = _crc(block).to_bytes(4, "little")
    return bytes(block)


def check(block: bytes) -> tuple[dict[str, Any], int]:
    """Header of a sealed block and its number of support vectors.

    Raises
    ------
    ValueError
        Wrong mark, version, length, CRC or state.
    """
    header = read_header(block)
    verify(block, header["nbytes"])
    n, budget = header["n_support"], header["budget"]
    if not 0 <= n <= budget or not 0 <= header["cursor"] < max(budget, 1):
        raise ValueError(f"the model is inconsistent: {n} support vectors of {budget}")
    return header, n


def write(path: str | PathLike[str], block: bytes) -> None:
    """Write a file whole: beside its name first, then renamed over it."""
    target = os.fspath(path)
    beside = f"{target}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.write(block)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def read(path: str | PathLike[str], least: int = HEADER_BYTES, what: str = "model") -> bytes:
    """Bytes of a model file, or of another block of at least ``least`` bytes.

    Raises
    ------
    ValueError
        Its size cannot be a model's.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not least <= size <= MOST_BYTES:
            raise ValueError(f"not a {what}: {size} bytes")
        return file.read(size)
