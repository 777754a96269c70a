"""Streams whose rows are cells: the base class, and tables held in memory.

pandas reads workbooks (.xlsx) and Parquet files; their cells, and those of a pandas or polars frame
of the calling program, are treated like those of a CSV file.
A history has one line per change of a sensor: Home Assistant's, InfluxDB's export.
"""

from __future__ import annotations

import zipfile
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams.block import Block, Line
from firmware_sim.streams.columns import INSPECTED_ROWS, study
from firmware_sim.streams.dialect import INSPECTED_LINES, Dialect, among, laid_out
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import BlockStream, between
from firmware_sim.streams.text import Records, open_lines
from firmware_sim.streams.time_format import TimeFormat

#: For each format the pandas function, and the package it needs in addition.
_READERS = {
    "an Excel workbook": ("read_excel", "openpyxl"),
    "a Parquet file": ("read_parquet", "pyarrow"),
}

#: The columns of the sensor name, its value and the time.
_HISTORIES = (("entity_id", "state", "last_changed"), ("_field", "_value", "_time"))
_ISO = TimeFormat("%Y-%m-%dT%H:%M:%S")


class CellStream(BlockStream):
    """A stream of rows of cells, with a header."""

    reading: Reading  # the columns, and the readings made of each

    def _read_as(self, reading: Reading) -> None:
        """Set the columns of the stream."""
        self.reading = reading
        self.target, self.features = reading.target, reading.features
        self.ignored, self.local_times = reading.ignored, reading.local_times
        self.is_dated = reading.is_dated

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was detected, one sentence each."""
        return self.reading.notes

    @abstractmethod
    def lines(self) -> Iterator[Line | None]:
        """Yield the rows below header and units; None while a live stream has no row."""

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""
        for some in self.batched(between(self.lines(), number, limit)):
            yield self.reading.read(number + 1, some)
            number += len(some)

    def count(self) -> int | None:
        """Return the number of rows."""
        return sum(1 for _ in self.lines())


class TableStream(CellStream):
    """Rows of cells held in memory, interpreted like those of a CSV file.

    name: of the file.
    header: the names of the columns.
    lines: the rows, in order.
    options: settings of the columns.
    kind: the file format, in words.
    Raises StreamError: the columns do not fit the options.
    """

    def __init__(
        self,
        name: str,
        header: Sequence[str],
        lines: Iterable[Line],
        options: ReadingOptions,
        kind: str,
    ) -> None:
        self.name, self._held = name, [*lines]
        first = [line.cells for line in islice(self._held, INSPECTED_ROWS)]
        known = study(options, header, first, kind=kind)
        self._read_as(Reading(name, known, first, options))

    def lines(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.lines`."""
        return iter(self._held)


class Frame:
    """A pandas or polars frame as a source of rows.

    table: the frame, which is read once, when it is first needed.
    Raises StreamError: it is neither.
    """

    name = "frame"

    def __init__(self, table: Any) -> None:
        if not (hasattr(table, "iloc") and hasattr(table, "columns")) and not hasattr(
            table, "get_columns"
        ):
            raise StreamError(
                f"stream is a {type(table).__name__}; it must be a path, the name of a bundled "
                "stream, an address, a Stream, or a pandas or polars DataFrame"
            )
        self._table = table

    def __repr__(self) -> str:
        rows, columns = self._table.shape
        return f"<frame of {rows:,} rows and {columns:,} columns>"

    def open(self, options: ReadingOptions) -> TableStream:
        """Return its stream; raises StreamError if the columns do not fit the options."""
        names, lines = self._read
        return TableStream(self.name, names, lines, options, "a frame")

    @cached_property
    def _read(self) -> tuple[list[str], list[Line]]:
        """The names of the columns, and the rows."""
        table = self._table
        if hasattr(table, "get_columns"):  # polars
            names = [str(name) for name in table.columns]
            columns = [_texts(one.to_list()) for one in table.get_columns()]
        else:
            if _is_informative(table.index):
                table = table.reset_index()
            names = [str(name) for name in table.columns]
            columns = [_cells(table.iloc[:, i]) for i in range(table.shape[1])]
        return names, [*map(Line, zip(*columns, strict=True))]


def _is_informative(index: Any) -> bool:
    """Whether the index of a pandas frame holds more than the numbers of its rows."""
    named = any(name is not None for name in index.names)
    return named or getattr(index, "dtype", None) is None or index.dtype.kind in "Mm"


