"""Format version 5: writes a live block as a model file; reads a file into a checked block.

See ``configuration/header.py`` for the header. A file is the state of a block, header first, its
regions in any order at the positions in the table, which are multiples of 8; numbers are
little-endian. Rows of a region with several rows (the ring, coefficients of several classes) may be
padded: a row has as many numbers as the region divided by its rows. A file longer than twice its
block plus a header is rejected unread: padding is never so long. The CRC-32 covers the file, with
its own four bytes as 0.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, replace
from typing import Any

from edgeolk.configuration.header import (
    CRC_OFFSET,
    MAX_HEADER_BYTES,
    NATIVE,
    PLACES,
    VERSION,
    Head,
    length_of,
    refusal_of,
    unpack,
    version_of,
)
from edgeolk.configuration.layout import boundary, layout, total
from edgeolk.configuration.regions import ELEMENT_BYTES, Region
from edgeolk.configuration.settings import Settings
from edgeolk.core.arena import Arena
from edgeolk.files import live
from edgeolk.files.atomic import Path, open_regular, read_into
from edgeolk.files.checksums import checksum, verify_file
from edgeolk.files.live import WORDS

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


def written(file: bytearray) -> bytearray:
    """The file of a live block, made in this copy of it."""
    head = unpack(memoryview(file), NATIVE)
    del file[head.nbytes :]
    length = length_of(memoryview(file), NATIVE)
    file[:length] = replace(head, flags=0).pack("<")
    if _SWAP:
        for element, offset, count in head.table.values():
            width = ELEMENT_BYTES[element]
            end = offset + width * count
            file[offset:end] = swapped(memoryview(file)[offset:end], width)
    if "checksums" in head.table:
        # A file does not need the checksums of its block: it has a CRC-32.
        _, offset, count = head.table["checksums"]
        file[offset : offset + 4 * count] = bytes(4 * count)
    file[CRC_OFFSET : CRC_OFFSET + 4] = checksum(file, CRC_OFFSET).to_bytes(4, "little")
    return file


def native(file: bytes, head: Head) -> bytearray:
    """A file with this header in the byte order of the machine, where that is not of files."""
    block = bytearray(file)
    length = length_of(file)
    block[:length] = head.pack(NATIVE)
    for element, offset, count in head.table.values():
        width = ELEMENT_BYTES[element]
        end = offset + width * count
        block[offset:end] = swapped(memoryview(file)[offset:end], width)
    return block


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
    """Read a model of format 5; the regions of the result are views of ``data``, the entire file.

    Raises ValueError: not a complete, consistent model of this format.
    """
    view = memoryview(data)
    head = unpack(view)
    verify_file(view, head.nbytes, "model", CRC_OFFSET)
    check_table(head, length_of(view))
    if head.columns < 1:
        raise ValueError("the model is inconsistent: no column of coefficients")
    words: dict[str, Any] = {name: getattr(head, name) for name in PLACES}
    regions: dict[str, tuple[str, int, memoryview]] = {}
    rows = {"support_vectors": head.n_features, "window": head.n_features}
    lags = head.values.get("lags", 0.0)
    if not 0.0 <= lags <= head.nbytes:  # NaN too
        raise ValueError(f"the model is inconsistent: lags is {lags!r}")
    rows["support_vectors"] += int(lags)
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


#: Regions of which a file needs only the slots, or the coefficients; the rest is padding.
_OF_SLOTS = ("support_vectors", "norms")
_OF_COEFFICIENTS = ("coefficients", "mean_start", "mean_sum", "per_update")


def _checked(settings: Settings) -> Settings:
    try:
        settings.check()
        return settings
    except ValueError as error:
        raise ValueError(f"the model's configuration is damaged: {error}") from None


def _check_version(start: bytes | memoryview) -> None:
    version = version_of(start)
    if version == 0:
        if bytes(start[:2]) == b"PK":
            raise ValueError("not a model but a zip archive: extract the model first")
        # Imported here: loading a model does not need it.
        from edgeolk.files.slots import MAGIC

        if bytes(start[: len(MAGIC)]) == MAGIC:
            raise ValueError("not a model but checkpoints: ek.Checkpointer.restore opens them")
        raise ValueError("not a model: the file starts with other bytes")
    if version != VERSION:
        raise refusal_of(version)


def _has_current_layout(
    config: Settings, regions: tuple[Region, ...], head: Head, length: int
) -> bool:
    """Whether a file with a header of this length has the layout of a current native block."""
    return live.is_laid_out(live.head_of(config, regions), head, length) and NATIVE == "<"


def _laid_out(config: Settings, max_bytes: int | None) -> tuple[Region, ...]:
    """The regions of a model; raises ValueError if it takes more than ``max_bytes``."""
    regions = layout(config)
    if max_bytes is not None and total(regions) > max_bytes:
        raise ValueError(
            f"the model takes {total(regions)} bytes, more than ram allows: {max_bytes}"
        )
    return regions


def _check_size(
    start: bytes, size: int, max_bytes: int | None
) -> tuple[Settings, tuple[Region, ...]] | None:
    """Check the beginning of a file against its size, before the rest is read.

    Returns configuration and regions if the file has the layout of a current block.
    """
    _check_version(start)
    head = unpack(start)
    if head.nbytes != size:
        raise ValueError(f"the model should have {head.nbytes} bytes, got {size}")
    check_table(head, length_of(start))
    config = _checked(live.config_from(head))
    regions = _laid_out(config, max_bytes)
    if _has_current_layout(config, regions, head, length_of(start)):
        return config, regions
    if size > 2 * total(regions) + MAX_HEADER_BYTES:
        raise ValueError(f"the model has {size} bytes, its plan says {total(regions)}")
    return None


def check_start(start: bytes, size: int, max_bytes: int | None = None) -> int:
    """Check a model of ``size`` bytes by its first ``MAX_HEADER_BYTES``, before the rest is read.

    Returns the bytes of its block, 0 if the file has another layout than current blocks. Raises
    ValueError: it is not a model of that size, or takes more than ``max_bytes``.
    """
    found = _check_size(start, size, max_bytes)
    return 0 if found is None else total(found[1])


def _checked_state(
    config: Settings, regions: tuple[Region, ...], arena: Arena
) -> tuple[Settings, Arena]:
    """Check the state in a block; take the int8 levels from it into the configuration."""
    with memoryview(arena) as block:
        live.check(config, regions, block)
        by_name = {region.name: region for region in regions}
        if "levels" in by_name:
            levels: list[Any] = live.numbers(by_name["levels"], block).tolist()
            d = config.n_features
            config = config.with_levels(levels[:d], levels[d:])
    return config, arena


def _arena(regions: tuple[Region, ...]) -> Arena:
    return Arena(total(regions), None, None, boundary(regions))


def from_file(path: Path, max_bytes: int | None = None) -> tuple[Settings, Arena]:
    """Configuration and block of a model file, fully checked.

    The configuration is checked before memory is allocated, at most ``max_bytes``, and a file with
    the current layout is read directly into its block.

    Raises ValueError: wrong mark, version, length, CRC, configuration or state.
    Raises OSError: the file cannot be read, or is not a regular file.
    """
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(MAX_HEADER_BYTES)
        found = _check_size(start, size, max_bytes)
        if found is None:
            data = bytearray(size)
            data[: len(start)] = start
            with memoryview(data) as view:
                read_into(file, view[len(start) :])
            return from_stored(read(data), max_bytes)
        config, regions = found
        arena = _arena(regions)
        with memoryview(arena) as block:
            block[: len(start)] = start
            read_into(file, block[len(start) : size])
            verify_file(block[:size], size, "model", CRC_OFFSET)
        return _checked_state(config, regions, arena)


def from_bytes(data: bytes | memoryview, max_bytes: int | None = None) -> tuple[Settings, Arena]:
    """As ``from_file``, for a file's bytes."""
    _check_version(data)
    return from_stored(read(data), max_bytes)


