"""Converts rows of cells to rows of readings; the columns of a table are chosen once."""

from __future__ import annotations

import math
import shlex
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgeolk.errors import suggest
from firmware_sim.errors import StreamError
from firmware_sim.plaintext import joined, shortened
from firmware_sim.streams import cells
from firmware_sim.streams.block import Block, Cells, Damage
from firmware_sim.streams.columns import is_time_name, study
from firmware_sim.streams.dates import TimeFormat
from firmware_sim.streams.dialect import described
from firmware_sim.streams.row import Row
from firmware_sim.streams.understood import Column, Moments, Understood, read_understood

_LISTED = 40  # most columns named in a message
_NAME = 80  # most characters of each name
#: Readings derived from the time: points on circles with periods of a day and of a week.
CLOCK = ("day_sin", "day_cos", "week_sin", "week_cos")
PERIODS = (86_400.0, 604_800.0)
#: A column without a value in this many rows is empty.
_PROVING = 10
HEADER_AGAIN = "it repeats the header"


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

    def study(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[str]],
        separator: str,
        *,
        has_names: bool = True,
        later: Callable[[Sequence[int]], Sequence[str]] | None = None,
    ) -> Understood:
        """Infer what the columns of a table hold; see `columns.study`."""
        return study(
            names,
            rows,
            separator=separator,
            target=self.target or "",
            absent=cells.MISSING_WORDS | self.absent,
            time=self.time,
            time_format=self.time_format,
            day_first=True if self.dayfirst else None,
            keep_sparse=self.missing != "skip",
            has_names=has_names,
            later=later,
        )

    @property
    def given(self) -> Understood | None:
        """The record in the file `understood`; None if there is no such file yet."""
        if self.understood is None or not Path(self.understood).exists():
            return None
        return read_understood(Path(self.understood))


