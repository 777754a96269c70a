"""A detector of novelty without a model: the baseline of those that learn."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firmware_sim.streams import Row

#: Steps of the threshold, as a factor of the distance.
_STEP = 0.05


class Distance:
    """A detector without a model: how far a row lies from the mean, in standard deviations.

    The mean of the squared distances over the readings; its threshold sets itself so that a share
    `nu` of the rows lies above it.
    """

    def __init__(self, nu: float) -> None:
        self._nu = nu
        self._threshold = math.inf
        self._n = self._mean = self._squares = np.zeros(0)

    def look_many(self, rows: Row) -> tuple[Row, Row]:
        """Return the distance of each row, taken in then, and its readings in deviations.

        Absent readings count as usual ones. Shapes (n,) and (n, d).
        """
        n, d = rows.shape
        if not len(self._n):
            self._n = self._mean = self._squares = np.zeros(d)
        there = np.isfinite(rows)
        whole = np.asarray(there.all(axis=1)).tolist()
        counts = self._n + np.vstack([np.zeros(d), np.cumsum(there, axis=0)])
        shares = np.maximum(1.0, counts)
        filled = rows if all(whole) else rows.copy()
        means, step = np.empty((n + 1, d)), np.empty(d)
        means[0] = self._mean
        add, divide, subtract = np.add, np.divide, np.subtract
        # Each mean follows from the one before; all else is done of all rows together.
        each = zip(filled, there, whole, shares[1:], means[:-1], means[1:], strict=True)
        for row, known, all_known, share, mean, after in each:
            if not all_known:
                np.copyto(row, mean, where=~known)
            subtract(row, mean, step)
            divide(step, share, step)
            add(mean, step, after)
        deltas = filled - means[:-1]
        products = deltas * (filled - means[1:])
        sums = np.add.accumulate(np.vstack([self._squares, products]))
        self._n, self._mean, self._squares = counts[-1], means[-1].copy(), sums[-1].copy()
        spreads, squares = sums[:-1] / shares[:-1], np.zeros((n, d))
        np.divide(deltas**2, spreads, out=squares, where=spreads > 0.0)
        return squares.mean(axis=1), np.copysign(np.sqrt(squares), deltas)

    def alarms(self, distances: Row) -> npt.NDArray[np.bool_]:
        """Return which distances are above the threshold, which moves after each."""
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
