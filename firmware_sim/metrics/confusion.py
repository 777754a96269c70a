"""Counts of classes by answer, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.base import ratio

Classes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClassFigures:
    """The figures of one class."""

    name: str
    support: int  # rows of the class
    #: None if undefined: the class was never answered, never occurred, or neither
    precision: float | None
    recall: float | None
    f1: float | None


class ClassTable:
    """A confusion matrix.

    n_classes: classes 0 to n_classes - 1.
    counts (ndarray of int64, shape (n_classes, n_classes)): rows by true class, then by answer.
    """

    def __init__(self, n_classes: int) -> None:
        self.counts: npt.NDArray[np.int64] = np.zeros((n_classes, n_classes), dtype=np.int64)
        self.rows = 0
        self.wrong = 0

    def add_block(self, labels: Classes, answers: Classes) -> None:
        """Count rows."""
        n = len(self.counts)
        self.counts += np.bincount(n * labels + answers, minlength=n * n).reshape(n, n)
        self.rows += len(labels)
        self.wrong += int(np.count_nonzero(labels != answers))

    @property
    def error(self) -> float | None:
        """Fraction of wrong answers."""
        return ratio(self.wrong, self.rows)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond what the class frequencies give by chance."""
        n = self.rows
        # In integers, so that a kappa of 0 or 1 is exact.
        chance = int(np.sum(self.counts.sum(axis=0) * self.counts.sum(axis=1)))
        return ratio(n * (n - self.wrong) - chance, n * n - chance)

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the classes that occurred or were answered."""
        defined = [f1 for one in self.by_class() if (f1 := one.f1) is not None]
        return ratio(sum(defined), len(defined))

    def by_class(self, names: Sequence[str] = ()) -> list[ClassFigures]:
        """Return support, precision, recall and F1 of each class."""
        right = np.diagonal(self.counts).tolist()
        support = self.counts.sum(axis=1).tolist()
        answered = self.counts.sum(axis=0).tolist()
        return [
            ClassFigures(
                names[at] if names else str(at),
                support[at],
                ratio(right[at], answered[at]),
                ratio(right[at], support[at]),
                ratio(2 * right[at], support[at] + answered[at]),
            )
            for at in range(len(right))
        ]
