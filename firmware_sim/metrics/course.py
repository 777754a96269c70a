"""The last forecasts beside the truth, and the shares of their candidates."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Forecasts:
    """What a forecaster said of rows beside its forecasts.

    names: the candidates.
    low, high (ndarray of shape (n,)): the ends of the first interval, NaN where there was none.
    shares (ndarray of shape (n, candidates)): what each forecast was mixed of.
    """

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    shares: np.ndarray


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

    def add_block(self, targets: np.ndarray, forecasts: np.ndarray, said: Forecasts) -> None:
        """Count rows; the candidates are the same in each block."""
        if self._shares is None:
            self._shares = Curve(self._points, said.names, float)
            self._sums = (0.0,) * len(said.names)
        self.rows += len(targets)
        recent = (column[-RECENT:] for column in (targets, forecasts, said.low, said.high))
        self._recent.extend(Said(*row) for row in np.column_stack([*recent]).tolist())
        # Added one after the other: blocks of any size give the same bits.
        sums = np.add.accumulate(np.vstack([[self._sums], said.shares]))[1:]
        self._sums = tuple(sums[-1].tolist())
        self._shares.add_block(sums)

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
