"""How rows of cells become rows of readings: the columns of a table, chosen once."""

from __future__ import annotations

import math
import shlex
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from edgeolk.errors import suggest
from firmware_sim.errors import StreamError
from firmware_sim.plaintext import joined, shortened
from firmware_sim.streams import cells
from firmware_sim.streams.block import Block, Cells
from firmware_sim.streams.columns import Column, study
from firmware_sim.streams.row import Row

_LISTED = 40  # columns named in a message at most
#: Readings made of the time: a point that goes round a circle once a day, and once a week.
CLOCK = ("day_sin", "day_cos", "week_sin", "week_cos")
PERIODS = (86_400.0, 604_800.0)


@dataclass(frozen=True)
class ReadingOptions:
    """What a user says about the columns of a table."""

    target: str | None = None  # the label column
    ignore: Sequence[str] = ()  # columns that are not readings
    #: the column that tells when a row was taken, "auto" for one that is recognised, "none" for no
    #: recognition
    time: str = "auto"
    #: what is done with a column of text: it is refused, becomes a reading of 0 or 1 for each of
    #: its commonest words, or for each of a fixed number of hash values
    categories: str = "refuse"
    category_slots: int = 8  # the most readings made of such a column
    labelled: bool = True  # whether there must be a label column
    absent: frozenset[str] = frozenset()  # words for "no reading" of its own, in small letters
    clock: bool = False  # whether the time of day and of the week are readings


