"""The rows of a comparison and the evaluation of answers to them, by kind of labels.

Answers are those of replays; figures are those of the metrics that a replay keeps.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import RECOMMENDED
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import Context, NoveltyRows
from firmware_sim.metrics.curve import recovery
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Places
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.adapters import TargetScale, scaled_targets
from firmware_sim.tasks.kinds import KINDS

#: Stretches of rows from which the noise of a difference between losses is estimated.
BLOCKS = 20
#: Names of a forecaster with linear parts only, and of linear models.
WITHOUT_KERNEL = "forecast, no kernel"
PASSIVE_AGGRESSIVE, LEAST_SQUARES = "linear (PA-I)", "linear (RLS)"
#: Options without effect in a comparison: no emulated board, no separate process, no leak.
ALONE: dict[str, Any] = {"on": None, "enforce": "arena", "limit_by": "auto", "leak": 0}


@dataclass
class Evaluator:
    """Rows of one kind of labels.

    y (ndarray of shape (n,)): the label of each usable row.
    config: the kind, and the options of its metrics.
    stream: all rows, in memory.
    filled: the same rows, with the last reading for each missing one; for learners without gaps.
    numbers (ndarray of shape (n,)): the numbers of these rows in the stream.
    changes: indices of the rows at which the stream is known to change.
    """

    y: Row
    config: ReplayConfig
    stream: Stream | str = ""
    filled: Stream | str = ""
    numbers: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    changes: list[int] = field(default_factory=list)

    def config_for(self, config: ReplayConfig, max_rows: int | None = None) -> ReplayConfig:
        """Return a configuration whose stream are these rows, the first ones or all.

        The targets of a forecaster are delayed by its horizon.
        """
        horizon = int(config.resolved.params.get("horizon", 1)) if config.forecasts else 1
        return replace(
            config,
            stream=self.stream if config.takes_gaps else self.filled,
            faults=(),  # the rows include them
            damaged="skip",  # a damaged row that must stop a replay has done so already
            **ALONE,
            limit=None if max_rows is None else int(self.numbers[max_rows - 1]),
            label_delay=config.label_delay or (horizon if horizon > 1 else 0),
        )

    @property
    def metrics(self) -> Metrics:
        """New metrics, without any rows."""
        return KINDS[self.config.resolved.kind].metrics(self.config, Cadence())

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers to the first rows, from row `first` on."""
        found, part = self.metrics, slice(first, len(answers))
        found.add_block(self.y[part], answers[part])
        return found

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the mean loss of the answers to the first rows, from row `first` on."""
        return self.judged(answers, first).mean_loss("learner")

    def blocks(self, answers: Row | None = None) -> dict[str, list[float]]:
        """Return the mean losses over `BLOCKS` stretches of rows, of the learner and the baselines.

        answers: the learner's answers; if given, only the learner is counted.

        Empty if losses are not sums over rows, or there are too few rows.
        """
        ends = np.linspace(0, len(self.y), BLOCKS + 1).astype(int)
        if len(self.y) < 10 * BLOCKS:
            return {}
        metrics = self.metrics
        count = metrics.add_block if answers is None else metrics.add_answers
        who = metrics.baselines if answers is None else ["learner"]
        answers = np.zeros(len(self.y)) if answers is None else answers
        sums = {one: [0.0] for one in who}
        for first, last in pairwise(ends.tolist()):
            count(self.y[first:last], answers[first:last])
            for one, total in sums.items():
                total.append(metrics.mean_loss(one) * metrics.rows)
        return {one: (np.diff(total) / np.diff(ends)).tolist() for one, total in sums.items()}

    def _wrong(self, answers: Row) -> NDArray[np.bool_] | None:
        """Return which answers were wrong; None if answers are not classes."""
        return answers * self.y[: len(answers)] <= 0.0

    def recovery(self, answers: Row) -> list[int | None]:
        """Return the rows until the loss is close to its later level, for each change."""
        wrong = self._wrong(answers)
        if wrong is None or not self.changes:
            return []
        ends = [*self.changes[1:], len(wrong)]
        return [
            recovery(wrong.astype(float), *part) for part in zip(self.changes, ends, strict=True)
        ]

    def rivals(self, X: Row, raw: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return further baselines: the answers of models without a kernel, by name.

        X: scaled rows.
        raw: the rows before scaling; NaN for missing readings.
        season: rows of a season, 0 for none.
        named: whether the user gave the season.
        """
        return {PASSIVE_AGGRESSIVE: passive_aggressive(X, self.y)}

    def drawn(self, n: int) -> Row:
        """Return random labels for `n` rows."""
        return np.where(np.random.default_rng(0).random(n) < 0.5, -1.0, 1.0)

    def judges(self, first: int) -> bool:
        """Whether answers can be evaluated on the rows from `first` on, and on those before."""
        return True


