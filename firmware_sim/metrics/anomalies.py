"""Alarms with their reasons, and the most novel rows, in memory of fixed size."""

from __future__ import annotations

import heapq
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.batch import Records
from firmware_sim.streams import Row

#: Most alarms and most top rows that are kept.
ALARMS, ODDEST = 256, 10
#: Alarms within so many rows are merged, and only the most novel of such rows is a top row.
MIN_DISTANCE = 64
#: Rows that are searched at once for alarms and top rows.
_CHUNK = 256


class RowDeviation(NamedTuple):
    """How far a row's readings are from their means so far."""

    distance: float = 0.0
    readings: tuple[float, ...] = ()
    z_scores: tuple[float, ...] = ()  # signed, in standard deviations
    unchanged: tuple[int, ...] = ()  # for how many rows each reading has not changed


class RowDeviations(NamedTuple):
    """`RowDeviation` of many rows, as arrays of shapes (n,) and (n, d)."""

    distances: Row
    readings: Row
    z_scores: Row
    unchanged: Row

    def part(self, rows: Any) -> RowDeviations:
        """Return the deviations of some rows."""
        return RowDeviations(*(column[rows] for column in self))

    def row(self, at: int) -> RowDeviation:
        """Return the deviations of one row."""
        _, readings, z_scores, unchanged = (column[at].tolist() for column in self)
        return RowDeviation(
            float(self.distances[at]), *map(tuple, (readings, z_scores, map(int, unchanged)))
        )


class Anomaly(NamedTuple):
    """A row with an alarm, or one of the most novel rows."""

    novelty: float  # higher is more novel
    row: int
    seconds: float
    reason: float  # see `edgeolk.hosting.unpack_reason`; negative if there is none
    deviations: RowDeviation


class Alarm:
    """A run of rows called novel.

    first, last, rows: its first and its last row, and their number.
    began, ended: the times of these two; NaN if unknown.
    strongest, trigger: the most novel of them, and the one that it began with.
    """

    def __init__(self, anomaly: Anomaly) -> None:
        self.first = self.last = anomaly.row
        self.began = self.ended = anomaly.seconds
        self.rows = 1
        self.strongest = self.trigger = anomaly

    def add(self, anomaly: Anomaly) -> None:
        """Add a row to the alarm."""
        self.last, self.ended = anomaly.row, anomaly.seconds
        self.rows += 1
        self.strongest = max(self.strongest, anomaly, key=lambda one: one.novelty)


class Standstill:
    """For how many rows each reading has not changed; missing readings count as unchanged."""

    def __init__(self) -> None:
        self._last: Row | None = None
        self._unchanged: Row = np.zeros(0)

    def add_block(self, rows: Row) -> Row:
        """Return the counts after each of many rows, shape (n, d)."""
        n, d = rows.shape
        is_first = self._last is None
        last = np.full(d, np.nan) if self._last is None else self._last
        unchanged = np.zeros(d) if is_first else self._unchanged
        order = np.arange(1, n + 1)[:, np.newaxis]
        present = ~np.isnan(rows)
        latest = np.vstack([last, rows])
        if not present.all():
            # Before each row, and after the last, the index of the last known reading.
            known = np.maximum.accumulate(np.vstack([np.zeros(d, int), present * order]))
            latest = np.take_along_axis(latest, known, axis=0)
        same = (rows == latest[:-1]) | ~present
        if is_first:
            same[0] = False
        changed = np.maximum.accumulate(~same * order)
        counts = np.where(changed > 0, order - changed, unchanged + order)
        self._last, self._unchanged = latest[-1], counts[-1]
        return np.asarray(counts, dtype=float)


class Anomalies:
    """The alarms of a stream and its most novel rows.

    alarms: the first `ALARMS` alarms. Rows that are not more novel than `floor` are not among the
    most novel.
    """

    def __init__(self, floor: float = -math.inf) -> None:
        self._floor = floor
        self.alarms: list[Alarm] = []
        self._full = False  # whether the current alarm exceeds the capacity
        self._alarm_end = -math.inf
        self._heap: list[tuple[float, int, Anomaly]] = []

    def add_block(
        self,
        first: int,
        novelty: Row,
        alarms: npt.NDArray[np.bool_],
        rows: Records,
        deviations: RowDeviations,
    ) -> None:
        """Add rows with their records; the first is the scored row of number `first`."""
        at = 0
        while at < len(novelty):
            part = slice(at, at + _CHUNK)
            # Rows without an alarm that are less novel than all top rows change nothing.
            least = self._heap[0][0] if len(self._heap) == ODDEST else self._floor
            relevant = ~(novelty[part] <= least)
            if not self._full:  # then no alarm is kept any more
                relevant |= alarms[part]
            found = int(np.argmax(relevant))
            if not relevant[found]:
                at += len(relevant)
                continue
            at += found
            anomaly = Anomaly(
                float(novelty[at]), int(rows["row"][at]), float(rows["seconds"][at]),
                float(rows["reason"][at]), deviations.row(at),
            )  # fmt: skip
            self._keep(anomaly)
            if alarms[at]:
                self._extend_alarm(first + at, anomaly)
            at += 1

    def _extend_alarm(self, row: int, anomaly: Anomaly) -> None:
        """Add the row of number `row` to the current alarm, or start a new alarm."""
        sounding = row <= self._alarm_end
        self._alarm_end = row + MIN_DISTANCE
        if sounding and not self._full:
            self.alarms[-1].add(anomaly)
        elif not sounding:
            self._full = len(self.alarms) >= ALARMS
            if not self._full:
                self.alarms.append(Alarm(anomaly))

    def _keep(self, anomaly: Anomaly) -> None:
        """Keep the row if it is one of the most novel, and the most novel of those near it."""
        heap = self._heap
        if anomaly.novelty <= (heap[0][0] if len(heap) == ODDEST else self._floor):
            return
        nearby = [kept for kept in heap if abs(kept[2].row - anomaly.row) <= MIN_DISTANCE]
        if any(kept[0] >= anomaly.novelty for kept in nearby):
            return
        for kept in nearby:
            heap.remove(kept)
        heapq.heapify(heap)
        if len(heap) == ODDEST:
            heapq.heappop(heap)
        heapq.heappush(heap, (anomaly.novelty, -anomaly.row, anomaly))

    @property
    def oddest(self) -> list[Anomaly]:
        """The most novel rows in descending order, no two within `MIN_DISTANCE` rows."""
        return [anomaly for _, _, anomaly in sorted(self._heap, reverse=True)]
