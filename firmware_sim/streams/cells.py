"""What a cell of a table says: a number, a moment, or nothing."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone

# What spreadsheets and data tools write where a reading is absent.
MISSING_WORDS = frozenset({"", "nan", "na", "n/a", "null", "none"})
_ISO = re.compile(
    r"(?P<y>\d{4})[-/](?P<m>\d\d?)[-/](?P<d>\d\d?)"
    r"(?:[T ]+(?P<H>\d\d?):(?P<M>\d\d)(?::(?P<S>\d\d)(?P<f>[.,]\d+)?)?)?"
    r"\s*(?P<zone>Z|[+-]\d\d:?\d\d)?"
)
_LOCAL = re.compile(
    r"(?P<a>\d\d?)(?P<mark>[./])(?P<b>\d\d?)(?P=mark)(?P<y>\d{4})"
    r"(?:[T ]+(?P<H>\d\d?)[:.](?P<M>\d\d)(?:[:.](?P<S>\d\d)(?P<f>[.,]\d+)?)?)?"
)
_CLOCK = re.compile(r"\d\d?:\d\d(:\d\d([.,]\d+)?)?")


def absent(cell: str) -> bool:
    """Whether the cell says that there is no reading."""
    return cell.strip().lower() in MISSING_WORDS


def number(cell: str, comma: bool = False) -> float:
    """Return the reading in a cell, NaN where it is absent.

    cell: a number, or a word for "absent".
    comma: whether a comma is the decimal mark.
    Raises ValueError: it is neither.
    """
    try:
        value = float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        if absent(cell):
            return math.nan
        raise
    if "_" in cell:  # Python reads 1_2 as 12; in a data file it is a name
        raise ValueError(cell)
    return value


def is_number(cell: str, comma: bool = False) -> bool:
    """Whether the cell is a number, not a word for "absent"."""
    try:
        return not absent(cell) and (number(cell, comma), True)[1]
    except ValueError:
        return False


def is_clock(cell: str) -> bool:
    """Whether the cell is a time of day without a date."""
    return _CLOCK.fullmatch(cell.strip()) is not None


def seconds(cell: str, day_first: bool = False) -> float:
    """Return a date and time as seconds since 1970; a time without a zone counts as UTC.

    cell: ``2015-02-02T14:19:00Z`` and its relatives, ``2.2.2015 14:19``, ``2/2/2015 14:19``.
    day_first: whether 3/2/2015 is the third of February; with dots it always is.
    Raises ValueError: it is neither.
    """
    text = cell.strip()
    found = _ISO.fullmatch(text)
    if found:
        month, day, zone = found["m"], found["d"], found["zone"]
    else:
        found = _LOCAL.fullmatch(text)
        if not found:
            raise ValueError(cell)
        first = day_first or found["mark"] == "."
        month, day = (found["b"], found["a"]) if first else (found["a"], found["b"])
        zone = None
    hour, minute, second = (int(found[part] or 0) for part in "HMS")
    moment = datetime(
        int(found["y"]), int(month), int(day), hour, minute, second, tzinfo=timezone.utc
    )
    if zone and zone != "Z":
        digits = zone.replace(":", "")
        shift = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
        moment -= shift if digits[0] == "+" else -shift
    return moment.timestamp() + float((found["f"] or "0").replace(",", "."))