class Reading:
    """The columns of one table, and what each gives.

    name: what messages call the stream.
    header: names of the columns.
    first: the first rows, which settle what the columns hold. What is chosen from them, a board
        would have in its program.
    delimiter: what parts the cells.
    options: what the user says.
    target, features, ignored, notes, local_times: as of a `Stream`.
    units: whether the first row holds units and is to be left out.
    numbers: slot and place of each column of numbers.
    comma: whether a comma is the decimal mark.
    Raises StreamError: the columns are not what the options say, or cannot be read.
    """

    def __init__(
        self,
        name: str,
        header: Sequence[str],
        first: Sequence[Sequence[str]],
        delimiter: str,
        options: ReadingOptions,
    ) -> None:
        self._name = name
        self._header = header
        self._places = self._checked_places(options)
        self.target = options.target or ""
        width = len(header)
        rows = [row for row in first if len(row) == width]
        self._absent = cells.MISSING_WORDS | options.absent
        found = study(header, rows, delimiter=delimiter, target=self.target, absent=self._absent)
        self.units = found.units
        self.comma = found.comma
        self._clock: tuple[int, Callable[[str], float]] | None = None
        self.local_times = False
        self._features: list[str] = []
        self.numbers: list[tuple[int, int]] = []  # slot and place
        self._switches: list[tuple[int, int]] = []
        self._words: list[_Words] = []
        refused: list[Column] = []
        self._notes: list[str] = []
        if found.units:
            self._notes.append("the first row holds units and is left out")
        if found.comma:
            self._notes.append("numbers have a decimal comma")
        left_out = {*options.ignore}
        for column in found.columns:
            if column.name == self.target:
                continue
            if self._is_time(column, options) or self._is_index(column, options):
                left_out.add(column.name)
            elif column.name not in left_out and self._is_refused(column, options):
                refused.append(column)
            elif column.name not in left_out:
                self._take(column, [row[self._places[column.name]] for row in rows], options)
        if refused:
            raise StreamError(f"{name}: {_no_readings(refused)}")
        if options.time not in ("auto", "none") and self._clock is None:
            raise StreamError(f"{name}: column {options.time!r} holds no dates or times")
        self._clock_at = self._clock_readings(options)
        if not self._features:
            raise StreamError(f"{name}: no input column is left; {self._listing}")
        self.features = tuple(self._features)
        self.ignored = tuple(name for name in header if name in left_out)
        self.notes = tuple(self._notes)

    def _clock_readings(self, options: ReadingOptions) -> int | None:
        """Add the readings of the clock; return the slot of the first, None for none."""
        if not options.clock:
            return None
        if self._clock is None:
            raise StreamError(
                f"{self._name}: --clock needs a column of times with their dates, and none is "
                f"recognised: name it with --time; {self._listing}"
            )
        time = self._header[self._clock[0]]
        first = len(self._features)
        self._features += [f"{time}:{part}" for part in CLOCK]
        self._notes.append(f"column {time!r} gives the time of day and of the week, 4 readings")
        return first

    def _checked_places(self, options: ReadingOptions) -> dict[str, int]:
        """Where each column is; the columns a user names must be there."""
        if not any(self._header):
            raise StreamError(f"{self._name}: the first line must hold the column names")
        places: dict[str, int] = {}
        for place, name in enumerate(self._header):
            if places.setdefault(name, place) != place:
                raise StreamError(f"{self._name}: more than one column is called {name!r}")
        target = options.target
        self._places = places
        if target is None and options.labelled:
            raise StreamError(f"{self._name}: name the label column with --target; {self._listing}")
        times = [options.time] if options.time not in ("auto", "none") else []
        for column in (target, *options.ignore, *times):
            if column is not None and column not in places:
                meant = suggest(column, self._header)
                raise StreamError(f"{self._name} has no column {column!r}{meant}; {self._listing}")
        if target in options.ignore:
            raise StreamError(f"column {target!r} cannot be both the target and ignored")
        return places

    def _is_time(self, column: Column, options: ReadingOptions) -> bool:
        """Whether the column is a time; the first one that tells seconds becomes the clock."""
        named = column.name == options.time
        if not named and (options.time == "none" or column.kind != "time"):
            return False
        if named or (self._clock is None and options.time == "auto"):
            clock = column.clock
            if clock is None and named and column.kind == "number":
                clock = lambda cell: cells.number(cell, self.comma)  # noqa: E731
            if clock is not None:
                self._clock = self._places[column.name], clock
                self.local_times = column.kind != "number" and cells.is_local(column.example)
        if column.name not in options.ignore and not named:
            self._notes.append(f"column {column.name!r} holds times and is not an input")
        return True

    def _is_index(self, column: Column, options: ReadingOptions) -> bool:
        """Whether the column only counts the rows; one without a name that is none is told of."""
        if column.kind == "index":
            if column.name not in options.ignore:
                self._notes.append(
                    f"column {column.name!r} counts the rows and is not an input; to "
                    "use it, give it a name"
                )
            return True
        if not (column.name or "" in options.ignore):
            self._notes.append(
                f"column {self._places[''] + 1} has no name and is fed to the learner; give it a "
                "name to leave it out with --ignore"
            )
        return False

    def _is_refused(self, column: Column, options: ReadingOptions) -> bool:
        """Whether it is a column of words, and nobody said what to make of them."""
        reads = column.kind in ("number", "switch")
        reads = reads or cells.is_number(column.example, self.comma)
        return not reads and options.categories == "refuse"

    def _take(self, column: Column, held: list[str], options: ReadingOptions) -> None:
        """Make readings of a column."""
        place = self._places[column.name]
        if column.kind == "switch":
            self._notes.append(
                f"column {column.name!r} holds words such as {shortened(column.example)}, read as "
                "1 and 0"
            )
            self._switches.append((len(self._features), place))
            self._features.append(column.name)
            return
        if column.kind == "number" or cells.is_number(column.example, self.comma):
            self.numbers.append((len(self._features), place))
            self._features.append(column.name)
            return
        words = _Words(place, len(self._features), options, held[1:] if self.units else held)
        self._words.append(words)
        self._features += [f"{column.name}{ending}" for ending in words.endings]
        self._notes.append(
            f"column {column.name!r} holds text and gives {words.size} readings of 0 or 1"
        )

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
        """Return rows of cells as rows of readings.

        first, n: number of the first row, and how many there are.
        column, column_of: give the cells of the column at a place, each or each text once.
        numbers: the readings in columns of numbers, where they are known already, shape (n, ...).
        """
        damage: dict[int, str] = {}
        rows = np.empty((n, len(self.features)))
        if numbers is not None:
            rows[:, [slot for slot, _ in self.numbers]] = numbers
        else:
            for slot, place in self.numbers:
                self._fill_numbers(place, column(place), rows[:, slot], damage)
        for slot, place in self._switches:
            found = column_of(place)
            values = np.full(len(found.words), math.nan)
            for at, cell in enumerate(found.words):
                try:
                    values[at] = cells.switch(cell, self._absent)
                except ValueError:
                    self._note(damage, found, at, self._no_number(place, cell))
            rows[:, slot] = values[found.places]
        for words in self._words:
            found = column_of(words.place)
            rows[:, words.slots] = words.readings(found.words)[found.places]
        seconds = self._seconds(column_of, n)
        if self._clock_at is not None:
            turns = np.array([_turns(moment) for moment in seconds.tolist()]).reshape(n, len(CLOCK))
            rows[:, self._clock_at : self._clock_at + len(CLOCK)] = turns
        labels = Cells([""], np.zeros(n, np.int64))
        if self.target:
            labels = column_of(self._places[self.target])
            for at, cell in enumerate(labels.words):
                if "\n" in cell.strip():
                    why = f"column {self.target!r}: {shortened(cell)} has several lines"
                    self._note(damage, labels, at, why)
        return Block(first, rows, labels, seconds, damage)

    def read(self, first: int, records: Sequence[tuple[Sequence[str], str]]) -> Block:
        """Return rows of cells, each with why it cannot be read or nothing, as rows of readings."""
        odd, whole = {}, []
        for at, (record, why) in enumerate(records):
            if why or len(record) != self.width:
                odd[at] = why or self.no_row(len(record))
            else:
                whole.append(record)
        columns = [*zip(*whole, strict=True)] or [()] * self.width
        n = len(whole)
        block = self.block(first, n, columns.__getitem__, lambda place: Cells.of(columns[place]))
        return block.among(odd) if odd else block

    def no_row(self, count: int) -> str:
        """Return why a row of so many cells cannot be read."""
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
        for at, cell in enumerate(held):
            try:
                column[at] = cells.number(cell, self.comma, self._absent)
            except ValueError:
                damage.setdefault(at, self._no_number(place, cell))

    def _no_number(self, place: int, cell: str) -> str:
        return f"column {self._header[place]!r}: {shortened(cell)} is not a number"

    def _note(self, damage: dict[int, str], found: Cells, word: int, why: str) -> None:
        """Note why rows with a word cannot be read, where nothing else is wrong with them."""
        for row in np.flatnonzero(found.places == word).tolist():
            damage.setdefault(row, why)

    def _seconds(self, column_of: Callable[[int], Cells], n: int) -> Row:
        """Return when rows were taken, NaN where that is not known."""
        if self._clock is None:
            return np.full(n, math.nan)
        place, clock = self._clock
        found = column_of(place)
        known = clock.many(found.words) if isinstance(clock, cells.Dates) else None
        if known is None:
            known = np.array([_moment(clock, cell) for cell in found.words])
        return np.asarray(known[found.places], dtype=float)

    @property
    def _listing(self) -> str:
        more = len(self._header) - _LISTED
        shown = ", ".join(self._header[:_LISTED])
        return "its columns are: " + shown + (f" and {more:,} more" if more > 0 else "")


