"""Losses over time in a table of fixed size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

CURVE_POINTS = 512


class Curve:
    """Losses added up over time, at evenly spaced rows, in a table of fixed size.

    The length of a stream is not known beforehand: when the table is full, every second point
    goes and the distance doubles, so a stream of any length leaves between half a table and a
    whole one. Counts are kept, not rates: the error in any window is a difference of two points.

    points: size of the table, at least 2.
    names: whose losses, the learner's first.
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
        self._held = 0
        self._rows = 0
        self._latest: tuple[float, ...] = (0,) * len(self.names)

    def add_block(self, losses: np.ndarray) -> None:
        """Take the running losses after each of n more rows, shape (n, names)."""
        at, n = 0, len(losses)
        while True:
            first = at + self.step - 1 - (self._rows + at) % self.step
            points = losses[first :: self.step][: len(self._sums) - self._held]
            self._sums[self._held : self._held + len(points)] = points
            self._held += len(points)
            at = first + 1 + (len(points) - 1) * self.step if len(points) else at
            if n - at < self.step - (self._rows + at) % self.step:
                break
            self._halve()
        self._rows += n
        self._latest = tuple(losses[-1].tolist())

    def _halve(self) -> None:
        """Let every second point go."""
        half = self._held // 2
        self._sums[:half] = self._sums[1 : 2 * half : 2]
        self._held = half
        self.step *= 2

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows, shape (p,), and the losses so far, shape (p, names).

        The last point is the last row, whether or not the step reaches it.
        """
        rows = self.step * np.arange(1, self._held + 1, dtype=np.int64)
        wrong = self._sums[: self._held].copy()
        if self._rows > (rows[-1] if self._held else 0):
            rows = np.append(rows, self._rows)
            wrong = np.vstack([wrong, self._latest])
        return rows, wrong

    def cumulative(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and the error over all rows so far, shapes (p,) and (p, names)."""
        rows, wrong = self.table()
        return rows, wrong / rows[:, None]

    def windowed(self, window: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the error over the last rows before each point.

        window: rows in the window; rounded to a whole number of steps. About a fortieth of the
            stream by default. Points before the first whole window are left out.

        Returns rows, error : ndarray of shapes (q,) and (q, names)
        Returns window: the rows in a window, after rounding.
        """
        wanted = window if window is not None else self._rows // 40
        span = min(max(1, round(wanted / self.step)), max(1, self._held))
        # Row 0, where nothing is wrong yet, makes the first whole window one like the others.
        wrong = np.vstack(
            [np.zeros((1, len(self.names)), self._sums.dtype), self._sums[: self._held]]
        )
        rows = self.step * np.arange(span, self._held + 1, dtype=np.int64)
        return rows, (wrong[span:] - wrong[:-span]) / (span * self.step), span * self.step
