"""The last forecasts and their targets, and the experts' weights over time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from firmware_sim.metrics.curve import CURVE_POINTS, Curve

#: Number of last rows that are kept.
RECENT = 240


class ForecastRow(NamedTuple):
    """One row: target, forecast and the bounds of its interval, NaN if it has none."""

    target: float
    forecast: float
    low: float
    high: float


@dataclass(frozen=True)
class Forecasts:
    """Intervals and expert weights of a forecaster's answers to n rows.

    names: the experts.
    low, high (ndarray of shape (n,)): the bounds of the first interval, NaN if there is none.
    shares (ndarray of shape (n, experts)): the weight of each expert in each forecast.
    """

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    shares: np.ndarray


class ForecastTimeline:
    """The last forecasts, and the experts' weights over time, in fixed memory.

    points: size of the table of weights.
    rows: forecasts so far.
    """

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.rows = 0
        self._points = points
        self._recent: deque[ForecastRow] = deque(maxlen=RECENT)
        self._sums: tuple[float, ...] = ()
        self._shares: Curve | None = None

    def add_block(self, targets: np.ndarray, forecasts: np.ndarray, details: Forecasts) -> None:
        """Count rows; the experts are the same in each block."""
        if self._shares is None:
            self._shares = Curve(self._points, details.names, float)
            self._sums = (0.0,) * len(details.names)
        self.rows += len(targets)
        recent = (column[-RECENT:] for column in (targets, forecasts, details.low, details.high))
        self._recent.extend(ForecastRow(*row) for row in np.column_stack([*recent]).tolist())
        # Added sequentially, so that the size of blocks does not change the rounding.
        sums = np.add.accumulate(np.vstack([[self._sums], details.shares]))[1:]
        self._sums = tuple(sums[-1].tolist())
        self._shares.add_block(sums)

    @property
    def recent(self) -> tuple[np.ndarray, np.ndarray]:
        """The last rows' numbers, and their `ForecastRow`s: shapes (p,) and (p, 4)."""
        numbers = np.arange(self.rows - len(self._recent) + 1, self.rows + 1)
        return numbers, np.array(self._recent).reshape(-1, len(ForecastRow._fields))

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
