"""Infers what the columns of a table hold from its first rows.

A column is numeric if at least half of its cells are numbers; the other cells are damage. It is a
time if most cells are dates, or if its name suggests a time and its numbers fit one. A date and a
time of day in two columns, or year, month and day in several, are joined. Columns of true and
false, yes and no, or on and off become 1 and 0. An unnamed column that counts the rows is an index,
as data tools write one. Everything else is text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from firmware_sim.plaintext import shortened
from firmware_sim.streams import cells, dates
from firmware_sim.streams.dialect import Dialect, is_reading, unique
from firmware_sim.streams.time_format import TimeFormat
from firmware_sim.streams.understood import Column, Moments, Understood, read_understood

#: Rows inspected to infer the columns.
INSPECTED_ROWS = 200

_TIME_NAME = re.compile(
    r"(unix|epoch|date|time|stamp|ts|elapsed|seconds|millis|micros|utc|uptime|datum|zeit)"
    r"([ _-]?(time|stamp|utc|s|sec|seconds|ms|millis|us|ns|min|minutes|h|hours))*"
    r"\s*[(\[]?\s*(s|sec|seconds|ms|us|ns|min|h)?\s*[)\]]?",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset({
    "time", "date", "datetime", "timestamp", "ts", "epoch", "unix", "unixtime", "utc", "gmt",
    "stamp", "datum", "zeit", "uhrzeit", "zeitstempel", "dt", "clock", "fecha", "hora", "heure",
    "created", "updated", "recorded", "logged", "received", "measured", "when", "jd", "julian",
    "serial", "datenum", "localtime", "hhmm", "hhmmss", "yyyymmdd", "yyyymmddhh", "yyyymmddhhmm",
    "yymmdd",
})  # fmt: skip
#: Names of a time only if the numbers are seconds since 1970 or parts of them.
_SHORT_NAMES = frozenset({"t", "s", "sec", "secs"})
#: Time zones, which name a time alone: "est" is east and "pst" pressure in longer names.
_ZONES = frozenset({"mst", "est", "cst", "pst", "cet"})
#: No name, or the name that pandas writes for a column without one.
_INDEX_NAME = re.compile(r"|Unnamed: \d+")
#: Names of the parts of a date, in the order of a format.
_PARTS = (
    ("%Y", ("year", "yr", "yyyy", "jahr", "año", "ano", "annee"), (1900, 2100)),
    ("%m", ("month", "mon", "mo", "mm", "mnth", "monat", "mes", "mois"), (1, 12)),
    ("%d", ("day", "dd", "dy", "mday", "tag", "dia", "jour", "day_of_month"), (1, 31)),
    ("%j", ("doy", "day_of_year", "yday", "julian_day", "jday"), (1, 366)),
    ("%H", ("hour", "hr", "hh", "hours", "stunde", "hora", "heure"), (0, 24)),
    ("%M", ("minute", "min", "mi", "minutes"), (0, 59)),
    ("%S", ("second", "sec", "ss", "seconds"), (0, 60)),
)
_PART_NAMES = {name: (code, span) for code, names, span in _PARTS for name in names}
#: A cell that begins with a number and has a sign of a measurement: a point, a blank, a degree.
_MEASURED = re.compile(r"\s*[+-]?\d+(?:[.,]\d|\s*[°%]|\s+[^\W\d_])")
#: A column is an input if at least this share of rows has a value.
_SPARSE = 0.05
#: A word that occurs this often among numbers means "missing".
_REPEATED = 2


@dataclass(frozen=True)
class ReadingOptions:
    """The user's settings for a log and its columns."""

    target: str | None = None  # the label column
    ignore: Sequence[str] = ()  # columns that are not readings
    #: the column of times, "auto" to detect it, "none" to ignore times
    time: str = "auto"
    #: what to do with a text column: "ignore" it, "refuse" it, or make 0/1 readings of it, one for
    #: each of its most common words ("onehot") or for each hash value ("hash")
    categories: str = "ignore"
    category_slots: int = 8  # most readings made of a text column
    labelled: bool = True  # whether a label column is required
    absent: frozenset[str] = frozenset()  # additional words for missing readings, in lower case
    clock: bool = False  # whether to add the time of day and of the week as readings
    missing: str = "skip"  # how to handle rows with a missing reading
    #: whether to forecast the target from its own history if there is no input column
    alone: bool = False
    time_format: str | None = None  # the format of times, see `TimeFormat`
    dayfirst: bool = False  # whether 3/2/2015 is the third of February
    sep: str | None = None  # the cell separator; None to detect it, as for the next two
    header: int | None = None  # line number of the names, 0 for none
    comment: str | None = None  # prefix of comment lines
    understood: str | None = None  # a file with the record of an earlier run

    @property
    def layout(self) -> dict[str, Any]:
        """The settings for `dialect.laid_out`."""
        return {"separator": self.sep, "header": self.header, "comment": self.comment}

    @property
    def given(self) -> Understood | None:
        """The record in the file `understood`; None if there is no such file yet."""
        if self.understood is None or not Path(self.understood).exists():
            return None
        return read_understood(Path(self.understood))


