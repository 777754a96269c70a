"""The main loop's rows in blocks, whose size adapts to the time that they take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.replaying.accounting import Accounting
from firmware_sim.replaying.checked import Checked, checked
from firmware_sim.streams import Stream

#: Initial and maximum rows of a block, and its target duration in seconds, for which Ctrl-C waits.
_FIRST, _MAX, _SECONDS = 256, 8192, 0.1


class BlockFeed:
    """Feeds blocks of rows to the device through the bookkeeping.

    accounting: the bookkeeping of the replay.
    on_rows, should_stop: as of `Replay.run`.
    """

    def __init__(
        self,
        config: ReplayConfig,
        stream: Stream,
        accounting: Accounting,
        on_rows: Callable[[int], object] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self._config, self._stream, self._accounting = config, stream, accounting
        self._on_rows, self._should_stop = on_rows, should_stop
        self._size = _FIRST

    def run(self) -> str:
        """Feed all rows; return why that ended before the last one, else an empty string."""
        accounting = self._accounting
        blocks = checked(self._config, self._stream, accounting.labels, accounting.delay)
        # Of a live stream, nothing is read before it is needed.
        for block in ahead(blocks) if self._stream.kept is None else blocks:
            if not len(block) and self._should_stop is not None and self._should_stop():
                return f"interrupted before row {block.block.first}"
            at = 0
            while at < len(block):
                chunk = block.part(at, min(len(block), at + self._size))
                end = self._rows_before_stop(chunk)
                started = time.perf_counter()
                self._take(chunk, end)
                if accounting.stopped:
                    return ""
                self._resize(time.perf_counter() - started)
                if self._on_rows is not None:
                    self._on_rows(end)
                if end < len(chunk):
                    chunk.part(end, end + 1).tally(accounting.labels)  # it was read
                    return f"interrupted before row {chunk.block.first + end}"
                at += end
        return ""

    def _resize(self, seconds: float) -> None:
        if seconds < 0.5 * _SECONDS:
            self._size = min(2 * self._size, _MAX)
        elif seconds > 2.0 * _SECONDS:
            self._size = max(self._size // 2, 1)

    def _rows_before_stop(self, block: Checked) -> int:
        """Return how many rows come before `should_stop` returns True."""
        stops, end = self._should_stop, len(block)
        return end if stops is None else next((at for at in range(end) if stops()), end)

    def _take(self, block: Checked, end: int) -> None:
        """Process the rows up to index `end`, or up to one that ends the replay."""
        accounting = self._accounting
        last = self._first_forbidden(block, end)
        if last is not None:
            end = last + 1
        try:
            accounting.take(block.part(0, end))
        finally:
            read = accounting.current_rows[1] - block.block.first + 1
            block.part(0, max(0, read)).tally(accounting.labels)
        if last is not None and not accounting.stopped:
            why = f": {block.block.damage.get(last)}"
            if last not in block.block.damage:
                why = f" has no value for {block.missing(last, self._stream)[0]!r}"
            accounting.stopped = f"row {block.block.first + last}{why}"

    def _first_forbidden(self, block: Checked, end: int) -> int | None:
        """Return the index of the first row that the configuration forbids, or None."""
        forbidden = np.zeros(len(block), dtype=bool)
        if self._config.damaged == "stop":
            forbidden |= block.damaged
        if self._config.missing == "stop":
            forbidden |= block.lacks
        found = np.flatnonzero(forbidden[:end])
        return int(found[0]) if len(found) else None


def ahead(blocks: Iterator[Checked]) -> Iterator[Checked]:
    """Yield blocks, each read in a second thread while the one before it is learned."""
    with ThreadPoolExecutor(1) as executor:
        coming = executor.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = executor.submit(next, blocks, None)
            yield block
