"""Right and wrong answers to labels of two or several classes, and of two baselines.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change measures the improvement over repeating the last label.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.base import (
    NOTHING,
    Context,
    Figure,
    Metrics,
    count,
    percent,
    ratio,
    thousandths,
)
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
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
Classes = npt.NDArray[np.int64]


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
        """Return figures by class and the confusion matrix, in types of strict JSON."""
        return {
            "names": list(self.names),
            "by_class": [asdict(one) for one in self.by_class()],
            "confusion": self.learner.counts.tolist(),
        }
