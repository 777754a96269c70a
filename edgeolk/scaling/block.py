"""The block of a scaler: its layout to the byte, and its file.

A file is the block: the 64 bytes of Head (core/scaler.pxd), then the regions of the plan, all
little-endian; a live block has the byte order of the machine.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from edgeolk.checks import check_int
from edgeolk.configuration.layout import region_table
from edgeolk.configuration.regions import Region
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.files import checksums
from edgeolk.files.atomic import write_atomically
from edgeolk.scaling.record import (
    COMPACT,
    METHODS,
    NAMES,
    RECORD_BYTES,
    clip_number,
    fits_compact,
    window_number,
)

#: Size of the struct Head (core/scaler.pxd); bytes of a feature's four numbers and two counts.
HEAD_BYTES = 64
FEATURE_BYTES = 40

# Regions: name, bytes per feature, purpose.
_MOMENTS = (
    ("mean", 8, "mean of each feature"),
    ("mean_low", 8, "what rounding leaves out of it"),
    ("m2", 8, "sum of squared distances from the mean"),
    ("level", 1, "unit the feature is counted in"),
)
_WINSORISED = (("features", FEATURE_BYTES, "mean, deviation and clipped readings of each"),)
_COMPACT = (("statistics", RECORD_BYTES, "mean, deviation and age of each"),)
_RANGE = (("min", 8, "least of each feature"), ("max", 8, "most of each feature"))


@dataclass(frozen=True)
class ScalerPlan:
    """Memory layout of a scaler.

    Page: docs/rows.md.

    Attributes
    ----------
    method : str
        "standard" or "minmax".
    n_features : int
        Numbers in a row.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly the size of the scaler.
    """

    method: str
    n_features: int
    regions: tuple[Region, ...]
    nbytes: int

    def __str__(self) -> str:
        title = f"{self.method} scaler: d = {self.n_features}"
        return region_table(title, self.regions, self.nbytes)


def plan_of(n_features: int, method: int, clipped: bool) -> ScalerPlan:
    """Lay out regions on 64-byte boundaries, with alignment slack last."""
    specs: tuple[tuple[str, int, str], ...] = _WINSORISED if clipped else ()
    if method == COMPACT:
        specs = _COMPACT
    elif method == METHODS["minmax"]:
        specs += _RANGE
    elif not clipped:
        specs += _MOMENTS
    regions = []
    offset = 0
    head = ("header", HEAD_BYTES, "configuration and counters")
    rest = [(name, size * n_features, purpose) for name, size, purpose in specs]
    for name, size, purpose in (head, *rest):
        size = -(-size // ALIGNMENT) * ALIGNMENT
        regions.append(Region(name, offset, size, purpose))
        offset += size
    slack = "padding: the buffer may start at any address"
    regions.append(Region("alignment", offset, ALIGNMENT, slack))
    return ScalerPlan(NAMES[method], n_features, tuple(regions), offset + ALIGNMENT)


FORMAT_VERSION = 2
MAGIC = b"edgescal"
MAX_SEEN = 2**62

HEAD = struct.Struct("<8sIIqqqqHHId")
#: The fields of Head and of the statistics of a feature (c/scaler.h).
_HEAD_NUMBERS = np.dtype([("magic", "S8"), ("a", "u4", 2), ("b", "i8", 4), ("c", "u2", 2),
                          ("window", "u4"), ("clip", "f8")])  # fmt: skip
FEATURE = np.dtype([("numbers", "<f8", 4), ("counts", "<u4", 2)])
assert (_HEAD_NUMBERS.itemsize, FEATURE.itemsize) == (HEAD_BYTES, FEATURE_BYTES)
#: Element types of regions; the others have numbers of 8 bytes.
_ELEMENTS = {"features": FEATURE, "level": np.dtype("u1"), "statistics": np.dtype("u1")}


class Head(NamedTuple):
    """Head of core/scaler.pxd, field by field."""

    magic: bytes
    format_version: int
    crc: int
    nbytes: int
    n_features: int
    freeze_after: int
    n_seen: int
    method: int
    frozen: int
    window: int
    clip: float


def byte_swapped(block: bytes | bytearray | memoryview, plan: ScalerPlan) -> bytearray:
    """The block with its byte order swapped."""
    swapped = bytearray(block)
    parts: list[tuple[Any, int, int]] = [(_HEAD_NUMBERS, 1, 0)]
    for region in plan.regions[1:-1]:
        element = _ELEMENTS.get(region.name, np.dtype("f8"))
        parts.append((element, region.nbytes // element.itemsize, region.offset))
    for element, count, offset in parts:
        np.frombuffer(swapped, element, count, offset).byteswap(inplace=True)
    return swapped


def sealed(arena: Arena) -> bytes:
    """The bytes of a file, including the CRC-32 of the block."""
    block = bytearray(memoryview(arena))
    if sys.byteorder == "big":
        head = Head(*struct.unpack_from(HEAD.format.replace("<", ">"), block))
        block = byte_swapped(block, plan_of(head.n_features, head.method, head.clip > 0))
    return checksums.sealed(block)


def write(path: str | PathLike[str], arena: Arena) -> None:
    """Write the sealed block to a file."""
    write_atomically(path, (sealed(arena),))


def read(path: str | PathLike[str]) -> bytes:
    """The block in a file, unchecked."""
    return checksums.read(path, HEAD_BYTES, "scaler")


def _check_head(head: Head) -> None:
    try:
        clip_number(head.clip or None)
        window_number(head.window or None, head.clip)
    except ValueError as error:
        raise ValueError(f"the scaler is inconsistent: {error}") from None
    if head.method == COMPACT and not fits_compact(head.method, head.clip, head.window):
        raise ValueError("the scaler is inconsistent: it takes more than 9 bytes a feature")
    if (
        head.method not in NAMES
        or head.frozen not in (0, 1)
        or bool(head.window) != bool(head.clip)
        or not 0 <= head.freeze_after <= MAX_SEEN
        or not 0 <= head.n_seen <= MAX_SEEN
        or (head.freeze_after and head.n_seen > head.freeze_after)
        or (head.freeze_after and head.n_seen == head.freeze_after and not head.frozen)
    ):
        raise ValueError("the scaler is inconsistent: its header contradicts itself")


def _length(block: bytes) -> int:
    """The length recorded in a file of this format."""
    if len(block) < HEAD_BYTES:
        raise ValueError(f"not a scaler: {len(block)} bytes, a header has {HEAD_BYTES}")
    magic, version, _, nbytes, *_ = HEAD.unpack_from(block)
    if magic != MAGIC:
        raise ValueError("not a scaler: the first 8 bytes are not the mark of one")
    if version != FORMAT_VERSION:
        never = ", which was never released" if version == 1 else ""
        raise ValueError(
            f"the scaler is of format {version}{never}; this version reads format {FORMAT_VERSION}"
        )
    return int(nbytes)


def _checked_head(block: bytes) -> Head:
    """The header of the current format, checked."""
    head = Head(*HEAD.unpack_from(block))
    _check_head(head)
    plan = plan_of(check_int("n_features", head.n_features, 1), head.method, head.clip > 0)
    if plan.nbytes != head.nbytes + ALIGNMENT:
        raise ValueError(
            f"the scaler has {head.nbytes} bytes, its plan says {plan.nbytes - ALIGNMENT}"
        )
    return head


def check_start(start: bytes, size: int, most: int | None = None) -> int:
    """Check a scaler of ``size`` bytes by its header, before reading the rest.

    Returns the bytes of its block. Raises ValueError: not a scaler of that size, or it takes more
    than ``most`` bytes.
    """
    nbytes = _length(start)
    if nbytes != size:
        raise ValueError(f"the scaler should have {nbytes} bytes, got {size}")
    _checked_head(start)
    nbytes_taken = size + ALIGNMENT
    if most is not None and nbytes_taken > most:
        raise ValueError(f"the scaler takes {nbytes_taken} bytes, more than ram allows: {most}")
    return nbytes_taken


def checked(block: bytes) -> tuple[Head, bytes]:
    """The header and the block of a file in native byte order, all checked but the statistics.

    Raises ValueError: wrong mark, version, length, CRC or configuration.
    """
    nbytes = _length(block)
    checksums.verify_file(block, nbytes, "scaler")
    head = _checked_head(block)
    if sys.byteorder == "big":
        block = bytes(byte_swapped(block, plan_of(head.n_features, head.method, head.clip > 0)))
    return head, block
