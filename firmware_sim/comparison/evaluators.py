"""Learning in bulk and the evaluation of answers, by kind of labels.

What a learner answers to a row is what it would in a replay, at compiled speed; figures are those
of the metrics that a replay keeps.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.configuration.config import settings_of
from firmware_sim.comparison import linear
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import Context, WatchedMany
from firmware_sim.metrics.recovery import recovery
from firmware_sim.replaying.frozen import answers_of
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.regression import TargetScale, scaled_targets
from firmware_sim.tasks.teaching import Taught, teach

#: Stretches of rows by which the noise of a difference between losses is judged.
BLOCKS = 20
#: The name of a forecaster of linear parts alone.
WITHOUT_KERNEL = "forecast, no kernel"


class Evaluator:
    """Rows of one kind of labels.

    X (ndarray of shape (n, d)): scaled rows.
    y (ndarray of shape (n,)): what the stream says.
    config: the kind, and what its metrics depend on.
    distances (ndarray of shape (n,)): what the metrics made of each row's readings.
    raw (ndarray of shape (n, d)): the rows before they were scaled, for learners that scale.
    """

    def __init__(
        self,
        X: Row,
        y: Row,
        config: ReplayConfig,
        distances: Row | None = None,
        raw: Row | None = None,
    ) -> None:
        self.X, self.y, self._config, self._distances = X, y, config, distances
        self.told = y  # what a learner is told
        self.raw = X if raw is None else raw
        #: the raw rows with NaN where a reading was absent, for learners that know such; None where
        #: there are none
        self.gaps: Row | None = None
        #: places of rows from which on the stream is another one, where that is known
        self.changes: list[int] = []

    def for_learner_of(self, config: ReplayConfig) -> Evaluator:
        """Return what teaches the rows that such a learner is given: raw ones where it scales."""
        if not config.scales_inside:
            return self
        own = copy(self)
        own.X = self.gaps if config.takes_gaps and self.gaps is not None else self.raw
        if config.watches:  # its alarms are judged as such a replay does
            own._config = replace(self._config, params=config.params)
        return own

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
        return self._whole(learner, part).scores

    def _whole(self, learner: Any, part: slice) -> Taught:
        """Return what became of rows, if all were learned."""
        found = teach(self._config.kind, learner, None, self.X[part], self.told[part])
        for error in found.refused.values():
            raise error
        if found.stopped is not None:
            raise found.stopped
        return found

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers to the first rows, from row `first` on."""
        found, part = self.metrics, slice(first, len(answers))
        found.add_block(self.y[part], answers[part])
        return found

    def loss(self, answers: Row, first: int = 0) -> float:
        """Return the mean loss of the answers to the first rows, from row `first` on."""
        return self.judged(answers, first).mean_loss("learner")

    def blocks(self, answers: Row) -> dict[str, list[float]]:
        """Return the mean losses over `BLOCKS` stretches of rows, of the learner and the baselines.

        Empty where losses are no sums over rows, or the rows are too few.
        """
        ends = np.linspace(0, len(answers), BLOCKS + 1).astype(int)
        if len(answers) < 10 * BLOCKS:
            return {}
        metrics = self.metrics
        sums = {who: [0.0] for who in ("learner", *metrics.baselines)}
        for first, last in pairwise(ends.tolist()):
            metrics.add_block(self.y[first:last], answers[first:last])
            for who, total in sums.items():
                total.append(metrics.mean_loss(who) * metrics.rows)
        return {who: (np.diff(total) / np.diff(ends)).tolist() for who, total in sums.items()}

    def _wrong(self, answers: Row) -> NDArray[np.bool_] | None:
        """Which answers were wrong, 1 or 0; None where answers are no classes."""
        return answers * self.y[: len(answers)] <= 0.0

    def recovery(self, answers: Row) -> list[int | None]:
        """Return the rows until answers were as good again as later, for each change."""
        wrong = self._wrong(answers)
        if wrong is None or not self.changes:
            return []
        ends = [*self.changes[1:], len(wrong)]
        return [
            recovery(wrong.astype(float), *part) for part in zip(self.changes, ends, strict=True)
        ]

    def frozen(self, learner: Any, after: int) -> Row:
        """Return the answers of a learner that knows the first rows, to those behind them."""
        return answers_of(learner, self._config.kind, *self._unit(after))(self.X[after:])

    def _unit(self, at: int) -> tuple[float, float]:
        """Return mean and spread of the targets before a row, where the learner has no unit."""
        return 0.0, 1.0

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model that a kernel has to beat."""
        return "linear (PA-I)", linear.passive_aggressive(self.X, self.y)

    def others(self, season: int, *, named: bool) -> dict[str, Row]:
        """Return what else a kernel has to beat: names and answers.

        season: rows of a season, 0 for none.
        named: whether somebody has named it.
        """
        return {}

    def drawn(self, n: int) -> Row:
        """Return labels drawn by chance for `n` rows."""
        return np.where(np.random.default_rng(0).random(n) < 0.5, -1.0, 1.0)

    def judges(self, first: int) -> bool:
        """Whether the rows from `first` on, and those before, tell good answers from bad ones."""
        return True


class Classes(Evaluator):
    """Labels 0, 1, ...; an answer is the class that is predicted, which the learner is asked."""

    def _wrong(self, answers: Row) -> NDArray[np.bool_]:
        return np.asarray(answers != self.y[: len(answers)])

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model."""
        return "linear (PA-I)", linear.passive_aggressive_classes(self.X, self.y)

    def drawn(self, n: int) -> Row:
        """Return classes drawn by chance."""
        return np.random.default_rng(0).integers(0, int(self.y.max()) + 1, n).astype(float)


