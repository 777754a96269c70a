"""Right and wrong answers to labels of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.answers import FIGURES, Answers, Classes
from firmware_sim.metrics.base import Figure, ratio
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.metrics.formats import count, thousandths


@dataclass(frozen=True)
class ClassFigures:
    """What is told of one class."""

    name: str
    support: int  # rows of the class
    #: None where it is not defined: it was never answered, it never occurred, or neither
    precision: float | None
    recall: float | None
    f1: float | None


class ClassTable:
    """How often each class was answered for each.

    n_classes: classes 0 to n_classes - 1.
    counts (ndarray of int64, shape (n_classes, n_classes)): rows by true class, then by answer.
    """

    def __init__(self, n_classes: int) -> None:
        self.counts: npt.NDArray[np.int64] = np.zeros((n_classes, n_classes), dtype=np.int64)
        self.rows = 0
        self.wrong = 0

    def add_block(self, labels: Classes, answers: Classes) -> None:
        """Count rows."""
        np.add.at(self.counts, (labels, answers), 1)
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
        # In whole numbers, so that a kappa of exactly 0 or 1 is exactly that.
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


class Multiclass(Answers[ClassTable]):
    """The record of a learner of several classes beside both baselines'.

    A score is the class that the learner predicts. Before the first label the baselines say the
    first class; of classes that are equally common the first is the majority.

    names: the classes; labels are their places.
    """

    kind = "multiclass"
    table: ClassVar = {
        **FIGURES,
        "macro_f1": Figure(
            "macro F1",
            thousandths,
            lambda own, _: own.macro_f1,
            "the mean over classes of how complete and how correct answers are: 1 is perfect",
        ),
        "classes_seen": Figure("", count, lambda own, _: int(np.sum(own.counts.any(axis=1)))),
    }

    def __init__(self, names: Sequence[str], points: int = CURVE_POINTS) -> None:
        super().__init__(lambda: ClassTable(len(names)), 0, points)
        self.names = tuple(names)
        self._seen = np.zeros(len(names), dtype=np.int64)

    def answers(self, scores: Any) -> Any:
        """Return the class that a score means: it is the class."""
        return scores

    def _majorities(self, told: Classes) -> Classes:
        seen = np.cumsum(told[:, np.newaxis] == np.arange(len(self._seen)), axis=0)
        seen = np.vstack([self._seen, self._seen + seen])
        self._seen = seen[-1]
        commonest: Classes = np.argmax(seen, axis=1)
        return commonest

    def by_class(self) -> list[ClassFigures]:
        """Return the learner's figures for each class."""
        return self.learner.by_class(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return figures by class and the confusion matrix, in types strict JSON has."""
        return {
            "names": list(self.names),
            "by_class": [asdict(one) for one in self.by_class()],
            "confusion": self.learner.counts.tolist(),
        }
