"""Alarms with their reasons, and the oddest rows, in memory of fixed size."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.base import Looked, WatchedMany
from firmware_sim.streams import Row

#: Alarms that are remembered with their reason, and rows that are the oddest.
ALARMS, ODDEST = 256, 10
#: Rows within which alarms are one, and of which only the oddest is told.
APART = 64
#: Rows that are looked through at once for those that matter.
_LOOKED_AT = 256


class Oddity(NamedTuple):
    """A row that stands out, with what was made of it."""

    novelty: float  # higher is odder
    row: int
    seconds: float
    verdict: float  # by what it was judged (`tasks.adapters.unpacked`); below 0 for nothing
    looked: Looked


class Alarm:
    """A stretch of rows called novel: its first and last, how many, and the oddest of them."""

    def __init__(self, odd: Oddity) -> None:
        self.first = self.last = odd.row
        self.rows = 1
        self.worst = odd

    def add(self, odd: Oddity) -> None:
        """Take one more row of it."""
        self.last = odd.row
        self.rows += 1
        self.worst = max(self.worst, odd, key=lambda one: one.novelty)


class Standstill:
    """For how many rows each reading has not changed, an absent one going on with it."""

    def __init__(self) -> None:
        self._last: Row | None = None
        self._still: Row = np.zeros(0)

    def add_block(self, rows: Row) -> Row:
        """Return the counts after each of many rows, shape (n, d)."""
        n, d = rows.shape
        begins = self._last is None
        last = np.full(d, np.nan) if self._last is None else self._last
        still = np.zeros(d) if begins else self._still
        order = np.arange(1, n + 1)[:, np.newaxis]
        there = ~np.isnan(rows)
        # Before each row, and behind the last, the place of the reading that came last.
        known = np.maximum.accumulate(np.vstack([np.zeros(d, int), there * order]))
        latest = np.take_along_axis(np.vstack([last, rows]), known, axis=0)
        same = (rows == latest[:-1]) | ~there
        if begins:
            same[0] = False
        changed = np.maximum.accumulate(~same * order)
        counts = np.where(changed > 0, order - changed, still + order)
        self._last, self._still = latest[-1], counts[-1]
        return np.asarray(counts, dtype=float)


class Oddities:
    """The alarms of a stream and its oddest rows.

    alarms: the first `ALARMS` stretches.
    """

    def __init__(self) -> None:
        self.alarms: list[Alarm] = []
        self._beyond = False  # whether the alarm that sounds is one too many
        self._until = -math.inf
        self._heap: list[tuple[float, int, Oddity]] = []

    def add_block(
        self, first: int, novelty: Row, alarms: npt.NDArray[np.bool_], known: WatchedMany
    ) -> None:
        """Take rows; the first was counted as number `first`."""
        at = 0
        while at < len(novelty):
            part = slice(at, at + _LOOKED_AT)
            # Whoever is no alarm, and not odder than all that are kept, changes nothing.
            worth = alarms[part].copy()
            if len(self._heap) == ODDEST:
                worth |= ~(novelty[part] <= self._heap[0][0])
            else:
                worth[:] = True
            found = int(np.argmax(worth))
            if not worth[found]:
                at += len(worth)
                continue
            at += found
            odd = Oddity(
                float(novelty[at]), int(known.numbers[at]), float(known.seconds[at]),
                float(known.verdicts[at]), known.looked.row(at),
            )  # fmt: skip
            self._note(odd)
            if alarms[at]:
                self._sound(first + at, odd)
            at += 1

    def _sound(self, row: int, odd: Oddity) -> None:
        """The row that was counted as number `row` has an alarm."""
        sounding = row <= self._until
        self._until = row + APART
        if sounding and not self._beyond:
            self.alarms[-1].add(odd)
        elif not sounding:
            self._beyond = len(self.alarms) >= ALARMS
            if not self._beyond:
                self.alarms.append(Alarm(odd))

    def _note(self, odd: Oddity) -> None:
        """Keep the row if it is one of the oddest, and the oddest of those near it."""
        heap = self._heap
        if len(heap) == ODDEST and odd.novelty <= heap[0][0]:
            return
        near = [held for held in heap if abs(held[2].row - odd.row) <= APART]
        if any(held[0] >= odd.novelty for held in near):
            return
        for held in near:
            heap.remove(held)
        heapq.heapify(heap)
        if len(heap) == ODDEST:
            heapq.heappop(heap)
        heapq.heappush(heap, (odd.novelty, -odd.row, odd))

    @property
    def oddest(self) -> list[Oddity]:
        """The oddest rows, no two within `APART`, the oddest first."""
        return [odd for _, _, odd in sorted(self._heap, reverse=True)]
