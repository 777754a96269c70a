"""Right and wrong answers to labels of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from firmware_sim.metrics.answers import FIGURES, Answers, Classes
from firmware_sim.metrics.base import Figure, ratio
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.metrics.formats import count, thousandths


@dataclass
class Confusion:
    """Counts of right and wrong answers for each class.

    A ratio whose denominator is 0 is None: a stream of one class has no kappa.
    """

    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0

    def add_block(self, labels: Classes, answers: Classes) -> None:
        """Count rows."""
        yes, said = labels > 0, answers > 0
        both = int(np.count_nonzero(yes & said))
        positive, answered = int(np.count_nonzero(yes)), int(np.count_nonzero(said))
        self.true_positive += both
        self.false_positive += answered - both
        self.false_negative += positive - both
        self.true_negative += len(labels) - positive - answered + both

    @property
    def rows(self) -> int:
        """Return the number of rows counted."""
        return self.true_positive + self.true_negative + self.wrong

    @property
    def wrong(self) -> int:
        """Return the number of wrong answers."""
        return self.false_positive + self.false_negative

    @property
    def error(self) -> float | None:
        """Return the fraction of wrong answers."""
        return ratio(self.wrong, self.rows)

    @property
    def kappa(self) -> float | None:
        """Return Cohen's kappa: agreement beyond what the class frequencies give by chance."""
        n = self.rows
        answered = self.true_positive + self.false_positive
        positive = self.true_positive + self.false_negative
        # In whole numbers, so that a kappa of exactly 0 or 1 is exactly that.
        chance = answered * positive + (n - answered) * (n - positive)
        return ratio(n * (n - self.wrong) - chance, n * n - chance)

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of precision and recall of the positive class."""
        return ratio(2 * self.true_positive, 2 * self.true_positive + self.wrong)


class Prequential(Answers[Confusion]):
    """The record of a learner of two classes, -1 and +1, beside both baselines'.

    A score of 0 or more means +1, as in the learner's own ``predict_one``. Before the first label
    the baselines say +1 too, and an even balance of labels is a majority of +1.
    """

    kind = "binary"
    table: ClassVar = {
        **FIGURES,
        "f1": Figure(
            "F1",
            thousandths,
            lambda own, _: own.f1,
            "of the class +1, how complete and how correct its answers are: 1 is perfect",
        ),
        "true_positive": Figure("", count, lambda own, _: own.true_positive),
        "false_positive": Figure("", count, lambda own, _: own.false_positive),
        "true_negative": Figure("", count, lambda own, _: own.true_negative),
        "false_negative": Figure("", count, lambda own, _: own.false_negative),
    }

    def __init__(self, points: int = CURVE_POINTS) -> None:
        super().__init__(Confusion, 1, points)
        self._balance = 0

    def answers(self, scores: Any) -> Any:
        """Return the class that a score means, or those of an array of scores."""
        return 2 * (scores >= 0.0) - 1

    def _majorities(self, told: Classes) -> Classes:
        balance = self._balance + np.concatenate([[0], np.cumsum(told)])
        self._balance = int(balance[-1])
        return np.where(balance >= 0, 1, -1)
