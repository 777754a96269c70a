"""What a forecaster said: its last forecasts beside the truth, and what they were mixed of."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from firmware_sim.metrics.curve import CURVE_POINTS, Curve

#: The last rows that are remembered.
RECENT = 240


class Said(NamedTuple):
    """One row: the truth, the forecast, and the ends of its interval, NaN where it had none."""

    target: float
    forecast: float
    low: float
    high: float


class Course:
    """The last forecasts, and the shares of the candidates over time, in fixed memory.

    points: size of the table of shares.
    rows: forecasts so far.
    """

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.rows = 0
        self._points = points
        self._recent: deque[Said] = deque(maxlen=RECENT)
        self._sums: tuple[float, ...] = ()
        self._shares: Curve | None = None

    def add(
        self,
        target: float,
        forecast: float,
        interval: tuple[float, float] | None,
        shares: Mapping[str, float],
    ) -> None:
        """Count one row; ``shares`` has the same candidates, in the same order, in each."""
        if self._shares is None:
            self._shares = Curve(self._points, tuple(shares), float)
            self._sums = (0.0,) * len(shares)
        self.rows += 1
        low, high = interval or (np.nan, np.nan)
        self._recent.append(Said(target, forecast, low, high))
        self._sums = tuple(a + b for a, b in zip(self._sums, shares.values(), strict=True))
        self._shares.add(*self._sums)

    @property
    def recent(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the last rows, and of each what `Said` has: shapes (p,) and (p, 4)."""
        numbers = np.arange(self.rows - len(self._recent) + 1, self.rows + 1)
        return numbers, np.array(self._recent).reshape(-1, len(Said._fields))

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates."""
        return () if self._shares is None else self._shares.names

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and the mean shares before each, shapes (p,) and (p, candidates)."""
        if self._shares is None:
            return np.zeros(0, dtype=np.int64), np.zeros((0, 0))
        rows, shares, _ = self._shares.windowed(max(1, self.rows // 80))
        return rows, shares

    def mean_shares(self) -> dict[str, float]:
        """Return the shares of all forecasts in the mean, by candidate."""
        return {
            name: total / max(1, self.rows)
            for name, total in zip(self.names, self._sums, strict=True)
        }
