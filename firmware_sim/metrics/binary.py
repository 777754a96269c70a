"""Right and wrong answers to labels of two classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from firmware_sim.metrics.answers import FIGURES, Answers
from firmware_sim.metrics.base import Figure
from firmware_sim.metrics.confusion import Classes, ClassTable
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.metrics.formats import count, thousandths


class Confusion(ClassTable):
    """Counts of right and wrong answers for each of two classes, -1 and +1."""

    def __init__(self) -> None:
        super().__init__(2)

    def add_block(self, labels: Classes, answers: Classes) -> None:
        """Count rows."""
        super().add_block((labels > 0).astype(np.int64), (answers > 0).astype(np.int64))

    @property
    def true_positive(self) -> int:
        """Rows of class +1 that were answered +1."""
        return int(self.counts[1, 1])

    @property
    def false_positive(self) -> int:
        """Rows of class -1 that were answered +1."""
        return int(self.counts[0, 1])

    @property
    def true_negative(self) -> int:
        """Rows of class -1 that were answered -1."""
        return int(self.counts[0, 0])

    @property
    def false_negative(self) -> int:
        """Rows of class +1 that were answered -1."""
        return int(self.counts[1, 0])

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall of the class +1."""
        return self.by_class()[1].f1


class Prequential(Answers):
    """Records of a learner of two classes, -1 and +1, and of both baselines.

    A score of 0 or more means +1, as in the learner's own ``predict_one``. Before the first label
    the baselines answer +1 too, and an even balance of labels counts as a majority of +1.
    """

    learner: Confusion
    kind = "binary"
    table: ClassVar = {
        **FIGURES,
        "f1": Figure(
            "F1",
            thousandths,
            lambda record, _: record.f1,
            "of the class +1, how complete and how correct its answers are: 1 is perfect",
        ),
        "true_positive": Figure("", count, lambda record, _: record.true_positive),
        "false_positive": Figure("", count, lambda record, _: record.false_positive),
        "true_negative": Figure("", count, lambda record, _: record.true_negative),
        "false_negative": Figure("", count, lambda record, _: record.false_negative),
    }

    def __init__(self, points: int = CURVE_POINTS) -> None:
        super().__init__(Confusion, 1, points)
        self._balance = 0

    def answers(self, scores: Any) -> Any:
        """Return the class of a score, or the classes of an array of scores."""
        return 2 * (scores >= 0.0) - 1

    def _majorities(self, revealed: Classes) -> Classes:
        balance = self._balance + np.concatenate([[0], np.cumsum(revealed)])
        self._balance = int(balance[-1])
        return np.where(balance >= 0, 1, -1)
