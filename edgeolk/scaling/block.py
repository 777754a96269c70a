"""The block of a scaler: its layout to the byte, and its file.

It starts with the header of every block (configuration/header.py), which has the number ``SCALER``
in place of a family's and the rows in the statistics as its steps. The file is written and
checked as that of a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from edgeolk.checks import check_int
from edgeolk.configuration.header import (
    CRC_OFFSET,
    MARK,
    MAX_HEADER_BYTES,
    NATIVE,
    PARTS,
    SCALER,
    Head,
    head_bytes,
    length_of,
    unpack,
)
from edgeolk.configuration.layout import region_table
from edgeolk.configuration.regions import ELEMENT_BYTES, Lifetime, Region
from edgeolk.files import live, restore
from edgeolk.files.atomic import open_regular, write_atomically
from edgeolk.files.checksums import verify_file
from edgeolk.files.holds import scaler_problem_of
from edgeolk.scaling.record import (
    COMPACT,
    MAX_FREEZE,
    METHODS,
    NAMES,
    RECORD_BYTES,
    Preprocessing,
    clip_number,
    fits_compact,
    window_number,
)

#: Alignment of regions, and of the block in its memory.
ALIGNMENT = 8

# Regions: name, type of its numbers, rows, numbers in a row for each feature, purpose.
_Spec = tuple[str, str, int, int, str]
_WINSORISED: tuple[_Spec, ...] = (
    ("scaler", "d", 1, 4, "mean (two), deviation, pending reading of each feature"),
    ("scaler_counts", "i", 1, 2, "readings, clipped readings of each"),
)
_RANGE: tuple[_Spec, ...] = (("scaler_range", "d", 2, 1, "minimum and maximum of each feature"),)
_MOMENTS: tuple[_Spec, ...] = (
    ("moments", "d", 3, 1, "mean (two), sum of squared distances from it of each feature"),
    ("units", "b", 1, 1, "unit that each is counted in"),
)
_COMPACT: tuple[_Spec, ...] = (
    ("statistics", "b", 1, RECORD_BYTES, "mean, deviation and age of each"),
)
#: Options in the header, in order; all are stored, so that its length is that of the plan.
_VALUES = {
    **{"scale.method": "method", "scale.clip": "clip", "scale.window": "window"},
    **{"scale.freeze_after": "freeze_after"},
}


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

    @property
    def _title(self) -> str:
        return f"{self.method} scaler: d = {self.n_features}"

    def __str__(self) -> str:
        return region_table(self._title, self.regions, self.nbytes)

    def _repr_html_(self) -> str:
        """A map of the block and a table, which notebooks show."""
        from edgeolk.configuration.notebook import plan_html

        *parts, padding = self.regions
        state = [one._replace(lifetime=Lifetime.STATE) for one in parts]
        return plan_html(self._title, (*state, padding), self.nbytes, {})


def plan_of(n_features: int, method: int, clipped: bool) -> ScalerPlan:
    """Lay out the header and the regions, with alignment slack last."""
    specs = _WINSORISED if clipped else ()
    if method == COMPACT:
        specs = _COMPACT
    elif method == METHODS["minmax"]:
        specs += _RANGE
    elif not clipped:
        specs += _MOMENTS
    parts = [("frozen", "w", (1, 1), "whether the statistics are frozen")]
    for name, element, rows, each, purpose in specs:
        parts.append((name, element, (rows, each * n_features), purpose))
    offset = head_bytes(len(_VALUES), [rows * each for _, _, (rows, each), _ in parts])
    regions = [Region("header", 0, offset, "configuration, rows in the statistics")]
    for name, element, (rows, each), purpose in parts:
        size = -(-rows * each * ELEMENT_BYTES[element] // ALIGNMENT) * ALIGNMENT
        regions.append(Region(name, offset, size, purpose, element, (rows, each)))
        offset += size
    slack = "padding: the buffer may start at any address"
    regions.append(Region("alignment", offset, ALIGNMENT, slack))
    return ScalerPlan(NAMES[method], n_features, tuple(regions), offset + ALIGNMENT)


def head_of(n_features: int, options: Preprocessing) -> Head:
    """The header of a new scaler."""
    plan = plan_of(n_features, options.method, options.clip > 0.0)
    table = {
        region.name: (region.element, region.offset, region.shape[0] * region.shape[1])
        for region in plan.regions
        if region.element
    }
    return Head(
        family=SCALER,
        nbytes=plan.nbytes - ALIGNMENT,
        n_features=n_features,
        budget=0,
        seed=0,
        parts=dict.fromkeys(PARTS, 0),
        values={name: float(getattr(options, field)) for name, field in _VALUES.items()},
        table=table,
    )


def sealed(block: Any) -> bytes:
    """The bytes of the file of a live block."""
    return bytes(restore.written(bytearray(block)))


def write(path: str | PathLike[str], block: Any) -> None:
    """Write a live block to a file."""
    write_atomically(path, (sealed(block),))


def read(path: str | PathLike[str]) -> bytes:
    """The bytes of a scaler's file; only its header is checked.

    Raises ValueError: it is not such a file, or its size is wrong.
    """
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(MAX_HEADER_BYTES)
        check_start(start, size)
        return start + file.read(size - len(start))


def _options_of(head: Head) -> Preprocessing:
    """The options in a header.

    Raises ValueError: they are impossible, or the header has what only a model has.
    """
    unused = (head.budget, head.seed, head.flags, head.n_support, head.rng, *head.parts.values())
    values = head.values
    integers = (number for name, number in values.items() if name != "scale.clip")
    if (
        any((*unused, head.mistakes, head.updates))
        or head.columns != 1
        or set(values) != set(_VALUES)
        or not all(map(float.is_integer, integers))
        or values["scale.method"] not in NAMES
        or bool(values["scale.window"]) != bool(values["scale.clip"])
        or not 0 <= values["scale.freeze_after"] <= MAX_FREEZE
    ):
        raise ValueError("the scaler is inconsistent: its header contradicts itself")
    given: dict[str, Any] = {"clip": values["scale.clip"]}
    for name in ("method", "window", "freeze_after"):
        given[name] = int(values[f"scale.{name}"])
    try:
        clip_number(given["clip"] or None)
        window_number(given["window"] or None, given["clip"])
    except ValueError as error:
        raise ValueError(f"the scaler is inconsistent: {error}") from None
    compact = (given["method"], given["clip"], given["window"])
    if given["method"] == COMPACT and not fits_compact(*compact):
        raise ValueError("the scaler is inconsistent: it takes more than 9 bytes a feature")
    return Preprocessing(**given)


def _checked_head(start: bytes) -> tuple[Head, Preprocessing]:
    """The header at the start of a file, and its options, checked."""
    if start[: len(MARK)] != MARK:
        raise ValueError("not a scaler: the first 4 bytes are not the mark of an edgeolk block")
    try:
        head = unpack(start)
    except ValueError as error:
        raise ValueError(f"not a scaler that can be read: {error}") from None
    if head.family != SCALER:
        raise ValueError("not a scaler but a model: edgeolk.load opens it")
    options = _options_of(head)
    fresh = head_of(check_int("n_features", head.n_features, 1), options)
    if not live.is_laid_out(fresh, head, length_of(start)):
        raise ValueError(f"the scaler has {head.nbytes} bytes, its plan says {fresh.nbytes}")
    return head, options


def check_start(start: bytes, size: int, most: int | None = None) -> int:
    """Check a scaler of ``size`` bytes by its header, before reading the rest.

    Returns the bytes of its block. Raises ValueError: not a scaler of that size, or it takes more
    than ``most`` bytes.
    """
    head, _ = _checked_head(start)
    if head.nbytes != size:
        raise ValueError(f"the scaler should have {head.nbytes} bytes, got {size}")
    nbytes_taken = size + ALIGNMENT
    if most is not None and nbytes_taken > most:
        raise ValueError(f"the scaler takes {nbytes_taken} bytes, more than ram allows: {most}")
    return nbytes_taken


def checked(data: bytes) -> tuple[int, Preprocessing, bytes]:
    """Features, options and the block of a file in native byte order, checked.

    Raises ValueError: wrong mark, version, length, CRC, configuration or statistics.
    """
    head, options = _checked_head(data)
    verify_file(data, head.nbytes, "scaler", CRC_OFFSET)
    block = data if NATIVE == "<" else bytes(restore.native(data, head))
    regions = plan_of(head.n_features, options.method, options.clip > 0.0).regions
    problem = scaler_problem_of(head.n_features, options, regions, block)
    if problem:
        raise ValueError(f"the scaler is inconsistent: {problem}")
    return head.n_features, options, block
