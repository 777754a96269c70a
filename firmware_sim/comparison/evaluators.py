"""Rows as learners are taught them in bulk, and how their answers are judged, by kind of labels.

What a learner answers to a row is what it would in a replay, at compiled speed but where it has to
be asked row by row; figures are those of the metrics that a replay keeps.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from firmware_sim.comparison import linear
from firmware_sim.config import ReplayConfig
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import NOTHING, Looked, RowContext
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.adapters import adapter
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.regression import TargetScale, scaled_targets


class Evaluator:
    """Rows of one kind of labels.

    X (ndarray of shape (n, d)): scaled rows.
    y (ndarray of shape (n,)): what the stream says.
    config: the kind, and what its metrics depend on.
    looked: what the metrics made of the readings of each row; empty for nothing.
    """

    def __init__(self, X: Row, y: Row, config: ReplayConfig, looked: Sequence[Looked] = ()) -> None:
        self.X, self.y, self._config, self._looked = X, y, config, looked

    @property
    def metrics(self) -> Metrics:
        """Metrics that have counted nothing yet."""
        return KINDS[self._config.kind].metrics(self._config, Cadence())

    def teach(self, learner: Any, part: slice) -> Row:
        """Let a learner learn some rows; return its answers from before each.

        What the library warns of, readings beyond the levels of int8 or predictions that run away,
        shows in the figures.

        Raises RuntimeError, ValueError: the learner refuses a row.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self._taught(learner, part)

    def _taught(self, learner: Any, part: slice) -> Row:
        scores: Row = learner.learn_many(self.X[part], self.y[part])
        return scores

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers to the first rows, from row `first` on."""
        found, part = self.metrics, slice(first, len(answers))
        found.add_block(self.y[part], answers[part])
        return found

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the mean loss of the answers to the first rows, from row `first` on."""
        return self.judged(answers, first).mean_loss("learner")

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model that a kernel has to beat."""
        return "linear (PA-I)", linear.passive_aggressive(self.X, self.y)

    def drawn(self, n: int) -> Row:
        """Return labels drawn by chance for `n` rows."""
        return np.where(np.random.default_rng(0).random(n) < 0.5, -1.0, 1.0)

    def judges(self, first: int) -> bool:
        """Whether the rows from `first` on, and those before, tell good answers from bad ones."""
        return True


class Classes(Evaluator):
    """Labels 0, 1, ...; an answer is the class that is predicted, which the learner is asked."""

    def _taught(self, learner: Any, part: slice) -> Row:
        asked = adapter("multiclass", learner, None)
        pairs = zip(self.X[part], self.y[part], strict=True)
        return np.array([asked.learn_one(x, label) for x, label in pairs])

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model."""
        return "linear (PA-I)", linear.passive_aggressive_classes(self.X, self.y)

    def drawn(self, n: int) -> Row:
        """Return classes drawn by chance."""
        return np.random.default_rng(0).integers(0, int(self.y.max()) + 1, n).astype(float)


class Numbers(Evaluator):
    """Real numbers, scaled as they come; an answer is a prediction in the stream's own unit."""

    def __init__(self, X: Row, y: Row, config: ReplayConfig, looked: Sequence[Looked] = ()) -> None:
        super().__init__(X, y, config, looked)
        self._told, self._mean, self._spread = scaled_targets(TargetScale.made(), y)

    def _unscaled(self, scores: Row, part: slice) -> Row:
        """Return scores as predictions in the stream's own unit."""
        return self._mean[part] + self._spread[part] * scores

    def _taught(self, learner: Any, part: slice) -> Row:
        scores: Row = learner.learn_many(self.X[part], self._told[part])
        return self._unscaled(scores, slice(part.start, part.start + len(scores)))

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model."""
        answers = linear.least_squares(self.X, self._told)
        return "linear (RLS)", self._unscaled(answers, slice(None))

    def drawn(self, n: int) -> Row:
        """Return numbers drawn by chance."""
        return np.random.default_rng(0).normal(size=n)


class Unlabelled(Evaluator):
    """No labels are told; an answer is a score, novel below 0, and the threshold taken off it.

    raw (ndarray of shape (n, d)): rows as they came, for learners that scale them by themselves.
    """

    raw: Row | None = None

    def _taught(self, learner: Any, part: slice) -> Row:
        asked = adapter("novelty", learner, None)
        rows = self.X if self.raw is None or not learner.config.watches else self.raw
        return np.array([asked.learn_one(x, 0.0) for x in rows[part]])

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers, shape (n, 3)."""
        found, part = self.metrics, slice(first, len(answers))
        if len(answers) and answers[0, 2] >= 0.0:
            found = KINDS["novelty"].metrics(self._config.watching(), Cadence())
        looked = self._looked[part] or [NOTHING.looked] * len(answers[part])
        context = [
            RowContext(level, own)
            for level, own in zip(answers[part, 1].tolist(), looked, strict=True)
        ]
        found.add_block(self.y[part], answers[part, 0], context)
        return found

    def linear(self) -> tuple[str, Row]:
        """Return that there is none."""
        return "", np.zeros((len(self.y), 3))

    def judges(self, first: int) -> bool:
        """Whether there are rows of both kinds before `first`, where it is not 0, and after it."""
        parts = [self.y[first:], *([self.y[:first]] if first else [])]
        # Rows without a label, NaN, are of neither kind.
        return all(bool((part > 0.0).any() and (part < 0.0).any()) for part in parts)


EVALUATORS: dict[str, type[Evaluator]] = {
    "binary": Evaluator,
    "multiclass": Classes,
    "regression": Numbers,
    "novelty": Unlabelled,
}
