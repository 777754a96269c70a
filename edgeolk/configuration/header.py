"""Third step: the header of a block: the configuration as the numbers of files, and counters.

Format version 3, little-endian in files, native byte order in a live block::

    0   4s  mark "eolk"              46  H   columns of coefficients
    4   H   format version           48  B   values
    6   H   bytes of the header      49  B   regions
    8   I   CRC-32 of the file       50  H   flags (1: a step is in progress; 2: sealed)
    12  I   bytes of state / 8       52  i   support vectors held
    16  I   features                 56  Q   state of the generator
    20  I   budget                   64  q   steps
    24  Q   seed                     72  q   mistakes
    32  14B parts, see PARTS         80  q   updates

Then come the values (float64 each), their numbers (one byte each), and the table of regions, all
padded to 8 bytes. An entry of the table is short if possible: number, element type + 128, elements,
and the distance from the end of the previous region, or from the start, in units of 8 bytes
("<BBHB", 5 bytes); else number, element type, offset / 8, elements ("<BBII", 10 bytes).

Numbers are never reused; new ones are appended.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from edgeolk.configuration.settings import Settings
from edgeolk.parts import storage
from edgeolk.parts.parameters import PARAMETERS
from edgeolk.scaling import record as preprocessing

MARK = b"eolk"
VERSION = 3
CRC_OFFSET = 8
FLAGS_OFFSET = 50
FIXED_BYTES = 88
#: Larger files are rejected: offsets are 32-bit, in units of 8 bytes.
MAX_BYTES = 8 * (2**32 - 1)
#: Flags of a live block, as in c/sorf_types.h, never both; a file has no flags.
TORN, SEALED = 1, 2
#: The maximum length of a header.
MAX_HEADER_BYTES = 1024

#: Counters of the header, its last fixed fields, each with its type.
_COUNTERS = {"n_support": "i", "rng": "Q", "steps": "q", "mistakes": "q", "updates": "q"}
_FIXED = "4sHHIIIIQ14BHBBH" + "".join(_COUNTERS.values())
#: Offset and type of each counter.
PLACES: dict[str, tuple[int, str]] = {
    name: (struct.calcsize(f"={_FIXED[: place - len(_COUNTERS)]}"), kind)
    for place, (name, kind) in enumerate(_COUNTERS.items())
}
_ENTRY = "BBII"
_ENTRY_BYTES = 10
#: For a region with fewer elements than the first number, which begins less than the second number
#: of bytes after the end of the previous one.
_SHORT_ENTRY = "BBHB"
_SHORT_BYTES = 5
_SHORT_COUNT, _SHORT_GAP = 1 << 16, 8 << 8
_SHORT_MARK = 128

#: The 14 bytes of parts, in order.
PARTS = (
    *("dtype", "coefficients", "rows", "update", "loss", "sampling", "policy"),
    *("projection", "schedule", "averaging", "basis", "kernel", "degree", "algorithm"),
)

#: In place of an algorithm's number in the block of a scaler (scaling/block.py).
SCALER = 255

#: Numbers of the values.
VALUES: dict[str, int] = {
    **{name: number for number, name in enumerate(PARAMETERS, 1)},
    **{"kernel.gamma": 128, "kernel.scale": 129, "kernel.offset": 130},
    **{"scale.method": 144, "scale.clip": 145, "scale.window": 146, "scale.freeze_after": 147},
    **{"clip_rows": 148, "gamma_rows": 149, "width_follows": 150},
    **{"skip_bad_rows": 152, "checksums": 153, "lookahead": 154},
    **{f"interval.{i}": 168 + i for i in range(8)},
    **{f"blends.{i}": 184 + i for i in range(8)},
    **{f"widths{group}.{i}": 192 + 8 * group + i for group in range(4) for i in range(8)},
}

#: Values that are omitted from files: a file without one has this value.
OMITTED: dict[str, float] = {
    **{name: row.omitted for name, row in PARAMETERS.items() if row.omitted is not None},
    **preprocessing.OMITTED,
}


#: Region -> value that is omitted because the presence of the region implies it.
IMPLIED: dict[str, tuple[str, float]] = {
    **{"relevance": ("relevance", 1.0), "shared_relevance": ("relevance", 2.0)},
    **{"drift": ("drift", 1.0), "width_follows": ("width_follows", 1.0)},
    **{"common": ("scale.method", 3.0), "statistics": ("scale.method", 9.0)},
    **{"memory_narrow": ("memory_narrow", 1.0)},
}


def omitted_gamma(n_features: int) -> float:
    """The kernel width of sorf that is omitted from files."""
    return 0.5 / n_features


#: Numbers of the regions that are state.
REGIONS: dict[str, int] = {
    **{"function": 1, "support_vectors": 2, "coefficients": 3, "levels": 4},
    **{"diagonal": 6, "arrivals": 7, "norms": 8, "averaging": 9},
    **{"mean_start": 10, "mean_sum": 11, "nearest": 12, "nearest_distance": 13},
    **{"nearest_kernel": 14, "factor": 15, "inverse": 16, "scores": 17, "feature_map": 18},
    **{"window": 19, "window_labels": 20, "errors": 21, "forgetron": 23},
    **{"halving": 24, "hints": 25, "nystrom": 26, "weights": 28, "mean_weights": 29},
    **{"blend": 30, "target": 31, "last_label": 32, "linear": 33, "relevance": 34},
    **{"gradient_steps": 35, "novelty": 36, "per_update": 37, "shared_relevance": 38, "drift": 39},
    **{"row_memory": 40, "memory_state": 41, "memory_narrow": 42},
    **{"channels": 48, "channel_counts": 49, "deviations": 50, "watch": 51},
    **{"history": 56, "forecaster": 57, "head": 58, "ml_poly": 59, "pending": 60, "season": 61},
    **{"kernel_rows": 62},
    **{"scaler": 64, "scaler_counts": 65, "scaler_range": 66, "clipped_rows": 67},
    **{"width": 68, "width_mean": 69, "skipped": 72, "checksums": 73},
    **{"width_follows": 70, "common": 71},
    **{"statistics": 80},
    # of a scaler of its own
    **{"moments": 81, "units": 82, "frozen": 83},
}

#: Numbers of the element types.
ELEMENTS = {code: element.number for code, element in storage.ELEMENTS.items()}

_VALUE_NAMES = {number: name for name, number in VALUES.items()}
_REGION_NAMES = {number: name for name, number in REGIONS.items()}
_ELEMENT_NAMES = {number: name for name, number in ELEMENTS.items()}

#: Parameters with several numbers.
LISTS = ("blends", "interval", "widths0", "widths1", "widths2", "widths3")

#: Byte order of a live block, as ``struct`` spells it.
NATIVE = "<" if sys.byteorder == "little" else ">"


def stored_values(config: Settings) -> dict[str, float]:
    """Parameters in use and those of the kernel, by name, without the ``OMITTED`` ones."""
    _, _, gamma, scale, offset = config.kernel.fields()
    kernel = {"kernel.gamma": gamma, "kernel.scale": scale, "kernel.offset": offset}
    used = {name: value for name, value in kernel.items() if value != 0.0}
    if config.update.is_sorf and config.n_features and gamma == omitted_gamma(config.n_features):
        del used["kernel.gamma"]
    values = config.values.items()
    parameters = {name: value for name, value in values if value != OMITTED.get(name)}
    listed = {f"{name}.{i}": v for name, vs in config.lists.items() for i, v in enumerate(vs)}
    return {**parameters, **used, **listed, **config.preprocessing.stored()}


def without_implied(values: Mapping[str, float], regions: Container[str]) -> dict[str, float]:
    """The values without those that these regions imply."""
    written = dict(values)
    for region, (name, value) in IMPLIED.items():
        if region in regions and written.get(name) == value:
            del written[name]
    return written


def head_bytes(values: int, counts: Iterable[int]) -> int:
    """Length of a header with this many values, for adjacent regions with these element counts."""
    length = FIXED_BYTES + 9 * values
    for count in counts:
        length += _SHORT_BYTES if count < _SHORT_COUNT else _ENTRY_BYTES
    return _padded(length)


def _padded(length: int) -> int:
    return -(-length // 8) * 8


def _pack_table(table: Mapping[str, tuple[str, int, int]], order: str) -> bytes:
    entries = b""
    end = 0
    for name, (element, offset, count) in table.items():
        number, kind = REGIONS[name], ELEMENTS[element]
        if count < _SHORT_COUNT and 0 <= offset - end < _SHORT_GAP:
            short = (number, kind + _SHORT_MARK, count, (offset - end) // 8)
            entries += struct.pack(order + _SHORT_ENTRY, *short)
        else:
            entries += struct.pack(order + _ENTRY, number, kind, offset // 8, count)
        end = _padded(offset + storage.ELEMENTS[element].nbytes * count)
    return entries


def _unpack_table(
    data: bytes, regions: int, order: str
) -> tuple[dict[str, tuple[str, int, int]], int]:
    """The table at the start of these bytes, and its length."""
    table: dict[str, tuple[str, int, int]] = {}
    end = at = 0
    for _ in range(regions):
        short = data[at + 1] >= _SHORT_MARK
        if short:
            number, kind, count, gap = struct.unpack_from(order + _SHORT_ENTRY, data, at)
            offset = end + 8 * gap
        else:
            number, kind, eighths, count = struct.unpack_from(order + _ENTRY, data, at)
            offset = 8 * eighths
        at += _SHORT_BYTES if short else _ENTRY_BYTES
        name, element = _REGION_NAMES.get(number), _ELEMENT_NAMES.get(kind % _SHORT_MARK)
        if name is None or element is None or name in table:
            raise ValueError(f"the model is inconsistent: region number {number}")
        table[name] = (element, offset, count)
        end = _padded(offset + storage.ELEMENTS[element].nbytes * count)
    return table, at


@dataclass(frozen=True)
class Head:
    """A header as numbers.

    ``parts`` and ``values`` are by name; ``table`` maps a region's name to (element type, offset in
    bytes, number of elements).
    """

    nbytes: int
    n_features: int
    budget: int
    seed: int
    parts: dict[str, int]
    values: dict[str, float]
    table: dict[str, tuple[str, int, int]]
    columns: int = 1
    flags: int = 0
    n_support: int = 0
    rng: int = 0
    steps: int = 0
    mistakes: int = 0
    updates: int = 0
    crc: int = 0

    def pack(self, order: str = "<") -> bytes:
        """The header's bytes."""
        table = _pack_table(self.table, order)
        length = _padded(FIXED_BYTES + 9 * len(self.values) + len(table))
        fields = (
            *(MARK, VERSION, length, self.crc, self.nbytes // 8),
            *(self.n_features, self.budget, self.seed, *map(self.parts.__getitem__, PARTS)),
            *(self.columns, len(self.values), len(self.table), self.flags),
            *(getattr(self, name) for name in PLACES),
        )
        pieces = [
            struct.pack(order + _FIXED, *fields),
            struct.pack(f"{order}{len(self.values)}d", *self.values.values()),
            bytes(VALUES[name] for name in self.values),
            table,
        ]
        return b"".join(pieces).ljust(length, b"\0")


def version_of(data: bytes | memoryview) -> int:
    """Format version of a file, 0 if it is not a model."""
    if len(data) >= 16 and bytes(data[:8]) == b"edgeolk\0":
        return int.from_bytes(data[8:12], "little")
    if len(data) >= FIXED_BYTES and bytes(data[:4]) == MARK:
        return int.from_bytes(data[4:6], "little")
    return 0


def refusal_of(version: int) -> str:
    """The message for a file of another format version."""
    never = ", which was never released" if version < VERSION else ""
    return f"the model is of format {version}{never}; this version reads format {VERSION}"


def length_of(data: bytes | memoryview, order: str = "<") -> int:
    """Length of the header at the start of these bytes (at least ``FIXED_BYTES``)."""
    return int(struct.unpack_from(order + "H", data, 6)[0])


def unpack(data: bytes | memoryview, order: str = "<") -> Head:
    """Read the header of an untrusted block.

    Raises ValueError: not a header of this version, or its lengths and numbers are inconsistent.
    """
    if len(data) < FIXED_BYTES:
        raise ValueError(f"not a model: {len(data)} bytes, a header alone has {FIXED_BYTES}")
    mark, version, length, crc, eighths, d, budget, seed, *rest = struct.unpack_from(
        order + _FIXED, data
    )
    parts, rest = rest[: len(PARTS)], rest[len(PARTS) :]
    columns, n_values, n_regions, flags, *counters = rest
    if mark != MARK:
        raise ValueError("not a model: the first 4 bytes are not the mark of an edgeolk block")
    if version != VERSION:
        raise ValueError(refusal_of(version))
    min_length = FIXED_BYTES + 9 * n_values + _SHORT_BYTES * n_regions
    if not min_length <= length <= min(len(data), 8 * eighths):
        raise ValueError(f"the model is inconsistent: a header of {length} bytes")
    if flags not in (0, TORN, SEALED):
        raise ValueError(f"the model is inconsistent: flags {flags}, which no step or seal leaves")
    at = FIXED_BYTES
    numbers = struct.unpack_from(f"{order}{n_values}d", data, at)
    at += 8 * n_values
    values: dict[str, float] = {}
    for number, value in zip(bytes(data[at : at + n_values]), numbers, strict=True):
        name = _VALUE_NAMES.get(number)
        if name is None or name in values:
            raise ValueError(f"the model is inconsistent: value number {number}")
        if math.isnan(value):
            raise ValueError(f"the model is inconsistent: {name} is not a number")
        values[name] = value
    at += n_values
    # Padded: an entry may claim to be longer than the header.
    entries = bytes(data[at:length]).ljust(_ENTRY_BYTES * n_regions, b"\0")
    table, used = _unpack_table(entries, n_regions, order)
    if length != _padded(at + used):
        raise ValueError(f"the model is inconsistent: a header of {length} bytes")
    counted = dict(zip(PLACES, counters, strict=True))
    named = dict(zip(PARTS, parts, strict=True))
    return Head(
        8 * eighths, d, budget, seed, named, values, table, columns, flags, crc=crc, **counted
    )


def lists_from(values: dict[str, float]) -> dict[str, tuple[float, ...]]:
    """Remove the lists from the stored values and return them.

    Raises ValueError: a number of a list is missing.
    """
    lists: dict[str, tuple[float, ...]] = {}
    for name in LISTS:
        keys = sorted(key for key in values if key.startswith(f"{name}."))
        numbers = tuple(values.pop(key) for key in keys)
        if keys != [f"{name}.{i}" for i in range(len(keys))]:
            raise ValueError(f"the model is inconsistent: a number of {name} is missing")
        if numbers:
            lists[name] = numbers
    return lists
