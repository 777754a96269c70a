"""Many lines of a CSV file at once, by a fast reader for ordinary tables.

A chunk is whole lines without quotes. Its numbers are parsed by pandas where that is there, else by
numpy; both read a number as Python does, to the last bit. Where they refuse one, each cell of the
chunk is read by itself, by `Reading`.
Anything else (quotes, line ends of old kinds, bytes that are no text) is not for this reader.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from firmware_sim.streams.block import Block, Cells, Damage
from firmware_sim.streams.reading import HEADER_AGAIN, Reading
from firmware_sim.streams.row import Row
from firmware_sim.streams.text import DAMAGED_TEXT, NO_TEXT, NUL_BYTES, is_comment

#: Bytes read at a time: few at first, since a replay may end soon.
_MIN_BYTES, _MAX_BYTES = 1 << 16, 1 << 22
#: Bytes of a file from which on the time is made up for that it takes to import pandas.
_WORTH_PANDAS = 8 << 20
#: Characters of plain numbers: a line of others is read more carefully.
_LONGEST = 1 << 16
_SHOWN = 60  # bytes of a damaged line


class NotPlainError(Exception):
    """Lines that are not for this reader."""


def lines_of(file: io.BufferedReader, skipped: int = 0) -> Iterator[bytes]:
    """Yield whole lines, many at a time, each with a line feed at its end.

    skipped: lines at the start that are left out.

    Raises NotPlainError: there are lines that only a careful reader understands.
    """
    size, rest, first = _MIN_BYTES, b"", True
    while True:
        try:
            data = file.read(size)
        except Exception as error:  # the careful reader comes to the same place, and says so
            raise NotPlainError from error
        if first:
            first, data = False, data.removeprefix(b"\xef\xbb\xbf")
        end = data.rfind(b"\n") + 1
        chunk = rest + data[:end] if end else b""
        rest = data[end:] if end else rest + data
        if not data and rest:
            chunk, rest = rest + b"\n", b""
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n")
        if b"\r" in chunk:
            raise NotPlainError
        while skipped and chunk:
            chunk, skipped = chunk.partition(b"\n")[2], skipped - 1
        if b'"' in chunk or len(rest) > _MAX_BYTES:
            raise NotPlainError
        if chunk:
            yield chunk
        if not data:
            return
        size = min(2 * size, _MAX_BYTES)


class Chunks:
    """Blocks made of whole lines.

    reading: the columns.
    separator: what parts the cells.
    size: bytes of the file.
    comment: what lines begin with that are no rows; "" for none.
    encoding: of the text.
    Raises NotPlainError: it is not for such tables.
    """

    def __init__(
        self, reading: Reading, separator: str, size: int, comment: str, encoding: str
    ) -> None:
        if len(separator) > 1 or separator in " '" or reading.width < 2 or "16" in encoding:
            raise NotPlainError
        self._reading = reading
        self._delimiter = separator
        self._comment, self._encoding = comment.encode(), encoding.removesuffix("-sig")
        there = "pandas" in sys.modules or (size > _WORTH_PANDAS and find_spec("pandas"))
        self._parse = _by_pandas if there else _by_numpy

    def block(self, lines: bytes, first: int) -> Block | None:
        """Return the rows of some lines, the first of them of this number; None for no row.

        Raises NotPlainError: they are not for this reader.
        """
        reading, width = self._reading, self._reading.width
        lines, odd, count = self._regular(lines)
        if not count:
            return None
        n = count - len(odd)
        table = _Table(lines, self._delimiter, width, n, self._encoding)
        numbers = self._numbers(table) if n else None
        block = reading.block(first, n, table.column, table.cells, numbers)
        if block.damage:
            self._explain(block, lines)
        return block.among(odd) if odd else block

    def _explain(self, block: Block, lines: bytes) -> None:
        """Say of rows that cannot be read which are the line of names, and what they hold."""
        texts = lines.decode(self._encoding).split("\n")
        for at, why in [*block.damage.items()]:
            if self._reading.is_header(texts[at].split(self._delimiter)):
                why = HEADER_AGAIN
            block.damage[at] = Damage.of(why, texts[at])

    def count(self, lines: bytes) -> int:
        """Return the number of rows in some lines."""
        return self._regular(lines)[2]

    def _regular(self, lines: bytes) -> tuple[bytes, dict[int, str], int]:
        """Return the lines with a cell for each column, what is wrong with others, and all rows."""
        width = self._reading.width
        if self._comment and self._comment in lines:
            rows = lines.split(b"\n")
            mark, encoding = self._comment.decode(), self._encoding
            lines = b"\n".join(
                row
                for row in rows
                if not row.startswith(self._comment)
                or not is_comment(row[:20].decode(encoding, "replace"), mark)
            )
            if not lines:
                return b"", {}, 0
        at = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(at == ord("\n"))
        marks = np.flatnonzero(at == ord(self._delimiter))
        found = np.diff(np.searchsorted(marks, ends), prepend=0)
        lengths = np.diff(ends, prepend=-1) - 1
        if lengths.max(initial=0) > _LONGEST:
            raise NotPlainError
        good = self._is_text(lines)
        if good and (found == width - 1).all():
            return lines, {}, len(ends)
        kept: list[bytes] = []
        odd: dict[int, str] = {}
        count = 0
        for line, marked in zip(lines.split(b"\n"), found.tolist(), strict=False):
            if not line.strip():
                continue
            if not good and (why := self._no_text(line)):
                odd[count] = Damage.of(why, repr(line.strip(b"\0")[:_SHOWN])[2:-1])
            elif marked == width - 1:
                kept.append(line)
            else:
                row = line[:_SHOWN].decode(self._encoding, "replace")
                odd[count] = Damage.of(self._reading.no_row(marked + 1), row)
            count += 1
        if count < len(ends) - 5_000:  # the careful reader knows how many blank lines are too many
            raise NotPlainError
        return b"\n".join([*kept, b""]) if kept else b"", odd, count

    def _is_text(self, lines: bytes) -> bool:
        return b"\0" not in lines and (lines.isascii() or not self._no_text(lines))

    def _no_text(self, line: bytes) -> str:
        """Return why a line is no text, empty where it is."""
        if b"\0" in line:
            content = line.strip(b"\0")
            return DAMAGED_TEXT if content == DAMAGED_TEXT.encode() else NUL_BYTES
        try:
            line.decode(self._encoding)
        except UnicodeDecodeError:
            return NO_TEXT
        return ""

    def _numbers(self, table: _Table) -> Row | None:
        """Return the columns of numbers; None where some cells are none."""
        places = [place for _, place in self._reading.numbers]
        if not places:
            return None
        data = table.data.replace(b",", b".") if self._reading.comma else table.data
        try:
            return self._parse(data, self._delimiter, table.width, places)
        except ValueError:
            return None


class _Table:
    """Lines of as many cells each.

    data: the lines.
    width: cells in a line.
    """

    def __init__(self, data: bytes, delimiter: str, width: int, n: int, encoding: str) -> None:
        self.data, self.width, self._n, self._delimiter = data, width, n, delimiter
        self._encoding = encoding
        self._flat: list[str] | None = None
        self._columns: dict[int, Cells] = {}

    def column(self, place: int) -> list[str]:
        """Return the cells of a column."""
        if not self.data:
            return []
        if self._flat is None:
            text = self.data.decode(self._encoding)
            self._flat = text[:-1].replace("\n", self._delimiter).split(self._delimiter)
        return self._flat[place :: self.width]

    def cells(self, place: int) -> Cells:
        """Return the cells of a column, each text once."""
        if place not in self._columns:
            short = self._short(place) if self.data else None
            self._columns[place] = short or Cells.of(self.column(place))
        return self._columns[place]

    def _short(self, place: int) -> Cells | None:
        """The cells of a column of at most two bytes, such as labels; None where they are longer.

        The bytes are compared as numbers, and no text is made of each.
        """
        at = np.frombuffer(self.data, np.uint8)
        marks = np.flatnonzero((at == ord(self._delimiter)) | (at == ord("\n")))
        ends = marks[place :: self.width]
        starts = marks[place - 1 :: self.width] if place else marks[self.width - 1 :: self.width]
        starts = (
            starts[: self._n] + 1 if place else np.concatenate([[0], starts[: self._n - 1] + 1])
        )
        lengths = ends - starts
        if lengths.max(initial=0) > 2:
            return None
        codes = np.zeros(self._n, np.uint16)
        codes[lengths > 0] = at[starts[lengths > 0]]
        codes[lengths > 1] |= at[starts[lengths > 1] + 1].astype(np.uint16) << 8
        if (codes & 0x8080).any():
            return None
        found, first, places = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        words = [int(code).to_bytes(2, "little").rstrip(b"\0").decode() for code in found[order]]
        return Cells(words, rank[places].astype(np.int64))


def _by_pandas(data: bytes, delimiter: str, width: int, places: list[int]) -> Row:
    """Parse columns of numbers; ValueError for anything that is none."""
    pandas: Any = import_module("pandas")
    exact = {} if _is_exact(pandas) else {"float_precision": "round_trip"}
    try:
        found = pandas.read_csv(
            io.BytesIO(data),
            header=None,
            sep=delimiter,
            usecols=places,
            dtype=np.float64,
            na_filter=False,
            quoting=3,
            skip_blank_lines=False,
            encoding="latin-1",
            **exact,
        )
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError) as error:
        raise ValueError from error
    if len(found) != data.count(b"\n"):
        raise ValueError("rows are missing")
    # The columns come in the order of the file.
    order = np.argsort(np.argsort(places))
    return np.asarray(found.to_numpy(np.float64)[:, order])


def _is_exact(pandas: Any) -> bool:
    """Whether its usual parser gives the nearest number always, as Python's does."""
    version = [int(part) for part in pandas.__version__.split(".")[:2] if part.isdigit()]
    return version >= [3, 1]


def _by_numpy(data: bytes, delimiter: str, width: int, places: list[int]) -> Row:
    """As `_by_pandas`."""
    text = io.StringIO(data.decode("latin-1"))
    found: Row = np.loadtxt(
        text, delimiter=delimiter, usecols=places, comments=None, quotechar=None, ndmin=2
    )
    if len(found) != data.count(b"\n"):
        raise ValueError("rows are missing")
    return found
