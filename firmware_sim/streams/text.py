"""Lines of a text file, whatever wrote it: plain or packed, UTF-8 or UTF-16, whole or damaged.

A file may be hostile: a line is bounded, so are blank lines in a row, and so is what one packed
byte can blow up to, since lines are made one at a time. A line that is no text, as power cuts and
noise on a wire leave them, costs itself alone.
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

#: Characters in a line at most: 40,000 columns of full precision and some.
LONGEST_LINE = 1 << 20
#: ... in one that is passed over, at most.
MAX_CHARACTERS = 1 << 26
#: Blank lines in a row at most; more are a damaged file.
MAX_BLANK_LINES = 10_000
#: Lines in one row at most: line ends within quotes are no end of a row.
MAX_LINES = 1_000
#: ... and where quotes have been opened and never closed before.
_MIN_LINES = 16
#: Rows one after the other that open a quote and do not close it, at most.
MAX_STRAY_QUOTES = 1_000

WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
#: The errors of spreadsheets, as they begin a line.
SHEET_ERROR = re.compile(r"#(N/A|NA\b|DIV/0!|VALUE!|REF!|NUM!|NAME\?|NULL!)", re.IGNORECASE)
#: Why a line is no row.
NUL_BYTES = "it holds NUL bytes, as a power cut leaves them"
NO_TEXT = "it holds bytes that are no text"
DAMAGED_TEXT = DAMAGED_END.strip(b"\0\n").decode()
#: Bytes that lines of text are made of; NUL bytes are looked for line by line.
_TEXT = bytes({0, 9, 12, 13, 26, 27, *range(32, 127), *range(128, 256)})


class Records:
    """Rows of cells from lines, each row bounded.

    A cell in quotes may hold line ends. A quote that is never closed, or that closes where no cell
    ends, is a stray one: it costs its own line, and the next line is a row again. So does a line
    that holds bytes which are no text.

    lines: from `open_lines` or `bounded`.
    separator: what parts the cells, see `Dialect`.
    comment: what lines begin with that are no rows; "" for none.
    damage: why the row given last has no cells; empty where it has them.
    text: the first line of that row.
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
        """Whether the row given last has more lines than one."""
        return len(self._lines.taken) > 1

    @property
    def text(self) -> str:
        """The first line of the row given last."""
        return self._lines.taken[0] if self._lines.taken else ""

    @property
    def lines_ahead(self) -> int:
        """How many lines behind the first one of that row were read."""
        return len(self._lines.taken) - 1 + self._lines.n_returned

    def split(self) -> None:
        """Take the row given last for its first line only: what follows it comes again."""
        self._lines.return_lines()

    def _is_well_formed(self, record: list[str]) -> bool:
        """Whether a row of several lines is what a program writes that quotes line ends."""
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
        # However many there are, the time they take stays in proportion to the lines.
        self._lines.max_lines = max(_MIN_LINES, self._lines.max_lines // 2)
        self.split()
        self.damage = "a quote is opened and not closed"
        return []


def is_comment(line: str, mark: str) -> bool:
    """Whether a line is a comment; what spreadsheets write for an error is a cell."""
    return line.startswith(mark) and not (mark == "#" and SHEET_ERROR.match(line))


def separated(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Return lines in which one character parts the cells; see `Dialect.separator`."""
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
    """A line that is no text, in place of which there is a blank one; `why` says what it is."""

    __slots__ = ("why",)
    why: str

    @classmethod
    def of(cls, why: str) -> BadLine:
        """Return one."""
        line = cls("\n")
        line.why = why
        return line


class _TooFarError(Exception):
    """A row has taken as many lines as one may have."""


class _Lines:
    """Lines that can be given back."""

    def __init__(self, lines: Iterator[str], comment: str) -> None:
        self._lines = lines
        self._comment = comment
        self._again: deque[str] = deque()
        self.taken: list[str] = []  # by the row that is read
        self.bad = ""  # why one of them is no text
        self.max_lines = MAX_LINES
        self._characters = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.taken:
            self._characters = 0
        elif len(self.taken) >= self.max_lines or self._characters > LONGEST_LINE:
            raise _TooFarError
        line = self._again.popleft() if self._again else next(self._lines)
        if not self.taken:
            while self._comment and is_comment(line, self._comment):
                line = self._again.popleft() if self._again else next(self._lines)
        self._characters += len(line)
        self.taken.append(line)
        if isinstance(line, BadLine):
            self.bad = line.why
        return line

    @property
    def n_returned(self) -> int:
        """How many lines come again."""
        return len(self._again)

    def return_lines(self) -> None:
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
        encoding = encoding_of(plain.peek(BUFFER)[:BUFFER], str(path))
        # newline="": the csv module wants to see line ends itself.
        text = io.TextIOWrapper(
            cast(IO[bytes], plain), encoding=encoding, errors="surrogateescape", newline=""
        )
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
    """Yield the lines of a text, a `BadLine` for one that is no text or too long.

    Raises StreamError: a line has no end, or there are too many blank ones.
    """
    blank = 0
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(("\n", "\r")):
            line = BadLine.of(_past_long(text, f"cannot read {name}: line {number}"))
        elif not line.isascii() or "\0" in line:
            line = _checked(line)
        bad = isinstance(line, BadLine)
        blank = 0 if bad or not line.isspace() else blank + 1
        if blank > MAX_BLANK_LINES:
            raise StreamError(
                f"cannot read {name}: more than {MAX_BLANK_LINES:,} blank lines before "
                f"line {number}"
            )
        yield line


def _past_long(text: IO[str], where: str) -> str:
    """Read to the end of a long line; return why it is no row."""
    characters = LONGEST_LINE
    while (more := text.readline(LONGEST_LINE)) and not more.endswith(("\n", "\r")):
        characters += len(more)
        if characters > MAX_CHARACTERS:
            raise StreamError(
                f"{where} has more than {MAX_CHARACTERS:,} characters; "
                "this is not a table of readings"
            )
    return f"the line has more than {LONGEST_LINE:,} characters"


def _checked(line: str) -> str:
    """Return a line, or one in its place where it holds bytes that are no text."""
    if "\0" in line:
        shown = line.strip("\0\r\n")
        if line.startswith("\0") and shown.isprintable() and shown == DAMAGED_TEXT:
            return BadLine.of(shown)
        return BadLine.of(NUL_BYTES)
    try:
        line.encode()
    except UnicodeEncodeError:
        return BadLine.of(NO_TEXT)
    return line


def encoding_of(start: bytes, name: str) -> str:
    """Return the encoding that the first bytes tell.

    Spreadsheets write UTF-16 with a mark; old programs write the degree sign as Windows does.
    Raises StreamError: they are no text.
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
    """Whether text is UTF-8, but for damaged lines: there the bytes are no letters either."""
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
            # Letters of other encodings are few, and no control characters are among them.
            bad += 4 * high < len(line) and all(letter > 0x1F or letter == 13 for letter in line)
    return good > 0 or bad == 0


def _is_windows(start: bytes) -> bool:
    try:
        start.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return True
