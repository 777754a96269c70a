"""The same learner, frozen after the first rows, to measure the value of learning on the board."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.metrics import Metrics
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.frozen import FrozenForecaster
from firmware_sim.tasks.kinds import KINDS

#: Rows that are kept until the twin is asked about them together.
_KEPT = 256


@dataclass(frozen=True)
class Frozen:
    """How a learner did that was frozen after the first rows, on the rows behind them.

    after: rows that it learned.
    rows: those behind them.
    loss, learner: its mean loss over these, and that of the learner that went on learning.
    said, learner_said: both in words.
    """

    after: int
    rows: int
    loss: float
    learner: float
    said: str
    learner_said: str


def may_freeze(config: ReplayConfig) -> bool:
    """Whether such a twin answers what the learner does: told labels, in this process.

    The history of a forecaster goes on: its targets must come at once, and without stops.
    """
    told = KINDS[config.resolved.kind].is_taught
    if config.forecasts:
        told = not config.waits_for_labels and config.gap is None
    return bool(config.frozen_after) and told and config.enforce == "arena"


def answers_of(
    learner: Any, kind: str, mean: float = 0.0, spread: float = 1.0
) -> Callable[..., Row]:
    """Return what answers rows as metrics count them, and learns nothing."""
    if kind == "multiclass":
        return lambda X: np.asarray(learner.predict(X), dtype=float)
    if kind == "regression":
        return lambda X: mean + spread * np.asarray(learner.decision_function(X))
    return lambda X: np.asarray(learner.decision_function(X))


class FrozenTwin:
    """A copy of the learner after the first rows.

    config: what is replayed.
    metrics: those of the learner that goes on.
    after: rows that the copy knows.
    """

    def __init__(self, config: ReplayConfig, metrics: Metrics) -> None:
        self._config, self._going_on = config, metrics
        self.after = config.frozen_after
        self._metrics = KINDS[config.resolved.kind].metrics(config, Cadence())
        self._answers: Callable[..., Row] | None = None
        #: of a forecaster, which is told what there is to tell
        self._told: Callable[[Row, Row], Row] | None = None
        self._before = (0, 0.0)
        self._rows: list[Row] = []  # blocks of them
        self._labels: list[Row] = []
        self._kept = 0
        self._refused = False
        self._asker = ThreadPoolExecutor(1)  # one: they are counted in their order
        self._asked: list[Future[None]] = []

    def left(self, device: Device) -> int:
        """Rows until the twin is made; 0 where it is there."""
        return 0 if self._begun else max(0, self.after - device.steps)

    @property
    def _begun(self) -> bool:
        return self._answers is not None or self._told is not None

    def see(self, device: Device, X: Row, y: Row) -> None:
        """Take in rows that were learned, and counted, as they came from the sensors."""
        if self._begun:
            self._rows.append(X)
            self._labels.append(y)
            self._kept += len(y)
            if self._kept >= _KEPT:
                self._ask()
        elif device.steps >= self.after:
            self._begin(device)

    def _begin(self, device: Device) -> None:
        if self._config.forecasts:
            self._told = FrozenForecaster(device.copied()).answers
            self._before = self._so_far()
            return
        learner = pickle.loads(pickle.dumps(device.learner))
        if self._config.resolved.params.get("last_label"):  # it is told no more labels
            learner.restart()
        targets = (0.0, 1.0)
        if device.target_scaler is not None:
            scaler = device.target_scaler
            targets = float(scaler.mean_[0]), float(scaler.scale_[0]) or 1.0
        answers = answers_of(learner, self._config.resolved.kind, *targets)
        scaler = pickle.loads(pickle.dumps(device.scaler))
        self._answers = (
            answers if scaler is None else lambda X: answers(np.asarray(scaler.transform(X)))
        )
        self._before = self._so_far()

    def _so_far(self) -> tuple[int, float]:
        rows = self._going_on.rows
        return rows, self._going_on.mean_loss("learner") * rows

    def _ask(self) -> None:
        rows, labels = self._rows, self._labels
        self._rows, self._labels, self._kept = [], [], 0
        self._asked.append(self._asker.submit(self._count, rows, labels))

    def _count(self, rows: list[Row], labels: list[Row]) -> None:
        """Count what it answers, in a thread of its own: answering gives up the interpreter."""
        X, y = np.concatenate(rows), np.concatenate(labels)
        try:
            self._metrics.add_answers(y, self._said(X, y))
        except ValueError:  # a row that only the learner with later statistics takes
            self._refused = True

    def _said(self, X: Row, y: Row) -> Row:
        """Return the answers to rows; a forecaster is told each target once it has answered."""
        if self._told is not None:
            return self._told(X, y)
        assert self._answers is not None
        return self._answers(X)

    def result(self) -> Frozen | None:
        """Return how it did; None where it was never asked."""
        if self._rows:
            self._ask()
        for one in self._asked:
            one.result()
        self._asker.shutdown()
        if not self._metrics.rows or self._refused:
            return None
        (first, before), (last, now) = self._before, self._so_far()
        learner = (now - before) / max(1, last - first)
        loss = self._metrics.mean_loss("learner")
        words = self._metrics.words
        return Frozen(self.after, self._metrics.rows, loss, learner, words(loss), words(learner))
