"""Reads the lines of a text file: plain or compressed, UTF-8 or UTF-16, intact or damaged.

A file may be hostile: the length of a line and the number of consecutive blank lines are bounded,
and so is memory for compressed data, because lines are unpacked one at a time. A line that is not
text, as after a power cut or noise on a wire, costs only that line.
"""

from __future__ import annotations

import csv
import io
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from firmware_sim.errors import StreamError
from firmware_sim.streams.packed import BUFFER, DAMAGED_END, DAMAGES, unpacked

#: Most characters in a line: more than 40,000 columns at full precision.
LONGEST_LINE = 1 << 20
#: Most characters in a line that is skipped.
MAX_CHARACTERS = 1 << 26
#: Most consecutive blank lines; a file with more is damaged.
MAX_BLANK_LINES = 10_000
#: Most lines in one row: line ends within quotes do not end a row.
MAX_LINES = 1_000
#: ... after many unclosed quotes.
_MIN_LINES = 16
#: Most consecutive rows with an unclosed quote.
MAX_STRAY_QUOTES = 1_000

#: Characters kept of a line that is not text.
_SHOWN = 200

WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
#: The errors of spreadsheets, as they begin a line; those of other languages before another cell.
SHEET_ERROR = re.compile(
    r"#(N/A|NA\b|DIV/0!|VALUE!|REF!|NUM!|NAME\?|NULL!"
    r"|(NV|N/[A-Z]+|[¡¿]?[^\W\d]+(/0)?[!?])(?=[;,\t|]))",
    re.IGNORECASE,
)
#: Why a line is not a row.
NUL_BYTES = "it holds NUL bytes, as after a power cut"
NO_TEXT = "it holds bytes that are not text"
DAMAGED_TEXT = DAMAGED_END.strip(b"\0\n").decode()
#: Bytes allowed in text; NUL bytes are checked line by line.
_TEXT = bytes({0, 9, 12, 13, 26, 27, *range(32, 127), *range(128, 256)})


