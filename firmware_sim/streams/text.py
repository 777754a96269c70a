"""Lines of a text file, whatever wrote it: plain or packed, UTF-8 or UTF-16, whole or damaged.

A file may be hostile: a line is bounded, so are blank lines in a row, and so is what one packed
byte can blow up to, since lines are made one at a time.
"""

from __future__ import annotations

import csv
import io
import lzma
import stat
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from firmware_sim.errors import StreamError
from firmware_sim.streams.packed import unpacked

#: Characters in a line at most: 40,000 columns of full precision and some.
LONGEST_LINE = 1 << 20
#: Blank lines in a row at most; more are a damaged file.
MOST_BLANK = 10_000
#: Lines in one row at most: line ends within quotes are no end of a row.
MOST_LINES = 1_000
#: ... and where quotes have been opened and never closed before.
_LEAST_LINES = 16
#: Rows one after the other that open a quote and do not close it, at most.
MOST_STRAY = 1_000

WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Records:
    """Rows of cells from lines, each row bounded.

    A cell in quotes may hold line ends. A quote that is never closed, or that closes where no cell
    ends, is a stray one: it costs its own line, and the next line is a row again.

    lines: from `open_lines` or `bounded`.
    delimiter: what parts the cells.
    damage: why the row given last has no cells; empty where it has them.
    """

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self._lines = _Lines(lines)
        self._delimiter = delimiter
        self._reader = csv.reader(self._lines, delimiter=delimiter)
        self._width = 0
        self._stray = 0
        self.damage = ""

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self.damage = ""
        record: list[str] = []
        while not record:  # a blank line
            self._lines.taken.clear()
            try:
                record = next(self._reader)
            except (csv.Error, _TooFarError):
                if not self.is_long:
                    raise
            if self.is_long and not self._is_well_formed(record):
                return self._stray_quote()
        self._stray = 0
        self._width = self._width or len(record)
        return record

    @property
    def is_long(self) -> bool:
        """Whether the row given last has more lines than one."""
        return len(self._lines.taken) > 1

    def split(self) -> None:
        """Take the row given last for its first line only: what follows it comes again."""
        self._lines.give_back()

    def _is_well_formed(self, record: list[str]) -> bool:
        """Whether a row of several lines is what a program writes that quotes line ends."""
        if not record or (self._width and len(record) != self._width):
            return False
        lines = iter(self._lines.taken)
        try:
            next(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return False
        return True

    def _stray_quote(self) -> list[str]:
        self._stray += 1
        if self._stray > MOST_STRAY:
            raise StreamError(
                f"more than {MOST_STRAY:,} consecutive rows open a quote without closing "
                "it; this is not a table of readings"
            )
        # However many there are, the time they take stays in proportion to the lines.
        self._lines.most = max(_LEAST_LINES, self._lines.most // 2)
        self.split()
        self.damage = "a quote is opened and not closed"
        return []


class _TooFarError(Exception):
    """A row has taken as many lines as one may have."""


class _Lines:
    """Lines that can be given back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: deque[str] = deque()
        self.taken: list[str] = []  # by the row that is read
        self.most = MOST_LINES
        self._characters = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.taken:
            self._characters = 0
        elif len(self.taken) >= self.most or self._characters > LONGEST_LINE:
            raise _TooFarError
        line = self._again.popleft() if self._again else next(self._lines)
        self._characters += len(line)
        self.taken.append(line)
        return line

    def give_back(self) -> None:
        """Give back all lines but the first of those taken."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say which file cannot be read, and why.

    Raises StreamError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror or error}") from None


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[str]]:
    """Open a file as an iterator of its lines, ends included.

    Raises StreamError: for everything that can be wrong with a file, here or while lines are read.
    """
    with open_bytes(path) as plain:
        encoding = _encoding(path, plain.peek(64)[:64])
        # newline="": the csv module wants to see line ends itself.
        text = io.TextIOWrapper(cast(IO[bytes], plain), encoding=encoding, newline="")
        with text:
            yield bounded(text, str(path))


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file as the bytes of its text, unpacked.

    Raises StreamError: for everything that can be wrong with a file or its text, here or while it
        is read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "a folder" if path.is_dir() else "not a regular file"
            raise StreamError(f"cannot read {path}: it is {what}")
        with open(path, "rb") as raw:
            yield unpacked(raw)
    except UnicodeDecodeError:
        raise StreamError(
            f"cannot read {path}: its text is not UTF-8; save it as UTF-8, or convert it: "
            f"iconv -f LATIN1 -t UTF-8 {path.name}"
        ) from None
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror or error}") from None
    except EOFError:
        raise StreamError(f"cannot read {path}: its compressed data are truncated") from None
    except (zlib.error, lzma.LZMAError, csv.Error) as error:
        raise StreamError(f"cannot read {path}: {error}") from None


def bounded(text: IO[str], name: str) -> Iterator[str]:
    """Yield the lines of a text; one too long, or too many blank ones, is a StreamError."""
    blank = 0
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(("\n", "\r")):
            raise StreamError(
                f"cannot read {name}: line {number} has more than {LONGEST_LINE:,} characters; "
                "this is not a table of readings"
            )
        if "\0" in line:
            raise StreamError(f"cannot read {name}: line {number} holds binary data, not text")
        blank = 0 if line.strip() else blank + 1
        if blank > MOST_BLANK:
            raise StreamError(
                f"cannot read {name}: more than {MOST_BLANK:,} blank lines before line {number}"
            )
        yield line


def _encoding(path: Path, start: bytes) -> str:
    """Return the encoding that the first bytes tell; spreadsheets write UTF-16 with a mark."""
    if start.startswith(WIDE_MARKS):
        return "utf-16"
    if b"\0" in start:
        raise StreamError(
            f"cannot read {path}: this is a binary file, or UTF-16 without its mark; "
            "save the table as CSV in UTF-8"
        )
    return "utf-8-sig"  # spreadsheets put a byte order mark before the first name
