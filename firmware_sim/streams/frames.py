"""Tables that pandas reads: the first sheet of a workbook (.xlsx), a Parquet file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.columns import LOOKED_AT
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import Row, Sample, Stream

#: The kinds, the function that reads each, and what it needs beside pandas.
_READERS = {
    "an Excel workbook": ("read_excel", "openpyxl"),
    "a Parquet file": ("read_parquet", "pyarrow"),
}


def is_workbook(path: Path) -> bool:
    """Whether a ZIP archive is a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


class FrameStream(Stream):
    """A table read whole by pandas, and then as a CSV file is.

    path: the file.
    options: what is known of the columns.
    Raises StreamError: pandas, or what it needs for such files, is not there; or the file is
        damaged.
    """

    def __init__(self, path: Path, options: ReadingOptions) -> None:
        self.name = path.name
        frame = _read(path)
        self._header = [str(name).strip() for name in frame.columns]
        self._records: list[list[str]] = [
            [*row]
            for row in zip(*(_cells(frame.iloc[:, i]) for i in range(frame.shape[1])), strict=True)
        ]
        first = self._records[:LOOKED_AT]
        self._reading = Reading(self.name, self._header, first, "\t", options)
        self.target = self._reading.target
        self.features = self._reading.features
        self.ignored = self._reading.ignored
        self.notes, self.local_times = self._reading.notes, self._reading.local_times

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        reading = self._reading
        for number, record in enumerate(self._records[int(reading.units) :], 1):
            damage = reading.fill(record, row)
            if damage:
                yield Sample(number, "", damage)
            else:
                yield Sample(number, reading.label(record), "", reading.seconds(record))

    def count(self) -> int | None:
        """Return the number of rows."""
        return len(self._records) - int(self._reading.units)


def _read(path: Path) -> Any:
    """Return the table as a pandas frame."""
    what = "an Excel workbook" if zipfile.is_zipfile(path) else "a Parquet file"
    function, needed = _READERS[what]
    try:
        return getattr(import_module("pandas"), function)(path)
    except ImportError:
        raise StreamError(
            f"{path.name} is {what}: pip install pandas {needed}, or save the table as CSV"
        ) from None
    except Exception as error:  # whatever a damaged file makes of its readers
        raise StreamError(f"cannot read {path}: {error}") from None


def _cells(column: Any) -> list[str]:
    """Return a column as the cells it would have in a CSV file."""
    gone = column.isna()
    return ["" if no else _cell(value) for value, no in zip(column, gone, strict=True)]


def _cell(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value).replace("\n", " ")
