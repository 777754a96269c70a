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

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Records:
    """Rows of cells from lines, each row bounded.

    Parameters
    ----------
    lines : iterator of str
        From `open_lines` or `bounded`.
    delimiter : str
        What parts the cells.
    """

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self._lines = lines
        self._taken = 0
        self._reader = csv.reader(self._counted(), delimiter=delimiter)

    def _counted(self) -> Iterator[str]:
        for line in self._lines:
            self._taken += 1
            if self._taken > MOST_LINES:
                raise StreamError(
                    f"a row of more than {MOST_LINES:,} lines: a quote is opened and never closed "
                    f"before line {self._reader.line_num + 1 - MOST_LINES}"
                )
            yield line

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self._taken = 0
        while not (record := next(self._reader)):  # a blank line
            self._taken = 0
        return record


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[str]]:
    """Open a file as an iterator of its lines, ends included.

    Raises
    ------
    StreamError
        For everything that can be wrong with a file, here or while lines are read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "a folder" if path.is_dir() else "not a regular file"
            raise StreamError(f"cannot read {path}: it is {what}")
        with open(path, "rb") as raw:
            plain = unpacked(raw)
            encoding = _encoding(path, plain.peek(64)[:64])
            # newline="": the csv module wants to see line ends itself.
            text = io.TextIOWrapper(cast(IO[bytes], plain), encoding=encoding, newline="")
            with text:
                yield bounded(text, str(path))
    except UnicodeDecodeError:
        raise StreamError(
            f"cannot read {path}: its text is not UTF-8; save it as UTF-8, or convert it: "
            f"iconv -f LATIN1 -t UTF-8 {path.name}"
        ) from None
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror or error}") from None
    except EOFError:
        raise StreamError(f"cannot read {path}: its packed data are cut off") from None
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
                "this is no table of readings"
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
    if start.startswith(_WIDE_MARKS):
        return "utf-16"
    if b"\0" in start:
        raise StreamError(
            f"cannot read {path}: this is a binary file, or UTF-16 without its mark; "
            "save the table as CSV in UTF-8"
        )
    return "utf-8-sig"  # spreadsheets put a byte order mark before the first name