class _Study:
    """The inspection of one table.

    present: the cells of each column that are not missing.
    """

    def __init__(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[str]],
        options: ReadingOptions,
        separator: str,
        has_names: bool,
        later: Callable[[int], Sequence[str]] | None,
    ) -> None:
        self.names, self.time, self.has_names, self.later = names, options.time, has_names, later
        self.options = options
        # A column without a name cannot be the target.
        self.target = options.target or None
        absent = cells.MISSING_WORDS | options.absent
        self.held = [[*column] for column in zip(*rows, strict=True)] or [[] for _ in names]
        self.present = [
            [one for one in column if not cells.absent(one, absent)] for column in self.held
        ]
        self._first = next((at for at, one in enumerate(self.present) if one), 0)
        quoted = separator == ","
        written = [
            [one for one in column if not cells.is_sheet_error(one)] for column in self.present
        ]
        self.notations = [cells.notation_of(one, quoted) if one else None for one in written]
        self.comma = any(one is not None and one.decimal == "," for one in self.notations)
        european = self.comma or separator == ";"
        self.formats = [self._format(place, european) for place in range(len(names))]

    def _format(self, place: int, european: bool) -> tuple[TimeFormat | None, bool]:
        """Return the time format of a column, and whether it is unambiguous."""
        present, name, options = self.present[place], self.names[place], self.options
        if not present or name == self.target or self.time == "none":
            return None, True
        if options.time_format is not None and self.time in ("auto", name):
            known = TimeFormat(options.time_format)
            good = np.count_nonzero(~np.isnan(known.many(present)))
            if name == self.time if known.is_counted else 2 * good >= len(present):
                return known, True
        number = self.notations[place]
        if number is not None and number.is_plain:
            return self._counted(place, present, name), True
        if len(present) > 1 and max(Counter(map(len, present)).values()) * 3 < len(present):
            return None, True  # sentences
        return dates.recognised(
            present,
            day_first=True if options.dayfirst else None,
            european=european,
            later=None if self.later is None else partial(self.later, place),
        )

    def _counted(self, place: int, present: list[str], name: str) -> TimeFormat | None:
        """Return the time format of a column of numbers."""
        loose, digits = is_time_name(name), {len(cell.strip()) for cell in present}
        if digits <= {8, 10, 12, 14} and len(digits) == 1 and len(set(present)) > 1:
            found, _ = dates.recognised(present, share=0.9)
            first = place == 0 and not self.has_names
            if found is not None and (loose or first or digits & {12, 14}):
                epoch = digits == {10} and not _jumps(present)
                if not epoch:
                    return found
        if name == self.time:
            loose = True
        first = not self.has_names and place == self._first
        is_short = name.strip().lower() in _SHORT_NAMES
        if not (loose or first or is_short):
            return None
        values = [one for one in map(self._value, present) if not isnan(one)]
        if len(values) < 0.8 * len(present):
            return None
        text = dates.counted(name.lower(), values, has_name=bool(_TIME_NAME.fullmatch(name)))
        if first and not loose and not (text.startswith("epoch") and _is_increasing(values)):
            text = ""
        if is_short and not (loose or first):
            text = dates.epoch_of(values)
        if not text and name == self.time:
            text = "seconds"
        return TimeFormat(text) if text else None

    def _value(self, cell: str) -> float:
        try:
            return cells.number(cell, self.comma)
        except ValueError:
            return float("nan")

    def moments(self) -> Moments | None:
        """Return which columns hold the time of a row; None if no column does."""
        if self.time == "none":
            return None
        order = [at for at, (one, _) in enumerate(self.formats) if one is not None]
        if self.time != "auto":
            order = [at for at in order if self.names[at] == self.time]
        complete = [
            at for at in order if self._format_at(at).is_absolute and self._format_at(at).has_clock
        ]
        complete.sort(key=lambda at: len(set(self.present[at])) < 2)
        if complete:
            at = complete[0]
            return Moments((self.names[at],), self._format_at(at).text, self.formats[at][1])
        days = [at for at in order if self._format_at(at).is_absolute]
        joined = next(filter(None, map(self._joined, days)), None) if days else self._in_parts()
        if joined is not None or not days:
            counts = [at for at in order if self._format_at(at).is_counted]
            if joined is None and counts:
                at = counts[0]
                return Moments((self.names[at],), self._format_at(at).text, True)
            return joined
        at = days[0]
        return Moments((self.names[at],), self._format_at(at).text, self.formats[at][1])

    def _format_at(self, place: int) -> TimeFormat:
        found = self.formats[place][0]
        assert found is not None
        return found

    def _joined(self, day: int) -> Moments | None:
        """Return a date and a time of day in two columns as one time."""
        date, sure = self.formats[day]
        assert date is not None
        clocks = [at for at, (one, _) in enumerate(self.formats) if one and not one.is_absolute
                  and one.has_clock and not one.is_counted]  # fmt: skip
        for at in sorted(clocks, key=lambda at: abs(at - day)):
            clock = self._format_at(at).text
            return Moments((self.names[day], self.names[at]), f"{date.text} {clock}", sure)
        for at, name in enumerate(self.names):
            if self._is_part(at, "%H") and len(set(self.present[day])) < len(self.present[day]):
                return Moments((self.names[day], name), f"{date.text} %H", sure)
            if at != day and (clock := self._digits_of_day(at)):
                return Moments((self.names[day], name), f"{date.text} {clock}", sure)
        return None

    def _digits_of_day(self, place: int) -> str:
        """Return the format of times of day such as 5, 930, 2359 or 235959; "" for others."""
        present = [cell.strip() for cell in self.present[place]]
        if not present or not is_time_name(self.names[place]):
            return ""
        width = 6 if max(map(len, present)) > 4 else 4
        padded = [cell.zfill(width) for cell in present]
        fit = all(re.fullmatch("(?:[01]\\d|2[0-4])[0-5]\\d(?:[0-5]\\d)?", one) for one in padded)
        return ("%H%M%S" if width > 4 else "%H%M") if fit else ""

    def _is_part(self, place: int, code: str) -> bool:
        found = _PART_NAMES.get(self.names[place].strip().lower())
        if found is None or found[0] != code or not self.present[place]:
            return False
        low, high = found[1]
        values = [self._value(cell) for cell in self.present[place]]
        return all(
            low <= value <= high and value == int(value) for value in values if not isnan(value)
        )

    def _in_parts(self) -> Moments | None:
        """Return year, month, day and any parts of the time of day as one time."""
        found: dict[str, int] = {}
        for at, name in enumerate(self.names):
            code, _ = _PART_NAMES.get(name.strip().lower(), ("", None))
            if code and code not in found and name != self.target and self._is_part(at, code):
                found[code] = at
        if not ({"%Y", "%m", "%d"} <= set(found) or {"%Y", "%j"} <= set(found)):
            return None
        if {"%m", "%d"} <= set(found):
            found.pop("%j", None)
        codes = [code for code in ("%Y", "%m", "%d", "%j", "%H", "%M", "%S") if code in found]
        while codes[-1] == "%S" and "%M" not in codes:
            codes.pop()
        names = [self.names[found[code]] for code in codes]
        if "%H" not in codes:
            for at, name in enumerate(self.names):
                if name not in (*names, self.target) and (clock := self._digits_of_day(at)):
                    return Moments((*names, name), " ".join([*codes, clock]), True)
        return Moments(tuple(names), " ".join(codes), True)

    def column(self, place: int, moments: Moments | None) -> Column:
        """Return what a column holds."""
        name, present, held = self.names[place], self.present[place], self.held[place]
        form, _ = self.formats[place]
        notation = self.notations[place]
        example = present[0] if present else ""
        if moments is not None and name in moments.columns:
            return Column(name, "time", example=example)
        if name == self.target:
            is_number = notation is not None and not self._is_switch(present)
            kind, known = ("number", notation) if is_number else ("words", None)
            return Column(name, kind, known or cells.PLAIN, self._own_words(place), example)
        if not present:
            return Column(
                name, "empty", example=example, why="has no value in the first rows" if held else ""
            )
        if _INDEX_NAME.fullmatch(name) and len(present) == len(held) and _counts(present):
            return Column(name, "index", example=example)
        if form is not None:
            return Column(name, "time", example=example)
        if self._is_switch(present):
            return Column(name, "switch", example=example)
        if notation is not None:
            why = ""
            if len(present) < _SPARSE * len(held) and self.options.missing == "skip":
                why = f"has a value in {len(present):,} of the first {len(held):,} rows"
            return Column(name, "number", notation, self._own_words(place), example, why)
        why = self._why_no_time(place, present) or _why_no_number(present)
        return Column(name, "words", example=self._typical(present), why=why)

    def _is_switch(self, present: Sequence[str]) -> bool:
        fit = sum(map(_is_bit, present))
        return any(map(cells.is_switch, present)) and fit >= 0.9 * len(present)

    def _own_words(self, place: int) -> frozenset[str]:
        """Return the words that mean "missing" among the numbers of a column."""
        notation = self.notations[place]
        if notation is None or cells.are_plain(self.present[place]):
            return frozenset()
        odd: Counter[str] = Counter()
        for cell in self.present[place]:
            try:
                notation.number(cell)
            except ValueError:
                word = cell.strip().lower()
                if word != self.names[place].lower() and len(word) <= 24 and not word[:1].isdigit():
                    odd[word] += 1
        return frozenset(word for word, count in odd.items() if count >= _REPEATED)

    def _typical(self, present: Sequence[str]) -> str:
        """Return a typical cell of a text column."""
        return next((cell for cell in present if not cells.is_number(cell, self.comma)), present[0])

    def _why_no_time(self, place: int, present: Sequence[str]) -> str:
        """Return why text that resembles times is not one; empty if it does not resemble times."""
        few = present[:: 1 + len(present) // 20]
        some = [cell for cell in few if dates.recognised([cell])[0] is not None]
        odd = next((cell for cell in few if cell not in some), "")
        if some and odd and 5 * len(some) >= len(few):
            shown = shortened(odd)
            return f"holds times such as {shortened(some[0])} and other cells, such as {shown}"
        if is_time_name(self.names[place]) and any(letter.isdigit() for letter in present[0]):
            return (
                f"is called a time, and {shortened(present[0])} matches no known "
                "time format: give it with --time-format"
            )
        return ""


def study(
    options: ReadingOptions,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    dialect: Dialect | None = None,
    *,
    kind: str = "a table",
    encoding: str = "utf-8",
    later: Callable[[int], Sequence[str]] | None = None,
) -> Understood:
    """Return the record that the user gives, or infer what the columns of a log hold.

    names: of the columns, as in the table.
    rows: the first rows.
    dialect, kind, encoding: as in `Understood`.
    later: returns the cells of later rows of a column.
    """
    if (known := options.given) is not None:
        return known
    renamed = unique(names)
    own = [*renamed]
    rows = [row for row in rows if len(row) == len(own) and [*row] != [*names]]
    rows = _without_remarks(rows)
    separator, has_names = (
        ("\t", True) if dialect is None else (dialect.separator, dialect.header > 0)
    )
    inspected = _Study(own, rows, options, separator, has_names, later)
    moments = inspected.moments()
    columns = tuple(inspected.column(place, moments) for place in range(len(own)))
    original = {new: old for new, old in renamed.items() if new != old}
    return Understood(columns, moments, inspected.comma, original, kind, dialect, encoding)


def _why_no_number(present: Sequence[str]) -> str:
    """Return why text that resembles numbers is not read as such; empty for other text."""
    if 2 * sum(_MEASURED.match(cell) is not None for cell in present) <= len(present):
        return ""
    units = [*dict.fromkeys(filter(None, map(cells.unit_of, present)))]
    if len(units) > 1:
        return f"holds numbers with different units: {', '.join(map(shortened, units[:4]))}"
    return f"holds numbers with further text, such as {shortened(present[0])}"


def _without_remarks(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return rows without lines of text, such as a program's last words, padded to their width."""
    remarks = [row for row in rows if len(row) > 1 and not any(row[1:]) and not is_reading(row[0])]
    return [*rows] if 2 * len(remarks) > len(rows) else [row for row in rows if row not in remarks]


def is_time_name(name: str) -> bool:
    """Whether a column name suggests a time."""
    if _TIME_NAME.fullmatch(name):
        return True
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = [word for word in re.split(r"[\W_\d]+", spaced.lower()) if word]
    return not _TIME_WORDS.isdisjoint(words) or (bool(words) and _ZONES.issuperset(words))


def _jumps(present: Sequence[str]) -> bool:
    """Whether ten digits skip from hour 23 to the next day, so they are not seconds since 1970."""
    ends = [int(cell.strip()[-2:]) for cell in present]
    steps = [int(b) - int(a) for a, b in pairwise(present)]
    return max(ends) < 25 and any(step > 70 for step in steps) and min(map(abs, steps)) < 25


def _is_increasing(values: Sequence[float]) -> bool:
    return all(a <= b for a, b in pairwise(values))


def _is_bit(cell: str) -> bool:
    return cells.is_switch(cell) or cell.strip() in ("0", "1")


def _counts(present: Sequence[str]) -> bool:
    """Whether the cells are consecutive integers."""
    try:
        values = [int(cell) for cell in present]
    except ValueError:
        return False
    return len(values) > 1 and all(b - a == 1 for a, b in pairwise(values))
