"""Converts rows of cells to rows of readings; the columns of a table are chosen once."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from edgeolk.errors import suggest
from firmware_sim.errors import StreamError
from firmware_sim.plaintext import joined, shortened
from firmware_sim.streams import cells, dates
from firmware_sim.streams.block import Block, Cells, Line, NumberCells, Places, Row
from firmware_sim.streams.categories import Words
from firmware_sim.streams.columns import ReadingOptions, is_time_name
from firmware_sim.streams.damages import Damage
from firmware_sim.streams.dialect import described
from firmware_sim.streams.time_format import TimeFormat
from firmware_sim.streams.understood import Column, Moments, Understood

__all__ = ["CLOCK", "PERIODS", "Reading", "ReadingOptions", "Table"]

_LISTED = 40  # most columns named in a message
_NAME = 80  # most characters of each name
#: Readings derived from the time: points on circles with periods of a day and of a week.
CLOCK = ("day_sin", "day_cos", "week_sin", "week_cos")
PERIODS = (86_400.0, 604_800.0)
#: A column without a value in this many rows is empty.
_PROVING = 10
_UNITS = {
    "epoch": "seconds", "epoch ms": "milliseconds", "epoch us": "microseconds",
    "epoch ns": "nanoseconds",
}  # fmt: skip
HEADER_AGAIN = "it repeats the header"
EMPTY = "all of its cells are empty"


class Table:
    """Rows of cells, one cell per column.

    n: number of rows.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self.n = len(rows)
        self._columns = [*zip(*rows, strict=True)]

    def column(self, place: int) -> Sequence[str]:
        """Return the cells of a column."""
        return self._columns[place] if self.n else ()

    def cells(self, place: int) -> Cells:
        """Return the cells of a column as distinct texts."""
        return Cells.of(self.column(place))

    def times(self, place: int) -> Sequence[str] | npt.NDArray[np.bytes_]:
        """Return the cells of a column for `TimeFormat.many`."""
        return self.column(place)

    def numbers(self, places: Sequence[int], comma: bool) -> Row | None:
        """Return columns of numbers, shape (n, ...); None if the cells must be read one by one.

        comma: whether a comma is the decimal mark.
        """
        return None


