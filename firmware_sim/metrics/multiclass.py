"""Right and wrong answers to labels of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from firmware_sim.metrics.answers import FIGURES, Answers
from firmware_sim.metrics.base import Figure
from firmware_sim.metrics.confusion import Classes, ClassFigures, ClassTable
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.metrics.formats import count, thousandths


class Multiclass(Answers):
    """Records of a learner of several classes and of both baselines.

    A score is the class that the learner predicts. Before the first label the baselines answer the
    first class; of equally common classes the first is the majority.

    names: the classes; labels are their indices.
    """

    kind = "multiclass"
    table: ClassVar = {
        **FIGURES,
        "macro_f1": Figure(
            "macro F1",
            thousandths,
            lambda record, _: record.macro_f1,
            "the mean over classes of how complete and how correct answers are: 1 is perfect",
        ),
        "classes_seen": Figure("", count, lambda record, _: int(np.sum(record.counts.any(axis=1)))),
    }

    def __init__(self, names: Sequence[str], points: int = CURVE_POINTS) -> None:
        super().__init__(lambda: ClassTable(len(names)), 0, points)
        self.names = tuple(names)
        self._seen = np.zeros(len(names), dtype=np.int64)

    def answers(self, scores: Any) -> Any:
        """Return the scores, which are classes already."""
        return scores

    def _majorities(self, revealed: Classes) -> Classes:
        seen = np.cumsum(revealed[:, np.newaxis] == np.arange(len(self._seen)), axis=0)
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