def from_stored(stored: Stored, max_bytes: int | None = None) -> tuple[Settings, Arena]:
    """A block of the current layout from a reader's result.

    Raises ValueError: the configuration, a region or the state is impossible.
    """
    config = _checked(stored.config)
    regions = _laid_out(config, max_bytes)
    for region in regions:
        if region.is_state and region.name not in WORDS:
            _check_region(config, region, stored)
    arena = _arena(regions)
    with memoryview(arena) as block:
        live.write_head(block, live.head_of(config, regions))
        live.write_words(stored.words, regions, block)
        for region in regions:
            if not region.is_state or region.name in WORDS:
                continue
            _copy(region, stored, block)
    return _checked_state(config, regions, arena)


def _check_region(config: Any, region: Region, stored: Stored) -> None:
    """Check that the file has the region, of the right type, with all numbers in use."""
    if region.name not in stored.regions:
        raise ValueError(f"the model is inconsistent: it has no {region.name}")
    element, stride, data = stored.regions[region.name]
    if element != region.element:
        raise ValueError(f"the model is inconsistent: {region.name} of type {element!r}")
    rows, min_numbers = region.shape
    if region.name in _OF_SLOTS:
        min_numbers = config.slots
    elif region.name in _OF_COEFFICIENTS:
        min_numbers = config.slots * config.basis.per_member
    elif region.name.startswith("window"):
        min_numbers = config.window_rows
    count = len(data) // ELEMENT_BYTES[element]
    each = count // rows
    if each < min_numbers or count % rows or (stride and stride != each):
        raise ValueError(f"the model is inconsistent: {region.name} of {each} numbers a row")


def _copy(region: Region, stored: Stored, block: memoryview) -> None:
    """Copy a region's rows, each padded as in the current layout."""
    element, _, data = stored.regions[region.name]
    width = ELEMENT_BYTES[element]
    rows, stride = region.shape
    source = len(data) // rows // width * width
    target = stride * width
    for row in range(rows):
        part = data[row * source : row * source + min(source, target)]
        at = region.offset + row * target
        block[at : at + len(part)] = part if NATIVE == "<" else swapped(part, width)
