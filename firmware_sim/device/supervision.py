"""Delivery of labels: late, sometimes never, or only on request of the learner.

A learner of novelty receives rows in the order of time instead, and restarts after long gaps.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import NoveltyScore, Score, TargetScale
from firmware_sim.tasks.learning import LearnResult, forecast_outputs, learn_recording

_STAMP = 8  # bytes of a row's arrival time


class When(NamedTuple):
    """Numbers and times of rows, NaN if unknown; shapes (n,)."""

    numbers: npt.NDArray[np.int64]
    seconds: Row

    def part(self, rows: Any) -> When:
        """Return the numbers and times of some rows."""
        return When(self.numbers[rows], self.seconds[rows])


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
        self._size = config.queue_rows
        self._clock = math.nan
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

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> Score:
        """Score a row, and learn the labels that have arrived.

        learner: changed.
        row: scaled readings.
        label: known only to the test bench.
        number: number of the row.
        seconds: time of the row; NaN if unknown.
        Raises RuntimeError, ValueError: the learner refuses a row.
        Raises SimulatorError: the delay is in seconds and the stream has no times.

        Returns: the score before the row's own label is learned.
        """
        if self._immediate:
            self.counts.learned += 1
            score: Score = learner.learn_one(row, label)
            return score
        self.arrived.clear()
        self.at_once = False
        now = self._now(number, seconds)
        self._learn_arrived(learner, now)
        score = float(learner.decision_one(row))
        is_missing = self._rng.random() < self._config.label_missing
        if self._config.ask and not learner.ask_label(row):
            self.counts.saved += 1
        elif self._delay:
            self._queue(row, now, None if is_missing else label)
        elif is_missing:
            self.counts.missing += 1
        else:
            learner.learn_one(row, label)
            self.counts.learned += 1
            self.at_once = True
        self.counts.waiting = len(self._labels)
        return score

    def record_step(
        self, found: LearnResult, at: int, learner: Any, row: Row, label: float, when: When
    ) -> None:
        """Run `step` for the row of index `at`, and record its outcome in `found`.

        Raises SimulatorError: as `step`.
        """
        found.done = at + 1
        try:
            answer = self.step(learner, row, label, int(when.numbers[at]), float(when.seconds[at]))
        except SimulatorError:
            raise
        except RuntimeError as error:
            found.stopped, found.done = error, at
            return
        except ValueError as error:
            found.refused[at] = error
            return
        if isinstance(answer, NoveltyScore):
            found.scores[at], found.levels[at], found.reasons[at] = answer
        else:
            found.scores[at] = answer
        if found.outputs.size:
            found.outputs[at] = forecast_outputs(learner)
        if self.arrived:
            found.arrived[at] = [*self.arrived]
        if not self.at_once:
            found.late.add(at)

    def after_cut(self, previous: Supervision, learner: Any, lost: int) -> None:
        """Continue after a power cut: pending rows are lost, their labels will find none.

        previous: the supervision before the cut.
        learner: the restored learner; None if it is in another process.
        lost: rows learned, or answered, since the checkpoint.
        """
        self.counts = previous.counts
        self.counts.cut += self.counts.waiting
        self.counts.waiting = 0

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> LearnResult:
        """Learn rows whose labels arrive with them, as `step` does one by one.

        kind, learner, targets, X, y: as for `learning.learn_rows`.
        when: numbers and times of the rows.
        """
        self.counts.learned += len(y)
        return learn_recording(kind, learner, targets, X, y)

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

    def _learn_arrived(self, learner: Any, now: float) -> None:
        """Learn the rows whose labels have arrived by now."""
        while self._labels and now - self._stamps[self._head] >= self._delay:
            _, label = self._labels.popleft()
            place = self._head
            self._head = (place + 1) % self._size
            if label is None:
                self.counts.missing += 1
            else:
                self.arrived.append(label)
                learner.learn_one(self._rows[place], label)
                self.counts.learned += 1

    def _queue(self, row: Row, now: float, label: float | None) -> None:
        if len(self._labels) == self._size:  # the oldest is dropped
            self._labels.popleft()
            self._head = (self._head + 1) % self._size
            self.counts.lost += 1
        place = (self._head + len(self._labels)) % self._size
        self._rows[place] = row
        self._stamps[place] = now
        self._labels.append((now, label))


def row_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return the type of pending rows: that of the learner's rows."""
    return np.dtype(np.float64 if config.resolved.dtype == "float64" else np.float32)


class WatchSupervision(Supervision):
    """Learns each row, and restarts the learner after long gaps; see `Supervision`."""

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> LearnResult:
        """Learn rows; see `Supervision.learn_many`."""
        known = np.flatnonzero(np.isfinite(when.seconds))
        gaps = np.diff(when.seconds[known], prepend=self._seconds)
        if len(known):
            self._seconds = float(when.seconds[known[-1]])
        total, first = LearnResult.empty(len(y)), 0
        for end in [*known[gaps > self._gap].tolist(), len(y)]:
            part = slice(first, end)
            if end > first:
                found = super().learn_many(
                    kind, learner, targets, X[part], y[part], when.part(part)
                )
                found.write_into(total, first)
            if end < len(y):
                learner.restart()
            first = end
        return total

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> Score:
        """Learn a row; see `Supervision.step`."""
        if seconds - self._seconds > self._gap:
            learner.restart()
        if math.isfinite(seconds):
            self._seconds = seconds
        return super().step(learner, row, label, number, seconds)
