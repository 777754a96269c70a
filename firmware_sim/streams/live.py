"""Live streams: rows from standard input or a broker, as they arrive, replayed or recorded."""

from __future__ import annotations

import csv
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.streams.block import Line
from firmware_sim.streams.columns import INSPECTED_ROWS, study
from firmware_sim.streams.dialect import Dialect
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream

#: Rows kept for a second pass: the first pass chooses the kernel width.
KEPT = 1_000
#: Seconds without a row after which the columns are inferred from the rows received.
INSPECT_TIMEOUT = 2.0
#: Seconds without a first row after which the log says what is missing.
NOTICE = 3.0

_log = logging.getLogger("firmware_sim")


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
    _arriving: Iterator[Line | None] | None = None
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

    def is_row(self, line: Line) -> bool:
        """Whether a line has the cells of a row; otherwise the wait for a row continues."""
        return bool(line.cells)

    def wanting(self) -> str:
        """Return a sentence that says what is missing while no row has arrived."""
        return f"{self.name}: nothing has come yet"

    @abstractmethod
    def lines(self) -> Iterator[Line | None]:
        """Yield rows, and None several times a second while none arrives."""

    def until(
        self, idle: float | None, patience: Callable[[], float | None] | None = None
    ) -> Iterator[Line | None]:
        """Yield the items of `lines` until nothing has arrived for too long.

        idle: seconds of silence that end the iteration; None for no limit.
        patience: called at every silence for the limit, instead of `idle`.
        """
        self._arriving = self._arriving or self.lines()
        last = time.monotonic()
        wait = None if self._gave_rows else Wait(self)
        for line in self._arriving:
            if line is not None and self.is_row(line):
                self._gave_rows, wait = True, None
            elif wait is not None:
                wait.is_over()  # logs what is missing
            if line is not None:
                last = time.monotonic()
            else:
                max_idle = patience() if patience is not None else idle
                if max_idle is not None and time.monotonic() - last > max_idle:
                    return
            yield line

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
        self._source, self._idle = source, idle
        self._held: list[Line] = []
        self._read = 0
        self._header = source.header(idle)
        # Only the user limits the wait for the very first row.
        for line in source.until(None, lambda: INSPECT_TIMEOUT if self._held else idle):
            if line is not None:
                self._keep(line)
                if len(self._held) == INSPECTED_ROWS:
                    break
        self.read_as(options)

    def read_as(self, options: ReadingOptions) -> None:
        """Interpret the columns by these options, from the rows received so far."""
        source, header = self._source, self._header
        options = replace(options, ignore=(*options.ignore, *source.ignored))
        first = [line.cells for line in self._held[:INSPECTED_ROWS] if not line.why]
        known = study(options, header, first, source.layout, kind=source.kind)
        original = [known.renamed.get(name, name) for name in known.names]
        if header and header not in (known.names, original):
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

    def _keep(self, line: Line) -> None:
        self._read += 1
        if len(self._held) < KEPT:
            self._held.append(line)

    def lines(self) -> Iterator[Line | None]:
        """Yield the rows; see `CellStream.lines`."""
        if self._read > len(self._held):
            raise StreamError(f"{self.name} cannot be read again after {KEPT:,} rows")
        yield from self._held
        for line in self._source.until(self._idle):
            if line is not None:
                self._keep(line)
            yield line

    def count(self) -> int | None:
        """Return None, since more rows may arrive."""
        return None

    def close(self) -> None:
        """Close the source."""
        self._source.close()


@dataclass
class Recording:
    """The result of a recording."""

    rows: int = 0  # rows in the file
    #: rows with the wrong number of cells, which are skipped
    damaged: int = 0
    notes: list[str] = field(default_factory=list)  # the notes of the source


def record(
    source: Source,
    path: str | Path,
    *,
    limit: int | None = None,
    idle: float | None = None,
    on_row: Callable[[], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Recording:
    """Write the rows of a source to a new CSV file, until it ends.

    source: standard input or a broker's topic; closed at the end.
    path: the file; an existing one is never overwritten. Each row is written in a
        single call, so a power cut leaves at most one unfinished row, which a replay skips.
    limit: the most rows to write.
    idle: seconds without a row after which the stream ends.
    on_row, should_stop: as for `Replay.run`.
    Raises SimulatorError: the file already exists or cannot be written, or the source fails.
    """
    done = Recording()
    try:
        header = source.header(idle, should_stop)
        if not header and should_stop is not None and should_stop():
            return done
        if not header:
            raise SimulatorError(f"{source.name}: the first line must hold the column names")
        with open(path, "x", encoding="utf-8", newline="", buffering=1) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            for line in source.until(idle):
                if should_stop is not None and should_stop():
                    break
                if line is None:
                    continue
                if len(line.cells) != len(header):
                    done.damaged += 1
                    continue
                writer.writerow(line.cells)
                done.rows += 1
                if on_row is not None:
                    on_row()
                if done.rows == limit:
                    break
    except FileExistsError:
        raise SimulatorError(f"{path} already exists: choose another name") from None
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    finally:
        source.close()
    done.notes = source.notes()
    return done
