"""The main loop by blocks of rows.

What becomes of a row is what `Accounting.take` does with it by itself. A row that ends the replay
is left to that.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.replaying.accounting import Accounting
from firmware_sim.replaying.checked import Checked, checked
from firmware_sim.streams import Stream

#: Rows given to the device at once, at first and at most, and the seconds that may take: Ctrl-C
#: waits for them.
_FIRST, _MOST, _SECONDS = 64, 8192, 0.03


def goes_by_blocks(config: ReplayConfig, stream: Stream, whole_device: bool) -> bool:
    """Whether nothing has to happen between two rows.

    Power cuts, leaks, a learner in another process and live streams: there each row is taken by
    itself. So is it with labels that come late, but to a forecaster, which keeps the rows
    that wait, or that are asked for; and where a row that the learner refuses ends the replay.
    """
    return not (
        bool(config.power_cut)
        or (config.waits_for_labels and not config.forecasts)
        or (config.forecasts and config.params.get("horizon", _horizon(config)) != _horizon(config))
        or config.leak
        or config.enforce != "arena"
        or config.damaged == "stop"
        or config.params.get("full") == "raise"
        or stream.kept is not None
        or not whole_device
    )


def _horizon(config: ReplayConfig) -> int:
    """Return the horizon at which every target finds its row; with another one none may."""
    return config.queue_rows or 1


class BlockFeed:
    """Gives a device blocks of rows, and accounts for them.

    accounting: of the replay.
    on_row, should_stop: as of `Replay.run`.
    """

    def __init__(
        self,
        config: ReplayConfig,
        stream: Stream,
        accounting: Accounting,
        on_row: Callable[[], object] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self._config, self._stream, self._accounting = config, stream, accounting
        self._on_row, self._should_stop = on_row, should_stop
        self._size = _FIRST

    def run(self) -> str:
        """Give all rows; return why that ended before the last one, or nothing."""
        accounting = self._accounting
        for block in checked(self._config, self._stream, accounting.labels):
            at = 0
            while at < len(block):
                some = block.part(at, min(len(block), at + self._size))
                end = self._asked(some)
                began = time.perf_counter()
                if self._take(some, end):
                    return ""
                self._resize(time.perf_counter() - began)
                if end < len(some):
                    return f"interrupted before row {some.block.first + end}"
                at += end
            if block.fault is not None:
                raise block.fault
        return ""

    def _resize(self, seconds: float) -> None:
        if seconds < 0.5 * _SECONDS:
            self._size = min(2 * self._size, _MOST)
        elif seconds > 2.0 * _SECONDS:
            self._size = max(self._size // 2, 1)

    def _asked(self, block: Checked) -> int:
        """Return how many rows there are until somebody wants to stop."""
        if self._should_stop is None and self._on_row is None:
            return len(block)
        for at in range(len(block)):
            if self._should_stop is not None and self._should_stop():
                return at
            if self._on_row is not None:
                self._on_row()
        return len(block)

    def _take(self, block: Checked, end: int) -> bool:
        """Take the rows to place `end`; return whether the replay has to stop."""
        accounting = self._accounting
        last = self._ending(block, end)
        some = block.part(0, last)
        # The row that somebody stopped at was read.
        some_read = min(len(block), end + 1) if last == end and end < len(block) else last
        block.tally(accounting.labels, some_read)
        if len(some):
            accounting.take_block(some)
        if last == end:
            return False
        # This row ends it.
        block.part(last, last + 1).tally(accounting.labels, 1)
        accounting.raw[:] = block.block.rows[last]
        return accounting.take(block.row(last))

    def _ending(self, block: Checked, end: int) -> int:
        """Return the place of the first row that ends the replay, or `end`."""
        if self._config.missing != "stop":
            return end
        lacks = block.absent[:end]
        if self._accounting.taught:
            lacks = lacks | np.isnan(block.y[:end])
        found = np.flatnonzero(lacks & ~block.damaged[:end])
        return int(found[0]) if len(found) else end
