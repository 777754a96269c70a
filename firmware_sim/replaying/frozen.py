"""The same learner, frozen after the first rows, to measure the value of learning on the board."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.metrics import Metrics
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.adapters import FrozenForecaster
from firmware_sim.tasks.kinds import KINDS

#: Rows that the twin answers together.
_BATCH = 256


@dataclass(frozen=True)
class Frozen:
    """The loss of a learner that was frozen after the first rows, on the later rows.

    after: rows that it learned.
    rows: number of later rows.
    loss, learner: its mean loss over these, and that of the learner that continued to learn.
    said, learner_said: both as text (fields of the JSON report).
    """

    after: int
    rows: int
    loss: float
    learner: float
    said: str
    learner_said: str


def may_freeze(config: ReplayConfig) -> bool:
    """Whether a frozen twin is possible: the learner needs labels and runs in this process.

    The history of a forecaster continues: its targets must arrive at once and without gaps.
    """
    possible = KINDS[config.resolved.kind].is_supervised
    if config.forecasts:
        possible = not config.waits_for_labels and config.gap is None
    return bool(config.frozen_after) and possible and config.enforce == "arena"


def answer_function(
    learner: Any, kind: str, mean: float = 0.0, spread: float = 1.0
) -> Callable[..., Row]:
    """Return a function from rows to answers in the form of the metrics, which does not learn."""
    if kind == "multiclass":
        return lambda X: np.asarray(learner.predict(X), dtype=float)
    if kind == "regression":
        return lambda X: mean + spread * np.asarray(learner.decision_function(X))
    return lambda X: np.asarray(learner.decision_function(X))


class FrozenTwin:
    """A copy of the learner after the first rows.

    config: the configuration of the replay.
    metrics: the metrics of the learner that continues to learn.
    after: rows that the copy has learned.
    """

    def __init__(self, config: ReplayConfig, metrics: Metrics) -> None:
        self._config, self._learning_metrics = config, metrics
        self.after = config.frozen_after
        self._metrics = KINDS[config.resolved.kind].metrics(config, Cadence())
        self._answers: Callable[..., Row] | None = None
        #: of a forecaster, which also needs the targets
        self._forecast: Callable[[Row, Row], Row] | None = None
        self._before = (0, 0.0)
        self._rows: list[Row] = []  # blocks of rows
        self._labels: list[Row] = []
        self._n_kept = 0
        self._refused = False
        self._executor = ThreadPoolExecutor(1)  # one thread: batches are counted in order
        self._futures: list[Future[None]] = []

    def rows_left(self, device: Device) -> int:
        """Return the rows until the twin is created; 0 afterwards."""
        return 0 if self._has_started else max(0, self.after - device.steps)

    @property
    def _has_started(self) -> bool:
        return self._answers is not None or self._forecast is not None

    def add_rows(self, device: Device, X: Row, y: Row) -> None:
        """Add unscaled rows that were learned and counted."""
        if self._has_started:
            self._rows.append(X)
            self._labels.append(y)
            self._n_kept += len(y)
            if self._n_kept >= _BATCH:
                self._ask()
        elif device.steps >= self.after:
            self._start(device)

    def _start(self, device: Device) -> None:
        if self._config.forecasts:
            self._forecast = FrozenForecaster(device.copy_memory()).answers
            self._before = self._learner_loss()
            return
        learner = pickle.loads(pickle.dumps(device.learner))
        if self._config.resolved.params.get("last_label"):  # it receives no more labels
            learner.restart()
        targets = (0.0, 1.0)
        if device.target_scaler is not None:
            scaler = device.target_scaler
            targets = float(scaler.mean_[0]), float(scaler.scale_[0]) or 1.0
        answers = answer_function(learner, self._config.resolved.kind, *targets)
        scaler = pickle.loads(pickle.dumps(device.scaler))
        self._answers = (
            answers if scaler is None else lambda X: answers(np.asarray(scaler.transform(X)))
        )
        self._before = self._learner_loss()

    def _learner_loss(self) -> tuple[int, float]:
        rows = self._learning_metrics.rows
        return rows, self._learning_metrics.mean_loss("learner") * rows

    def _ask(self) -> None:
        rows, labels = self._rows, self._labels
        self._rows, self._labels, self._n_kept = [], [], 0
        self._futures.append(self._executor.submit(self._count, rows, labels))

    def _count(self, rows: list[Row], labels: list[Row]) -> None:
        """Count the answers to rows, in a separate thread: prediction releases the GIL."""
        X, y = np.concatenate(rows), np.concatenate(labels)
        try:
            self._metrics.add_answers(y, self._answer(X, y))
        except ValueError:  # a row that only the learner with later statistics accepts
            self._refused = True

    def _answer(self, X: Row, y: Row) -> Row:
        """Return the answers to rows; a forecaster receives each target after its answer."""
        if self._forecast is not None:
            return self._forecast(X, y)
        assert self._answers is not None
        return self._answers(X)

    def result(self) -> Frozen | None:
        """Return the twin's result; None if it answered no row."""
        if self._rows:
            self._ask()
        for one in self._futures:
            one.result()
        self._executor.shutdown()
        if not self._metrics.rows or self._refused:
            return None
        (first, before), (last, now) = self._before, self._learner_loss()
        learner = (now - before) / max(1, last - first)
        loss = self._metrics.mean_loss("learner")
        words = self._metrics.words
        return Frozen(self.after, self._metrics.rows, loss, learner, words(loss), words(learner))
