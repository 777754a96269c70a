"""Live streams: rows from standard input or a broker, as they arrive."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Damage
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.dialect import Dialect
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, Line

#: Rows kept for a second pass: the first pass chooses the kernel width.
KEPT = 1_000
#: Seconds without a row after which the columns are inferred from the rows received.
INSPECT_TIMEOUT = 2.0
#: Seconds without a first row after which the log says what is missing.
NOTICE = 3.0

_log = logging.getLogger("firmware_sim")

Record = list[str]


class BadRecord(list[str]):
    """A message or line that is not a row, without cells; `why` says what is wrong."""

    why: Damage

    @classmethod
    def of(cls, why: str, text: str) -> BadRecord:
        """Return the bad record of a line."""
        out = cls()
        out.why = Damage.of(why, text)
        return out


def line_of(record: Record) -> Line:
    """Return the cells of a row, and why it has none (or an empty string)."""
    return record, record.why if isinstance(record, BadRecord) else ""


class Source(ABC):
    """Rows of cells as they arrive.

    name: the name in messages.
    kind: the format of its rows.
    layout: the dialect of its lines, if it has lines; known once the header is.
    ignored: columns that the source adds and that are not readings.
    asked: the user's settings for `laid_out`.
    """

    name: str
    asked: Mapping[str, Any] = MappingProxyType({})
    kind: str = "messages"
    layout: Dialect | None = None
    ignored: tuple[str, ...] = ()
    _records: Iterator[Record | None] | None = None
    _gave_rows = False

    @abstractmethod
    def header(
        self, idle: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> list[str]:
        """Return the names of the columns, waiting for the first row if necessary.

        idle: maximum wait in seconds; None waits forever.
        should_stop: called several times a second; True ends the wait.

        Returns: an empty list if the wait ended early.
        """

    def is_row(self, record: Record) -> bool:
        """Whether a record has the cells of a row; otherwise the wait for a row continues."""
        return bool(record)

    def wanting(self) -> str:
        """Return a sentence that says what is missing while no row has arrived."""
        return f"{self.name}: nothing has come yet"

    @abstractmethod
    def records(self) -> Iterator[Record | None]:
        """Yield rows of cells, and None several times a second while none arrives."""

    def until(
        self, idle: float | None, patience: Callable[[], float | None] | None = None
    ) -> Iterator[Record | None]:
        """Yield the items of `records` until nothing has arrived for too long.

        idle: seconds of silence that end the iteration; None for no limit.
        patience: called at every silence for the limit, instead of `idle`.
        """
        if self._records is None:
            self._records = self.records()
        last = time.monotonic()
        wait = None if self._gave_rows else Wait(self)
        for record in self._records:
            if record and self.is_row(record):
                self._gave_rows, wait = True, None
            elif wait is not None:
                wait.is_over()  # logs what is missing
            if record is not None:
                last = time.monotonic()
            else:
                max_idle = patience() if patience is not None else idle
                if max_idle is not None and time.monotonic() - last > max_idle:
                    return
            yield record

    def notes(self) -> list[str]:
        """Return notes for the report, one sentence each."""
        return []

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release all resources."""


class Wait:
    """The wait for the first row of a source.

    After `NOTICE` seconds the log ``firmware_sim`` says what is missing, and again whenever that
    changes.

    source, idle, should_stop: as for `Source.header`.
    """

    def __init__(
        self,
        source: Source,
        idle: float | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._source, self._idle, self._should_stop = source, idle, should_stop
        self._began = time.monotonic()
        self._last_message = ""

    def is_over(self) -> bool:
        """Whether the wait has ended; logs what is missing if that is new."""
        waited = time.monotonic() - self._began
        if waited >= NOTICE:
            sentence = self._source.wanting()
            if sentence != self._last_message:
                self._last_message = sentence
                _log.warning("%s", sentence)
        if self._should_stop is not None and self._should_stop():
            return True
        return self._idle is not None and waited > self._idle


class LiveStream(CellStream):
    """A stream over a source; keeps its first rows, so that they can be read twice.

    source: where the rows come from.
    options: settings of the columns.
    idle: seconds without a row that end the stream; by default it never ends.
    """

    kept = KEPT

    def __init__(
        self, source: Source, options: ReadingOptions, *, idle: float | None = None
    ) -> None:
        self.name = source.name
        self._source = source
        self._idle = idle
        self._held: list[Record] = []
        self._read = 0
        self._header = source.header(idle)
        self._first()
        self.read_as(options)

    def read_as(self, options: ReadingOptions) -> None:
        """Interpret the columns by these options, from the rows received so far."""
        source, header = self._source, self._header
        options = replace(options, ignore=(*options.ignore, *source.ignored))
        held = self._held[:INSPECTED_ROWS]
        first = [record for record in held if not isinstance(record, BadRecord)]
        layout, known = source.layout, options.given
        if known is None:
            separator = "\t" if layout is None else layout.separator
            named = layout is None or layout.header > 0
            known = options.study(header, first, separator, has_names=named)
            known = known.laid_out(source.kind, layout)
        elif header and known.names != header:
            raise StreamError(f"{self.name}: {options.understood} is of another log: {header}")
        self._read_as(Reading(self.name, known, first, options))

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was inferred from the columns, and how many messages were used or dropped."""
        return (*super().notes, *self._source.notes())

    @property
    def rows_here(self) -> int:
        """How many rows have arrived and can be read again."""
        return len(self._held)

    def _first(self) -> None:
        """Collect the rows from which the columns are inferred."""
        # Only the user limits the wait for the very first row.
        for record in self._source.until(None, self._patience):
            if record is not None:
                self._keep(record)
                if len(self._held) == INSPECTED_ROWS:
                    break

    def _patience(self) -> float | None:
        return INSPECT_TIMEOUT if self._held else self._idle

    def _keep(self, record: Record) -> None:
        self._read += 1
        if len(self._held) < KEPT:
            self._held.append(record)

    def records(self) -> Iterator[Line | None]:
        """Yield the rows; see `CellStream.records`."""
        if self._read > len(self._held):
            raise StreamError(f"{self.name} cannot be read again after {KEPT:,} rows")
        at = 0
        while at < len(self._held):
            yield line_of(self._held[at])
            at += 1
        for record in self._source.until(self._idle):
            if record is not None:
                self._keep(record)
            yield None if record is None else line_of(record)

    def close(self) -> None:
        """Close the source."""
        self._source.close()
