"""Tables read by pandas: the first sheet of a workbook (.xlsx), a Parquet file."""

from __future__ import annotations

import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.dialect import among
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.tables import TableStream

#: For each format the pandas function, and the package it needs in addition.
_READERS = {
    "an Excel workbook": ("read_excel", "openpyxl"),
    "a Parquet file": ("read_parquet", "pyarrow"),
}


class FrameStream(TableStream):
    """A table that pandas reads into memory; its cells are treated like those of a CSV file.

    path: the file.
    options: settings of the columns.
    Raises StreamError: pandas, or a package it needs, is not installed; or the file is damaged.
    """

    def __init__(self, path: Path, options: ReadingOptions) -> None:
        what = "an Excel workbook" if zipfile.is_zipfile(path) else "a Parquet file"
        frame = _read(path, what)
        header = [str(name).strip() for name in frame.columns]
        header = ["" if name.startswith("Unnamed: ") else name for name in header]
        columns = (_cells(frame.iloc[:, i]) for i in range(frame.shape[1]))
        records = [[*row] for row in zip(*columns, strict=True)]
        names, rows = among(header, records)
        super().__init__(path.name, names, rows, options, what)


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