class Numbers(Evaluator):
    """Real numbers, scaled as they come; an answer is a prediction in the stream's own unit."""

    def __init__(self, X: Row, y: Row, *more: Any) -> None:
        super().__init__(X, y, *more)
        self.told, self._mean, self._spread = scaled_targets(TargetScale.made(), y)

    def _wrong(self, answers: Row) -> None:
        """Numbers are not right or wrong."""

    def _unit(self, at: int) -> tuple[float, float]:
        return float(self._mean[at]), float(self._spread[at])

    def for_learner_of(self, config: ReplayConfig) -> Evaluator:
        """Return what teaches such a learner; a forecaster has a unit of its own for targets."""
        own = super().for_learner_of(config)
        if config.forecasts and isinstance(own, Numbers):
            own = copy(own)
            own.told, own._mean, own._spread = self.y, np.zeros_like(self.y), np.ones_like(self.y)
        return own

    def _unscaled(self, scores: Row, part: slice) -> Row:
        """Return scores as predictions in the stream's own unit."""
        return self._mean[part] + self._spread[part] * scores

    def others(self, season: int, *, named: bool) -> dict[str, Row]:
        """Return the target of a season ago, and what forecasts without a kernel."""
        found = {}
        if season:
            last = np.concatenate([[0.0], self.y[:-1]])
            found[f"value {season:,} rows ago"] = np.concatenate([last[:season], self.y[:-season]])
        rows = self.raw if self.gaps is None else self.gaps
        learner = ek.Learner(
            RECOMMENDED, n_features=rows.shape[1], D=0, loss="square", history=True,
            season=season if named else 0,
        )  # fmt: skip
        with suppress(ValueError):  # a target beyond what it learns
            found[WITHOUT_KERNEL] = learner.learn_many(rows, self.y)
        return found

    def _late(self, learner: Any, part: slice) -> Row:
        """Return answers of a forecaster that is told targets as late as its horizon says."""
        k, said = int(learner.parameters["horizon"]), np.empty(part.stop - part.start)
        for at in range(part.start, part.stop):
            if at >= k:
                learner.tell_one(self.y[at - k])
            said[at - part.start] = learner.ask_one(self.X[at])
        return said

    def _taught(self, learner: Any, part: slice) -> Row:
        if settings_of(learner.config).forecasts and learner.parameters["horizon"] > 1:
            return self._late(learner, part)
        scores: Row = learner.learn_many(self.X[part], self.told[part])
        return self._unscaled(scores, part)

    def linear(self) -> tuple[str, Row]:
        """Return name and answers of the linear model."""
        answers = linear.least_squares(self.X, self.told)
        return "linear (RLS)", self._unscaled(answers, slice(None))

    def drawn(self, n: int) -> Row:
        """Return numbers drawn by chance."""
        return np.random.default_rng(0).normal(size=n)


class Unlabelled(Evaluator):
    """No labels are told; an answer is a score, novel below 0, and the threshold taken off it."""

    def _wrong(self, answers: Row) -> None:
        """There are no labels to be wrong about."""

    def _taught(self, learner: Any, part: slice) -> Row:
        found = self._whole(learner, part)
        return np.column_stack((found.scores, found.levels))

    def judged(self, answers: Row, first: int = 0) -> Metrics:
        """Return the metrics of the answers, shape (n, 2)."""
        found, part = self.metrics, slice(first, len(answers))
        distances = None if self._distances is None else self._distances[part]
        watched = WatchedMany.of(answers[part, 1], distances)
        found.add_block(self.y[part], answers[part, 0], Context(watched=watched))
        return found

    def blocks(self, answers: Row) -> dict[str, list[float]]:
        """Return none: an area under a curve is no sum over rows."""
        return {}

    def linear(self) -> tuple[str, Row]:
        """Return that there is none."""
        return "", np.zeros((len(self.y), 2))

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
