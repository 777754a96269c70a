"""One interface to learners of every kind of labels: a row and a label in, a score out.

Targets that are real numbers are scaled on the way in, predictions on the way out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import edgeolk as ek
from edgeolk.configuration.config import settings_of
from edgeolk.sorf.faces import PARTS, WHATS
from firmware_sim.containment.memory import Need
from firmware_sim.streams import Row


class NoveltyScore(NamedTuple):
    """The answer of a learner without labels to a row."""

    score: float  # negative if the row is novel
    #: the threshold that was subtracted: score + level measures how normal the row is.
    level: float
    reason: float = -1.0  # packed by `pack_reason`; negative if there is none


def pack_reason(reason: tuple[str, int, str]) -> float:
    """Return a learner's reason as a number, which fits into arrays and pipes."""
    part, channel, what = reason
    return float(PARTS.index(part) + 4 * WHATS.index(what) + 16 * channel)


def unpack_reason(reason: float) -> tuple[str, int, str] | None:
    """Return the reason behind a number; None for a negative one."""
    number = int(reason)
    if number < 0:
        return None
    return PARTS[number & 3], number >> 4, WHATS[number >> 2 & 3]


#: The answer to a row: a score, a class, a prediction, or a `NoveltyScore`.
Score = float | NoveltyScore


def settings_in(learner: Any) -> Any:
    """Return the settings of a learner; None if it runs in another process."""
    config = getattr(learner, "config", None)
    return None if config is None else settings_of(config)


class RegressionAdapter:
    """A learner of targets and predictions in the unit of the stream."""

    def __init__(self, learner: Any, targets: TargetScale) -> None:
        self._learner = learner
        self._targets = targets

    def learn_one(self, row: Row, target: float) -> float:
        """Learn a row; return the prediction before the update."""
        mean, spread = self._targets.current
        return mean + spread * float(self._learner.learn_one(row, self._targets.learn(target)))

    def decision_one(self, row: Row) -> float:
        """Return the prediction for a row."""
        mean, spread = self._targets.current
        return mean + spread * float(self._learner.decision_one(row))

    def ask_label(self, row: Row) -> bool:
        """Whether the target could change the model; True is counted as a request."""
        return bool(self._learner.ask_label(row))


class ClassAdapter:
    """A learner of several classes: its score is the class it predicts."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner

    def learn_one(self, row: Row, label: float) -> float:
        """Learn a row; return the class predicted before the update."""
        answer = self.decision_one(row)
        self._learner.learn_one(row, label)
        return answer

    def decision_one(self, row: Row) -> float:
        """Return the class predicted for a row."""
        return float(self._learner.predict_one(row))

    def ask_label(self, row: Row) -> bool:
        """Whether the label could change the model; True is counted as a request."""
        return bool(self._learner.ask_label(row))


class NoveltyAdapter:
    """A learner without labels: labels are ignored."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        settings = settings_in(learner)
        self.in_time = settings is not None and settings.reports_events

    def learn_one(self, row: Row, label: float) -> NoveltyScore:
        """Learn a row; return the answer before the update."""
        if self.in_time:
            tau = float(self._learner.threshold)
            score = float(self._learner.learn_one(row))
            # Only the first rows have a score of exactly 0: it is too early to judge them.
            return NoveltyScore(score, -tau if score else 0.0, pack_reason(self._learner.why))
        level = float(self._learner.threshold)
        return NoveltyScore(float(self._learner.learn_one(row)), level)

    def restart(self) -> None:
        """Forget the recent past: the next row comes after a long gap."""
        self._learner.restart()


def adapter(kind: str, learner: Any, targets: TargetScale | None) -> Any:
    """Return the learner with the interface of the main loop.

    kind: the kind of labels.
    learner: a learner of that kind.
    targets: the scaler of real targets.
    """
    if targets is not None:
        return RegressionAdapter(learner, targets)
    adapter_class = {"multiclass": ClassAdapter, "novelty": NoveltyAdapter}.get(kind)
    return learner if adapter_class is None else adapter_class(learner)


def target_need() -> Need:
    """Return the memory that scaling the targets needs."""
    return Need("target scaler", ek.RunningScaler.plan(1).nbytes, "mean and spread of the targets")


class TargetScale:
    """Running mean and standard deviation of the targets.

    buffer: memory of the size that `target_need` returns.
    scaler: the scaler in that memory.
    """

    def __init__(self, buffer: memoryview) -> None:
        self.scaler = ek.RunningScaler(1, buffer=buffer)
        self._one = np.empty(1)

    @classmethod
    def with_own_memory(cls) -> TargetScale:
        """Return one that allocates its own memory."""
        return cls(memoryview(bytearray(target_need().nbytes)))

    @property
    def current(self) -> tuple[float, float]:
        """Mean and standard deviation so far; a deviation of 0 counts as 1."""
        mean = self.scaler.mean_
        assert mean is not None
        return float(mean[0]), float(self.scaler.scale_[0]) or 1.0

    def learn(self, target: float) -> float:
        """Update the statistics with a target and return it scaled."""
        self._one[0] = target
        return float(self.scaler.learn_transform_one(self._one, self._one)[0])


def scaled_targets(scale: TargetScale, y: Row) -> tuple[Row, Row, Row]:
    """Return targets scaled one by one, and mean and deviation before each; updates `scale`."""
    scaled, before = np.empty((len(y), 1)), np.zeros((len(y), 2))
    n_done = scale.scaler._learn_transform_many(
        np.ascontiguousarray(y).reshape(-1, 1), scaled, before
    )
    assert n_done == len(y)  # it is never frozen
    means, spreads = before.T
    return scaled[:, 0], means.copy(), np.where(spreads != 0.0, spreads, 1.0)


class FrozenForecaster:
    """A forecaster with constant weights, whose history of targets still grows.

    Mean and unit of the target are updated too, since the history is scaled by them. For rows whose
    targets arrive at once.

    block: a copy of a learner's memory; changed.
    """

    def __init__(self, block: bytearray) -> None:
        self._learner: Any = ek.attach(block)
        self._learner._engine.freeze()

    def answers(self, X: Row, y: Row) -> Row:
        """Return the answers to rows, each before its target is known."""
        return np.asarray(self._learner.learn_many(X, y))
