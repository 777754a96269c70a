"""Counts the rows of a log as they are read: damage, missing readings, ranges, times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from firmware_sim.streams.block import Block
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.damages import Damages
from firmware_sim.streams.sentinels import Sentinels
from firmware_sim.streams.stream import Stream

#: A step of more than this many periods is a gap.
GAP = 3.0


class Tally:
    """The rows of a log, counted as they are read.

    stream: where the rows come from.
    codes: numbers that mean "missing".
    rows: number of rows.
    lacking: readable rows with a missing reading.
    damages: the unreadable rows.
    cadence: of the times.
    missed: periods without a readable row.
    """

    def __init__(self, stream: Stream, codes: Sequence[float] = ()) -> None:
        n = len(stream.features)
        self.stream, self._codes = stream, codes
        self.rows = self.lacking = 0
        self.damages = Damages()
        self.cadence = Cadence()
        self.sentinels = Sentinels(stream.features, codes)
        self.missing = np.zeros(n, np.int64)
        self.low, self.high = np.full(n, np.nan), np.full(n, np.nan)
        self.first = self.last = math.nan
        self.gaps = self.missed = 0

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows, with NaN in place of the codes, and count them.

        limit: most rows to read.
        """
        for block in self.stream.blocks(limit):
            if self._codes:
                rows = np.where(np.isin(block.rows, self._codes), np.nan, block.rows)
                block = replace(block, rows=rows)
            self._add(block)
            yield block

    def _add(self, block: Block) -> None:
        """Count the rows of a block."""
        self.rows += len(block)
        for at, why in sorted(block.damage.items()):
            self.damages.add(block.first + at, why)
        good = np.ones(len(block), dtype=bool)
        good[[*block.damage]] = False
        rows, seconds = block.rows[good], block.seconds[good]
        if not len(rows):
            return
        rows = np.where(np.isfinite(rows), rows, np.nan)
        is_missing = np.isnan(rows)
        self.missing += is_missing.sum(axis=0)
        self.lacking += int(np.count_nonzero(is_missing.any(axis=1)))
        self.low = np.fmin(self.low, np.fmin.reduce(rows))
        self.high = np.fmax(self.high, np.fmax.reduce(rows))
        self.sentinels.add_block(rows)
        self.cadence.add_block(seconds)
        known = seconds[~np.isnan(seconds)]
        if len(known):
            self.first = known[0] if math.isnan(self.first) else self.first
            period = self.cadence.period
            if period:
                steps = np.abs(np.diff(np.concatenate([[self.last], known])))
                self.gaps += int(np.sum(steps > GAP * period))
                passed = np.rint(steps[np.isfinite(steps)] / period)
                self.missed += int(np.maximum(passed - 1, 0).sum())
            self.last = known[-1]
