"""Third step: the header of a block: the configuration as the numbers of files, and counters.

Format version 5, little-endian in files, native byte order in a live block::

    0   4s  mark "eolk"              46  H   columns of coefficients
    4   B   format version           48  B   values
    5   B   family                   49  B   regions
    6   H   bytes of the header      50  H   flags (1: a step is in progress; 2: sealed)
    8   I   CRC-32 of the file       52  i   support vectors held
    12  I   bytes of state / 8       56  Q   state of the generator
    16  I   features                 64  q   steps
    20  I   budget                   72  q   mistakes
    24  Q   seed                     80  q   updates
    32  14B parts, see PARTS; 0 for an axis that the family does not have

Then come the values (float64 each), their numbers (one byte each), and the table of regions, all
padded to 8 bytes. An entry of the table is short if possible: number, element type + 128, elements,
and the distance from the end of the previous region, or from the start, in units of 8 bytes
("<BBHB", 5 bytes); else number, element type, offset / 8, elements ("<BBII", 10 bytes).

Numbers of values are those of the family's options, and from 128 on those of all families. No
number is ever reused.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.family import FamilyTraits
from edgeolk.configuration.settings import Settings
from edgeolk.errors import NewerFormatError
from edgeolk.parts import storage
from edgeolk.scaling import record as preprocessing

MARK = b"eolk"
VERSION = 5
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
_FIXED = "4sBBHIIIIQ14BHBBH" + "".join(_COUNTERS.values())
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

#: In place of a family's number in the block of a scaler (scaling/block.py).
SCALER = 3

#: Numbers of the values that every family has.
SHARED_VALUES: dict[str, int] = {
    **{"kernel.gamma": 128, "kernel.scale": 129, "kernel.offset": 130},
    **{"scale.method": 144, "scale.clip": 145, "scale.window": 146, "scale.freeze_after": 147},
    **{"clip_rows": 148, "gamma_rows": 149, "width_follows": 150},
    **{"skip_bad_rows": 152, "checksums": 153, "lookahead": 154},
}
#: Region -> value that is omitted because the presence of the region implies it, in every family.
SHARED_IMPLIED: dict[str, tuple[str, float]] = {
    "width_follows": ("width_follows", 1.0),
    **{"common": ("scale.method", 3.0), "statistics": ("scale.method", 9.0)},
    **{"skipped": ("skip_bad_rows", 1.0), "checksums": ("checksums", 1.0)},
}


def value_numbers(family: FamilyTraits) -> dict[str, int]:
    """Numbers of the values of a family, by name."""
    options = {name: option.number for name, option in family.settings.table.items()}
    lists = {f"{name}.{i}": n + i for name, n in family.lists.items() for i in range(8)}
    return {**options, **SHARED_VALUES, **lists}


def omitted_values(family: FamilyTraits) -> dict[str, float]:
    """Values that are omitted from files of a family: a file without one has this value."""
    table = family.settings.table
    omitted = {name: row.omitted for name, row in table.items() if row.omitted is not None}
    return {**omitted, **preprocessing.OMITTED}


def implied_values(family: FamilyTraits) -> dict[str, tuple[str, float]]:
    """Region -> value that is omitted because the presence of the region implies it."""
    return {**family.implied, **SHARED_IMPLIED}


#: Numbers of the regions that are state.
REGIONS: dict[str, int] = {
    name: kind.number
    for family in FAMILIES.values()
    for name, kind in family.kinds.items()
    if kind.number
}
#: Those of a scaler that no family has.
REGIONS |= {"moments": 81, "units": 82, "frozen": 83}

#: Numbers of the element types.
ELEMENTS = {code: element.number for code, element in storage.ELEMENTS.items()}

_VALUES: dict[int, dict[str, int]] = {
    **{number: value_numbers(family) for number, family in FAMILIES.items()},
    SCALER: SHARED_VALUES,
}
_REGION_NAMES = {number: name for name, number in REGIONS.items()}
_ELEMENT_NAMES = {number: name for name, number in ELEMENTS.items()}

#: Byte order of a live block, as ``struct`` spells it.
NATIVE = "<" if sys.byteorder == "little" else ">"


def stored_values(config: Settings) -> dict[str, float]:
    """Options in use and numbers of the kernel, by name, without those that files omit."""
    family = FAMILIES[config.family]
    omitted = omitted_values(family)
    _, _, gamma, scale, offset = config.kernel.fields()
    kernel = {"kernel.gamma": gamma, "kernel.scale": scale, "kernel.offset": offset}
    used = {name: value for name, value in kernel.items() if value != 0.0}
    if gamma == omitted_gamma(family, config.n_features):
        used.pop("kernel.gamma", None)
    options = {name: value for name, value in config.values.items() if value != omitted.get(name)}
    flags = {
        "skip_bad_rows": float(config.skips_bad_rows),
        "checksums": float(config.checksums),
        "lookahead": float(config.lookahead),
    }
    options |= {name: value for name, value in flags.items() if value}
    listed = {f"{name}.{i}": v for name, vs in config.lists.items() for i, v in enumerate(vs)}
    return {**options, **used, **listed, **config.preprocessing.stored()}


def omitted_gamma(family: FamilyTraits, n_features: int) -> float:
    """The kernel width that files of a family omit, 0 for none."""
    return family.omitted_gamma / n_features if n_features else 0.0


def without_implied(
    family: FamilyTraits, values: Mapping[str, float], regions: Container[str]
) -> dict[str, float]:
    """The values without those that these regions imply."""
    written = dict(values)
    for region, (name, value) in implied_values(family).items():
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

    ``family`` is a ``Family``, or ``SCALER``. ``parts`` and ``values`` are by name; ``table`` maps
    a region's name to (element type, offset in bytes, number of elements).
    """

    family: int
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
            *(MARK, VERSION, self.family, length, self.crc, self.nbytes // 8),
            *(self.n_features, self.budget, self.seed, *map(self.parts.__getitem__, PARTS)),
            *(self.columns, len(self.values), len(self.table), self.flags),
            *(getattr(self, name) for name in PLACES),
        )
        pieces = [
            struct.pack(order + _FIXED, *fields),
            struct.pack(f"{order}{len(self.values)}d", *self.values.values()),
            bytes(_VALUES[self.family][name] for name in self.values),
            table,
        ]
        return b"".join(pieces).ljust(length, b"\0")


