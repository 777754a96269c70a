"""The kinds of a table's columns, detected from its first rows.

A column is of numbers when at least half of its cells are; the others are damage, not a reason to
give the column up. It is a time where all its cells are dates, or where it is called one and its
numbers only grow. A column of true and false, yes and no, or on and off is one of 1 and 0. An
unnamed column that counts the rows is an index, as data tools write one. What
is left is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firmware_sim.streams import cells

#: Rows that are looked at.
LOOKED_AT = 200

_TIME_NAME = re.compile(
    r"(unix|epoch|date|time|stamp|ts|elapsed|seconds|millis|utc)"
    r"([ _-]?(time|stamp|utc|s|sec|seconds|ms|millis|us|ns))*",
    re.IGNORECASE,
)
#: No name, and what a table without one is given where it is read and written again.
_INDEX_NAME = re.compile(r"|Unnamed: \d+")
#: Seconds since 1970 from 1980 to 2100, and the units they are written in.
_EPOCH = (3.2e8, 4.1e9)
_UNITS = (1.0, 1e3, 1e6, 1e9)
_SUFFIXES = {"ms": 1e3, "millis": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    kind: str  # "number", "switch", "time", "index" or "text"
    example: str  # its first cell that says anything
    clock: Callable[[str], float] | None = None  # from a cell to seconds, where it is a full time


@dataclass(frozen=True)
class Columns:
    """All columns, and how their cells are written."""

    columns: tuple[Column, ...]
    comma: bool  # the decimal mark
    units: bool  # whether the first row holds units, not readings


def study(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    delimiter: str,
    target: str,
    absent: frozenset[str] = cells.MISSING_WORDS,
) -> Columns:
    """Find out what the columns hold.

    names: the header.
    rows: the first rows, each as long as the header.
    delimiter: what parts the cells; where that is a comma, cells with one were in quotes.
    target: the label column, which may be text.
    absent: words for "no reading", in small letters.
    """
    # A gap says nothing: without it, everything below need not know the words for one.
    rows = [["" if cells.absent(cell, absent) else cell for cell in row] for row in rows]
    comma = _decimal_comma(rows, delimiter == ",")
    units = _units(names, rows, comma, target)
    body = rows[1:] if units else rows
    held = zip(*body, strict=True) if body else ((),) * len(names)
    return Columns(
        tuple(_column(name, column, comma) for name, column in zip(names, held, strict=True)),
        comma,
        units,
    )


def _decimal_comma(rows: Sequence[Sequence[str]], quoted: bool) -> bool:
    """Whether there are numbers with a comma, and none with a point.

    quoted: whether cells with a comma were in quotes; 1,234 may then be a thousand and some, and a
        decimal comma is one that cannot stand between thousands.
    """
    with_comma = False
    for row in rows:
        for cell in row:
            if "." in cell and cells.is_number(cell):
                return False
            if "," in cell and cells.is_number(cell, comma=True):
                with_comma = with_comma or not (quoted and cells.is_thousands(cell))
    return with_comma


def _units(names: Sequence[str], rows: Sequence[Sequence[str]], comma: bool, target: str) -> bool:
    """Whether the first row has words where those after it have numbers, and no number itself."""
    if len(rows) < 2:
        return False
    if any(cells.is_number(cell, comma) for cell in rows[0]):
        return False
    words = 0
    for place, name in enumerate(names):
        if name != target and not cells.absent(rows[0][place]):
            later = [row[place] for row in rows[1:]]
            words += _mostly_numbers(later, comma)
    return words > 0


def _mostly_numbers(column: Sequence[str], comma: bool) -> bool:
    said = [cell for cell in column if not cells.absent(cell)]
    return bool(said) and 2 * sum(cells.is_number(cell, comma) for cell in said) >= len(said)


def _column(name: str, column: Sequence[str], comma: bool) -> Column:
    said = [cell for cell in column if not cells.absent(cell)]
    example = said[0] if said else ""
    if not said:
        return Column(name, "number", example)
    if _INDEX_NAME.fullmatch(name) and len(said) == len(column) and _counts(said):
        return Column(name, "index", example)
    if any(map(cells.is_switch, said)) and all(map(_is_bit, said)):
        return Column(name, "switch", example)
    if _mostly_numbers(said, comma):
        clock = _counted_clock(name, said, comma)
        return Column(name, "number" if clock is None else "time", example, clock)
    if all(cells.is_clock(cell) for cell in said):
        return Column(name, "time", example)
    clock = _dated_clock(said)
    return Column(name, "text" if clock is None else "time", example, clock)


def _is_bit(cell: str) -> bool:
    return cells.is_switch(cell) or cell.strip() in ("0", "1")


def _counts(said: Sequence[str]) -> bool:
    """Whether the cells are whole numbers, each one more than the one above."""
    try:
        values = [int(cell) for cell in said]
    except ValueError:
        return False
    return len(values) > 1 and all(b - a == 1 for a, b in pairwise(values))


def _counted_clock(name: str, said: list[str], comma: bool) -> Callable[[str], float] | None:
    """The clock in a column of numbers that is called a time and only grows."""
    if not _TIME_NAME.fullmatch(name) or len(said) < 2:
        return None
    try:
        values = [cells.number(cell, comma) for cell in said]
    except ValueError:
        return None
    if not all(a <= b for a, b in pairwise(values)) or values[0] == values[-1]:
        return None
    ending = re.split(r"[ _-]", name.lower())[-1]
    unit = next((u for u in _UNITS if _EPOCH[0] <= values[0] / u <= _EPOCH[1]), None)
    if unit is None and not name.lower().startswith(("time", "elapsed", "seconds", "millis")):
        return None
    divisor = unit or _SUFFIXES.get(ending, 1.0)
    return lambda cell: cells.number(cell, comma) / divisor


def _dated_clock(said: list[str]) -> Callable[[str], float] | None:
    """The clock in a column of dates."""
    for day_first in (False, True):
        try:
            for cell in said:
                cells.seconds(cell, day_first)
        except ValueError:
            continue
        return cells.Dates(day_first)
    return None
