"""How well scores separate two classes, at every threshold and at one that is chosen."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.streams import Row

#: Scores of either class that are kept; of more rows, a sample.
SAMPLED = 1_000_000


class Sample:
    """A uniform sample of fixed size from a stream of numbers."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._held = array("d")
        self._rng = np.random.default_rng((seed, 4))
        self.seen = 0

    def add_block(self, values: Row) -> None:
        """Add numbers (Vitter, algorithm R, ACM TOMS 1985)."""
        n_free = max(0, self._size - len(self._held))
        self._held.frombytes(np.asarray(values[:n_free], np.float64).tobytes())
        self.seen += len(values[:n_free])
        rest = values[n_free:]
        places = self._rng.integers(self.seen + np.arange(1, len(rest) + 1))
        self.seen += len(rest)
        kept = places < self._size
        for place, value in zip(places[kept].tolist(), rest[kept].tolist(), strict=True):
            self._held[place] = value

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The sample."""
        return np.array(self._held)


def area(low: npt.ArrayLike, high: npt.ArrayLike) -> float | None:
    """Return the share of pairs in which `high` exceeds `low`; ties count half."""
    below, above = np.sort(np.asarray(low, float)), np.asarray(high, float)
    if not below.size or not above.size:
        return None
    pairs_below = np.searchsorted(below, above, "left") + np.searchsorted(below, above, "right")
    return float(pairs_below.sum()) / (2.0 * below.size * above.size)


class Goal(NamedTuple):
    """What a threshold is chosen for: least cost, balanced accuracy, or the largest F-beta.

    cost: what a missed +1 costs, in false alarms.
    beta: how many times recall counts as much as precision; used if there is no cost.
    balanced: whether it is for the mean of the recalls of both classes.
    """

    cost: float | None = None
    beta: float = 1.0
    balanced: bool = False

    @property
    def title(self) -> str:
        """Its name in a table."""
        if self.balanced:
            return "balanced accuracy"
        return f"F{self.beta:g}" if self.cost is None else "cost a row"

    def values(self, found: Row, missed: Row, false: Row, right: Row) -> Row:
        """Return how good counts of answers are; higher is better.

        found, missed: rows of class +1 that are answered +1, and -1.
        false, right: rows of class -1 that are answered +1, and -1.
        """
        if self.balanced:
            return (found / (found + missed) + right / (false + right)) / 2.0
        if self.cost is None:
            weight = self.beta * self.beta
            return (1.0 + weight) * found / ((1.0 + weight) * found + weight * missed + false)
        return -(false + self.cost * missed) / (found + missed + false + right)


class Ranking:
    """The scores of rows of two classes.

    sampled: most scores of either class that are kept.
    """

    def __init__(self, sampled: int = SAMPLED) -> None:
        self._size = sampled
        self._positive, self._negative = Sample(sampled, 0), Sample(sampled, 1)

    def add_block(self, labels: Row, scores: Row) -> None:
        """Add rows; a label above 0 means class +1."""
        self._positive.add_block(scores[labels > 0.0])
        self._negative.add_block(scores[labels <= 0.0])

    @property
    def is_sampled(self) -> bool:
        """Whether there were more rows than are kept."""
        return max(self._positive.seen, self._negative.seen) > self._size

    @property
    def auc(self) -> float | None:
        """Area under the ROC curve; None without rows of both classes."""
        return area(self._negative.values, self._positive.values)

    @property
    def average_precision(self) -> float | None:
        """Precision at each threshold, weighted by the recall that it adds."""
        if not (self._positive.seen and self._negative.seen):
            return None
        _, found, false = self._counts()
        added = np.diff(found, prepend=0.0)
        return float(np.sum(added * found / (found + false)) / found[-1])

    def threshold(self, goal: Goal) -> float | None:
        """Return the best threshold; None without rows of both classes.

        A score of at least the threshold is answered +1.
        """
        if not (self._positive.seen and self._negative.seen):
            return None
        scores, found, false = self._counts()
        positive, negative = self._positive.seen, self._negative.seen
        values = goal.values(found, positive - found, false, negative - false)
        at = int(np.argmax(values))
        nothing = goal.values(np.zeros(1), np.full(1, positive), np.zeros(1), np.full(1, negative))
        if nothing[0] > values[at]:  # no row should be answered +1
            return float(np.nextafter(scores[0], np.inf))
        # In the middle of two scores: either could be another one next time.
        below = scores[at + 1] if at + 1 < len(scores) else scores[at]
        middle = 0.5 * (scores[at] + below)
        return float(middle if middle > below else scores[at])

    def _counts(self) -> tuple[Row, Row, Row]:
        """Return distinct scores from the highest on, and rows of +1 and of -1 at or above each."""
        scores = np.concatenate([self._positive.values, self._negative.values])
        is_positive = np.arange(len(scores)) < len(self._positive.values)
        order = np.argsort(-scores, kind="stable")
        last = np.append(np.diff(scores[order]) != 0.0, True)
        sums = (np.cumsum(is_positive[order])[last], np.cumsum(~is_positive[order])[last])
        samples = self._positive, self._negative
        found, false = (
            many * (one.seen / max(1, len(one.values)))
            for many, one in zip(sums, samples, strict=True)
        )
        return scores[order][last], found, false
