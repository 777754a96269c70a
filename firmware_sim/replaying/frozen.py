"""The same learner, frozen after the first rows, to measure the value of learning on the board."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.batch import Batch
from firmware_sim.replaying.checked import Flags
from firmware_sim.replaying.held_out import Answers, frozen_answers
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

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

    If rows are held out, they measure a frozen learner.

    The history of a forecaster continues: its targets must arrive at once and without gaps.
    """
    kind = config.label_kind
    possible = kind.is_supervised
    if kind.keeps_rows:
        possible = not config.waits_for_labels and config.gap is None
    asked = bool(config.frozen_after) and not config.holds_out
    return asked and possible and config.enforce == "arena"


class FrozenTwin:
    """A copy of the learner after the first rows.

    config: the configuration of the replay.
    metrics: the metrics of the learner that continues to learn.
    after: rows that the copy has learned.
    """

    def __init__(self, config: ReplayConfig, metrics: Metrics) -> None:
        self._config, self._learning_metrics = config, metrics
        self.after = config.frozen_after
        self._metrics = config.label_kind.metrics(Cadence())
        #: from rows and labels, each of which follows its answer
        self._answers: Answers | None = None
        self._before = (0, 0.0)
        self._rows: list[Row] = []  # blocks of rows
        self._labels: list[Row] = []
        self._counts: list[Flags] = []
        self._n_kept = 0
        self._refused = False
        self._executor = ThreadPoolExecutor(1)  # one thread: batches are counted in order
        self._futures: list[Future[None]] = []

    def rows_left(self, device: Device) -> int:
        """Return the rows until the twin is created; 0 afterwards."""
        return 0 if self._answers is not None else max(0, self.after - device.steps)

    def add_rows(self, device: Device, X: Row, y: Row, counts: Flags) -> None:
        """Add unscaled rows that were learned; `counts` says which of them are counted."""
        if self._answers is not None:
            self._rows.append(X)
            self._labels.append(y)
            self._counts.append(counts)
            self._n_kept += len(y)
            if self._n_kept >= _BATCH:
                self._ask()
        elif device.steps >= self.after:
            self._start(device)

    def _start(self, device: Device) -> None:
        self._answers = frozen_answers(self._config, device)
        self._before = self._learner_loss()

    def _learner_loss(self) -> tuple[int, float]:
        rows = self._learning_metrics.rows
        return rows, self._learning_metrics.mean_loss("learner") * rows

    def _ask(self) -> None:
        rows, labels, counts = self._rows, self._labels, self._counts
        self._rows, self._labels, self._counts, self._n_kept = [], [], [], 0
        self._futures.append(self._executor.submit(self._count, rows, labels, counts))

    def _count(self, rows: list[Row], labels: list[Row], counts: list[Flags]) -> None:
        """Count the answers to rows, in a separate thread: prediction releases the GIL."""
        assert self._answers is not None
        X, y, which = np.concatenate(rows), np.concatenate(labels), np.concatenate(counts)
        try:
            answers = self._answers(X, y)
            self._metrics.add_answers(Batch.of(label=y[which], score=answers[which]))
        except ValueError:  # a row that only the learner with later statistics accepts
            self._refused = True

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
