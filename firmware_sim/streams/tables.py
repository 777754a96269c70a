"""Streams whose rows are cells: the base class, and tables held in memory.

pandas reads workbooks (.xlsx) and Parquet files; their cells are treated like those of a CSV file.
"""

from __future__ import annotations

import zipfile
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Block, Line
from firmware_sim.streams.columns import INSPECTED_ROWS, study
from firmware_sim.streams.dialect import among
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import BlockStream, between

#: For each format the pandas function, and the package it needs in addition.
_READERS = {
    "an Excel workbook": ("read_excel", "openpyxl"),
    "a Parquet file": ("read_parquet", "pyarrow"),
}


class CellStream(BlockStream):
    """A stream of rows of cells, with a header."""

    reading: Reading  # the columns, and the readings made of each

    def _read_as(self, reading: Reading) -> None:
        """Set the columns of the stream."""
        self.reading = reading
        self.target, self.features = reading.target, reading.features
        self.ignored, self.local_times = reading.ignored, reading.local_times

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
    """Return the cells that a column would have in a CSV file."""
    gone = column.isna()
    return ["" if no else _cell(value) for value, no in zip(column, gone, strict=True)]


def _cell(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value).replace("\n", " ")
