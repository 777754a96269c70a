"""Losses, forecasts and expert weights over time, in fixed memory.

Also where the loss rises, and how soon it recovers from a change.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from firmware_sim.metrics.batch import Records
from firmware_sim.streams import Row

CURVE_POINTS = 512
#: Number of last rows that are kept.
RECENT = 240
#: Rows of the windowed loss, and how close to its later level it has to be.
WINDOW, NEAR = 200, 0.02
#: Standard deviations above the earlier error that count as a rise.
_DEVIATIONS = 5.0
#: Windows before the first possible rise, so that there is an error to compare with.
_WINDOWS = 4


class Curve:
    """Losses added up over time, at evenly spaced rows, in a table of fixed size.

    The length of a stream is not known beforehand: when the table is full, every second point is
    dropped and the step doubles, so the table is at least half full for a stream of any length.
    Sums are kept, not rates: the error in any window is a difference of two points.

    points: size of the table, at least 2.
    names: the records, the learner first.
    kind: int for counts of wrong answers, float for sums of errors.
    """

    def __init__(
        self,
        points: int = CURVE_POINTS,
        names: Sequence[str] = ("learner", "majority", "no_change"),
        kind: type[int] | type[float] = int,
    ) -> None:
        if points < 2:
            raise ValueError(f"a curve needs at least 2 points, got {points}")
        self.step = 1
        self.names = tuple(names)
        self._sums = np.zeros((points, len(self.names)), dtype=kind)
        self._n_points = 0
        self._rows = 0
        self._last: tuple[float, ...] = (0,) * len(self.names)

    def add_block(self, losses: np.ndarray) -> None:
        """Add n rows: the cumulative losses after each, shape (n, names)."""
        at, n = 0, len(losses)
        while True:
            first = at + self.step - 1 - (self._rows + at) % self.step
            points = losses[first :: self.step][: len(self._sums) - self._n_points]
            self._sums[self._n_points : self._n_points + len(points)] = points
            self._n_points += len(points)
            at = first + 1 + (len(points) - 1) * self.step if len(points) else at
            if n - at < self.step - (self._rows + at) % self.step:
                break
            self._halve()
        self._rows += n
        self._last = tuple(losses[-1].tolist())

    def _halve(self) -> None:
        """Drop every second point."""
        half = self._n_points // 2
        self._sums[:half] = self._sums[1 : 2 * half : 2]
        self._n_points = half
        self.step *= 2

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows, shape (p,), and the losses so far, shape (p, names).

        The last point is the last row, whether or not the step reaches it.
        """
        rows = self.step * np.arange(1, self._n_points + 1, dtype=np.int64)
        wrong = self._sums[: self._n_points].copy()
        if self._rows > (rows[-1] if self._n_points else 0):
            rows = np.append(rows, self._rows)
            wrong = np.vstack([wrong, self._last])
        return rows, wrong

    def stretches(self, n: int) -> np.ndarray:
        """Return the error over n stretches of rows, as even as the step allows, shape (n, names).

        Shape (0, names) if there are fewer points than stretches.
        """
        rows, wrong = self.table()
        if len(rows) < n:
            return np.zeros((0, len(self.names)))
        rows = np.append(0, rows)
        wrong = np.vstack([np.zeros((1, len(self.names)), self._sums.dtype), wrong])
        at = np.searchsorted(rows, np.linspace(0, rows[-1], n + 1).astype(int))
        return np.asarray(np.diff(wrong[at], axis=0) / np.diff(rows[at])[:, None])

    def cumulative(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and the error over all rows so far, shapes (p,) and (p, names)."""
        rows, wrong = self.table()
        return rows, wrong / rows[:, None]

    def windowed(self, window: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the error over the last rows before each point.

        window: rows in the window, rounded to a multiple of the step. About a fortieth of the
            stream by default. Points before the first complete window are left out.

        Returns rows, error : ndarray of shapes (q,) and (q, names)
        Returns window: the rows in a window, after rounding.
        """
        target = window if window is not None else self._rows // 40
        steps = min(max(1, round(target / self.step)), max(1, self._n_points))
        # Row 0, with a loss of 0, makes the first complete window a difference like the others.
        wrong = np.vstack(
            [np.zeros((1, len(self.names)), self._sums.dtype), self._sums[: self._n_points]]
        )
        rows = self.step * np.arange(steps, self._n_points + 1, dtype=np.int64)
        return rows, (wrong[steps:] - wrong[:-steps]) / (steps * self.step), steps * self.step


class ForecastRow(NamedTuple):
    """One row: target, forecast and the bounds of its interval, NaN if it has none."""

    target: float
    forecast: float
    low: float
    high: float


class ForecastTimeline:
    """The last forecasts, and the experts' weights over time, in fixed memory.

    points: size of the table of weights.
    rows: forecasts so far.
    """

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.rows = 0
        self._points = points
        self._recent: deque[ForecastRow] = deque(maxlen=RECENT)
        self._numbers: deque[int] = deque(maxlen=RECENT)
        self._sums: tuple[float, ...] = ()
        self._shares: Curve | None = None

    def add_block(self, rows: Records) -> None:
        """Count rows; the experts are the same in each block."""
        names = rows["weights"].dtype.names
        assert names is not None
        if self._shares is None:
            self._shares = Curve(self._points, names, float)
            self._sums = (0.0,) * len(names)
        self.rows += len(rows)
        self._numbers.extend(rows["row"][-RECENT:].tolist())
        recent = (rows[name][-RECENT:] for name in ("label", "score", "low", "high"))
        self._recent.extend(ForecastRow(*row) for row in np.column_stack([*recent]).tolist())
        weights = np.column_stack([rows["weights"][name] for name in names])
        # Added sequentially, so that the size of blocks does not change the rounding.
        sums = np.add.accumulate(np.vstack([[self._sums], weights]))[1:]
        self._sums = tuple(sums[-1].tolist())
        self._shares.add_block(sums)

    @property
    def recent(self) -> tuple[np.ndarray, np.ndarray]:
        """The last rows' numbers, and their `ForecastRow`s: shapes (p,) and (p, 4)."""
        forecasts = np.array(self._recent).reshape(-1, len(ForecastRow._fields))
        return np.array(self._numbers, np.int64), forecasts

    @property
    def names(self) -> tuple[str, ...]:
        """The experts."""
        return () if self._shares is None else self._shares.names

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and the mean weights before each, shapes (p,) and (p, experts)."""
        if self._shares is None:
            return np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        rows, shares, _ = self._shares.windowed(max(1, self.rows // 80))
        return rows, shares

    def mean_shares(self) -> dict[str, float]:
        """Return the mean weight over all forecasts, by expert."""
        return {
            name: total / max(1, self.rows)
            for name, total in zip(self.names, self._sums, strict=True)
        }


def recovery(losses: Row, change: int, end: int | None = None) -> int | None:
    """Return the rows from a change until the windowed loss is close to its later level.

    That level is the mean loss over the second half of the rows after the change; recovery is the
    start of the first `WINDOW` rows whose mean loss is at most `NEAR` above it.

    losses (ndarray of shape (n,)): the loss of each row.
    change: index of the first row after the change.
    end: index of the next change; by default the end of the rows.

    Returns: None if that never happens, or too few rows follow.
    """
    later = np.asarray(losses[change:end], dtype=float)
    if len(later) < 2 * WINDOW:
        return None
    level = float(later[len(later) // 2 :].mean())
    cumulative = np.concatenate(([0.0], np.cumsum(later)))
    windowed = (cumulative[WINDOW:] - cumulative[:-WINDOW]) / WINDOW
    found = np.flatnonzero(windowed <= level + NEAR)
    return int(found[0]) if len(found) else None


def rising_errors(curve: Curve) -> list[tuple[int, int]]:
    """Return ranges of rows whose error is far above that of all rows before them.

    Far means five standard deviations of the error in a window, for random errors at the earlier
    rate. Only a hint: a rise may be drift, a fault, or difficult rows.

    Returns: the first and the last row of each range.
    """
    rows, errors, window = curve.windowed()
    every, wrong = curve.table()
    wrong_before = {0: 0} | dict(zip(every.tolist(), wrong[:, 0].tolist(), strict=True))
    events: list[tuple[int, int]] = []
    for row, error in zip(rows.tolist(), errors[:, 0].tolist(), strict=True):
        start = row - window
        if start < _WINDOWS * window:
            continue
        share = (wrong_before[start] + 1.0) / (start + 2.0)
        if error <= share + _DEVIATIONS * math.sqrt(share * (1.0 - share) / window):
            continue
        if events and start <= events[-1][1]:
            events[-1] = (events[-1][0], row)
        else:
            events.append((start + 1, row))
    return events
