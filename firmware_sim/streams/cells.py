"""The meaning of a table's cell: a number, a moment, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import numpy as np
import numpy.typing as npt

# What spreadsheets and data tools write where there is nothing.
_BLANK = frozenset({"", "nan", "na", "n/a", "null", "none"})
#: ... and what home automation writes of a sensor that does not answer.
MISSING_WORDS = _BLANK | {"unavailable", "unknown"}
#: Pairs of words that leave no doubt which one is +1, and 1 as a reading.
YES = frozenset({"true", "yes", "on"})
NO = frozenset({"false", "no", "off"})
# With a comma as in 1,234: a decimal comma, or one between thousands.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_ISO = re.compile(
    r"(?P<y>\d{4})[-/](?P<m>\d\d?)[-/](?P<d>\d\d?)"
    r"(?:[T ]+(?P<H>\d\d?):(?P<M>\d\d)(?::(?P<S>\d\d)(?P<f>[.,]\d+)?)?)?"
    r"\s*(?P<zone>Z|[+-]\d\d:?\d\d)?"
)
#: What parts 2015-02-02 14:19:00: every third character from the fifth on.
_MARKS = ("-- ::", "--T::")
_LOCAL = re.compile(
    r"(?P<a>\d\d?)(?P<mark>[./])(?P<b>\d\d?)(?P=mark)(?P<y>\d{4})"
    r"(?:[T ]+(?P<H>\d\d?)[:.](?P<M>\d\d)(?:[:.](?P<S>\d\d)(?P<f>[.,]\d+)?)?)?"
)
_CLOCK = re.compile(r"\d\d?:\d\d(:\d\d([.,]\d+)?)?")


def absent(cell: str, words: frozenset[str] = MISSING_WORDS) -> bool:
    """Whether the cell says that there is no reading.

    words: what says so, in small letters.
    """
    return cell.strip().lower() in words


def blank(cell: str) -> bool:
    """Whether the cell of a column of words says nothing; "unknown" may be a word there."""
    return cell.strip().lower() in _BLANK


def number(cell: str, comma: bool = False, words: frozenset[str] = MISSING_WORDS) -> float:
    """Return the reading in a cell, NaN where it is absent.

    cell: a number, or a word for "absent".
    comma: whether a comma is the decimal mark.
    words: those for "absent", in small letters.
    Raises ValueError: it is neither.
    """
    try:
        value = float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        if absent(cell, words):
            return math.nan
        raise
    if "_" in cell:  # Python reads 1_2 as 12; in a data file it is a name
        raise ValueError(cell)
    return value


def is_number(cell: str, comma: bool = False, words: frozenset[str] = MISSING_WORDS) -> bool:
    """Whether the cell is a number, not a word for "absent"."""
    try:
        return not absent(cell, words) and (number(cell, comma, words), True)[1]
    except ValueError:
        return False


def switch(cell: str, words: frozenset[str] = MISSING_WORDS) -> float:
    """Return 1 for true, yes or on, 0 for false, no or off, NaN where there is no reading.

    Raises ValueError: it is not one of these, nor 0 or 1.
    """
    word = cell.strip().lower()
    if word in YES or word in NO:
        return float(word in YES)
    if word in words:
        return math.nan
    value = float(word)
    if value not in (0.0, 1.0):
        raise ValueError(cell)
    return value


def is_switch(cell: str) -> bool:
    """Whether the cell is one of the words for 1 and 0."""
    word = cell.strip().lower()
    return word in YES or word in NO


def is_thousands(cell: str) -> bool:
    """Whether the commas of the cell may stand between thousands, as in 1,234."""
    return _THOUSANDS.fullmatch(cell.strip()) is not None


def is_clock(cell: str) -> bool:
    """Whether the cell is a time of day without a date."""
    return _CLOCK.fullmatch(cell.strip()) is not None


def is_local(cell: str) -> bool:
    """Whether a date and time has no zone, and so is that of the place."""
    found = _ISO.fullmatch(cell.strip())
    return found is None or not found["zone"]


def seconds(cell: str, day_first: bool = False) -> float:
    """Return a date and time as seconds since 1970; a time without a zone counts as UTC.

    cell: ``2015-02-02T14:19:00Z`` and its relatives, ``2.2.2015 14:19``, ``2/2/2015 14:19``.
    day_first: whether 3/2/2015 is the third of February; with dots it always is.
    Raises ValueError: it is neither.
    """
    text = cell.strip()
    if len(text) == 19 and text[4::3] in _MARKS:
        # As most files write it, in a quarter of the time.
        try:
            return datetime.fromisoformat(text + "+00:00").timestamp()
        except ValueError:
            pass
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


class Dates:
    """From cells that are dates to seconds; see `seconds`."""

    def __init__(self, day_first: bool) -> None:
        self._day_first = day_first

    def __call__(self, cell: str) -> float:
        """Return the seconds of one cell; raises ValueError."""
        return seconds(cell, self._day_first)

    def many(self, found: Sequence[str]) -> npt.NDArray[np.float64] | None:
        """Return those of all cells, a tenth of the time; None if one is written in another way."""
        if not all(len(c) == 19 and c[4::3] in _MARKS and c[0].isdigit() for c in found):
            return None
        try:
            return np.array(found, "datetime64[s]").astype(np.float64)
        except ValueError:
            return None
