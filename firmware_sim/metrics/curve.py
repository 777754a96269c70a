"""Losses over time in a table of fixed size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

CURVE_POINTS = 512


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
