"""A CSV table from standard input or another pipe, as its rows arrive."""

from __future__ import annotations

import codecs
import csv
import os
import queue
import select
import threading
from collections.abc import Callable, Iterator

from firmware_sim.errors import StreamError
from firmware_sim.streams.live import Record, Source, Wait
from firmware_sim.streams.table import DELIMITERS
from firmware_sim.streams.text import LONGEST_LINE

#: Seconds to wait for input before the reader is asked whether to go on.
_TICK = 0.2
_BLOCK = 1 << 16


class PipeSource(Source):
    """Lines of a CSV table with a header; a row is one line.

    descriptor: an open file descriptor, 0 for standard input.
    name: what messages call it.
    """

    def __init__(self, descriptor: int = 0, name: str = "standard input") -> None:
        self.name = name
        self._descriptor = descriptor
        self._lines = self._read()

    def header(
        self, idle: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> Record:
        """Return the cells of the first line; waits for it."""
        wait = Wait(self, idle, should_stop)
        line = next((line for line in self._lines if line or wait.is_over()), None) or ""
        self.delimiter = max(DELIMITERS, key=line.count)
        return [cell.strip() for cell in self._cells(line)]

    def records(self) -> Iterator[Record | None]:
        """Yield the cells of each line that is not blank, and None while there is none."""
        for line in self._lines:
            yield None if line is None else self._cells(line)

    def _cells(self, line: str) -> Record:
        try:
            return next(csv.reader([line], delimiter=self.delimiter), [])
        except csv.Error as error:
            raise StreamError(f"cannot read {self.name}: {error}") from None

    def _read(self) -> Iterator[str | None]:
        """Yield lines, and None while nothing comes."""
        read = _reader(self._descriptor)
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        rest = ""
        first = True
        while True:
            try:
                data = read()
            except OSError as error:  # it is closed, or a folder
                raise StreamError(f"cannot read {self.name}: {error.strerror}") from None
            if data is None:
                yield None
                continue
            if first and data.startswith(b"\x1f\x8b"):
                raise StreamError(
                    f"cannot read {self.name}: it is gzip; unpack it first: zcat FILE | ..."
                )
            first = False
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError:
                raise StreamError(f"cannot read {self.name}: its text is not UTF-8") from None
            if "\0" in text:
                raise StreamError(f"cannot read {self.name}: it holds binary data, not text")
            *lines, rest = (rest + text).split("\n")
            if len(rest) > LONGEST_LINE:
                raise StreamError(
                    f"cannot read {self.name}: a line has more than {LONGEST_LINE:,} characters; "
                    "this is not a table of readings"
                )
            if not data and rest:
                lines.append(rest)
            yield from filter(str.strip, lines)
            if not data:
                return


def _reader(descriptor: int) -> Callable[[], bytes | None]:
    """What reads a block: b"" at the end, None where nothing has come for a while."""
    if not hasattr(select, "poll"):
        return _threaded_reader(descriptor)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)

    def read() -> bytes | None:
        return os.read(descriptor, _BLOCK) if poll.poll(1e3 * _TICK) else None

    return read


def _threaded_reader(descriptor: int) -> Callable[[], bytes | None]:
    """The same where a pipe cannot be waited for, as on Windows: a thread waits in its read."""
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