def _moment(clock: Callable[[str], float], cell: str) -> float:
    try:
        return clock(cell)
    except ValueError:
        return math.nan


def _turns(moment: float) -> list[float]:
    """Return the readings of the clock at a moment."""
    angles = [math.tau * moment / period for period in PERIODS]
    return [turn(angle) for angle in angles for turn in (math.sin, math.cos)]


def _no_readings(columns: Sequence[Column]) -> str:
    """Return the sentence about columns of text."""
    names = ", ".join(repr(column.name) for column in columns[:_LISTED])
    ignored = shlex.quote(joined(column.name for column in columns))
    what = f"column {names} holds" if len(columns) == 1 else f"columns {names} hold"
    it = "it" if len(columns) == 1 else "them"
    hint = ""
    if cells.is_thousands(columns[0].example):
        hint = "; if its comma is a decimal one, part the cells by ; instead of ,"
    return (
        f"{what} text, such as {shortened(columns[0].example)}; leave {it} out with --ignore "
        f"{ignored}, or feed {it} with --categories onehot{hint}"
    )


class _Words:
    """A column of text as a fixed number of readings of 0 or 1."""

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
        """Where its readings are."""
        return slice(self._start, self._start + self.size)

    def readings(self, words: Sequence[str]) -> Row:
        """Return the readings of words; one beyond the common ones is all zeros, none is NaN."""
        out = np.zeros((len(words), self.size))
        for row, word in zip(out, map(str.strip, words), strict=True):
            if self._is_absent(word):
                row[0] = math.nan
            elif self._common is None:
                row[zlib.crc32(word.encode()) % self.size] = 1.0
            elif word in self._common:
                row[self._common[word]] = 1.0
        return out