class Records:
    """Rows of cells from lines; the size of a row is bounded.

    A quoted cell may contain line ends. A quote that is never closed, or that closes inside a cell,
    is stray: it costs only its own line, and so does a line with bytes that are not text.

    lines: from `open_lines` or `bounded`.
    separator: see `Dialect`.
    comment: prefix of comment lines; "" if there are none.
    damage: why the latest row has no cells, or "".
    text: the first line of the latest row.
    """

    def __init__(self, lines: Iterator[str], separator: str, comment: str = "") -> None:
        self._lines = _Lines(separated(lines, separator), comment)
        self._mark = separator[:1]
        self._reader = csv.reader(self._lines, delimiter=self._mark, skipinitialspace=True)
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
            self._lines.bad = ""
            try:
                record = next(self._reader)
            except (csv.Error, _TooFarError) as error:
                if not self.is_long:
                    self.damage = f"it cannot be read: {error}"
                    return []
            if self._lines.bad and not self.is_long:
                self.damage = self._lines.bad
                return []
            if self.is_long and not self._is_well_formed(record):
                return self._stray_quote()
        self._stray = 0
        self._width = self._width or len(record)
        return record

    @property
    def is_long(self) -> bool:
        """Whether the latest row has more than one line."""
        return len(self._lines.taken) > 1

    @property
    def text(self) -> str:
        """The first line of the latest row."""
        return text_of(self._lines.taken[0]) if self._lines.taken else ""

    @property
    def number(self) -> int:
        """The number of the first line of the latest row, from 1."""
        return self._lines.n_read - self.lines_ahead

    @property
    def lines_ahead(self) -> int:
        """How many lines after the first one of the latest row were read."""
        return len(self._lines.taken) - 1 + self._lines.n_returned

    def split(self) -> None:
        """Reduce the latest row to its first line; the lines after it are read again."""
        self._lines.return_lines()

    def _is_well_formed(self, record: list[str]) -> bool:
        """Whether a row of several lines is valid CSV of the expected width."""
        if self._lines.bad or not record or (self._width and len(record) != self._width):
            return False
        lines = iter(self._lines.taken)
        try:
            next(csv.reader(lines, delimiter=self._mark, skipinitialspace=True, strict=True))
        except csv.Error:
            return False
        return True

    def _stray_quote(self) -> list[str]:
        self._stray += 1
        if self._stray > MAX_STRAY_QUOTES:
            raise StreamError(
                f"more than {MAX_STRAY_QUOTES:,} consecutive rows open a quote without closing "
                "it; this is not a table of readings"
            )
        # Halving the limit keeps the total time linear in the number of lines.
        self._lines.max_lines = max(_MIN_LINES, self._lines.max_lines // 2)
        self.split()
        self.damage = "a quote is opened and not closed"
        return []


def is_comment(line: str, mark: str) -> bool:
    """Whether a line is a comment; an error value of a spreadsheet is a cell."""
    return line.startswith(mark) and not (mark == "#" and SHEET_ERROR.match(line))


def separated(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Replace the separators in lines by a single character; see `Dialect.separator`."""
    if len(separator) == 1 and separator != " ":
        return iter(lines)
    table = str.maketrans(dict.fromkeys(separator[1:], separator[0]))
    blank = separator[0] == " "

    def plain(line: str) -> str:
        if isinstance(line, BadLine):
            return line
        changed = line if '"' in line else line.translate(table)
        return changed.strip() + "\n" if blank else changed

    return map(plain, lines)


class BadLine(str):
    """A blank line that replaces one that is not text.

    why: what is wrong.
    text: the beginning of the line.
    """

    __slots__ = ("text", "why")
    why: str
    text: str

    @classmethod
    def of(cls, why: str, text: str) -> BadLine:
        """Return a bad line with this reason."""
        line = cls("\n")
        raw = text[:_SHOWN].encode("utf-8", "surrogateescape")
        line.why, line.text = why, raw.decode("utf-8", "backslashreplace")
        return line


def text_of(line: str) -> str:
    """Return a line as it stands in the log."""
    return line.text if isinstance(line, BadLine) else line


class _TooFarError(Exception):
    """A row has too many lines."""


class _Lines:
    """An iterator of lines with pushback."""

    def __init__(self, lines: Iterator[str], comment: str) -> None:
        self._lines = lines
        self._comment = comment
        self._again: deque[str] = deque()
        self.taken: list[str] = []  # lines of the current row
        self.bad = ""  # why one of them is not text
        self.max_lines = MAX_LINES
        self._characters = 0
        self.n_read = 0  # lines that were taken from `lines`

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.taken:
            self._characters = 0
        elif len(self.taken) >= self.max_lines or self._characters > LONGEST_LINE:
            raise _TooFarError
        line = self._next()
        if not self.taken:
            while self._comment and is_comment(line, self._comment):
                line = self._next()
        self._characters += len(line)
        self.taken.append(line)
        if isinstance(line, BadLine):
            self.bad = line.why
        return line

    def _next(self) -> str:
        if self._again:
            return self._again.popleft()
        line = next(self._lines)
        self.n_read += 1
        return line

    @property
    def n_returned(self) -> int:
        """How many lines will be read again."""
        return len(self._again)

    def return_lines(self) -> None:
        """Push back all lines of the current row except the first."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert an OSError to a `StreamError` that names the file.

    Raises StreamError: the file cannot be read.
    """
    try:
        yield
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror or error}") from None


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[str]]:
    """Open a file as an iterator of its lines, ends included.

    Raises StreamError: the file is unreadable; on opening or while lines are read.
    """
    with open_bytes(path) as plain:
        encoding = encoding_of(plain.peek(BUFFER)[:BUFFER], str(path))
        # A carriage return ends a line only where nothing else does.
        newline = "\n" if b"\n" in plain.peek(BUFFER) else ""
        text = io.TextIOWrapper(
            cast(IO[bytes], plain), encoding=encoding, errors="surrogateescape", newline=newline
        )
        with text:
            yield bounded(text, str(path))


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file as unpacked bytes.

    Raises StreamError: the file or its text is unreadable; on opening or while it is read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "a folder" if path.is_dir() else "not a regular file"
            raise StreamError(f"cannot read {path}: it is {what}")
        with cast(io.BufferedReader, open(path, "rb", buffering=BUFFER)) as raw:
            try:
                file = unpacked(raw)
            except StreamError as error:
                raise StreamError(f"cannot read {path}: {error}") from None
            yield file
    except UnicodeError:
        raise StreamError(f"cannot read {path}: its text is damaged; save it as UTF-8") from None
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror or error}") from None
    except EOFError:
        raise StreamError(f"cannot read {path}: its compressed data are truncated") from None
    except (csv.Error, *DAMAGES) as error:
        raise StreamError(f"cannot read {path}: {error}") from None


def bounded(text: IO[str], name: str) -> Iterator[str]:
    """Yield the lines of a text, a `BadLine` for one that is not text or too long.

    Raises StreamError: a line is far too long, or there are too many blank lines.
    """
    blank = 0
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(("\n", "\r")):
            line = BadLine.of(_past_long(text, f"cannot read {name}: line {number}"), line)
        elif not line.isascii() or "\0" in line:
            line = checked(line)
        if "\r" in line:  # BadLine has none
            line = line[:-1].replace("\r", "") + line[-1]
        bad = isinstance(line, BadLine)
        blank = 0 if bad or not line.isspace() else blank + 1
        if blank > MAX_BLANK_LINES:
            raise StreamError(
                f"cannot read {name}: more than {MAX_BLANK_LINES:,} blank lines before "
                f"line {number}"
            )
        yield line


def _past_long(text: IO[str], where: str) -> str:
    """Skip to the end of a long line; return why it is not a row."""
    characters = LONGEST_LINE
    while (more := text.readline(LONGEST_LINE)) and not more.endswith(("\n", "\r")):
        characters += len(more)
        if characters > MAX_CHARACTERS:
            raise StreamError(
                f"{where} has more than {MAX_CHARACTERS:,} characters; "
                "this is not a table of readings"
            )
    return f"the line has more than {LONGEST_LINE:,} characters"


def checked(line: str) -> str:
    """Return the line, or a `BadLine` if it is not text."""
    if "\0" in line:
        shown = line.strip("\0\r\n")
        if line.startswith("\0") and shown.isprintable() and shown == DAMAGED_TEXT:
            return BadLine.of(shown, shown)
        return BadLine.of(NUL_BYTES, line.strip("\0"))
    try:
        line.encode()
    except UnicodeEncodeError:
        return BadLine.of(NO_TEXT, line)
    return line


def encoding_of(start: bytes, name: str) -> str:
    """Detect the encoding from the first bytes.

    Spreadsheets write UTF-16 with a BOM; old programs write the degree sign in Windows-1252.
    Raises StreamError: the bytes are not text.
    """
    if start.startswith(WIDE_MARKS):
        return "utf-16"
    for at, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        some = start[:512]
        if (
            len(some) > 8
            and some[at::2].count(0) > 0.45 * len(some)
            and not some[1 - at :: 2].count(0)
        ):
            return encoding
    lines = start.split(b"\n")
    odd = sum(1 for line in lines if line.translate(None, _TEXT) != b"")
    if 2 * odd > len(lines) or (odd == len(lines) and start):
        raise StreamError(
            f"cannot read {name}: this is a binary file, not a table; save it as CSV in UTF-8"
        )
    return "utf-8-sig" if _is_utf8(start) else "cp1252" if _is_windows(start) else "latin-1"


def _is_utf8(start: bytes) -> bool:
    """Whether text is UTF-8, ignoring damaged lines."""
    if start.isascii():
        return True
    good = bad = 0
    for line in start.rpartition(b"\n")[0].split(b"\n") if b"\n" in start else [start]:
        if line.isascii() or b"\0" in line:
            continue
        try:
            line.decode()
            good += 1
        except UnicodeDecodeError:
            high = sum(letter > 0x7F for letter in line)
            # Text in another encoding has few such letters and no control characters.
            bad += 4 * high < len(line) and all(letter > 0x1F or letter == 13 for letter in line)
    return good > 0 or bad == 0


def _is_windows(start: bytes) -> bool:
    try:
        start.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return True
