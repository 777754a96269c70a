"""Reads a table or JSON from standard input or another pipe, as rows arrive."""

from __future__ import annotations

import codecs
import os
import queue
import select
import threading
import time
import zlib
from collections.abc import Callable, Iterator

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Line
from firmware_sim.streams.dialect import cut, laid_out
from firmware_sim.streams.formats import kind_of, refusal
from firmware_sim.streams.live import INSPECT_TIMEOUT, Source, Wait
from firmware_sim.streams.objects import LINES, fields_of, lines_of, names_of
from firmware_sim.streams.packed import DAMAGED_END, GZIP
from firmware_sim.streams.reading import HEADER_AGAIN
from firmware_sim.streams.text import (
    LONGEST_LINE,
    MAX_CHARACTERS,
    BadLine,
    checked,
    encoding_of,
    is_comment,
)

#: Seconds to wait for input before the caller may stop.
TICK = 0.2
#: Bytes read, and bytes unpacked, at a time.
_BLOCK = 1 << 16
#: Lines from which the layout is detected.
_LAYOUT = 60


class PipeSource(Source):
    """Lines of a table, or one JSON object per line; each line is a row.

    descriptor: an open file descriptor, 0 for standard input.
    name: the name in messages.
    blocks: what arrives, instead of the descriptor's; None after a silence, b"" at the end.
    """

    kind = "a table"

    def __init__(
        self,
        descriptor: int = 0,
        name: str = "standard input",
        blocks: Iterator[bytes | None] | None = None,
    ) -> None:
        self.name = name
        self._lines = self._read(_blocks(descriptor) if blocks is None else blocks)
        self._first: list[str] = []  # lines received before the layout was known
        self._names: list[str] = []

    def header(
        self, idle: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> list[str]:
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
        text = [line for line in self._first if not isinstance(line, BadLine)]
        what = kind_of(text)
        if what == "json":
            self.kind = LINES
            self._names = names_of([*map(fields_of, text)])
            return self._names
        if what == "libsvm":
            what = "in LIBSVM format, which is read from files alone: save it and name the file"
        if " " in what:  # a sentence, not the name of a format
            raise StreamError(f"cannot read {self.name}: it is {what}")
        self.layout = laid_out(self._first, **self.asked)
        self._first = self._first[max(0, self.layout.data - 1) :]
        self._names = [*self.layout.names]
        return self._names

    def lines(self) -> Iterator[Line | None]:
        """Yield each nonblank line, and None while none arrives."""
        while self._first:
            yield from self._rows(self._first.pop(0))
        for line in self._lines:
            if line is None:
                yield None
            else:
                yield from self._rows(line)

    def _rows(self, line: str) -> Iterator[Line]:
        """Yield the row in a line; nothing for a blank or comment line."""
        mark, separator = ("", ",") if self.layout is None else (
            self.layout.comment, self.layout.separator)  # fmt: skip
        if self.kind == LINES:
            yield from lines_of(iter([line]), self._names)
        elif isinstance(line, BadLine):
            yield Line([], line.why, line.text)
        elif not (mark and is_comment(line, mark)):
            cells = cut(line, separator)
            why = "" if cells else "it cannot be cut into cells"
            yield Line(cells, why, line) if cells != self._names else Line([], HEADER_AGAIN, line)

    def _read(self, blocks: Iterator[bytes | None]) -> Iterator[str | None]:
        """Yield lines, and None while nothing arrives."""
        decoder: codecs.IncrementalDecoder | None = None
        rest, dropped = "", 0  # the start of a line; characters of one that is too long
        for data in self._unpacked(blocks):
            if data is None:
                yield None
                continue
            if decoder is None:
                if what := refusal(data):
                    raise StreamError(f"cannot read {self.name}: it is {what}")
                encoding = encoding_of(data, self.name)
                errors = "replace" if "16" in encoding else "surrogateescape"
                decoder = codecs.getincrementaldecoder(encoding)(errors)
            rest += decoder.decode(data, final=not data)
            *lines, rest = rest.split("\n") if data else (rest, "")
            for line in lines:
                if dropped:
                    why, dropped = f"the line has more than {LONGEST_LINE:,} characters", 0
                    yield BadLine.of(why, line)
                elif line.strip():
                    yield checked(line.rstrip("\r"))
            if len(rest) > LONGEST_LINE:
                dropped, rest = dropped + len(rest), ""
                if dropped > MAX_CHARACTERS:
                    raise StreamError(
                        f"cannot read {self.name}: a line has more than {MAX_CHARACTERS:,} "
                        "characters; this is not a table of readings"
                    )

    def _unpacked(self, blocks: Iterator[bytes | None]) -> Iterator[bytes | None]:
        """Yield what arrives, gzip unpacked piece by piece; b"" is the end."""
        packed, is_open, given, member = None, False, False, zlib.decompressobj(31)
        try:
            for data in blocks:
                if data == b"":
                    break
                if data is not None and packed is None:
                    packed = data.startswith(GZIP)
                if data is None or not packed:
                    yield data
                    continue
                while data:
                    piece = member.decompress(data, _BLOCK)
                    given = given or bool(piece)
                    yield piece or None
                    data, is_open = member.unconsumed_tail, not member.eof
                    if member.eof:  # another member may follow
                        data, member = member.unused_data.lstrip(b"\0"), zlib.decompressobj(31)
            if is_open:
                raise zlib.error
        except OSError as error:  # closed, or a folder
            raise StreamError(f"cannot read {self.name}: {error.strerror}") from None
        except zlib.error:
            if not given:
                raise StreamError(
                    f"cannot read {self.name}: its compressed data are truncated or damaged"
                ) from None
            yield DAMAGED_END
        yield b""


def _blocks(descriptor: int) -> Iterator[bytes | None]:
    """Yield what arrives; None after a silence of `TICK` seconds, and b"" at the end."""
    if not hasattr(select, "poll"):
        yield from _by_thread(descriptor)
        return
    poll, data = select.poll(), b"some"
    poll.register(descriptor, select.POLLIN)
    while data:
        if poll.poll(1e3 * TICK):
            data = os.read(descriptor, _BLOCK)
            yield data
        else:
            yield None


def _by_thread(descriptor: int) -> Iterator[bytes | None]:
    """Like `_blocks`, without poll (as on Windows): a thread blocks in read."""
    come: queue.Queue[bytes | OSError] = queue.Queue(1)

    def wait() -> None:
        data = b"some"
        while data:
            try:
                data = os.read(descriptor, _BLOCK)
                come.put(data)
            except OSError as error:
                come.put(error)
                return

    threading.Thread(target=wait, daemon=True).start()
    while True:
        try:
            got = come.get(timeout=TICK)
        except queue.Empty:
            yield None
            continue
        if isinstance(got, OSError):
            raise got
        yield got
        if not got:
            return