class Reading:
    """The columns of one table, and the readings made of each.

    name: the name of the stream in messages.
    understood: what the columns hold. A board would have these choices in its program.
    first: the first rows.
    options: the user's settings.
    target, features, ignored, notes, local_times: as in `Stream`.
    numbers: slot and column index of each column of plain numbers.
    comma: whether a comma is the decimal mark.
    Raises StreamError: the columns do not match the options, or are unreadable.
    """

    def __init__(
        self,
        name: str,
        understood: Understood,
        first: Sequence[Sequence[str]],
        options: ReadingOptions,
    ) -> None:
        self._name = name
        self.understood = understood
        self._header = header = understood.names
        self._places = {column: place for place, column in enumerate(header)}
        self._check_names(options)
        self.target = options.target or ""
        rows = [row for row in first if len(row) == len(header) and not self.is_header(row)]
        self.first = rows
        self._absent = cells.MISSING_WORDS | options.absent
        self.comma = understood.comma
        self._time = self._time_of(options)
        self.local_times = self._is_local()
        self._features: list[str] = []
        self.numbers: list[tuple[int, int]] = []  # slot and column index
        self._written: list[tuple[int, int]] = []  # ... of those with units or separators
        self._switches: list[tuple[int, int]] = []
        self._words: list[_Words] = []
        refused: list[Column] = []
        self._notes = self._layout_notes()
        #: columns that are not inputs, and why
        self.left_out: dict[str, str] = {}
        ignored = self._ignored(options)
        for column in understood.columns:
            if column.name == self.target:
                continue
            if column.name in ignored:
                self.left_out[column.name] = "--ignore"
            elif why := self._why_left_out(column, options):
                self.left_out[column.name] = why
            elif column.kind == "words" and options.categories == "refuse":
                refused.append(column)
            else:
                self._take(column, [row[self._places[column.name]] for row in rows], options)
        if refused or (not self._features and not options.clock and self._is_text_alone(options)):
            texts = [one for one in understood.columns if one.kind == "words"]
            texts = [one for one in texts if one.name not in (*ignored, self.target)]
            raise StreamError(f"{name}: {_no_readings(refused or texts)}")
        self._clock_at = self._clock_readings(options)
        self._alone_at: int | None = None
        if not self._features and options.alone and self.target:
            self._forecast_alone()
        if not self._features:
            raise StreamError(f"{name}: no input column is left; {self._listing}")
        self.features = tuple(self._features)
        self.ignored = tuple(name for name in header if name in self.left_out)
        self.notes = tuple(self._notes)

    def _layout_notes(self) -> list[str]:
        """Return notes on the layout of the table, one sentence each."""
        understood, out = self.understood, []
        layout = understood.dialect
        if layout is not None:
            between = layout.data - layout.header - 1
            if not layout.header:
                out.append(
                    "the first line contains no names: columns are called "
                    f"{', '.join(self._header[:3])}{', ...' * (len(self._header) > 3)}"
                )
            elif layout.header > 1:
                out.append(f"the names of the columns are in line {layout.header}")
            if layout.header and between == 1:
                out.append("the first row contains units and is skipped")
            elif layout.header and between > 1:
                out.append(f"{between} lines below the names are skipped")
        if understood.comma:
            out.append("numbers have a decimal comma")
        for new, old in understood.renamed.items():
            out.append(f"more than one column is called {old!r}: this one is now {new!r}")
        return out

    def _ignored(self, options: ReadingOptions) -> set[str]:
        """Return the columns that the user ignores; a duplicate name means all its columns."""
        ignored = {*options.ignore}
        return ignored | {new for new, old in self.understood.renamed.items() if old in ignored}

    def _is_text_alone(self, options: ReadingOptions) -> bool:
        """Whether text columns are the only possible inputs."""
        texts = [one.name for one in self.understood.columns if one.kind == "words"]
        return bool(set(texts) - {self.target, *self._ignored(options)}) and not options.alone

    def _why_left_out(self, column: Column, options: ReadingOptions) -> str:
        """Return why a column is not an input ("" if it is one), and add a note."""
        name = column.name
        moments = self.understood.moments
        if column.kind == "time" or (self._time is not None and name in self._time[1].columns):
            if options.time == "none":
                return ""
            self._notes.append(f"column {name!r} holds times and is not an input")
            is_clock = moments is not None and name == moments.columns[0]
            if moments is not None and is_clock and not moments.sure and not options.dayfirst:
                self._notes.append(
                    f"day and month are ambiguous in {name!r}: it is read as "
                    f"{moments.format}; change it with --dayfirst or --time-format"
                )
            if moments is not None and is_clock and len(moments.columns) > 1:
                joined = ", ".join(map(repr, moments.columns))
                self._notes.append(f"columns {joined} together form the time of a row")
            return "time"
        if column.kind == "index":
            self._notes.append(
                f"column {name!r} counts the rows and is not an input; to use it, give it a name"
            )
            return "counts the rows"
        if column.kind == "empty" and len(self.first) >= _PROVING:
            self._notes.append(
                f"column {name!r} has no value in the first {len(self.first):,} rows and is not an "
                "input"
            )
            return "no value in the first rows"
        if column.why and column.kind == "number":
            self._notes.append(f"column {name!r} {column.why} and is not an input")
            return column.why
        if column.kind == "words" and options.categories == "ignore":
            what = column.why or f"holds text, such as {shortened(column.example)}"
            more = "" if column.why else "; to feed it: --categories onehot"
            self._notes.append(f"column {name!r} {what} and is not an input{more}")
            return column.why or "text"
        if not name:
            self._notes.append(
                f"column {self._places[''] + 1} has no name and is fed to the learner; give it a "
                "name to leave it out with --ignore"
            )
        elif column.kind == "number" and options.time == "auto" and is_time_name(name):
            self._notes.append(
                f"column {name!r} is called a time, but its numbers match no known time "
                "format: it is an input; leave it out with --ignore or set --time-format"
            )
        return ""

    def _forecast_alone(self) -> None:
        """Add a constant reading of 0; the learner uses the history of the target."""
        self._alone_at = 0
        self._features.append("constant")
        self._notes.append(
            f"only column {self.target!r} holds readings: it is forecast from its own history "
            "(with the time of day: --clock)"
        )

    def _clock_readings(self, options: ReadingOptions) -> int | None:
        """Add the clock readings; return the slot of the first, None if they are off."""
        if not options.clock:
            return None
        if self._time is None or not self._time[2].is_absolute:
            raise StreamError(
                f"{self._name}: --clock needs a column of times with dates, and none was "
                f"found: name it with --time; {self._listing}"
            )
        time = self._header[self._time[0][0]]
        first = len(self._features)
        self._features += [f"{time}:{part}" for part in CLOCK]
        self._notes.append(f"column {time!r} gives the time of day and of the week, 4 readings")
        return first

    def _check_names(self, options: ReadingOptions) -> None:
        """Check that the columns named by the user exist."""
        if not any(self._header):
            raise StreamError(
                f"{self._name}: no line contains the column names; give its number with --header N"
            )
        target = options.target
        if target is None and options.labelled:
            raise StreamError(f"{self._name}: name the label column with --target; {self._listing}")
        times = [options.time] if options.time not in ("auto", "none") else []
        for column in (target, *options.ignore, *times):
            if column is not None and column not in self._places:
                meant = suggest(column, self._header)
                raise StreamError(
                    f"{self._name} has no column {column!r}{meant}; {self._listing}{self._layout}"
                )
        if target in options.ignore:
            raise StreamError(f"column {target!r} cannot be both the target and ignored")

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

    def _time_of(self, options: ReadingOptions) -> tuple[list[int], Moments, TimeFormat] | None:
        """Return the time of rows: column indices, columns and format; None if there is none."""
        moments = self.understood.moments
        if options.time == "none":
            return None
        if options.time != "auto" and (moments is None or options.time not in moments.columns):
            raise StreamError(f"{self._name}: column {options.time!r} holds no dates or times")
        if moments is None:
            return None
        form = TimeFormat(moments.format)
        return [self._places[name] for name in moments.columns], moments, form

    def _take(self, column: Column, held: list[str], options: ReadingOptions) -> None:
        """Add the readings of a column."""
        place = self._places[column.name]
        if column.kind == "words":
            words = _Words(place, len(self._features), options, held)
            self._words.append(words)
            self._features += [f"{column.name}{ending}" for ending in words.endings]
            self._notes.append(
                f"column {column.name!r} holds text and gives {words.size} readings of 0 or 1"
            )
            return
        if column.kind == "switch":
            self._notes.append(
                f"column {column.name!r} holds words such as {shortened(column.example)}, read as "
                "1 and 0"
            )
            self._switches.append((len(self._features), place))
        elif column.notation.is_plain and not column.absent:
            self.numbers.append((len(self._features), place))
        else:
            self._written.append((len(self._features), place))
            self._note_notation(column)
        self._features.append(column.name)

    def _note_notation(self, column: Column) -> None:
        """Add notes on how the numbers of a column are written."""
        notation, name = column.notation, column.name
        if notation.unit:
            self._notes.append(f"column {name!r} holds numbers with the unit {notation.unit!r}")
        if notation.thousands:
            mark = shortened(notation.thousands)
            self._notes.append(f"column {name!r} holds numbers with {mark} between thousands")
        if column.absent:
            words = ", ".join(map(shortened, sorted(column.absent)))
            self._notes.append(f"column {name!r}: {words} among its numbers counts as missing")

    @property
    def is_dated(self) -> bool:
        """Whether times include the date."""
        return self._time is not None and self._time[2].is_absolute

    def is_absent(self, cell: str) -> bool:
        """Whether a cell means a missing value."""
        return cells.absent(cell, self._absent)

    def place_of(self, name: str) -> int:
        """Return the index of a column."""
        return self._places[name]

    def kind_of(self, slot: int) -> str:
        """Return a description of a reading."""
        for words in self._words:
            if words.slots.start <= slot < words.slots.stop:
                return "0 or 1 for a word"
        if slot in (one for one, _ in self._switches):
            return "switch, read as 1 and 0"
        place = next((at for one, at in (*self.numbers, *self._written) if one == slot), None)
        if place is None:
            return "derived"
        unit = self.understood.columns[place].notation.unit
        return f"number in {unit}" if unit else "number"

    @property
    def width(self) -> int:
        """Cells in a row."""
        return len(self._header)

    def block(
        self,
        first: int,
        n: int,
        column: Callable[[int], Sequence[str]],
        column_of: Callable[[int], Cells],
        numbers: Row | None = None,
    ) -> Block:
        """Convert rows of cells to rows of readings.

        first, n: number of the first row, and number of rows.
        column, column_of: return the cells of a column by index, as a list or as `Cells`.
        numbers: the readings of numeric columns if already parsed, shape (n, ...).
        """
        damage: dict[int, str] = {}
        rows = np.empty((n, len(self.features)))
        if numbers is not None:
            rows[:, [slot for slot, _ in self.numbers]] = numbers
        else:
            for slot, place in self.numbers:
                self._fill_numbers(place, column(place), rows[:, slot], damage)
        for slot, place in (*self._switches, *self._written):
            found = column_of(place)
            values = np.full(len(found.words), math.nan)
            for at, cell in enumerate(found.words):
                try:
                    values[at] = self._value(place, cell)
                except ValueError:
                    self._note(damage, found, at, self._no_number(place, cell))
            rows[:, slot] = values[found.places]
        for words in self._words:
            found = column_of(words.place)
            rows[:, words.slots] = words.readings(found.words)[found.places]
        if self._alone_at is not None:
            rows[:, self._alone_at] = 0.0
        seconds = self._seconds(column, column_of, n, damage)
        if self._clock_at is not None:
            turns = np.array([_turns(moment) for moment in seconds.tolist()]).reshape(n, len(CLOCK))
            rows[:, self._clock_at : self._clock_at + len(CLOCK)] = turns
        labels = Cells([""], np.zeros(n, np.int64))
        if self.target:
            labels = self._labels(column_of(self._places[self.target]), damage)
        return Block(first, rows, labels, seconds, damage)

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
        try:
            float(cell)
            return cell
        except ValueError:
            pass
        if cell.strip().lower() in column.absent:
            return ""
        try:
            value = column.notation.number(cell, self._absent)
        except ValueError:
            return cell
        return cell if math.isnan(value) else repr(value)

    def read(self, first: int, records: Sequence[tuple[Sequence[str], str]]) -> Block:
        """Convert rows of cells, each with the reason it is unreadable or "", to readings."""
        odd, complete = {}, []
        for at, (record, why) in enumerate(records):
            if why or len(record) != self.width:
                odd[at] = why or self.no_row(len(record))
            else:
                complete.append(record)
        columns = [*zip(*complete, strict=True)] or [()] * self.width
        n = len(complete)
        block = self.block(first, n, columns.__getitem__, lambda place: Cells.of(columns[place]))
        for at, why in [*block.damage.items()]:
            if self.is_header(complete[at]):
                why = HEADER_AGAIN
            block.damage[at] = Damage.of(why, complete[at])
        for at, why in odd.items():
            odd[at] = Damage.of(why, records[at][0])
        return block.among(odd) if odd else block

    def is_header(self, record: Sequence[str]) -> bool:
        """Whether a row repeats the header, which loggers write again after a restart."""
        names = (self.understood.renamed.get(name, name) for name in self._header)
        return all(cell.strip() == name for cell, name in zip(record, names, strict=True))

    def no_row(self, count: int) -> str:
        """Return why a row with this number of cells is unreadable."""
        return f"{count} cells where the header has {self.width}"

    def _fill_numbers(
        self, place: int, held: Sequence[str], column: Row, damage: dict[int, str]
    ) -> None:
        try:
            if not self.comma:
                column[:] = [*map(float, held)]
                if not any("_" in cell for cell in held):
                    return
        except ValueError:
            pass
        notation = cells.Notation(",") if self.comma else cells.PLAIN
        for at, cell in enumerate(held):
            try:
                column[at] = notation.number(cell, self._absent)
            except ValueError:
                damage.setdefault(at, self._no_number(place, cell))

    def _no_number(self, place: int, cell: str) -> str:
        return f"column {self._header[place]!r}: {shortened(cell)} is not a number"

    def _note(self, damage: dict[int, str], found: Cells, word: int, why: str) -> None:
        """Record why rows with a word are unreadable, unless they already have a reason."""
        for row in np.flatnonzero(found.places == word).tolist():
            damage.setdefault(row, why)

    def _seconds(
        self,
        column: Callable[[int], Sequence[str]],
        column_of: Callable[[int], Cells],
        n: int,
        damage: dict[int, str],
    ) -> Row:
        """Return the times of rows, NaN if unknown."""
        if self._time is None or not n:
            return np.full(n, math.nan)
        places, moments, form = self._time
        if len(places) > 1:
            together = zip(*map(column, places), strict=True)
            found = Cells.of([moments.joined(cells) for cells in together])
        else:
            found = column_of(places[0])
        known = form.many(found.words)
        for at in np.flatnonzero(np.isnan(known)).tolist():
            cell = found.words[at]
            if not cells.absent(cell, self._absent):
                why = f"column {moments.columns[0]!r}: {shortened(cell)} is not a time"
                self._note(damage, found, at, why)
        return np.asarray(known[found.places], dtype=float)

    def _is_local(self) -> bool:
        """Whether the times of the first rows have no zone."""
        if self._time is None:
            return False
        places, moments, form = self._time
        times = (moments.joined([row[place] for place in places]) for row in self.first)
        return form.is_local(next((cell for cell in times if cell.strip()), ""))

    @property
    def _listing(self) -> str:
        more = len(self._header) - _LISTED
        shown = ", ".join(name[:_NAME] for name in self._header[:_LISTED])
        return "its columns are: " + shown + (f" and {more:,} more" if more > 0 else "")


