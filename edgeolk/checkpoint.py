"""Model files: the block itself, sealed with a CRC-32 in its header."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import Any

from edgeolk.config import Config, from_header
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.core.header import CRC_OFFSET, HEADER_BYTES, read_header
from edgeolk.parts import Basis
from edgeolk.planning import plan_of

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


def check_state(config: Config, header: Mapping[str, Any], block: memoryview) -> None:
    """Check everything in a block that is used as an index, whoever wrote it.

    Raises
    ------
    ValueError
        A count or a slot is out of range, or the levels of int8 storage are no levels.
    """
    n, budget = header["n_support"], config.budget
    if not 0 <= n <= budget or not 0 <= header["cursor"] < budget:
        raise ValueError(f"the model is inconsistent: {n} support vectors of {budget}")
    if config.parts["basis"] == Basis.FOURIER and n != budget:
        raise ValueError(f"the model is inconsistent: {n} frequencies of {budget}")
    most = config.values.get("rank", 0.0) if n == budget else 0.0
    if not 0 <= header["rank"] <= most or header["seen"] < 0:
        raise ValueError(f"the model is inconsistent: rank {header['rank']}")
    for region in plan_of(config).regions:
        part = block[region.offset : region.offset + region.nbytes]
        if region.name == "nearest":
            for slot in part.cast("q")[:n]:
                if not -1 <= slot < n:
                    raise ValueError("the model is inconsistent: a neighbour that is not held")
        if region.name in ("quantum_scale", "quantum_offset"):
            levels = part.cast("f")[: config.n_features]
            least = 0.0 if region.name == "quantum_scale" else -math.inf
            for level in levels:
                if not least < level < math.inf:
                    raise ValueError("the model is inconsistent: its int8 levels are no levels")


def checked(block: bytes) -> Config:
    """The configuration of a sealed block, everything about it checked.

    Raises
    ------
    ValueError
        Wrong mark, version, length, CRC, configuration or state.
    """
    header = read_header(block)
    verify(block, header["nbytes"])
    config = from_header(header)
    length = plan_of(config).nbytes - ALIGNMENT
    if len(block) != length:
        raise ValueError(f"the model has {len(block)} bytes, its plan says {length}")
    check_state(config, header, memoryview(block))
    return config


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
        start = file.read(least)
        if not start.startswith(b"edge"):
            raise ValueError(f"not a {what}: the first bytes are not the mark of one")
        said = int.from_bytes(start[CRC_OFFSET + 4 : CRC_OFFSET + 12], "little")
        if said != size:
            raise ValueError(f"the {what} should have {said} bytes, got {size}")
        return start + file.read(size - least)
