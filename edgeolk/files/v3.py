"""Format version 3: the state of a block, header first, its regions at the positions in the table.

See ``configuration/header.py`` for the header. Regions lie in any order at offsets that are
multiples of 8; numbers are little-endian. Rows of a region with several rows (the ring,
coefficients of several classes) may be padded: a row has as many numbers as the region divided by
its rows. A file longer than twice its block plus a header is rejected unread: padding is never so
long. The CRC-32 covers the file, with its own four bytes as 0.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, replace
from typing import Any

from edgeolk.configuration.header import CRC_OFFSET, NATIVE, PLACES, Head, length_of, unpack
from edgeolk.configuration.regions import ELEMENT_BYTES
from edgeolk.configuration.settings import Settings
from edgeolk.files import live
from edgeolk.files.seal import checksum, verify
from edgeolk.files.words import WORDS

_SWAP = sys.byteorder == "big"


@dataclass(frozen=True)
class Stored:
    """The content of a model file, as any reader returns it: in terms of the current version.

    Attributes
    ----------
    config : Settings
        Its configuration; only its parts and kernel are checked.
    words : dict
        State outside the regions: counters, generator state, common scale, norm.
    regions : dict
        State regions only, name to (element type, stride, bytes): one of ``struct``'s d, f, e, b, q
        and i; elements from one row of the region to the next, 0 if there is one row; the bytes
        without padding at the end, little-endian.
    """

    config: Settings
    words: dict[str, Any]
    regions: dict[str, tuple[str, int, memoryview]]


def swapped(data: memoryview, width: int) -> bytearray:
    """Numbers of this width in the other byte order."""
    out = bytearray(len(data))
    for byte in range(width):
        out[byte::width] = data[width - 1 - byte :: width]
    return out


def written(block: memoryview) -> bytearray:
    """The file of a live block."""
    head = unpack(block, NATIVE)
    file = bytearray(block[: head.nbytes])
    length = length_of(block, NATIVE)
    file[:length] = replace(head, flags=0).pack("<")
    if _SWAP:
        for element, offset, count in head.table.values():
            width = ELEMENT_BYTES[element]
            end = offset + width * count
            file[offset:end] = swapped(block[offset:end], width)
    if "checksums" in head.table:
        # A file does not need the checksums of its block: it has a CRC-32.
        _, offset, count = head.table["checksums"]
        file[offset : offset + 4 * count] = bytes(4 * count)
    file[CRC_OFFSET : CRC_OFFSET + 4] = checksum(file, CRC_OFFSET).to_bytes(4, "little")
    return file


def check_table(head: Head, length: int) -> None:
    """Check that there are no flags, and that regions are in the file, without overlap.

    Raises ValueError: it is not so.
    """
    if head.flags:
        raise ValueError(f"the model is inconsistent: flags {head.flags} in a file")
    end = length
    for name, (element, offset, count) in sorted(head.table.items(), key=lambda e: e[1][1]):
        size = ELEMENT_BYTES[element] * count
        if offset < end or offset + size > head.nbytes:
            raise ValueError(f"the model is inconsistent: region {name} is at offset {offset}")
        end = offset + size


def read(data: bytes | bytearray | memoryview) -> Stored:
    """Read a model of format 3; the regions of the result are views of ``data``, the entire file.

    Raises ValueError: not a complete, consistent model of this format.
    """
    view = memoryview(data)
    head = unpack(view)
    verify(view, head.nbytes, "model", CRC_OFFSET)
    check_table(head, length_of(view))
    if head.columns < 1:
        raise ValueError("the model is inconsistent: no column of coefficients")
    words: dict[str, Any] = {name: getattr(head, name) for name in PLACES}
    regions: dict[str, tuple[str, int, memoryview]] = {}
    rows = {"support_vectors": head.n_features, "window": head.n_features}
    rows["levels"] = 2
    rows |= dict.fromkeys(("coefficients", "mean_start", "mean_sum"), head.columns)
    for name, (element, offset, count) in head.table.items():
        part = view[offset : offset + ELEMENT_BYTES[element] * count]
        if name in WORDS:
            if element != "w" or count < len(WORDS[name]):
                raise ValueError(f"the model is inconsistent: {name} of {count} words")
            for place, (word, code) in enumerate(WORDS[name]):
                (words[word],) = struct.unpack_from(f"<{code}", part, 8 * place)
            continue
        each = rows.get(name, 1)
        if count % max(each, 1):
            raise ValueError(f"the model is inconsistent: {name} of {count} numbers")
        regions[name] = (element, count // each if each > 1 else 0, part)
    return Stored(live.config_from(head), words, regions)
