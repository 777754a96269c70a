"""A CSV file as people have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams import cells
from firmware_sim.streams.columns import LOOKED_AT, study
from firmware_sim.streams.stream import Row, Sample, Stream
from firmware_sim.streams.text import Records, open_lines

_DELIMITERS = ",;\t"
_LISTED = 40  # columns named in a message at most


class CsvStream(Stream):
    """A CSV file with a header line, plain or gzip compressed.

    Recognised by what the file holds: compression, UTF-8 or UTF-16, the delimiter (comma,
    semicolon, tab), decimal commas, a row of units under the header, columns of dates and times.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str
        The label column.
    ignore : sequence of str
        Columns that are not readings.
    name : str, optional
        What reports call the stream; the file's name by default.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        target: str | None,
        ignore: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.name = name if name is not None else self.path.name
        with self._cells() as (header, rows):
            self._columns = header
            self._check_columns(target, ignore)
            assert target is not None
            self.target = target
            self._study([row for row in islice(rows, LOOKED_AT) if len(row) == len(header)], ignore)
        if not self.features:
            raise StreamError(f"{self.name}: no column is left to learn from; {self._listing}")

    def _check_columns(self, target: str | None, ignore: Sequence[str]) -> None:
        if not any(self._columns):
            raise StreamError(f"{self.name}: the first line must hold the column names")
        self._places: dict[str, int] = {}
        for place, name in enumerate(self._columns):
            if self._places.setdefault(name, place) != place:
                raise StreamError(f"{self.name}: more than one column is called {name!r}")
        if target is None:
            raise StreamError(f"{self.name}: name the label column with --target; {self._listing}")
        for column in (target, *ignore):
            if column not in self._places:
                raise StreamError(f"{self.name} has no column {column!r}; {self._listing}")
        if target in ignore:
            raise StreamError(f"column {target!r} cannot be the target and ignored at once")

    def _study(self, first: list[list[str]], ignore: Sequence[str]) -> None:
        """Settle what the columns are from the first whole rows."""
        found = study(self._columns, first, delimiter=self._delimiter, target=self.target)
        self._comma, self._units = found.comma, found.units
        notes = []
        if found.units:
            notes.append("the first row holds units and is left out")
        if found.comma:
            notes.append("numbers have a decimal comma")
        left_out = {*ignore}
        for column in found.columns:
            if column.name == self.target or column.name in left_out:
                continue
            if column.kind == "time":
                left_out.add(column.name)
                notes.append(f"column {column.name!r} is a time and not fed to the learner")
            elif column.kind == "text":
                raise StreamError(
                    f"{self.name}: column {column.name!r} holds text, such as "
                    f"{shortened(column.example)}; leave it out with --ignore {column.name}"
                )
        self.notes = tuple(notes)
        self.ignored = tuple(name for name in self._columns if name in left_out)
        self.features = tuple(
            name for name in self._columns if name != self.target and name not in left_out
        )

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        places = [(slot, self._places[name]) for slot, name in enumerate(self.features)]
        target, width, comma = self._places[self.target], len(self._columns), self._comma
        with self._cells() as (_, rows):
            for number, record in enumerate(islice(rows, int(self._units), None), 1):
                if len(record) != width:
                    damage = f"{len(record)} cells where the header has {width}"
                    yield Sample(number, "", damage)
                    continue
                place = slot = 0
                try:
                    for slot, place in places:
                        row[slot] = cells.number(record[place], comma)
                except ValueError:
                    cell = shortened(record[place])
                    damage = f"column {self._columns[place]!r}: {cell} is not a number"
                    yield Sample(number, "", damage)
                    continue
                yield Sample(number, record[target])

    def count(self) -> int | None:
        """Return the number of rows, by reading the file once."""
        with self._cells() as (_, rows):
            return max(0, sum(1 for _ in rows) - int(self._units))

    @property
    def _listing(self) -> str:
        more = len(self._columns) - _LISTED
        shown = ", ".join(self._columns[:_LISTED])
        return "its columns are: " + shown + (f" and {more:,} more" if more > 0 else "")

    @contextmanager
    def _cells(self) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
        """Open the file: the header's cells, and an iterator of the others' that are not blank."""
        with open_lines(self.path) as lines:
            head = next(lines, "")
            self._delimiter = max(_DELIMITERS, key=head.count)
            if not head.strip():
                yield [], iter(())
                return
            records = Records(chain([head], lines), self._delimiter)
            header = [cell.strip() for cell in next(records)]
            yield header, records
