"""A fast reader for ordinary CSV tables, which parses many lines at once.

A chunk is a run of complete lines without quotes. pandas parses its numbers if it is installed,
otherwise numpy; both return the same float as Python, bit for bit. If they reject a number,
`Reading` parses the cells of the chunk one by one.
This reader leaves everything else (quotes, old line ends, bytes that are not text) to the careful
reader, `text.Records`.
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

#: Bytes read at a time: few at first, because a replay may end early.
_MIN_BYTES, _MAX_BYTES = 1 << 16, 1 << 22
#: File size in bytes above which importing pandas pays off.
_WORTH_PANDAS = 8 << 20
#: Longest line in bytes; longer ones go to the careful reader.
_LONGEST = 1 << 16
_SHOWN = 60  # bytes of a damaged line


class NotPlainError(Exception):
    """The fast reader does not support these lines."""


def lines_of(file: io.BufferedReader, skipped: int = 0) -> Iterator[bytes]:
    """Yield complete lines, many at a time, each with a line feed at its end.

    skipped: lines to skip at the start.

    Raises NotPlainError: only the careful reader understands the lines.
    """
    size, rest, first = _MIN_BYTES, b"", True
    while True:
        try:
            data = file.read(size)
        except Exception as error:  # the careful reader fails at the same place and reports it
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
    """Makes blocks from complete lines.

    reading: the columns.
    separator: the cell separator.
    size: size of the file in bytes.
    comment: prefix of comment lines; "" if there are none.
    encoding: of the text.
    Raises NotPlainError: the fast reader does not support such tables.
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
        """Return the rows of some lines, numbered from `first`; None if there are no rows.

        Raises NotPlainError: the fast reader does not support the lines.
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
        """Add the text of unreadable rows, and mark repeated header lines."""
        texts = lines.decode(self._encoding).split("\n")
        for at, why in [*block.damage.items()]:
            if self._reading.is_header(texts[at].split(self._delimiter)):
                why = HEADER_AGAIN
            block.damage[at] = Damage.of(why, texts[at])

    def count(self, lines: bytes) -> int:
        """Return the number of rows in some lines."""
        return self._regular(lines)[2]

    def _regular(self, lines: bytes) -> tuple[bytes, dict[int, str], int]:
        """Return the lines with one cell per column, why the others are bad, and the row count."""
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
        if count < len(ends) - 5_000:  # the careful reader limits blank lines
            raise NotPlainError
        return b"\n".join([*kept, b""]) if kept else b"", odd, count

    def _is_text(self, lines: bytes) -> bool:
        return b"\0" not in lines and (lines.isascii() or not self._no_text(lines))

    def _no_text(self, line: bytes) -> str:
        """Return why a line is not text, or an empty string."""
        if b"\0" in line:
            content = line.strip(b"\0")
            return DAMAGED_TEXT if content == DAMAGED_TEXT.encode() else NUL_BYTES
        try:
            line.decode(self._encoding)
        except UnicodeDecodeError:
            return NO_TEXT
        return ""

    def _numbers(self, table: _Table) -> Row | None:
        """Return the numeric columns; None if a cell is not a number."""
        places = [place for _, place in self._reading.numbers]
        if not places:
            return None
        data = table.data.replace(b",", b".") if self._reading.comma else table.data
        try:
            return self._parse(data, self._delimiter, table.width, places)
        except ValueError:
            return None


class _Table:
    """Lines with the same number of cells.

    data: the lines.
    width: cells per line.
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
        """Return the cells of a column as distinct texts."""
        if place not in self._columns:
            short = self._short(place) if self.data else None
            self._columns[place] = short or Cells.of(self.column(place))
        return self._columns[place]

    def _short(self, place: int) -> Cells | None:
        """Return cells of at most two bytes, such as labels; None if any cell is longer.

        Compares the bytes as integers, which avoids a string for each cell.
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
    """Parse columns of numbers; raises ValueError for a cell that is not a number."""
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
    # pandas returns the columns in file order.
    order = np.argsort(np.argsort(places))
    return np.asarray(found.to_numpy(np.float64)[:, order])


def _is_exact(pandas: Any) -> bool:
    """Whether the default parser of pandas always rounds correctly, as Python's does."""
    version = [int(part) for part in pandas.__version__.split(".")[:2] if part.isdigit()]
    return version >= [3, 1]


def _by_numpy(data: bytes, delimiter: str, width: int, places: list[int]) -> Row:
    """Parse columns of numbers like `_by_pandas`."""
    text = io.StringIO(data.decode("latin-1"))
    found: Row = np.loadtxt(
        text, delimiter=delimiter, usecols=places, comments=None, quotechar=None, ndmin=2
    )
    if len(found) != data.count(b"\n"):
        raise ValueError("rows are missing")
    return found
