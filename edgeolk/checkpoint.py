"""Model files: the block itself, sealed with a CRC-32 in its header."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Literal

from edgeolk.config import QUERY_BYTES, Config, from_header
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.core.header import CRC_OFFSET, HEADER_BYTES, read_header
from edgeolk.files.atomic import Path, opened_regular, read_into, write_whole
from edgeolk.files.invariants import check_state
from edgeolk.parts import Dtype
from edgeolk.planning import plan_of

#: No model is larger; a file that says so is not read into memory.
MOST_BYTES = 2**40
#: Regions from this one on are scratch.
FIRST_SCRATCH = "query"
_Element = Literal["b", "d", "f", "H", "q"]
_STORED_AS: dict[Dtype, _Element] = {
    Dtype.FLOAT32: "f",
    Dtype.FLOAT64: "d",
    Dtype.FLOAT16: "H",
    Dtype.INT8: "b",
}
_ELEMENTS: dict[str, _Element] = {
    "arrivals": "q",
    "nearest": "q",
    "quantum_scale": "f",
    "quantum_offset": "f",
}


def _crc(block: bytes | bytearray | memoryview) -> int:
    crc = zlib.crc32(block[:CRC_OFFSET])
    crc = zlib.crc32(bytes(4), crc)
    return zlib.crc32(memoryview(block)[CRC_OFFSET + 4 :], crc)


def verify(block: bytes | memoryview, nbytes: int, what: str = "model") -> None:
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


def _element(config: Config, name: str) -> _Element:
    if name in ("support_vectors", "window"):
        return _STORED_AS[config.dtype]
    if name == "norms":
        return "d" if QUERY_BYTES[config.dtype] == 8 else "f"
    return _ELEMENTS.get(name, "d")


def regions_of(config: Config, block: memoryview) -> dict[str, memoryview[Any]]:
    """The regions of a block by name, flat, in the types of their elements; without scratch."""
    regions = {}
    # A loop: Python loses what a comprehension holds when memory is too short to end it.
    for region in plan_of(config).regions[1:]:
        if region.name == FIRST_SCRATCH:
            break
        part = block[region.offset : region.offset + region.nbytes]
        regions[region.name] = part.cast(_element(config, region.name))
    return regions


def check_block(config: Config, header: Mapping[str, Any], block: memoryview) -> None:
    """Check the state in a block, whoever wrote it.

    Raises
    ------
    ValueError
        It is none that learning leads to.
    """
    check_state(config, header, regions_of(config, block))


def _configured(header: Mapping[str, Any], length: int) -> Config:
    """The configuration of a block, once its length is the one that follows from it."""
    try:
        config = from_header(header)
    except ValueError as error:
        raise ValueError(f"the model's configuration is damaged: {error}") from None
    said = plan_of(config).nbytes - ALIGNMENT
    if length != said:
        raise ValueError(f"the model has {length} bytes, its plan says {said}")
    return config


def checked(block: bytes) -> Config:
    """The configuration of a sealed block, everything about it checked.

    Raises
    ------
    ValueError
        Wrong mark, version, length, CRC, configuration or state.
    """
    header = read_header(block)
    verify(block, header["nbytes"])
    config = _configured(header, len(block))
    check_block(config, header, memoryview(block))
    return config


def write(path: Path, block: bytes) -> None:
    """Write a file whole."""
    write_whole(path, (block,))


def _sized(start: bytes, size: int, what: str) -> None:
    """Mark and length, before anything is read into memory."""
    if not start.startswith(b"edge"):
        raise ValueError(f"not a {what}: the first bytes are not the mark of one")
    said = int.from_bytes(start[CRC_OFFSET + 4 : CRC_OFFSET + 12], "little")
    if said != size or size > MOST_BYTES:
        raise ValueError(f"the {what} should have {said} bytes, got {size}")


def read(path: Path, least: int, what: str) -> bytes:
    """Bytes of a file that holds a block with at least ``least`` bytes of header.

    Raises
    ------
    ValueError
        Its size cannot be right.
    """
    with opened_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(least)
        if len(start) < least:
            raise ValueError(f"not a {what}: {size} bytes")
        _sized(start, size, what)
        return start + file.read(size - least)


def read_model(path: Path) -> tuple[Config, Arena]:
    """Configuration and block of a model file, everything about them checked.

    The configuration is checked before memory is taken, and the block is read where it is to stay.

    Raises
    ------
    ValueError
        Wrong mark, version, length, CRC, configuration or state.
    """
    with opened_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(HEADER_BYTES)
        if len(start) < HEADER_BYTES:
            raise ValueError(f"not a model: {size} bytes, a header alone has {HEADER_BYTES}")
        _sized(start, size, "model")
        header = read_header(start)
        config = _configured(header, size)
        arena = Arena(plan_of(config).nbytes)
        with memoryview(arena) as block:
            block[:HEADER_BYTES] = start
            read_into(file, block[HEADER_BYTES:])
            verify(block, header["nbytes"])
            check_block(config, header, block)
    return config, arena
