"""Labelled sensor streams, read one row at a time in constant memory.

Design: a stream does one thing, it fills the row buffer it is given and says what the
target column holds. What a missing reading means, what a label means and when to stop is
the main loop's business, so another source (NPZ, LIBSVM, standard input, MQTT) is one small
class with `samples`.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from firmware_sim.errors import StreamError
from firmware_sim.labels import MISSING_WORDS

Row = npt.NDArray[np.float64]

_GZIP_MAGIC = b"\x1f\x8b"
_DELIMITERS = ",;\t"


class Sample(NamedTuple):
    """One row of a stream, apart from the readings, which are in the row buffer."""

    number: int  # 1 for the first row of data
    label: str  # the target cell as it stands in the stream


class Stream(ABC):
    """A labelled sensor stream that can be read from its first row again and again.

    Attributes
    ----------
    name : str
        What reports call the stream.
    target : str
        Name of the label column.
    features : tuple of str
        Names of the readings, in the order of the row buffer.
    ignored : tuple of str
        Columns that are left out.
    """

    name: str
    target: str
    features: tuple[str, ...]
    ignored: tuple[str, ...] = ()

    @abstractmethod
    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order, from the first one.

        Parameters
        ----------
        row : ndarray of float64, shape (n_features,)
            Overwritten in place before each sample is yielded; NaN where a reading is absent.
        """

    def count(self) -> int | None:
        """Return the number of rows where it can be known without an endless wait."""
        return None


class CsvStream(Stream):
    """A CSV file with a header line, plain or gzip compressed.

    Parameters
    ----------
    path : str or Path
        The file. Compression is recognised by the content, not by the name.
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
        with self._cells() as rows:
            self._columns = [cell.strip() for cell in next(rows, [])]
        self._check_header()
        if target is None:
            raise StreamError(f"{self.name}: name the label column with --target; {self._listing}")
        for column in (target, *ignore):
            if column not in self._columns:
                raise StreamError(f"{self.name} has no column {column!r}; {self._listing}")
        if target in ignore:
            raise StreamError(f"column {target!r} cannot be the target and ignored at once")
        self.target = target
        self.ignored = tuple(name for name in self._columns if name in ignore)
        self.features = tuple(
            name for name in self._columns if name != target and name not in ignore
        )
        if not self.features:
            raise StreamError(f"{self.name}: no column is left to learn from; {self._listing}")

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        places = [(slot, self._columns.index(name)) for slot, name in enumerate(self.features)]
        target = self._columns.index(self.target)
        width = len(self._columns)
        number = 0
        with self._cells() as rows:
            next(rows, None)
            for cells in rows:
                if not cells:  # a blank line
                    continue
                number += 1
                if len(cells) != width:
                    raise StreamError(
                        f"{self.name}: row {number} has {len(cells)} cells, the header has {width}"
                    )
                for slot, place in places:
                    try:
                        row[slot] = _number(cells[place])
                    except ValueError:
                        column = self._columns[place]
                        raise StreamError(
                            f"{self.name}: row {number}, column {column!r}: "
                            f"{_shortened(cells[place])} is not a number; "
                            f"leave the column out with --ignore {column}"
                        ) from None
                yield Sample(number, cells[target])

    def count(self) -> int | None:
        """Return the number of rows, by reading the file once."""
        with self._cells() as rows:
            return max(0, sum(1 for cells in rows if cells) - 1)

    def _check_header(self) -> None:
        if not any(self._columns):
            raise StreamError(f"{self.name}: the first line must hold the column names")
        twice = sorted({name for name in self._columns if self._columns.count(name) > 1})
        if twice:
            raise StreamError(f"{self.name}: more than one column is called {twice[0]!r}")

    @property
    def _listing(self) -> str:
        return "its columns are: " + ", ".join(self._columns)

    @contextmanager
    def _cells(self) -> Iterator[Iterator[list[str]]]:
        """Open the file as an iterator of rows of cells; every failure is a StreamError."""
        try:
            with open(self.path, "rb") as raw:
                packed = raw.peek(2)[:2] == _GZIP_MAGIC
                plain = gzip.GzipFile(fileobj=raw) if packed else raw
                # utf-8-sig: spreadsheet programs put a byte order mark before the first name.
                # newline="": the csv module wants to see line ends itself.
                text = io.TextIOWrapper(cast(IO[bytes], plain), encoding="utf-8-sig", newline="")
                with text:
                    header = text.readline()
                    text.seek(0)
                    delimiter = max(_DELIMITERS, key=header.count)
                    yield csv.reader(text, delimiter=delimiter)
        except OSError as error:
            raise StreamError(f"cannot read {self.path}: {error.strerror or error}") from None
        except (EOFError, zlib.error, csv.Error, UnicodeDecodeError) as error:
            raise StreamError(f"cannot read {self.path}: {error}") from None


@dataclass(frozen=True)
class BundledStream:
    """A stream that comes with the package; see ``data/README.md`` for its origin."""

    name: str
    file: str
    target: str
    ignore: tuple[str, ...]
    about: str


BUNDLED = {
    stream.name: stream
    for stream in (
        BundledStream(
            name="occupancy",
            file="occupancy.csv.gz",
            target="occupied",
            ignore=("datetime",),
            about="an office room, 5 sensors a minute: is anybody in? (UCI, CC BY 4.0)",
        ),
    )
}


def open_stream(
    source: str | Stream, *, target: str | None = None, ignore: Sequence[str] = ()
) -> Stream:
    """Return the stream that `source` names.

    Parameters
    ----------
    source : str or Stream
        The name of a bundled stream, or the path of a CSV file (write ``./occupancy`` for a
        file that has the name of a bundled stream). A `Stream` is returned as it is.
    target : str, optional
        The label column; a bundled stream knows its own.
    ignore : sequence of str
        Columns to leave out, besides those a bundled stream leaves out by itself.
    """
    if isinstance(source, Stream):
        return source
    bundled = BUNDLED.get(source)
    if bundled is not None:
        return CsvStream(
            Path(__file__).parent / "data" / bundled.file,
            target=target if target is not None else bundled.target,
            ignore=(*bundled.ignore, *ignore),
            name=bundled.name,
        )
    if not Path(source).exists():
        raise StreamError(
            f"no file {source!r}, and no bundled stream of that name "
            f"(there is: {', '.join(BUNDLED)})"
        )
    return CsvStream(source, target=target, ignore=ignore)


def _number(cell: str) -> float:
    """Return the reading in a cell, NaN where it is absent."""
    try:
        value = float(cell)
    except ValueError:
        if cell.strip().lower() in MISSING_WORDS:
            return float("nan")
        raise
    if "_" in cell:  # Python reads 1_2 as 12; in a data file it is a name
        raise ValueError(cell)
    return value


def _shortened(cell: str, length: int = 40) -> str:
    return repr(cell if len(cell) <= length else cell[: length - 3] + "...")