class Classes(Evaluator):
    """Labels 0, 1, ...; an answer is the predicted class."""

    def _wrong(self, answers: Row) -> NDArray[np.bool_]:
        return np.asarray(answers != self.y[: len(answers)])

    def rivals(self, X: Row, raw: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return a linear model for classes."""
        return {PASSIVE_AGGRESSIVE: passive_aggressive_classes(X, self.y)}

    def drawn(self, n: int) -> Row:
        """Return random classes."""
        return np.random.default_rng(0).integers(0, int(self.y.max()) + 1, n).astype(float)


class Numbers(Evaluator):
    """Real numbers; an answer is a prediction in the stream's own unit."""

    def _wrong(self, answers: Row) -> None:
        """Numbers are not right or wrong."""

    def rivals(self, X: Row, raw: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return the target of a season ago, a forecaster without a kernel, and a linear model."""
        found = {}
        if season:
            last = np.concatenate([[0.0], self.y[:-1]])
            found[f"value {season:,} rows ago"] = np.concatenate([last[:season], self.y[:-season]])
        learner = ek.Learner(
            RECOMMENDED, n_features=raw.shape[1], D=0, loss="square", history=True,
            season=season if named else 0,
        )  # fmt: skip
        with suppress(ValueError):  # a target exceeds the range that it learns
            found[WITHOUT_KERNEL] = learner.learn_many(raw, self.y)
        targets, mean, spread = scaled_targets(TargetScale.with_own_memory(), self.y)
        found[LEAST_SQUARES] = mean + spread * least_squares(X, targets)
        return found

    def drawn(self, n: int) -> Row:
        """Return random numbers."""
        return np.random.default_rng(0).normal(size=n)


class Unlabelled(Evaluator):
    """No labels; an answer is a score, negative if novel, and the threshold subtracted from it."""

    def _wrong(self, answers: Row) -> None:
        """Answers to rows without labels are not right or wrong."""

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers, shape (n, 2)."""
        found, part = self.metrics, slice(first, len(answers))
        watched = NoveltyRows.of(answers[part, 1])
        found.add_block(self.y[part], answers[part, 0], Context(watched=watched))
        return found

    def blocks(self, answers: Row | None = None) -> dict[str, list[float]]:
        """Return no blocks: an area under a curve is not a sum over rows."""
        return {}

    def rivals(self, X: Row, raw: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return no baselines."""
        return {}

    def judges(self, first: int) -> bool:
        """Whether there are rows of both labels from `first` on, and before it unless it is 0."""
        parts = [self.y[first:], *([self.y[:first]] if first else [])]
        # A missing label is NaN, which is neither.
        return all(bool((part > 0.0).any() and (part < 0.0).any()) for part in parts)


EVALUATORS: dict[str, type[Evaluator]] = {
    "binary": Evaluator,
    "multiclass": Classes,
    "regression": Numbers,
    "novelty": Unlabelled,
}


def passive_aggressive(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the scores of PA-I with a constant, for labels -1 and +1."""
    ones, squares = _with_ones(X)
    weights, scores = np.zeros(ones.shape[1]), np.empty(len(y))
    for i, (x, label, square) in enumerate(zip(ones, y, squares, strict=True)):
        scores[i] = weights @ x
        loss = 1.0 - label * scores[i]
        if loss > 0.0:
            weights += min(C, loss / square) * label * x
    return scores


def passive_aggressive_classes(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the answers of PA-I for several classes (Crammer et al., JMLR 2006, section 8)."""
    ones, squares = _with_ones(X)
    weights = np.zeros((int(y.max()) + 1, ones.shape[1]))
    answers = np.empty(len(y))
    for i, (x, true, square) in enumerate(zip(ones, y.astype(int), squares, strict=True)):
        scores = weights @ x
        answers[i] = int(np.argmax(scores))
        others = scores.copy()
        others[true] = -np.inf
        rival = int(np.argmax(others))
        loss = 1.0 - scores[true] + scores[rival]
        if loss > 0.0:
            step = min(C, loss / (2.0 * square)) * x
            weights[true] += step
            weights[rival] -= step
    return answers


def least_squares(X: Row, y: Row) -> Row:
    """Return the predictions of recursive least squares with a constant and a unit prior."""
    ones, _ = _with_ones(X)
    inverse, weights = np.eye(ones.shape[1]), np.zeros(ones.shape[1])
    out = np.empty(len(y))
    for i, (x, target) in enumerate(zip(ones, y, strict=True)):
        out[i] = weights @ x
        gain = inverse @ x
        gain /= 1.0 + x @ gain
        weights += gain * (target - out[i])
        inverse -= np.outer(gain, x @ inverse)
    return out


def _with_ones(X: Row) -> tuple[Row, Row]:
    """Return the rows with a constant last reading, and their squared norms."""
    ones = np.hstack([X, np.ones((len(X), 1))])
    return ones, np.einsum("ij,ij->i", ones, ones)
