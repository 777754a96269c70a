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
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from firmware_sim.streams.block import Block, Cells, Line, Places, Row
from firmware_sim.streams.reading import Reading, Table
from firmware_sim.streams.text import DAMAGED_TEXT, NO_TEXT, NUL_BYTES, is_comment

#: Bytes read at a time: few at first, because a replay may end early.
_MIN_BYTES, _MAX_BYTES = 1 << 16, 1 << 22
#: File size in bytes above which importing pandas pays off.
_WORTH_PANDAS = 8 << 20
#: Longest line in bytes, and most blank lines of a chunk; the careful reader takes the others.
_LONGEST, _BLANK = 1 << 16, 5_000
#: Longest cells that are compared as integers, and longest times, in bytes.
_WORD, _TIME = 8, 40


class NotPlainError(Exception):
    """The fast reader does not support these lines."""


def lines_of(file: io.BufferedReader, skipped: int = 0) -> Iterator[bytes]:
    """Yield complete lines, many at a time, each with a line feed at its end.

    skipped: lines to skip at the start.

    Raises NotPlainError: only the careful reader understands the lines.
    """
    size, rest, data = _MIN_BYTES, b"", b"\n"
    is_first = True
    while data:
        try:
            data = file.read(size)
        except Exception as error:  # the careful reader fails at the same place and reports it
            raise NotPlainError from error
        rest += data.removeprefix(b"\xef\xbb\xbf") if is_first else data
        is_first = False
        if not data and rest:
            rest += b"\n"
        end = rest.rfind(b"\n") + 1
        chunk, rest = rest[:end], rest[end:]
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n")
        if b"\r" in chunk or len(rest) > _MAX_BYTES:
            raise NotPlainError
        while skipped and chunk:
            chunk, skipped = chunk.partition(b"\n")[2], skipped - 1
        if b'"' in chunk:
            raise NotPlainError
        if chunk:
            yield chunk
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
        self._reading, self._delimiter, self._comment = reading, separator, comment
        self._encoding = encoding.removesuffix("-sig")
        there = "pandas" in sys.modules or (size > _WORTH_PANDAS and find_spec("pandas"))
        self._parse = _by_pandas if there else _by_numpy

    def block(self, lines: bytes, first: int) -> Block:
        """Return the rows of some lines, numbered from `first`.

        Raises NotPlainError: the fast reader does not support the lines.
        """
        lines, good, odd, n, ends = self._regular(lines)
        table = _Table(good, n - len(odd), self._reading.width, self, ends)
        rows: list[bytes] = []

        def line(at: int) -> Line:
            if not rows:
                rows.extend(row for row in lines.split(b"\n") if row.strip())
            text = rows[at].decode(self._encoding, "backslashreplace" if at in odd else "strict")
            return Line(text.split(self._delimiter), odd.get(at, ""), text)

        return self._reading.block(first, table, odd, line)

    def count(self, lines: bytes) -> int:
        """Return the number of rows in some lines."""
        return self._regular(lines)[3]

    def _regular(self, lines: bytes) -> tuple[bytes, bytes, dict[int, str], int, Places | None]:
        """Return lines without comments, those with one cell per column, why the others are bad,
        the number of rows, and where cells end if all lines are good."""
        width, mark = self._reading.width, self._comment.encode()
        if mark and mark in lines:
            rows = lines.split(b"\n")
            lines = b"\n".join(row for row in rows if not self._is_comment(row, mark))
        letters = np.frombuffer(lines, np.uint8)
        marks, n = self.ends(letters), lines.count(b"\n")
        is_text = b"\0" not in lines and (lines.isascii() or not self._no_text(lines))
        ends = marks[width - 1 :: width]
        is_regular = len(marks) == n * width and bool((letters[ends] == ord("\n")).all())
        if not is_regular:
            ends = marks[letters[marks] == ord("\n")]
        if np.diff(ends, prepend=-1).max(initial=0) > _LONGEST:
            raise NotPlainError
        if is_text and is_regular:
            return lines, lines, {}, n, marks
        found = np.diff(np.searchsorted(marks, ends), prepend=-1) - 1
        kept: list[bytes] = []
        odd: dict[int, str] = {}
        for row, marked in zip(lines.split(b"\n"), found.tolist(), strict=False):
            if row.strip():
                why = "" if is_text else self._no_text(row)
                why = why or ("" if marked == width - 1 else self._reading.no_row(marked + 1))
                if why:
                    odd[len(kept) + len(odd)] = why
                else:
                    kept.append(row)
        count = len(kept) + len(odd)
        if count < n - _BLANK:
            raise NotPlainError
        return lines, b"\n".join([*kept, b""]) if kept else b"", odd, count, None

    def _is_comment(self, row: bytes, mark: bytes) -> bool:
        text = row[:20] if row.startswith(mark) else b""
        return is_comment(text.decode(self._encoding, "replace"), self._comment)

    def _no_text(self, line: bytes) -> str:
        """Return why a line is not text, or an empty string."""
        if b"\0" in line:
            return DAMAGED_TEXT if line.strip(b"\0") == DAMAGED_TEXT.encode() else NUL_BYTES
        try:
            line.decode(self._encoding)
        except UnicodeDecodeError:
            return NO_TEXT
        return ""

    def numbers(self, data: bytes, places: Sequence[int]) -> Row | None:
        """Return columns of numbers; None if a cell is not a number."""
        try:
            return self._parse(data, self._delimiter, places)
        except ValueError:
            return None

    def text(self, data: bytes) -> list[str]:
        """Return the cells of lines, row by row."""
        text = data.decode(self._encoding)
        return text[:-1].replace("\n", self._delimiter).split(self._delimiter)

    def ends(self, letters: npt.NDArray[np.uint8]) -> Places:
        """Return where the cells of lines end."""
        return np.flatnonzero((letters == ord(self._delimiter)) | (letters == ord("\n")))


