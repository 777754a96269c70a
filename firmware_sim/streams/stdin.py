"""Reads a table or JSON from standard input or another pipe, as rows arrive."""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from collections.abc import Callable, Iterator

from firmware_sim.errors import StreamError
from firmware_sim.streams.dialect import cut, laid_out
from firmware_sim.streams.formats import kind_of, refusal
from firmware_sim.streams.live import INSPECT_TIMEOUT, BadRecord, Record, Source, Wait
from firmware_sim.streams.messages import text
from firmware_sim.streams.objects import NO_OBJECT, fields_of, names_of
from firmware_sim.streams.reading import HEADER_AGAIN
from firmware_sim.streams.text import (
    LONGEST_LINE,
    MAX_CHARACTERS,
    NO_TEXT,
    NUL_BYTES,
    BadLine,
    encoding_of,
    is_comment,
)

#: Seconds to wait for input before the caller may stop.
_TICK = 0.2
_BLOCK = 1 << 16
#: Lines from which the layout is detected.
_LAYOUT = 60


class PipeSource(Source):
    """Lines of a table, or one JSON object per line; each line is a row.

    descriptor: an open file descriptor, 0 for standard input.
    name: the name in messages.
    """

    kind = "a table"

    def __init__(self, descriptor: int = 0, name: str = "standard input") -> None:
        self.name = name
        self._descriptor = descriptor
        self._lines = self._read()
        self._first: list[str] = []  # lines received before the layout was known
        self._names: list[str] = []
        self._is_json = False

    def header(
        self, idle: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> Record:
        """Return the names of the columns, waiting for the first lines."""
        wait = Wait(self, idle, should_stop)
        began = time.monotonic()
        for line in self._lines:
            if line is not None:
                self._first.append(line)
                began = time.monotonic()
                if len(self._first) >= _LAYOUT:
                    break
            elif wait.is_over() or (self._first and time.monotonic() - began > INSPECT_TIMEOUT):
                break
        text_lines = [line for line in self._first if not isinstance(line, BadLine)]
        what = kind_of(text_lines)
        if what == "json":
            self._is_json, self.kind = True, "JSON, one object per line"
            self._names = names_of([*filter(None, map(fields_of, text_lines))])
            return self._names
        if what == "libsvm":
            what = "in LIBSVM format, which is read from files alone: save it and name the file"
        if " " in what:  # a sentence, not the name of a format
            raise StreamError(f"cannot read {self.name}: it is {what}")
        self.layout = laid_out(self._first, **self.asked)
        self._first = self._first[max(0, self.layout.data - 1) :]
        self._names = [*self.layout.names]
        return self._names

    def records(self) -> Iterator[Record | None]:
        """Yield the cells of each nonblank line, and None while none arrives."""
        while self._first:
            yield from self._rows(self._first.pop(0))
        for line in self._lines:
            if line is None:
                yield None
            else:
                yield from self._rows(line)

    def _rows(self, line: str) -> Iterator[Record]:
        """Yield the cells of a line; nothing for a blank or comment line."""
        if isinstance(line, BadLine):
            yield BadRecord.of(line.why, "")
        elif self._is_json:
            if line.strip(" \t\r\n[],"):
                found = fields_of(line)
                row = [text(found.get(name)) for name in self._names]
                yield row if found else BadRecord.of(NO_OBJECT, line)
        elif not (self.layout and self.layout.comment and is_comment(line, self.layout.comment)):
            cells = cut(line, "," if self.layout is None else self.layout.separator)
            if cells == self._names:
                yield BadRecord.of(HEADER_AGAIN, line)
            else:
                yield cells or BadRecord.of("it cannot be cut into cells", line)

    def _read(self) -> Iterator[str | None]:
        """Yield lines, and None while nothing arrives."""
        read = _reader(self._descriptor)
        encoding = ""
        rest = b""
        dropped = 0  # bytes of a line that is too long
        while True:
            try:
                data = read()
            except OSError as error:  # closed, or a folder
                raise StreamError(f"cannot read {self.name}: {error.strerror}") from None
            if data is None:
                yield None
                continue
            if not encoding:
                encoding = self._encoding(data)
            *lines, rest = (rest + data).split(b"\n") if data else (rest, b"")
            for line in lines:
                if dropped:
                    dropped = 0
                    yield BadLine.of(f"the line has more than {LONGEST_LINE:,} characters")
                elif line.strip():
                    yield _decoded(line, encoding)
            if len(rest) > LONGEST_LINE:
                dropped += len(rest)
                rest = b""
                if dropped > MAX_CHARACTERS:
                    raise StreamError(
                        f"cannot read {self.name}: a line has more than {MAX_CHARACTERS:,} "
                        "characters; this is not a table of readings"
                    )
            if not data:
                return

    def _encoding(self, start: bytes) -> str:
        """Detect the encoding from the first bytes.

        Raises StreamError: the input is compressed, or not lines of text.
        """
        if start.startswith(b"\x1f\x8b"):
            raise StreamError(
                f"cannot read {self.name}: it is gzip; unpack it first: zcat FILE | ..."
            )
        if what := refusal(start):
            raise StreamError(f"cannot read {self.name}: it is {what}")
        found = encoding_of(start, self.name)
        if "16" in found:
            raise StreamError(f"cannot read {self.name}: it is UTF-16; convert it: iconv -t UTF-8")
        return "utf-8" if found == "utf-8-sig" else found


def _decoded(line: bytes, encoding: str) -> str:
    """Decode a line; return a `BadLine` if it is not text."""
    try:
        text_ = line.rstrip(b"\r").decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return BadLine.of(NO_TEXT)
    return BadLine.of(NUL_BYTES) if "\0" in text_ else text_


def _reader(descriptor: int) -> Callable[[], bytes | None]:
    """Return a function that reads a block: b"" at the end, None after a timeout."""
    if not hasattr(select, "poll"):
        return _threaded_reader(descriptor)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)

    def read() -> bytes | None:
        return os.read(descriptor, _BLOCK) if poll.poll(1e3 * _TICK) else None

    return read


def _threaded_reader(descriptor: int) -> Callable[[], bytes | None]:
    """Like `_reader`, without poll (as on Windows): a thread blocks in read."""
    come: queue.Queue[bytes | OSError] = queue.Queue(1)

    def wait() -> None:
        data = b"some"
        while data:
            try:
                data = os.read(descriptor, _BLOCK)
            except OSError as error:
                come.put(error)
                return
            come.put(data)

    threading.Thread(target=wait, daemon=True).start()

    def read() -> bytes | None:
        try:
            got = come.get(timeout=_TICK)
        except queue.Empty:
            return None
        if isinstance(got, OSError):
            raise got
        return got

    return read