class Reading:
    """The columns of one table, and the readings made of each.

    name: the name of the stream in messages.
    understood: what the columns hold. A board would have these choices in its program.
    first: the first rows.
    options: the user's settings.
    target, features, ignored, notes, local_times: as in `Stream`.
    left_out: columns that are not inputs, and why.
    Raises StreamError: the columns do not match the options, or are unreadable.
    """

    def __init__(
        self,
        name: str,
        understood: Understood,
        first: Sequence[Sequence[str]],
        options: ReadingOptions,
    ) -> None:
        self._name, self._options, self.understood = name, options, understood
        self._header = understood.names
        self._places = {column: place for place, column in enumerate(self._header)}
        self._original = [understood.renamed.get(one, one) for one in self._header]
        self._check_names()
        self.target = options.target or ""
        self.first = [row for row in first if len(row) == self.width and not self.is_header(row)]
        self._absent = cells.MISSING_WORDS | options.absent
        self._time = self._time_of()
        self.local_times = self._is_local()
        self._features: list[str] = []
        self._numbers: list[tuple[int, int]] = []  # slot and column index of plain numbers
        self._others: list[tuple[int, int]] = []  # ... of switches, units, thousands
        self._words: list[Words] = []
        self._notes = [*understood.notes()]
        self.left_out: dict[str, str] = {}
        self._choose()
        self._clock_at = self._clock_readings()
        self._is_alone = not self._features and options.alone and bool(self.target)
        if self._is_alone:
            self._features.append("constant")
            self._notes.append(
                f"only column {self.target!r} holds readings: it is forecast from its own history "
                "(with the time of day: --clock)"
            )
        if not self._features:
            raise StreamError(f"{name}: no input column is left; {self._listing}")
        self.features = tuple(self._features)
        #: The target's place as long as it is read together with the plain numbers.
        self._number_target = [self._places[self.target]] if self._has_number_target() else []
        self.ignored = tuple(one for one in self._header if one in self.left_out)
        self.notes = tuple(self._notes)

    def _has_number_target(self) -> bool:
        """Whether targets are numbers, written as the plain readings are."""
        if not (self._options.alone and self.target) or self.understood.comma:
            return False
        column = self.understood.columns[self._places[self.target]]
        return column.kind == "number" and column.notation.is_plain and not column.absent

    @property
    def width(self) -> int:
        """Cells in a row."""
        return len(self._header)

    @property
    def is_dated(self) -> bool:
        """Whether times include the date."""
        return self._time is not None and self._time[1].is_absolute

    def is_absent(self, cell: str) -> bool:
        """Whether a cell means a missing value."""
        return cells.absent(cell, self._absent)

    def is_header(self, row: Sequence[str]) -> bool:
        """Whether a row repeats the header, which loggers write again after a restart."""
        return len(row) == self.width and [cell.strip() for cell in row] == self._original

    def no_row(self, count: int) -> str:
        """Return why a row with this number of cells is unreadable."""
        return f"{count} cells where the header has {self.width}"

    def place_of(self, name: str) -> int:
        """Return the index of a column."""
        return self._places[name]

    def column_of(self, slot: int) -> Column | None:
        """Return the column whose numbers or switches a reading is, None if it is derived."""
        place = dict([*self._numbers, *self._others]).get(slot)
        return None if place is None else self.understood.columns[place]

    def kind_of(self, slot: int) -> str:
        """Return a description of a reading."""
        if any(words.slots.start <= slot < words.slots.stop for words in self._words):
            return "0 or 1 for a word"
        column = self.column_of(slot)
        if column is None:
            return "derived"
        if column.kind == "switch":
            return "switch, read as 1 and 0"
        return f"number in {column.notation.unit}" if column.notation.unit else "number"

    # ---- which columns are inputs -----------------------------------------------------------

    def _check_names(self) -> None:
        """Check that the columns named by the user exist."""
        options, listing = self._options, self._listing
        if not any(self._header):
            raise StreamError(
                f"{self._name}: no line contains the column names; give its number with --header N"
            )
        target = options.target
        if target is None and options.labelled:
            raise StreamError(f"{self._name}: name the label column with --target; {listing}")
        times = [options.time] if options.time not in ("auto", "none") else []
        for column in (target, *options.ignore, *times):
            if column is not None and column not in self._places:
                meant = suggest(column, self._header)
                raise StreamError(
                    f"{self._name} has no column {column!r}{meant}; {listing}{self._layout}"
                )
        if target in options.ignore:
            raise StreamError(f"column {target!r} cannot be both the target and ignored")

    @property
    def _listing(self) -> str:
        more = len(self._header) - _LISTED
        shown = ", ".join(name[:_NAME] for name in self._header[:_LISTED])
        return "its columns are: " + shown + (f" and {more:,} more" if more > 0 else "")

    @property
    def _layout(self) -> str:
        """A hint about the detected layout, which may be wrong if there are so few columns."""
        layout = self.understood.dialect
        if layout is None or len(self._header) > 2:
            return ""
        where = f"line {layout.header}" if layout.header else "no line"
        return (
            f"; {where} was taken for the column names and {described(layout.separator)} for the "
            "separator: correct them with --header N and --sep C"
        )

    def _choose(self) -> None:
        """Choose the columns that are inputs; raises StreamError if text has to be one."""
        options = self._options
        # A duplicate name means all its columns.
        ignored, given = {*options.ignore}, self.understood.renamed.items()
        ignored |= {new for new, old in given if old in ignored}
        texts = [one for one in self.understood.columns if one.kind == "words"]
        texts = [one for one in texts if one.name not in ignored | {self.target}]
        for column in self.understood.columns:
            if column.name == self.target:
                continue
            why = "--ignore" if column.name in ignored else self._why_left_out(column)
            if why:
                self.left_out[column.name] = why
            elif column.kind != "words" or options.categories != "refuse":
                self._take(column)
        nothing = not self._features and not options.clock and not options.alone
        if texts and (options.categories == "refuse" or nothing):
            raise StreamError(f"{self._name}: {_no_readings(texts)}")

    def _why_left_out(self, column: Column) -> str:
        """Return why a column is not an input ("" if it is one), and add a note."""
        name, kind, options, note = column.name, column.kind, self._options, self._notes.append
        moments = self.understood.moments
        if kind == "time":
            if options.time == "none":
                return ""
            note(f"column {name!r} holds times and is not an input")
            if moments is not None and name == moments.columns[0]:
                if not moments.sure and not options.dayfirst:
                    note(
                        f"day and month are ambiguous in {name!r}: it is read as "
                        f"{moments.format}; change it with --dayfirst or --time-format"
                    )
                if len(moments.columns) > 1:
                    names = ", ".join(map(repr, moments.columns))
                    note(f"columns {names} together form the time of a row")
            return "time"
        if kind == "index":
            note(f"column {name!r} counts the rows and is not an input; to use it, give it a name")
            return "counts the rows"
        if kind == "empty" and len(self.first) >= _PROVING:
            rows = f"{len(self.first):,} rows"
            note(f"column {name!r} has no value in the first {rows} and is not an input")
            return "no value in the first rows"
        if column.why and kind == "number":
            note(f"column {name!r} {column.why} and is not an input")
            return column.why
        if kind == "words" and options.categories == "ignore":
            what = column.why or f"holds text, such as {shortened(column.example)}"
            more = "" if column.why else "; to feed it: --categories onehot"
            note(f"column {name!r} {what} and is not an input{more}")
            return column.why or "text"
        if not name:
            note(
                f"column {self._places[''] + 1} has no name and is fed to the learner; give it a "
                "name to leave it out with --ignore"
            )
        elif kind == "number" and options.time == "auto" and is_time_name(name):
            note(
                f"column {name!r} is called a time, but its numbers match no known time "
                "format: it is an input; leave it out with --ignore or set --time-format"
            )
        elif kind == "number" and (unit := self._looks_like(column)):
            note(
                f"column {name!r} looks like {unit} since 1970 and is an input; if it holds the "
                f"time of a row: --time {shlex.quote(name)}"
            )
        return ""

    def _looks_like(self, column: Column) -> str:
        """Return the unit of numbers that may be the times of a log without others; or ""."""
        if self._options.time != "auto" or self.understood.moments is not None:
            return ""
        place, values = self._places[column.name], []
        for row in self.first:
            with suppress(ValueError):
                values.append(column.notation.number(row[place]))
        values = [value for value in values if math.isfinite(value)]
        if len(values) < _PROVING:
            return ""
        return _UNITS.get(dates.epoch_of(values, steady=True), "")

    def _take(self, column: Column) -> None:
        """Add the readings of a column."""
        name, notation, note = column.name, column.notation, self._notes.append
        place, slot = self._places[name], len(self._features)
        if column.kind == "words":
            words = Words(place, slot, self._options, [row[place] for row in self.first])
            self._words.append(words)
            self._features += [f"{name}{ending}" for ending in words.endings]
            note(f"column {name!r} holds text and gives {words.size} readings of 0 or 1")
            return
        self._features.append(name)
        if column.kind == "number" and notation.is_plain and not column.absent:
            self._numbers.append((slot, place))
            return
        self._others.append((slot, place))
        if column.kind == "switch":
            example = shortened(column.example)
            note(f"column {name!r} holds words such as {example}, read as 1 and 0")
        if notation.unit:
            note(f"column {name!r} holds numbers with the unit {notation.unit!r}")
        if notation.thousands:
            mark = shortened(notation.thousands)
            note(f"column {name!r} holds numbers with {mark} between thousands")
        if column.absent:
            absent = ", ".join(map(shortened, sorted(column.absent)))
            note(f"column {name!r}: {absent} among its numbers counts as missing")

    def _clock_readings(self) -> int | None:
        """Add the clock readings; return the slot of the first, None if they are off."""
        if not self._options.clock:
            return None
        if self._time is None or not self.is_dated:
            raise StreamError(
                f"{self._name}: --clock needs a column of times with dates, and none was "
                f"found: name it with --time; {self._listing}"
            )
        time, first = self._time[0].columns[0], len(self._features)
        self._features += [f"{time}:{part}" for part in CLOCK]
        self._notes.append(f"column {time!r} gives the time of day and of the week, 4 readings")
        return first

    # ---- times ------------------------------------------------------------------------------

    def _time_of(self) -> tuple[Moments, TimeFormat] | None:
        """Return the columns and the format of times; None if there are none."""
        asked, moments = self._options.time, self.understood.moments
        if asked == "none":
            return None
        if asked != "auto" and (moments is None or asked not in moments.columns):
            raise StreamError(f"{self._name}: column {asked!r} holds no dates or times")
        return None if moments is None else (moments, TimeFormat(moments.format))

    def _is_local(self) -> bool:
        """Whether the times of the first rows have no zone."""
        if self._time is None:
            return False
        moments, form = self._time
        places = [self._places[one] for one in moments.columns]
        times = (moments.joined([row[place] for place in places]) for row in self.first)
        return form.is_local(next((cell for cell in times if cell.strip()), ""))

    def _seconds(self, table: Table, damage: dict[int, str]) -> Row:
        """Return the times of rows, NaN if unknown."""
        if self._time is None or not table.n:
            return np.full(table.n, math.nan)
        moments, form = self._time
        places = [self._places[one] for one in moments.columns]
        found = table.times(places[0])
        if len(places) > 1:
            together = zip(*map(table.column, places), strict=True)
            found = [moments.joined(cells) for cells in together]
        known = form.many(found)
        for at in np.flatnonzero(np.isnan(known)).tolist():
            cell = str(found[at], "latin-1") if isinstance(found[at], bytes) else found[at]
            if not (self.is_absent(cell) or cells.is_sheet_error(cell)):
                why = f"column {moments.columns[0]!r}: {shortened(cell)} is not a time"
                damage.setdefault(at, why)
        return known

    # ---- rows -------------------------------------------------------------------------------

    def read(self, first: int, lines: Sequence[Line]) -> Block:
        """Convert rows of cells to readings; the first of them has the number `first`."""
        odd, complete = {}, []
        for at, (record, why, _) in enumerate(lines):
            if why or len(record) != self.width:
                odd[at] = why or self.no_row(len(record))
            else:
                complete.append(record)
        block = self.block(first, Table(complete), odd, lines.__getitem__)
        return replace(block, text=[line.shown for line in lines].__getitem__)  # without the cells

    def block(
        self, first: int, table: Table, odd: Mapping[int, str], line: Callable[[int], Line]
    ) -> Block:
        """Convert a table to readings.

        first: number of the first row.
        odd: rows that are not in the table, by index among all rows, and why.
        line: returns a row by index among all rows.
        """
        n, damage = table.n, dict[int, str]()
        rows = np.zeros((n, len(self.features)))
        targets = self._fill_numbers(table, rows, damage)
        for slot, place in self._others:
            found = table.cells(place)
            values = np.full(len(found.words), math.nan)
            for at, cell in enumerate(found.words):
                try:
                    values[at] = self._value(place, cell)
                except ValueError:
                    self._note(damage, found, at, self._no_number(place, cell))
            rows[:, slot] = values[found.places]
        for words in self._words:
            found = table.cells(words.place)
            rows[:, words.slots] = words.readings(found.words)[found.places]
        seconds = self._seconds(table, damage)
        if self._clock_at is not None:
            angles = math.tau * seconds[:, None] / np.array(PERIODS)
            turns = np.stack([np.sin(angles), np.cos(angles)], axis=2)
            rows[:, self._clock_at : self._clock_at + len(CLOCK)] = turns.reshape(n, len(CLOCK))
        labels = Cells([""], np.zeros(n, np.int64))
        if targets is not None:
            place = self._places[self.target]
            labels = Cells(NumberCells(targets, lambda: table.column(place)), np.arange(n))
        elif self.target:
            labels = self._labels(table.cells(self._places[self.target]), damage)
        if odd:
            total = n + len(odd)
            kept = np.delete(np.arange(total), [*odd])
            damage = {int(kept[at]): why for at, why in damage.items()} | {**odd}
            rows, seconds = _spread(rows, kept, total), _spread(seconds, kept, total)
            spread = np.zeros(total, np.int64)
            spread[kept] = labels.places
            labels = Cells(labels.words or [""], spread)
        if self.width > 1:
            for at in np.flatnonzero(np.isnan(rows).all(axis=1)).tolist():
                if at not in damage and not any(map(str.strip, line(at).cells)):
                    damage[at] = EMPTY
        for at, why in damage.items():
            row = line(at)
            damage[at] = Damage.of(HEADER_AGAIN if self.is_header(row.cells) else why, row.shown)
        return Block(first, rows, labels, seconds, damage, lambda at: line(at).shown)

    def _fill_numbers(self, table: Table, rows: Row, damage: dict[int, str]) -> Row | None:
        """Set the readings of plain numbers; return the targets if these were read with them."""
        comma, slots = self.understood.comma, [slot for slot, _ in self._numbers]
        places = [place for _, place in self._numbers]
        if self._number_target:
            numbers = table.numbers([*places, *self._number_target], comma)
            if numbers is not None:
                rows[:, slots] = numbers[:, :-1]
                return np.array(numbers[:, -1])
        numbers = table.numbers(places, comma)
        if numbers is not None:
            rows[:, slots] = numbers
            self._number_target = []  # it is the target that has other cells
            return None
        notation = cells.Notation(",") if comma else cells.PLAIN
        for slot, place in self._numbers:
            held = table.column(place)
            try:
                if comma or any("_" in cell for cell in held):
                    raise ValueError
                rows[:, slot] = [*map(float, held)]
            except ValueError:
                for at, cell in enumerate(held):
                    try:
                        rows[at, slot] = notation.number(cell, self._absent)
                    except ValueError:
                        damage.setdefault(at, self._no_number(place, cell))
        return None

    def _value(self, place: int, cell: str) -> float:
        """Return the reading in a cell that is not a plain number; raises ValueError."""
        column = self.understood.columns[place]
        if column.kind == "switch":
            return cells.switch(cell, self._absent)
        return column.notation.number(cell, self._absent | column.absent)

    def _labels(self, found: Cells, damage: dict[int, str]) -> Cells:
        """Return the cells of the target, with numbers in Python's notation."""
        for at, cell in enumerate(found.words):
            if "\n" in cell.strip():
                why = f"column {self.target!r}: {shortened(cell)} has several lines"
                self._note(damage, found, at, why)
        column = self.understood.columns[self._places[self.target]]
        if column.kind != "number" or found.floats is not None:
            return found
        return Cells([self._label(column, cell) for cell in found.words], found.places)

    def _label(self, column: Column, cell: str) -> str:
        """Return a target cell with its number in Python's notation; a word is unchanged."""
        if cell.strip().lower() in column.absent or cells.is_sheet_error(cell):
            return ""
        if cells.are_plain([cell]):
            return cell
        try:
            return repr(column.notation.number(cell, frozenset()))
        except ValueError:
            return cell

    def _no_number(self, place: int, cell: str) -> str:
        return f"column {self._header[place]!r}: {shortened(cell)} is not a number"

    def _note(self, damage: dict[int, str], found: Cells, word: int, why: str) -> None:
        """Record why rows with a word are unreadable, unless they already have a reason."""
        for row in np.flatnonzero(found.places == word).tolist():
            damage.setdefault(row, why)


def _spread(values: Row, kept: Places, n: int) -> Row:
    """Return n rows of which `kept` have these values; the others are NaN."""
    out = np.full((n, *values.shape[1:]), math.nan)
    out[kept] = values
    return out


def _no_readings(columns: Sequence[Column]) -> str:
    """Return the error message about text columns."""
    names = [column.name[:_NAME] for column in columns[:_LISTED]]
    shown, ignored = ", ".join(map(repr, names)), shlex.quote(joined(names))
    one = len(columns) == 1
    it, first = "it" if one else "them", columns[0]
    text = f"{'hold' + 's' * one} text, such as {shortened(first.example)}"
    what = f"column{'s' * (not one)} {shown} {first.why if one and first.why else text}"
    leave = f"leave {it} out with --ignore {ignored}"
    if all(column.why for column in columns):
        return f"{what}; {leave}"
    return f"{what}; {leave}, or feed {it} with --categories onehot"