class _Table(Table):
    """Lines with the same number of cells.

    data: the lines.
    n: their number.
    width: cells per line.
    chunks: parses them.
    ends: where cells end, if that is known.
    """

    def __init__(
        self, data: bytes, n: int, width: int, chunks: Chunks, ends: Places | None
    ) -> None:
        self.n, self._data, self._width, self._chunks = n, data, width, chunks
        self._letters, self._known = np.frombuffer(data, np.uint8), ends

    @cached_property
    def _flat(self) -> list[str]:
        return self._chunks.text(self._data) if self.n else []

    @cached_property
    def _ends(self) -> Places:
        return self._chunks.ends(self._letters) if self._known is None else self._known

    def column(self, place: int) -> Sequence[str]:
        """Return the cells of a column."""
        return self._flat[place :: self._width]

    def numbers(self, places: Sequence[int], comma: bool) -> Row | None:
        """Return columns of numbers; see `Table.numbers`."""
        if not places or not self.n:
            return None
        return self._chunks.numbers(self._data.replace(b",", b".") if comma else self._data, places)

    def times(self, place: int) -> Sequence[str] | npt.NDArray[np.bytes_]:
        """Return the cells of a column for `TimeFormat.many`, as bytes if they are equally long."""
        found, lengths = self._bytes(place, _TIME)
        if found is None or not (lengths == found.shape[1]).all() or (found & 0x80).any():
            return self.column(place)
        return np.frombuffer(found.tobytes(), f"S{found.shape[1]}")

    def cells(self, place: int) -> Cells:
        """Return the cells of a column as distinct texts.

        Short ones, such as labels, are compared as integers, without a string for each.
        """
        found, _ = self._bytes(place, _WORD)
        if found is None or (found & 0x80).any():
            return super().cells(place)
        padded = np.zeros((self.n, _WORD), np.uint8)
        padded[:, : found.shape[1]] = found
        codes, first, places = np.unique(
            padded.view("<u8").ravel(), return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        words = [
            int(code).to_bytes(_WORD, "little").rstrip(b"\0").decode() for code in codes[order]
        ]
        return Cells(words, rank[places].astype(np.int64))

    def _bytes(self, place: int, longest: int) -> tuple[npt.NDArray[np.uint8] | None, Places]:
        """Return the cells of a column as rows of bytes, padded with 0, and their lengths.

        The bytes are None if a cell is longer than `longest` bytes, or all are empty.
        """
        ends = self._ends[place :: self._width]
        before = self._ends[place - 1 :: self._width][: self.n]
        if place == 0:
            before = np.append(-1, self._ends[self._width - 1 :: self._width][:-1])
        lengths = ends - before - 1
        size = int(lengths.max(initial=0))
        if not 0 < size <= longest:
            return None, lengths
        at = np.arange(size)
        found = self._letters.take(before[:, None] + 1 + at, mode="clip")
        found[at >= lengths[:, None]] = 0
        return found, lengths


def _by_pandas(data: bytes, delimiter: str, places: Sequence[int]) -> Row:
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
    numbers = np.asarray(found.to_numpy(np.float64))
    if sorted(places) == [*places]:
        return numbers
    # pandas returns the columns in file order.
    return numbers[:, np.argsort(np.argsort(places))]


def _is_exact(pandas: Any) -> bool:
    """Whether the default parser of pandas always rounds correctly, as Python's does."""
    version = [int(part) for part in pandas.__version__.split(".")[:2] if part.isdigit()]
    return version >= [3, 1]


def _by_numpy(data: bytes, delimiter: str, places: Sequence[int]) -> Row:
    """Parse columns of numbers like `_by_pandas`."""
    text = io.StringIO(data.decode("latin-1"))
    found: Row = np.loadtxt(
        text, delimiter=delimiter, usecols=places, comments=None, quotechar=None, ndmin=2
    )
    if len(found) != data.count(b"\n"):
        raise ValueError("rows are missing")
    return found
