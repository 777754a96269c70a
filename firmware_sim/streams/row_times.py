"""The times of rows, in fixed memory: for the axes of charts."""

from __future__ import annotations

import math
from datetime import datetime, timezone

import numpy as np

from firmware_sim.streams.block import Places, Row

#: Most rows whose times are kept, and most of each block.
_MOST, _EACH = 4_096, 64
_TICKS = 6
_DAY = 86_400.0


class RowTimes:
    """When some of the rows were taken: times between them are on straight lines.

    period: seconds between rows, for those after the last one; NaN if unknown.
    """

    def __init__(self) -> None:
        self._rows, self._seconds = np.empty(0), np.empty(0)
        self.period = math.nan

    def add(self, rows: Places, seconds: Row) -> None:
        """Add rows and their times; NaN means unknown."""
        known = np.flatnonzero(np.isfinite(seconds))
        if not len(known):
            return
        known = known[np.unique(np.linspace(0, len(known) - 1, _EACH).astype(int))]
        self._rows = np.concatenate([self._rows, rows[known]])
        self._seconds = np.concatenate([self._seconds, seconds[known]])
        if len(self._rows) > _MOST:
            self._rows, self._seconds = self._rows[::2], self._seconds[::2]

    def of(self, rows: Row) -> Row:
        """Return when rows were, or will be, taken; NaN if unknown."""
        if len(self._rows) < 2:
            return np.full(len(rows), np.nan)
        after = np.maximum(rows - self._rows[-1], 0.0)
        beyond = np.where(after > 0.0, after * self.period, 0.0)
        return np.asarray(np.interp(rows, self._rows, self._seconds) + beyond)

    def ticks(self, first: float, last: float) -> list[tuple[float, str]]:
        """Return ticks of an axis from one row to another with their dates; empty if unknown.

        Their rows are round numbers.
        """
        step = (last - first) / (_TICKS - 1)
        if not step > 0.0 or not len(self._rows):
            return []
        unit = 10.0 ** math.floor(math.log10(step))
        step = max(1.0, next(unit * each for each in (1, 2, 5, 10) if unit * each >= step))
        rows = np.arange(math.ceil(first / step), math.floor(last / step) + 1) * step
        seconds = self.of(np.maximum(rows, self._rows[0]))
        if len(rows) < 2 or not np.isfinite(seconds).all():
            return []
        span = float(seconds[-1] - seconds[0])
        form = "%Y-%m-%d" if abs(span) > 2 * (len(rows) - 1) * _DAY / 2 else "%m-%d %H:%M"
        form = "%H:%M:%S" if abs(span) < 60.0 * (len(rows) - 1) else form
        try:
            words = [datetime.fromtimestamp(one, timezone.utc).strftime(form) for one in seconds]
        except (ValueError, OverflowError, OSError):
            return []
        return [
            (row, f"{row:,.0f}\n{word}") for row, word in zip(rows.tolist(), words, strict=True)
        ]
