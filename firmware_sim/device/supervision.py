"""Delivery of labels: late, sometimes never, or only on request of the learner.

A learner that uses the order of rows restarts after long gaps.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.streams import Row

_STAMP = 8  # bytes of a row's arrival time


@dataclass
class LabelCount:
    """Counts of labels by outcome."""

    learned: int = 0  # labels that reached the learner
    missing: int = 0  # labels that never arrived
    saved: int = 0  # labels that the learner did not request
    lost: int = 0  # labels that arrived after their row was dropped from the queue
    waiting: int = 0  # labels that are still pending at the end
    cut: int = 0  # labels whose row was lost in a power cut


class Supervision:
    """Delivers each label to the learner when it arrives; pending rows are in a fixed queue.

    config: delay, share of missing labels, whether the learner requests labels.
    n_features: numbers in a row.
    buffer: the queue of `nbytes` bytes; needed if labels are late.
    counts: counts of labels so far.
    arrived: labels of earlier rows that arrived before the last row was scored.
    at_once: whether the last row's own label arrived with it.
    """

    #: Whether a learner may have a queue of answers; a forecaster has one of rows.
    _may_ask = True

    def __init__(
        self, config: ReplayConfig, n_features: int, buffer: memoryview | None = None
    ) -> None:
        self.counts = LabelCount()
        self.arrived: list[float] = []
        self.at_once = True
        self._config = config
        self._delay, self._in_seconds = config.delay
        self._rng = np.random.default_rng((config.seed, 1))
        self._immediate = not config.waits_for_labels
        # A learner with `delay` judges its experts by what they answered.
        delay = int(config.resolved.params.get("delay") or 0)
        self._asks = delay > 0 and not self._immediate and self._may_ask
        if self._asks:
            self._check_delay(delay)
        self._size = config.queue_rows
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = self._clock = math.nan
        self._head = 0
        # The device knows the arrival time of each row; only the test bench knows its label.
        self._labels: deque[tuple[float, float | None]] = deque()
        if buffer is not None:
            stamps = self._size * _STAMP
            self._stamps = np.frombuffer(buffer[:stamps], np.float64)
            rows = np.frombuffer(buffer[stamps:], row_type(config))
            self._rows = rows.reshape(self._size, n_features)

    @staticmethod
    def nbytes(config: ReplayConfig, n_features: int) -> int:
        """Return the bytes of the queue, 0 if labels arrive with their rows."""
        return config.queue_rows * (_STAMP + n_features * row_type(config).itemsize)

    def step(
        self, trainer: Any, row: Row, label: float, number: int, seconds: float
    ) -> tuple[Any, ...]:
        """Answer a row, and learn the labels that have arrived.

        trainer: of the learner, which is changed.
        row: scaled readings.
        label: known only to the test bench.
        number: number of the row.
        seconds: time of the row; NaN if unknown.
        Raises RuntimeError, ValueError: the learner refuses a row.
        Raises SimulatorError: the delay is in seconds and the stream has no times.

        Returns: the answer before the row's own label is learned.
        """
        if seconds - self._seconds > self._gap:
            self._restart(trainer)
        if math.isfinite(seconds):
            self._seconds = seconds
        trainer.moment = seconds
        if self._immediate:
            self.counts.learned += 1
            answer: tuple[Any, ...] = trainer.learn_one(row, label)
            return answer
        self.arrived.clear()
        self.at_once = False
        now = self._now(number, seconds)
        self._learn_arrived(trainer, now)
        is_wanted = not self._config.ask or trainer.ask_label(row)
        answer = (trainer.ask_one if self._asks and is_wanted else trainer.decision_one)(row)
        is_missing = self._rng.random() < self._config.label_missing
        if not is_wanted:
            self.counts.saved += 1
        elif self._delay:
            self._queue(trainer, row, now, None if is_missing else label)
        elif is_missing:
            self.counts.missing += 1
            self._give_up(trainer)
        else:
            trainer.learn_one(row, label)
            self.counts.learned += 1
            self.at_once = True
        self.counts.waiting = len(self._labels)
        return answer

    @property
    def pending(self) -> list[float | None]:
        """The labels of pending rows, the oldest first; None if one never arrives."""
        return [label for _, label in self._labels]

    def record_step(self, found: Batch, at: int, trainer: Any, row: Row) -> None:
        """Run `step` for the row of index `at`, and write its outcome into its record.

        found: the outcome of the rows before; if learning stops, only their records are left.
        Raises SimulatorError: as `step`.
        """
        record = found.rows[at]
        number = int(record["row"])
        try:
            answer = self.step(
                trainer, row, float(record["label"]), number, float(record["seconds"])
            )
        except SimulatorError:
            raise
        except RuntimeError as error:
            found.stopped, found.rows = error, found.rows[:at]
            return
        except ValueError as error:
            record["refused"] = True
            found.reasons[number] = error
            return
        trainer.note(found.rows, at, answer)
        record["n_arrived"], record["late"] = len(self.arrived), not self.at_once
        if self.arrived:
            found.arrived = np.append(found.arrived, self.arrived)

    def after_cut(self, previous: Supervision, trainer: Any, lost: int) -> None:
        """Continue after a power cut: pending rows are lost, their labels will find none.

        previous: the supervision before the cut.
        trainer: of the restored learner.
        lost: rows learned, or answered, since the checkpoint.
        """
        self.counts = previous.counts
        self.counts.cut += self.counts.waiting
        self.counts.waiting = 0

    def learn_many(self, trainer: Any, X: Row, y: Row, when: When) -> Batch:
        """Learn rows whose labels arrive with them, as `step` does one by one.

        trainer: of the learner.
        X, y: scaled rows and their labels.
        when: numbers and times of the rows.
        """
        self.counts.learned += len(y)
        parts: list[Batch] = []
        ends = [*self._rows_after_gaps(trainer, when), len(y)]
        for first, end in pairwise([0, *ends]):
            if end > first:
                rows = slice(first, end)
                parts.append(trainer.learn(X[rows], y[rows], when.part(rows)))
                if parts[-1].stopped is not None:
                    break
            if end < len(y):
                self._restart(trainer)
        return Batch.joined(parts) if parts else Batch(trainer.records(y, when))

    def _restart(self, trainer: Any) -> None:
        """Have the learner forget the recent past, after a long gap."""
        trainer.restart()

    def _check_delay(self, rows: int) -> None:
        """Raise SimulatorError if more rows wait for labels than the learner has places for."""
        if self._in_seconds or self._delay > rows:
            raise SimulatorError(
                f"--label-delay {self._config.label_delay} must be at most the {rows} rows of the "
                f"learner's delay={rows}, and given in rows"
            )

    def _give_up(self, trainer: Any) -> None:
        """The oldest row that waits gets no label."""
        if self._asks:
            trainer.tell_one(None)

    def _rows_after_gaps(self, trainer: Any, when: When) -> list[int]:
        """Return the indices of the rows before which there is a long gap."""
        seconds = when.seconds
        if math.isinf(self._gap):
            return []
        known = np.flatnonzero(np.isfinite(seconds))
        gaps = np.diff(seconds[known], prepend=self._seconds) > self._gap
        if len(known):
            self._seconds = float(seconds[known[-1]])
        return [*known[gaps].tolist()]

    def _now(self, number: int, seconds: float) -> float:
        if not self._in_seconds:
            return float(number)
        if math.isfinite(seconds):
            self._clock = seconds
        if math.isnan(self._clock):
            raise SimulatorError(
                "--label-delay in seconds needs the time of each row: name the column with "
                "--time, or give the delay in rows"
            )
        return self._clock

    def _learn_arrived(self, trainer: Any, now: float) -> None:
        """Learn the rows whose labels have arrived by now."""
        while self._labels and now - self._stamps[self._head] >= self._delay:
            _, label = self._labels.popleft()
            place = self._head
            self._head = (place + 1) % self._size
            if label is None:
                self.counts.missing += 1
                self._give_up(trainer)
            else:
                self.arrived.append(label)
                trainer.learn_one(self._rows[place], label)
                self.counts.learned += 1

    def _queue(self, trainer: Any, row: Row, now: float, label: float | None) -> None:
        if len(self._labels) == self._size:  # the oldest is dropped
            self._labels.popleft()
            self._give_up(trainer)
            self._head = (self._head + 1) % self._size
            self.counts.lost += 1
        place = (self._head + len(self._labels)) % self._size
        self._rows[place] = row
        self._stamps[place] = now
        self._labels.append((now, label))


def row_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return the type of pending rows: that of the learner's rows."""
    return np.dtype(np.float64 if config.resolved.dtype == "float64" else np.float32)