def open_frame(path: Path, options: ReadingOptions) -> TableStream:
    """Return the stream of a workbook's first sheet, or of a Parquet file.

    Raises StreamError: pandas, or a package it needs, is not installed; or the file is damaged.
    """
    what = "an Excel workbook" if zipfile.is_zipfile(path) else "a Parquet file"
    frame = _read(path, what)
    header = [str(name).strip() for name in frame.columns]
    header = ["" if name.startswith("Unnamed: ") else name for name in header]
    columns = (_cells(frame.iloc[:, i]) for i in range(frame.shape[1]))
    names, rows = among(header, [[*row] for row in zip(*columns, strict=True)])
    return TableStream(path.name, names, map(Line, rows), options, what)


def _read(path: Path, what: str) -> Any:
    """Return the table as a pandas frame."""
    function, needed = _READERS[what]
    try:
        return getattr(import_module("pandas"), function)(path)
    except ImportError:
        raise StreamError(
            f"{path.name} is {what}: pip install pandas {needed}, or save the table as CSV"
        ) from None
    except Exception as error:  # a damaged file may raise anything
        raise StreamError(f"cannot read {path}: {error}") from None


def _cells(column: Any) -> list[str]:
    """Return the cells that a column of pandas would have in a CSV file."""
    gone = column.isna().tolist()
    values = column.tolist()
    return _texts([None if no else value for value, no in zip(values, gone, strict=True)])


def _texts(values: Sequence[Any]) -> list[str]:
    """Return values as the cells of a CSV file; None is an empty cell."""
    return ["" if value is None else _cell(value) for value in values]


def _cell(value: Any) -> str:
    if type(value) in (float, int):
        return str(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value).replace("\n", " ")


def history_of(path: Path, target: str | None) -> Dialect | None:
    """Return the dialect of a history of several sensors; None for any other file."""
    with open_lines(path) as file:
        lines = [*islice(file, INSPECTED_LINES)]
    if not any(columns[0] in line for columns in _HISTORIES for line in lines):
        return None
    layout = laid_out(lines)
    columns = _columns(layout)
    if columns is None or target in columns:
        return None
    if columns is _HISTORIES[0]:
        return layout
    place = layout.names.index(columns[0])
    records = Records(iter(lines[layout.data - 1 :]), layout.separator, layout.comment)
    fields = {record[place] for record in records if len(record) == len(layout.names)}
    return layout if len(fields - {columns[0], ""}) > 1 else None


def _columns(layout: Dialect) -> tuple[str, str, str] | None:
    return next((some for some in _HISTORIES if set(some) <= set(layout.names)), None)


def open_history(path: Path, layout: Dialect, options: ReadingOptions) -> TableStream:
    """Return a history as a table: one column per entity, one row per time of a change.

    A cell holds the latest state of its entity, and is empty before the first one. The lines may
    have any order, such as entity by entity; they are sorted by time in memory. Unreadable lines
    become unreadable rows at the end.

    layout: the dialect of the file, from `history_of`.
    options: settings of the columns, which are named after their entities.
    Raises StreamError: the file is unreadable, or all of its times are.
    """
    columns = _columns(layout)
    assert columns is not None
    with open_lines(path) as lines:
        rest = islice(lines, layout.data - 1, None)
        records = Records(rest, layout.separator, layout.comment)
        changes, bad = _changes(path.name, records, layout, columns)
    place = {entity: i for i, entity in enumerate(dict.fromkeys(one[1] for one in changes), 1)}
    rows: list[list[str]] = []
    states = ["", *("" for _ in place)]
    # Sorting is stable: if several lines have the same time, the last one counts.
    for _, entity, state, time in sorted(changes, key=lambda change: change[0]):
        if time != states[0] or not rows:
            rows.append([])
        states[0], states[place[entity]] = time, state
        rows[-1] = [*states]
    kind = "a history, a line for each change"
    return TableStream(path.name, [columns[2], *place], [*map(Line, rows), *bad], options, kind)


def _changes(
    name: str, records: Records, layout: Dialect, columns: tuple[str, str, str]
) -> tuple[list[tuple[float, str, str, str]], list[Line]]:
    """Return (seconds, entity, state, time as written) of each line, and the unreadable lines."""
    places = [layout.names.index(column) for column in columns]
    changes: list[tuple[float, str, str, str]] = []
    bad: list[Line] = []
    first = ""
    for at, record in enumerate(records):
        cells = [record[place].strip() if place < len(record) else "" for place in places]
        entity, state, time = cells
        if records.damage:
            bad.append(Line([], records.damage, records.text))
        elif entity and cells != [*columns]:
            try:
                changes.append((_ISO.seconds(time), entity, state, time))
            except ValueError:
                example = "2026-01-05T10:00:00.000Z"
                why = f"{columns[2]} is {shortened(time)}, not a time such as {example}"
                first = first or f"line {layout.data + at}: {why}"
                bad.append(Line([], why, records.text))
    if not changes:
        raise StreamError(f"{name}: {first or 'there is no row after the header'}")
    return changes, bad
