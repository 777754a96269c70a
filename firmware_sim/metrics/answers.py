"""Classification errors of the learner and of two baselines.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change measures the improvement over repeating the last label.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from firmware_sim.metrics.base import NOTHING, Context, Figure, Metrics, ratio
from firmware_sim.metrics.confusion import Classes, ClassTable
from firmware_sim.metrics.curve import Curve
from firmware_sim.metrics.formats import count, percent, thousandths
from firmware_sim.streams import Row

#: The figures of any number of classes.
FIGURES = {
    "error": Figure("error", percent, lambda record, _: ratio(record.wrong, record.rows)),
    "kappa": Figure(
        "kappa",
        thousandths,
        lambda record, _: record.kappa,
        "agreement beyond chance: 1 is perfect, 0 no better than guessing by how common each class "
        "is",
    ),
    "kappa_no_change": Figure(
        "kappa vs no-change",
        thousandths,
        lambda record, metrics: ratio(
            metrics.no_change.wrong - record.wrong, metrics.no_change.wrong
        ),
        "1 is perfect, 0 as good as repeating the last label, below 0 worse",
    ),
    "wrong": Figure("", count, lambda record, _: record.wrong),
}


class Answers(Metrics):
    """Records of the learner, of the majority class so far, and of no-change.

    learner, majority, no_change: the three records; the curve counts their wrong answers.
    """

    baselines: ClassVar = {"majority": "majority class", "no_change": "no-change"}

    learner: ClassTable

    def __init__(self, record: Callable[[], ClassTable], first: int, points: int) -> None:
        self.learner, self.majority, self.no_change = record(), record(), record()
        self.curve = Curve(points)
        self._last = first

    @abstractmethod
    def answers(self, scores: Any) -> Any:
        """Return the class of a score, or the classes of an array of scores."""

    @abstractmethod
    def _majorities(self, revealed: Classes) -> Classes:
        """Count labels; return the commonest class before each of them and after the last."""

    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows; see `Metrics.add_block`."""
        true = labels.astype(np.int64)
        if not len(true):
            return
        revealed, before = true, np.arange(len(true))
        if context.revealed is not None:
            revealed, before = context.revealed.labels.astype(np.int64), context.revealed.before
        lasts = np.concatenate([[self._last], revealed])
        running = []
        for record, predicted in (
            (self.learner, self.answers(scores).astype(np.int64)),
            (self.majority, self._majorities(revealed)[before]),
            (self.no_change, lasts[before]),
        ):
            running.append(record.wrong + np.cumsum(predicted != true))
            record.add_block(true, predicted)
        self.curve.add_block(np.column_stack(running))
        self._last = int(lasts[-1])

    def add_answers(self, labels: Row, scores: Row) -> None:
        """Count rows for the learner alone."""
        self.learner.add_block(labels.astype(np.int64), self.answers(scores).astype(np.int64))

    def loss(self, name: str) -> float:
        """Return the number of wrong answers of one of the three."""
        record: ClassTable = getattr(self, name)
        return record.wrong

    def shown(self, name: str) -> str:
        """Return the number of wrong answers as text."""
        return f"{self.loss(name):,.0f} wrong"
