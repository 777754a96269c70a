"""Targets of a forecaster as they come: the learner keeps the rows that wait for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision, When
from firmware_sim.streams import Row
from firmware_sim.tasks.regression import TargetScale
from firmware_sim.tasks.teaching import Taught, numbers_said


class ForecastSupervision(Supervision):
    """Asks a forecaster about each row, and tells it each target when it comes.

    config, n_features, counts, came, at_once: as for `Supervision`.
    """

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan
        self._begins = True

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> float:
        """Answer a row, and learn whatever targets have come; see `Supervision.step`."""
        self.came.clear()
        self.at_once = False
        if self._starts_anew(learner) or seconds - self._seconds > self._gap:
            self._forget(learner)
        self._seconds = seconds
        if self._plain:
            self.at_once = True
            self.counts.learned += 1
            return float(learner.learn_one(row, label))
        now = self._now(number, seconds)
        while self._labels and now - self._labels[0][0] >= self._delay:
            self._tell(learner, self._labels.popleft()[1])
        answer = float(learner.ask_one(row))
        never = self._rng.random() < self._config.label_missing
        if len(self._labels) == self._size > 0:  # the learner has dropped the oldest
            self._labels.popleft()
            self.counts.lost += 1
        self._labels.append((now, None if never else label))
        if not self._delay:
            self._tell(learner, self._labels.popleft()[1])
            self.came.clear()
            self.at_once = not never
        self.counts.waiting = len(self._labels)
        return answer

    def after_cut(self, before: Supervision, learner: Any, lost: int) -> None:
        """Go on after a power cut: rows that waited at the checkpoint wait still.

        They lie in the learner. Targets that came between checkpoint and cut went with the RAM and
        come no more; rows taken in between are gone, and their targets will find none.
        """
        self.counts, self._begins, self._clock = before.counts, False, before._clock
        waited = list(before._labels)
        self._labels.extend(waited[: max(0, len(waited) - lost)])
        self.counts.cut += len(waited) - len(self._labels)
        self.counts.waiting = len(self._labels)
        for _ in range(getattr(learner, "n_waiting", 0) - len(self._labels)):
            learner.tell_one(None)

    def _starts_anew(self, learner: Any) -> bool:
        """Whether a learner out of a file has rows that wait: which, nobody knows."""
        begins, self._begins = self._begins, False
        return begins and getattr(learner, "n_waiting", 0) > 0

    def _tell(self, learner: Any, label: float | None) -> None:
        """Tell the target of the oldest row that waits.

        One that the learner refuses is told as never known: the row would wait for the next target
        else, which is another row's.
        """
        try:
            learner.tell_one(label)
        except ValueError:
            if label is None:
                raise
            label = None
            learner.tell_one(label)
        if label is None:
            self.counts.missing += 1
        else:
            self.came.append(label)
            self.counts.learned += 1

    def _forget(self, learner: Any) -> None:
        """Rows after a long stop: the history, and the rows that wait, are not theirs."""
        self.counts.lost += len(self._labels)
        self._labels.clear()
        learner.restart()

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> Taught:
        """Learn rows whose targets come with them; see `Supervision.learn_many`."""
        whole, first = Taught.of(len(y), numbers_said(learner)), 0
        gaps = np.diff(when.seconds, prepend=self._seconds) > self._gap
        if len(y):
            gaps[0] |= self._starts_anew(learner)
        for end in [*np.flatnonzero(gaps).tolist(), len(y)]:
            if end > first:
                rows = slice(first, end)
                own = super().learn_many(kind, learner, targets, X[rows], y[rows], when.part(rows))
                own.enter(whole, first)
                self._seconds = float(when.seconds[end - 1])
            if end < len(y):
                self._forget(learner)
            first = end
        return whole