def _turns(moment: float) -> list[float]:
    """Return the clock readings at a time."""
    angles = [math.tau * moment / period for period in PERIODS]
    return [turn(angle) for angle in angles for turn in (math.sin, math.cos)]


def _no_readings(columns: Sequence[Column]) -> str:
    """Return the error message about text columns."""
    names = ", ".join(repr(column.name[:_NAME]) for column in columns[:_LISTED])
    ignored = shlex.quote(joined(column.name[:_NAME] for column in columns[:_LISTED]))
    what = f"column {names} holds" if len(columns) == 1 else f"columns {names} hold"
    it = "it" if len(columns) == 1 else "them"
    return (
        f"{what} text, such as {shortened(columns[0].example)}; leave {it} out with --ignore "
        f"{ignored}, or feed {it} with --categories onehot"
    )


class _Words:
    """Encodes a text column as a fixed number of 0/1 readings."""

    def __init__(self, place: int, start: int, options: ReadingOptions, held: list[str]) -> None:
        self.place, self._start = place, start
        self._common: dict[str, int] | None = None
        self._absent = options.absent
        slots = options.category_slots
        if options.categories == "hash":
            self.size = slots
            self.endings = [f"#{slot}" for slot in range(slots)]
            return
        counts = Counter(cell.strip() for cell in held if not self._is_absent(cell))
        common = sorted(counts, key=lambda word: (-counts[word], word))[:slots]
        self._common = {word: slot for slot, word in enumerate(common)}
        self.size = len(common)
        self.endings = [f"={word}" for word in common]

    def _is_absent(self, cell: str) -> bool:
        return cells.blank(cell) or cells.absent(cell, self._absent)

    @property
    def slots(self) -> slice:
        """The slots of its readings."""
        return slice(self._start, self._start + self.size)

    def readings(self, words: Sequence[str]) -> Row:
        """Return the readings of words: all zeros for a rare word, NaN for a missing one."""
        out = np.zeros((len(words), self.size))
        for row, word in zip(out, map(str.strip, words), strict=True):
            if self._is_absent(word):
                row[0] = math.nan
            elif self._common is None:
                row[zlib.crc32(word.encode()) % self.size] = 1.0
            elif word in self._common:
                row[self._common[word]] = 1.0
        return out
