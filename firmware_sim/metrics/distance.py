"""A detector of novelty without a model: the baseline of learners without labels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firmware_sim.streams import Row

#: Step size of the threshold, on a logarithmic scale.
_STEP = 0.05


class Distance:
    """A detector without a model: the distance of a row from the mean, in standard deviations.

    The mean over the readings of their squared z-scores. The threshold adapts so that a share `nu`
    of the rows exceeds it.
    """

    def __init__(self, nu: float) -> None:
        self._nu = nu
        self._threshold = math.inf
        #: by channel: the number of readings, the first one, the sum of differences from it, and
        #: the sum of squared deviations from the mean
        self._n = self._origin = self._sum = self._squares = np.zeros(0)

    def measure(self, rows: Row) -> tuple[Row, Row]:
        """Return distances and z-scores of rows, each by the statistics of the rows before it.

        Missing readings have a z-score of 0. Shapes (n,) and (n, d). Sums are sequential, so that
        the size of blocks does not change the rounding.
        """
        there = np.isfinite(rows)
        d = rows.shape[1]
        if not len(self._n):
            self._n, self._sum, self._squares = np.zeros((3, d))
            self._origin = np.full(d, np.nan)
        new = np.isnan(self._origin) & there.any(axis=0)
        if new.any():
            self._origin[new] = rows[there.argmax(axis=0), np.arange(d)][new]
        origin = np.nan_to_num(self._origin)
        counts = self._n + np.vstack([np.zeros(d), np.cumsum(there, axis=0)])
        shares = np.maximum(1.0, counts)
        far = np.where(there, rows - origin, 0.0)
        sums = np.add.accumulate(np.vstack([self._sum, far]))
        means = sums / shares  # relative to the origin, as all values here
        deltas = np.where(there, far - means[:-1], 0.0)
        squares = np.add.accumulate(
            np.vstack([self._squares, deltas * np.where(there, far - means[1:], 0.0)])
        )
        self._n, self._sum, self._squares = counts[-1], sums[-1].copy(), squares[-1].copy()
        spreads, found = squares[:-1] / shares[:-1], np.zeros(rows.shape)
        np.divide(deltas**2, spreads, out=found, where=spreads > 0.0)
        return found.mean(axis=1), np.copysign(np.sqrt(found), deltas)

    def alarms(self, distances: Row) -> npt.NDArray[np.bool_]:
        """Return which distances exceed the threshold, which adapts after each."""
        found = np.zeros(len(distances), dtype=bool)
        threshold = self._threshold
        up, down = (math.exp(_STEP * (alarm - self._nu)) for alarm in (True, False))
        for at, distance in enumerate(distances.tolist()):
            if threshold == math.inf and distance > 0.0:
                threshold = distance
            if distance > threshold:
                found[at] = True
                threshold *= up
            else:
                threshold *= down
        self._threshold = threshold
        return found
