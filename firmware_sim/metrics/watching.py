"""What is kept of a stream that is watched for anomalies, in memory of fixed size.

The course of its readings, events, and counts of alarms by day, channel and reason.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from edgeolk import hosting
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.streams import Row

#: Most channels whose course is kept; most events and most days with their counts.
CHANNELS, EVENTS, DAYS = 32, 256, 4096
DAY = 86_400.0
Flags = npt.NDArray[np.bool_]


def flags_of(verdicts: Row, *names: str) -> list[Flags]:
    """Return flags of packed verdicts, False where there is none: novel, alarm, event, rare."""
    words = np.maximum(verdicts, 0.0).astype(np.int64)
    return [(words & hosting.VERDICT_BITS[name]) > 0 for name in names]


class Envelope:
    """The least and the greatest reading of each channel in bins of equal numbers of rows.

    When all bins are full, pairs of them are merged and the step doubles.

    step: rows of a bin.
    seconds: the time of the first row of each bin; NaN if unknown.
    """

    def __init__(self, bins: int = CURVE_POINTS) -> None:
        self._bins = bins
        self.step, self._rows = 1, 0
        self._low = self._high = np.zeros((0, 0))
        self._seconds = np.zeros(0)

    def add_block(self, readings: Row, seconds: Row) -> None:
        """Add the readings of rows, shape (n, channels); NaN where one is missing."""
        kept = readings[:, :CHANNELS]
        if not self._low.size:
            shape = (self._bins, kept.shape[1])
            self._low, self._high = np.full(shape, np.inf), np.full(shape, -np.inf)
            self._seconds = np.full(self._bins, np.nan)
        while self._rows + len(kept) > self._bins * self.step:
            self._merge()
        first = -self._rows % self.step  # of the rows, the first one of a bin
        starts = np.arange(first, len(kept), self.step)
        starts = np.append(0, starts) if first else starts
        bins = self._rows // self.step + np.arange(len(starts))
        for least, table in ((np.fmin, self._low), (np.fmax, self._high)):
            table[bins] = least(table[bins], least.reduceat(kept, starts))
        begun = starts[first > 0 :]
        self._seconds[bins[first > 0 :]] = seconds[begun]
        self._rows += len(kept)

    def _merge(self) -> None:
        """Merge pairs of bins."""
        half = self._bins // 2
        for merge, table, empty in (
            (np.minimum, self._low, np.inf), (np.maximum, self._high, -np.inf),
        ):  # fmt: skip
            table[:half] = merge(table[: 2 * half : 2], table[1 : 2 * half : 2])
            table[half:] = empty
        self._seconds[:half] = self._seconds[: 2 * half : 2]
        self._seconds[half:] = np.nan
        self.step *= 2

    def course(self) -> tuple[Row, Row, Row, Row]:
        """Return the middle row of each bin, lows and highs of shape (bins, channels), and times.

        NaN where no reading of a bin is there.
        """
        n = -(-self._rows // self.step)
        low, high = self._low[:n].copy(), self._high[:n].copy()
        low[np.isinf(low)], high[np.isinf(high)] = np.nan, np.nan
        return np.asarray(self.step * (np.arange(n) + 0.5) + 0.5), low, high, self._seconds[:n]


class Watching:
    """Counts of a stream that is watched.

    envelope: the course of the readings.
    events: first and last row of the first events, counted from 1.
    event_rows, rare_rows: rows within an event; rows among the most unusual.
    by_channel: alarms by channel and reason, in the order of `reasons`.
    by_day: alarms of each day of the place that has rows; days since 1970.
    """

    reasons = hosting.REASONS

    def __init__(self) -> None:
        self.envelope = Envelope()
        self.events: list[list[int]] = []
        self._in_event = self._is_kept = False
        self.event_rows = self.rare_rows = 0
        self.by_channel: dict[int, list[int]] = {}
        self.by_day: dict[int, int] = {}

    def add_block(self, first: int, readings: Row, verdicts: Row, seconds: Row) -> None:
        """Add rows; the first is the row of number `first`.

        readings: shape (n, channels), or (n, 0) if unknown.
        verdicts: packed; see `edgeolk.hosting.unpack_verdict`.
        seconds: times of the place; NaN if unknown.
        """
        if readings.shape[1]:
            self.envelope.add_block(readings, seconds)
        alarm, event, rare = flags_of(verdicts, "alarm", "event", "rare")
        self.event_rows += int(np.count_nonzero(event))
        self.rare_rows += int(np.count_nonzero(rare))
        self._add_events(first, event)
        days = np.floor(seconds / DAY)
        for day in np.unique(days[np.isfinite(days)]).tolist():
            if len(self.by_day) < DAYS or int(day) in self.by_day:
                self.by_day.setdefault(int(day), 0)
        for at in np.flatnonzero(alarm).tolist():
            reason = hosting.unpack_reason(float(verdicts[at]))
            assert reason is not None  # it is packed with the alarm
            part, channel = reason
            counts = self.by_channel.setdefault(channel, [0] * len(self.reasons))
            counts[self.reasons.index(part)] += 1
            if math.isfinite(days[at]) and int(days[at]) in self.by_day:
                self.by_day[int(days[at])] += 1

    def _add_events(self, first: int, event: Flags) -> None:
        """Extend the current event, and note the events that begin."""
        padded = np.concatenate([[False], event, [False]])
        edges = np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2)
        for start, end in edges.tolist():
            continues = start == 0 and self._in_event
            if not continues:
                self._is_kept = len(self.events) < EVENTS
            if not self._is_kept:
                continue
            if continues:
                self.events[-1][1] = first + end - 1
            else:
                self.events.append([first + start, first + end - 1])
        if len(event):
            self._in_event = bool(event[-1])
