"""What the formats of dates and times in logs mean, in seconds since 1970.

A format is like that of ``datetime.strptime``. Seconds, their fraction and a zone are optional in
every cell, because programs omit them if they are 0. Numeric times have names instead: "epoch ms",
... `dates` tells which format a column has.

Design: each format is compiled to a regular expression once; cells of equal width are parsed
together, by the positions of their digits. dateutil was measured: 117 microseconds per cell, a
thousand times as much, and it accepts "10" and "58.0" as dates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

_MONTHS: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "jan janv ene gen", "feb fev fév févr febr", "mar mär mrz mars mrt maa maerz märz",
        "apr avr abr", "may mai mag mei maj", "jun juin giu", "jul juil lug",
        "aug août aou ago", "sep sept set", "oct okt ott out", "nov", "dec dez déc dic",
    ),
    1,
):  # fmt: skip
    _MONTHS |= dict.fromkeys(_names.split(), _number)
#: UTC offsets of named time zones, in hours.
_ZONES = {
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 1, "cet": 1, "west": 1, "cest": 2, "mez": 1,
    "mesz": 2, "eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9, "est": -5, "edt": -4, "cst": -6,
    "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "aest": 10, "aedt": 11, "nzst": 12,
    "nzdt": 13,
}  # fmt: skip
_ZONE = (
    r"(?:\s*\(?(?P<zone>[+\-\u2212]\d\d(?::?\d\d)?|[A-Za-z]{1,4}(?:[+-]\d\d?(?::?\d\d)?)?)\)?"
    r"(?:\s*[\[(][\w/+ -]+[\])])?)?"
)
_CODES = {
    "Y": r"(?P<Y>\d{4})", "y": r"(?P<y>\d\d)", "m": r"(?P<m>\d\d?)", "d": r"(?P<d>\d\d?)",
    "H": r"(?P<H>\d\d?)", "I": r"(?P<H>\d\d?)", "M": r"(?P<M>\d\d?)", "S": r"(?P<S>\d\d?)",
    "j": r"(?P<j>\d{3})", "b": r"(?P<b>[^\W\d_]{3,12})\.?", "B": r"(?P<b>[^\W\d_]{3,12})\.?",
    "a": r"[^\W\d_]{2,12}\.?,?", "A": r"[^\W\d_]{2,12}\.?,?",
    "G": r"(?P<G>\d{4})", "V": r"(?P<V>\d\d)", "u": r"(?P<u>[1-7])",
    "p": r"(?P<p>[AaPp])\.?\s?[Mm]\.?", "f": r"(?P<f>\d+)", "z": _ZONE, "Z": _ZONE, "%": "%",
}  # fmt: skip
_FIXED = {"m": 2, "d": 2, "H": 2, "I": 2, "M": 2, "S": 2, "j": 3}
_FRACTION = r"(?:[.,:](?P<f>\d{1,9}))?"
#: Numeric times: seconds per unit, and the time of their zero in seconds since 1970.
COUNTED = {
    "epoch": (1.0, 0.0), "epoch ms": (1e-3, 0.0), "epoch us": (1e-6, 0.0),
    "epoch ns": (1e-9, 0.0), "seconds": (1.0, 0.0), "milliseconds": (1e-3, 0.0),
    "microseconds": (1e-6, 0.0), "nanoseconds": (1e-9, 0.0), "minutes": (60.0, 0.0),
    "hours": (3600.0, 0.0), "spreadsheet days": (86_400.0, -25_569.0 * 86_400.0),
    "julian days": (86_400.0, -2_440_587.5 * 86_400.0),
    "matlab days": (86_400.0, -719_529.0 * 86_400.0),
}  # fmt: skip
#: Numeric times that their range identifies, for the years 1980 to 2100.
RANGES = {
    "epoch": (3.2e8, 4.1e9), "epoch ms": (3.2e11, 4.1e12), "epoch us": (3.2e14, 4.1e15),
    "epoch ns": (3.2e17, 4.1e18), "spreadsheet days": (29_221.0, 73_051.0),
    "julian days": (2_444_239.0, 2_488_070.0), "matlab days": (723_181.0, 767_011.0),
}  # fmt: skip
#: Two-digit years below this are 20xx.
_CENTURY = 70


class TimeFormat:
    """A time format.

    text: a format as in ``strptime``, or the name of a numeric time.
    Raises ValueError: it is neither.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._counted = COUNTED.get(text)
        self._regex = None if self._counted else compiled(text)

    def __repr__(self) -> str:
        return f"TimeFormat({self.text!r})"

    @property
    def is_counted(self) -> bool:
        """Whether times are numbers."""
        return self._counted is not None

    @property
    def is_absolute(self) -> bool:
        """Whether it includes the date."""
        if self._counted:
            return self.text in RANGES
        return any(code in self.text for code in ("%Y", "%y", "%d", "%G"))

    @property
    def has_clock(self) -> bool:
        """Whether it includes the time of day."""
        return self.is_counted or any(code in self.text for code in ("%H", "%I"))

    def is_local(self, cell: str) -> bool:
        """Whether a cell has no zone, and so is in local time."""
        found = self._regex.fullmatch(bare(cell)) if self._regex is not None else None
        return found is not None and not _zone_of(found)

    def seconds(self, cell: str) -> float:
        """Return the time in a cell as seconds since 1970; without a zone it counts as UTC.

        Raises ValueError: the cell does not match the format, or the day does not exist.
        """
        text = bare(cell)
        if self._counted:
            unit, zero = self._counted
            return float(text.replace(",", ".")) * unit + zero
        assert self._regex is not None
        found = self._regex.fullmatch(text)
        if found is None:
            raise ValueError(cell)
        part = found.groupdict()
        day = _day(part)
        hour, minute, second = (int(part.get(name) or 0) for name in "HMS")
        if part.get("p"):
            if not 1 <= hour <= 12:
                raise ValueError(cell)
            hour = hour % 12 + (12 if part["p"] in "Pp" else 0)
        if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
            raise ValueError(cell)
        fraction = part.get("f")
        value = day * 86_400.0 + hour * 3600 + minute * 60 + second - 3600 * _hours(_zone_of(found))
        return value + (float("0." + fraction) if fraction else 0.0)

    def many(self, found: Sequence[str] | npt.NDArray[np.bytes_]) -> npt.NDArray[np.float64]:
        """Return the times of many cells, NaN for cells that do not match the format."""
        known = self._of_one_width(np.asarray(found)) if self._regex and len(found) else None
        if known is not None:
            return known
        if isinstance(found, np.ndarray):
            found = found.astype(str).tolist()
        return np.array([self._or_nan(cell) for cell in found], dtype=float)

    def _or_nan(self, cell: str) -> float:
        try:
            return self.seconds(cell)
        except ValueError:
            return math.nan

    def _of_one_width(self, found: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
        """Return the times of cells that differ only in their digits; None for other cells.

        numpy's own parser of dates crashes at an invalid one in a long array.
        """
        assert self._regex is not None
        model = self._regex.fullmatch(str(found[:1].astype(str)[0]))
        spans = {} if model is None else {name: model.span(name) for name in model.groupdict()}
        spans = {name: span for name, span in spans.items() if span[0] < span[1] and name != "zone"}
        if model is None or not {"m", "d"} <= set(spans) <= set("YymdHMSf"):
            return None
        width, letter = len(model.string), np.uint8 if found.dtype.kind == "S" else np.uint32
        if found.dtype.itemsize != width * np.dtype(letter).itemsize:
            return None
        letters = found.view(letter).reshape(len(found), width)
        is_digit = np.zeros(width, dtype=bool)
        for start, end in spans.values():
            is_digit[start:end] = True
        if (letters[:, ~is_digit] != letters[0, ~is_digit]).any():
            return None
        digits = letters[:, is_digit]
        if (digits < ord("0")).any() or (digits > ord("9")).any():
            return None
        zeros = np.zeros(len(found), np.int64)
        value = dict.fromkeys("HMSf", zeros)
        for name, (start, end) in spans.items():
            value[name] = zeros
            for at in range(start, end):
                value[name] = 10 * value[name] + letters[:, at] - ord("0")
        try:
            zone = 3600.0 * _hours(model.groupdict().get("zone") or "")
            year = value["Y"] if "Y" in value else _full_year(value["y"])
        except (KeyError, ValueError):  # no year, an unknown zone
            return None
        months = (year - 1970).astype("datetime64[Y]").astype("datetime64[M]") + value["m"] - 1
        days = months.astype("datetime64[D]") + (value["d"] - 1)
        good = (value["H"] <= 23) & (value["M"] <= 59) & (value["S"] <= 59) & (year >= 1)
        good &= (value["m"] >= 1) & (value["m"] <= 12) & (value["d"] >= 1)
        good &= days.astype("datetime64[M]") == months
        clock = value["H"] * 3600 + value["M"] * 60 + value["S"]
        out = days.astype(np.int64) * 86_400 + clock - zone
        start, end = spans.get("f", (0, 0))
        out += value["f"] / 10.0 ** (end - start)
        for at in np.flatnonzero(~good).tolist():  # 24:00:00, a leap second, or not a time
            out[at] = self._or_nan(str(found[at : at + 1].astype(str)[0]))
        return np.asarray(out, dtype=float)


def _full_year(year: Any) -> Any:
    """Return a year, or years, of two digits with the century."""
    return year + 1900 + 100 * (year < _CENTURY)


def bare(cell: str) -> str:
    """Strip blanks, brackets, quotes and the German o'clock; of an interval return the start."""
    text = cell.strip(" \t\r\n'")
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    if text.count("T") == 2 and "/" in text:  # an interval of ISO 8601
        text = text.partition("/")[0]
    return text.removesuffix(" Uhr")


def _day(part: dict[str, str | None]) -> int:
    """Return the days since 1970 of the parts of a date; raises ValueError."""
    if part.get("G"):
        year, week, day = (int(part.get(name) or 1) for name in "GVu")
        return datetime.fromisocalendar(year, week, day).toordinal() - 719_163
    if part.get("Y"):
        year = int(part["Y"] or 0)
    elif part.get("y"):
        year = _full_year(int(part["y"] or 0))
    elif part.get("d") is not None:
        year = 1972  # an arbitrary leap year: the log has no year
    else:
        return 0  # only a time of day
    if part.get("j"):
        days = datetime(year, 1, 1) + timedelta(int(part["j"] or 0) - 1)
        if days.year != year:
            raise ValueError(part["j"])
        return days.toordinal() - 719_163
    month = _month(part["b"] or "") if part.get("b") else int(part.get("m") or 1)
    return datetime(year, month, int(part.get("d") or 1)).toordinal() - 719_163


def _month(name: str) -> int:
    word = name.lower()
    found = _MONTHS.get(word) or _MONTHS.get(word[:4]) or _MONTHS.get(word[:3])
    if found is None:
        raise ValueError(name)
    return found


def _zone_of(found: re.Match[str]) -> str:
    named = found.groupdict()
    return named.get("zone") or ""


def _hours(zone: str) -> float:
    """Return the UTC offset of a zone in hours."""
    if not zone:
        return 0.0
    known = _ZONES.get(zone.lower())
    if known is not None:
        return float(known)
    text = re.sub(r"[^\d+-]", "", zone.replace("\u2212", "-"))
    digits = text[1:]
    hours = int(digits[:2]) if len(digits) != 3 else int(digits[:1])
    minutes = int(digits[-2:]) if len(digits) > 2 else 0
    return (hours + minutes / 60.0) * (-1.0 if text[0] == "-" else 1.0)


@lru_cache(1024)
def compiled(text: str) -> re.Pattern[str]:
    """Return the regular expression of a format."""
    return re.compile(_pattern(text))


def _pattern(text: str) -> str:
    if "%" not in text:
        raise ValueError(f"{text!r} contains no time field, such as %Y-%m-%d %H:%M:%S")
    out, at, seen = "", 0, set()
    while at < len(text):
        letter = text[at]
        if letter != "%":
            out += _between(text, at)
            at += 1
            continue
        code = text[at + 1 : at + 2]
        if code not in _CODES:
            raise ValueError(f"{text!r}: %{code} is not one of: {', '.join(_CODES)}")
        key = "H" if code == "I" else "b" if code == "B" else "zone" if code in "zZ" else code
        if code not in "aA%" and key in seen:
            raise ValueError(f"{text!r}: %{code} occurs twice")
        seen.add(key)
        # Adjacent numbers have all their digits.
        touched = text[at + 2 : at + 3] == "%" or (at > 1 and text[at - 2] == "%")
        if code in _FIXED and touched and code != "f":
            out += f"(?P<{key}>\\d{{{_FIXED[code]}}})"
        elif code == "j" and text[at - 1 : at] == " ":
            out += r"(?P<j>\d{1,3})"  # a column of its own
        else:
            out += _CODES[code]
        at += 2
        if code == "M" and "%S" not in text and "%" not in text[at : at + 1]:
            out += r"(?::(?P<S>\d\d)" + _FRACTION + ")?"
        elif code == "M" and text[at : at + 3] == ":%S":
            out += r"(?::(?P<S>\d\d?)" + ("" if "%f" in text else _FRACTION) + ")?"
            at += 3
            seen.add("S")
        elif code == "S" and "%f" not in text:
            out += _FRACTION
    if "%z" not in text and "%Z" not in text and ("H" in seen):
        out += _ZONE
    return out


def _between(text: str, at: int) -> str:
    """Return a pattern for a literal character of a format."""
    if (
        text[at] in " T"
        and text[at + 1 : at + 3] in ("%H", "%I")
        and at > 1
        and text[at - 1] in "dyYjbu"
    ):
        return r"(?:\s+|[Tt])"  # programs write either
    if text[at] == " ":
        return r"\s*" if text[at + 1 : at + 3] == "%p" else r"\s+"
    return "[Tt]" if text[at] == "T" else re.escape(text[at])


def zone_free(moment: float) -> str:
    """Return a time as text, without a zone."""
    try:
        return datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return f"{moment:g}"