def version_of(data: bytes | memoryview) -> int:
    """Format version of a file, 0 if it is not a model."""
    if len(data) >= 16 and bytes(data[:8]) == b"edgeolk\0":
        return int.from_bytes(data[8:12], "little")
    if len(data) >= FIXED_BYTES and bytes(data[:4]) == MARK:
        return data[4]
    return 0


def refusal_of(version: int) -> ValueError:
    """The error for a file of another format version."""
    never = ", which was never released" if version < VERSION else ""
    text = f"the model is of format {version}{never}; this version reads format {VERSION}"
    return NewerFormatError(text) if version > VERSION else ValueError(text)


def length_of(data: bytes | memoryview, order: str = "<") -> int:
    """Length of the header at the start of these bytes (at least ``FIXED_BYTES``)."""
    return int(struct.unpack_from(order + "H", data, 6)[0])


def unpack(data: bytes | memoryview, order: str = "<") -> Head:
    """Read the header of an untrusted block.

    Raises ValueError: not a header of this version, or its lengths and numbers are inconsistent.
    """
    if len(data) < FIXED_BYTES:
        raise ValueError(f"not a model: {len(data)} bytes, a header alone has {FIXED_BYTES}")
    mark, version, number, length, crc, eighths, d, budget, seed, *rest = struct.unpack_from(
        order + _FIXED, data
    )
    parts, rest = rest[: len(PARTS)], rest[len(PARTS) :]
    columns, n_values, n_regions, flags, *counters = rest
    if mark != MARK:
        raise ValueError("not a model: the first 4 bytes are not the mark of an edgeolk block")
    if version != VERSION:
        raise refusal_of(version)
    family = next((family for family in _VALUES if family == number), None)
    if family is None:
        raise ValueError(f"the model is of an unknown family: number {number}")
    names = {number: name for name, number in _VALUES[family].items()}
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
        name = names.get(number)
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
        family, 8 * eighths, d, budget, seed, named, values, table, columns, flags, crc=crc,
        **counted,
    )


def lists_from(family: FamilyTraits, values: dict[str, float]) -> dict[str, tuple[float, ...]]:
    """Remove the lists from the stored values and return them.

    Raises ValueError: a number of a list is missing.
    """
    lists: dict[str, tuple[float, ...]] = {}
    for name in family.lists:
        keys = sorted(key for key in values if key.startswith(f"{name}."))
        numbers = tuple(values.pop(key) for key in keys)
        if keys != [f"{name}.{i}" for i in range(len(keys))]:
            raise ValueError(f"the model is inconsistent: a number of {name} is missing")
        if numbers:
            lists[name] = numbers
    return lists
