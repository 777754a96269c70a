"""Labels as they come: late, sometimes never, or only where the learner asks for them."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Score, Watched
from firmware_sim.tasks.regression import TargetScale
from firmware_sim.tasks.teaching import Taught, said_of, teach_noting

_STAMP = 8  # bytes that say when a row came


class When(NamedTuple):
    """Numbers of rows, and when they were taken, NaN where that is not known; shapes (n,)."""

    numbers: npt.NDArray[np.int64]
    seconds: Row

    def part(self, rows: Any) -> When:
        """Return those of some rows."""
        return When(self.numbers[rows], self.seconds[rows])


@dataclass
class LabelCount:
    """What became of labels."""

    learned: int = 0  # labels that reached the learner
    missing: int = 0  # labels that never came
    saved: int = 0  # labels the learner did not ask for
    lost: int = 0  # labels that came when their row had fallen off the queue
    waiting: int = 0  # labels still to come at the end
    cut: int = 0  # labels whose row was lost in a power cut


class Supervision:
    """Gives the learner each label when it comes; rows wait for theirs in a queue of fixed size.

    config: delay, missing share, whether the learner is asked.
    n_features: numbers in a row.
    buffer: the queue, of `nbytes` bytes; needed where labels are late.
    counts: what became of labels so far.
    came: labels of earlier rows that came before the last row was scored.
    at_once: whether the last row's own label came with it.
    """

    def __init__(
        self, config: ReplayConfig, n_features: int, buffer: memoryview | None = None
    ) -> None:
        self.counts = LabelCount()
        self.came: list[float] = []
        self.at_once = True
        self._config = config
        self._delay, self._in_seconds = config.delay
        self._rng = np.random.default_rng((config.seed, 1))
        self._plain = not config.waits_for_labels
        self._size = config.queue_rows
        self._clock = math.nan
        self._head = 0
        # The device knows when each row came; what its label will be, only the test bench does.
        self._labels: deque[tuple[float, float | None]] = deque()
        if buffer is not None:
            stamps = self._size * _STAMP
            self._stamps = np.frombuffer(buffer[:stamps], np.float64)
            rows = np.frombuffer(buffer[stamps:], row_type(config))
            self._rows = rows.reshape(self._size, n_features)

    @staticmethod
    def nbytes(config: ReplayConfig, n_features: int) -> int:
        """Return the bytes of the queue, 0 where labels come at once."""
        return config.queue_rows * (_STAMP + n_features * row_type(config).itemsize)

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> Score:
        """Score a row, and learn whatever labels have come.

        learner: changed.
        row: scaled readings.
        label: what the test bench knows.
        number: number of the row.
        seconds: when it was taken; NaN where that is not known.
        Raises RuntimeError, ValueError: the learner refuses a row.
        Raises SimulatorError: the delay is in seconds and the stream has none.

        Returns: the score before the row's own label.
        """
        if self._plain:
            self.counts.learned += 1
            plain: Score = learner.learn_one(row, label)
            return plain
        self.came.clear()
        self.at_once = False
        now = self._now(number, seconds)
        self._arrive(learner, now)
        score = float(learner.decision_one(row))
        never = self._rng.random() < self._config.label_missing
        if self._config.ask and not learner.ask_label(row):
            self.counts.saved += 1
        elif self._delay:
            self._queue(row, now, None if never else label)
        elif never:
            self.counts.missing += 1
        else:
            learner.learn_one(row, label)
            self.counts.learned += 1
            self.at_once = True
        self.counts.waiting = len(self._labels)
        return score

    def enter(
        self, found: Taught, at: int, learner: Any, row: Row, label: float, when: When
    ) -> None:
        """Enter into `found` what `step` makes of the row at a place.

        Raises SimulatorError: as `step`.
        """
        found.done = at + 1
        try:
            said = self.step(learner, row, label, int(when.numbers[at]), float(when.seconds[at]))
        except SimulatorError:
            raise
        except RuntimeError as error:
            found.stopped, found.done = error, at
            return
        except ValueError as error:
            found.refused[at] = error
            return
        if isinstance(said, Watched):
            found.scores[at], found.levels[at], found.verdicts[at] = said
        else:
            found.scores[at] = said
        if found.said.size:
            found.said[at] = said_of(learner)
        if self.came:
            found.came[at] = [*self.came]
        if not self.at_once:
            found.late.add(at)

    def after_cut(self, before: Supervision, learner: Any, lost: int) -> None:
        """Go on after a power cut: the rows of the queue are gone, their labels will come.

        before: what the device had.
        learner: what it goes on with; None where it is in another process.
        lost: rows learned, or asked for, since what the checkpoint held.
        """
        self.counts = before.counts
        self.counts.cut += self.counts.waiting
        self.counts.waiting = 0

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> Taught:
        """Learn rows whose labels come with them, as `step` does one by one.

        kind, learner, targets, X, y: as of `teaching.teach`.
        when: numbers and times of the rows.
        """
        self.counts.learned += len(y)
        return teach_noting(kind, learner, targets, X, y)

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

    def _arrive(self, learner: Any, now: float) -> None:
        """Learn the rows whose labels have come by now."""
        while self._labels and now - self._stamps[self._head] >= self._delay:
            _, label = self._labels.popleft()
            place = self._head
            self._head = (place + 1) % self._size
            if label is None:
                self.counts.missing += 1
            else:
                self.came.append(label)
                learner.learn_one(self._rows[place], label)
                self.counts.learned += 1

    def _queue(self, row: Row, now: float, label: float | None) -> None:
        if len(self._labels) == self._size:  # the oldest falls off
            self._labels.popleft()
            self._head = (self._head + 1) % self._size
            self.counts.lost += 1
        place = (self._head + len(self._labels)) % self._size
        self._rows[place] = row
        self._stamps[place] = now
        self._labels.append((now, label))


def row_type(config: ReplayConfig) -> np.dtype[Any]:
    """Return how a waiting row is stored: as finely as the learner will see it."""
    return np.dtype(np.float64 if config.resolved.dtype == "float64" else np.float32)
