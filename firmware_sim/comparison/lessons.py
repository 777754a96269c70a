"""Rows as learners are taught them in bulk, and how their answers are judged, by kind of labels.

What a learner answers to a row is what it would in a replay, at compiled speed. A loss is a mean
over rows, and less is better: the share of wrong answers, the mean absolute error, the area above
the ROC curve.
"""

from __future__ import annotations

import copy
import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.novelty import area
from firmware_sim.streams import Row
from firmware_sim.tasks.regression import TargetScale, scaled_targets

#: The margin of a tie that is predicted right.
_TIE_WON = float(np.finfo(np.float64).tiny)


class Lesson(ABC):
    """Rows of one kind of labels.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Scaled rows.
    y : ndarray of shape (n,)
        What the stream says.

    Attributes
    ----------
    title : str
        What a loss is, for tables.
    percent : bool
        Whether it is shown in percent.
    in_code : str
        What the label is in a program's loop.
    """

    title: ClassVar[str] = "wrong answers"
    percent: ClassVar[bool] = True
    in_code: ClassVar[str] = "-1 or +1"

    def __init__(self, X: Row, y: Row) -> None:
        self.X, self.y = X, y

    def teach(self, learner: Any, part: slice) -> Row:
        """Let a learner learn some rows; return its answers from before each.

        What the library warns of, readings beyond the levels of int8 or predictions that run away,
        shows in the loss.

        Raises
        ------
        RuntimeError, ValueError
            The learner refuses a row.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self._taught(learner, part)

    def _taught(self, learner: Any, part: slice) -> Row:
        scores: Row = learner.learn_many(self.X[part], self.y[part])
        return scores

    @abstractmethod
    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the loss of the answers to the first rows, judged from row `first` on."""

    def drawn(self, n: int) -> Row:
        """Return labels drawn by chance for `n` rows."""
        return np.where(np.random.default_rng(0).random(n) < 0.5, -1.0, 1.0)

    def shown(self, loss: float) -> str:
        """Return a loss as a cell of a table."""
        return f"{100 * loss:.2f}" if self.percent else f"{loss:.4g}"

    def words(self, loss: float) -> str:
        """Return a loss in words."""
        return f"{100 * loss:.2f} % wrong"

    def judges(self, first: int) -> bool:
        """Whether the rows from `first` on, and those before, tell good answers from bad ones."""
        return True


class TwoClasses(Lesson):
    """Labels -1 and +1; an answer is a score."""

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the share of wrong answers; a score of 0 means +1."""
        y = self.y[first : len(answers)]
        return float(np.mean((answers[first:] >= 0.0) != (y > 0.0)))


class Classes(Lesson):
    """Labels 0, 1, ...; an answer is the margin, above 0 where the learner predicts the class.

    A margin of 0 is a tie, and a prediction all the same: of the first of the best classes. Replays
    count predictions, so this does, too; the library's own counter of mistakes takes in every tie.
    """

    in_code = "one of classes"

    def _taught(self, learner: Any, part: slice) -> Row:
        before = copy.deepcopy(learner)
        margins = super()._taught(learner, part)
        at = part.start or 0
        for tie in (at + np.flatnonzero(margins == 0.0)).tolist():
            # What it would have predicted then, only a learner of then can say.
            before.learn_many(self.X[at:tie], self.y[at:tie])
            if before.predict_one(self.X[tie]) == self.y[tie]:
                margins[tie - (part.start or 0)] = _TIE_WON
            at = tie
        return margins

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the share of wrong answers."""
        return float(np.mean(answers[first:] <= 0.0))

    def drawn(self, n: int) -> Row:
        """Return classes drawn by chance."""
        return np.random.default_rng(0).integers(0, int(self.y.max()) + 1, n).astype(float)


class Numbers(Lesson):
    """Real numbers, scaled as they come; an answer is a prediction in the stream's own unit."""

    title = "mean absolute error"
    percent = False
    in_code = "a number"

    def __init__(self, X: Row, y: Row) -> None:
        super().__init__(X, y)
        self.told, self._mean, self._spread = scaled_targets(TargetScale.made(), y)

    def unscaled(self, scores: Row, part: slice = slice(None)) -> Row:
        """Return scores as predictions in the stream's own unit."""
        return self._mean[part] + self._spread[part] * scores

    def _taught(self, learner: Any, part: slice) -> Row:
        scores: Row = learner.learn_many(self.X[part], self.told[part])
        return self.unscaled(scores, slice(part.start, part.start + len(scores)))

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the mean absolute error."""
        return float(np.mean(np.abs(answers[first:] - self.y[first : len(answers)])))

    def drawn(self, n: int) -> Row:
        """Return numbers drawn by chance."""
        return np.random.default_rng(0).normal(size=n)

    def words(self, loss: float) -> str:
        """Return a loss in words."""
        return f"{loss:.4g} mean absolute error"


class Unlabelled(Lesson):
    """No labels are told; an answer is how usual a row is, judged by labels of +1 for novel."""

    title = "area above the ROC curve"
    in_code = "not told"

    def _taught(self, learner: Any, part: slice) -> Row:
        out = np.empty(len(self.X[part]))
        for i, x in enumerate(self.X[part]):
            level = learner.threshold
            out[i] = level + learner.learn_one(x)
        return out

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the area above the ROC curve."""
        part = slice(first, len(answers))
        novel, usual = self._novel(part), self._usual(part)
        found = area(-answers[first:][usual], -answers[first:][novel])
        return 1.0 - (found or 0.0)

    def _novel(self, part: slice) -> npt.NDArray[np.bool_]:
        return np.greater(self.y[part], 0.0)

    def _usual(self, part: slice) -> npt.NDArray[np.bool_]:
        """Rows labelled as usual; those without a label, NaN, are neither."""
        return np.less(self.y[part], 0.0)

    def words(self, loss: float) -> str:
        """Return a loss in words."""
        return f"AUC {1.0 - loss:.3f}"

    def judges(self, first: int) -> bool:
        """Whether there are rows of both kinds before `first`, where it is not 0, and after it."""
        parts = [slice(first, None), *([slice(0, first)] if first else [])]
        return all(self._novel(part).any() and self._usual(part).any() for part in parts)


LESSONS: dict[str, type[Lesson]] = {
    "binary": TwoClasses,
    "multiclass": Classes,
    "regression": Numbers,
    "novelty": Unlabelled,
}
