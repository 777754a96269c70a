"""Features and a Gaussian process side by side: `sorf` with `gaussian_process=` (section 18 of
docs/sorf.md). Written from the page, for any two learners."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ALONE = 30  # first rows, which the features answer alone
DISCOUNT, CLIP = 0.999, 4.0  # of regrets
WINDOW, SETTLED, FAR = 200, 20, 10.0  # of mean errors; errors beyond FAR means, later on, are held


def clipped(v: float) -> float:
    """A number of units, held within `CLIP`."""
    return min(max(v, -CLIP), CLIP)


class Mixture:
    """ML-Poly over the answers of the features and of the process.

    Parameters
    ----------
    features : Sorf or ScaledSorf
        Its rows may be weighted.
    process : KrlsAuto
        Sees the rows unscaled.
    """

    def __init__(self, features: Any, process: Any) -> None:
        self.features, self.process = features, process
        self.regrets, self.squares = [0.0, 0.0], [1.0, 1.0]
        self.error = self.features_square = 0.0
        self.rows = 0

    @property
    def share(self) -> float:
        """The weight of the process."""
        if self.rows < ALONE:
            return 0.0
        weights = [
            max(r, 0.0) / max(q, 1e-300) for r, q in zip(self.regrets, self.squares, strict=True)
        ]
        return weights[1] / sum(weights) if sum(weights) > 0.0 else 0.5

    def mixed(self, features: float, process: float) -> float:
        """The answer made of two."""
        return features + self.share * (process - features)

    def decision(self, x: np.ndarray) -> float:
        """The answer to a row; nothing is learned."""
        return self.mixed(self.features.decision(x), self.process.decision(x))

    def variance_one(self, x: np.ndarray) -> float:
        """The variance of the target of a row."""
        b = self.share
        if self.rows == 0:
            return math.inf
        if b == 0.0:
            return self.features_square
        gap = self.process.decision(x) - self.features.decision(x)
        own = self.process.variance_one(x)
        return float((1 - b) * self.features_square + b * (own + (1 - b) * gap**2))

    def step(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        """Learn a row; returns the answer before."""
        self.process.weight = weight
        each = [self.features.step(x, y, weight), self.process.step(x, y)]
        answer = self.mixed(*each)
        if self.error > 0.0:
            slope = clipped((answer - y) / self.error)
            for i in range(2):
                gain = slope * clipped((answer - each[i]) / self.error)
                self.regrets[i] = DISCOUNT * self.regrets[i] + gain
                self.squares[i] = DISCOUNT * self.squares[i] + gain**2
        self.error = self._mean(self.error, abs(answer - y))
        self.features_square = self._mean(self.features_square, (each[0] - y) ** 2)
        self.rows = min(self.rows + 1, WINDOW)
        return answer

    def _mean(self, mean: float, v: float) -> float:
        if self.rows >= SETTLED and mean > 0.0:
            v = min(v, FAR * mean)
        return mean + (v - mean) / min(self.rows + 1, WINDOW)
