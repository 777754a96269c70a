"""Targets of a forecaster as they come: the learner keeps the rows that wait for them."""

from __future__ import annotations

import math
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Forecast


class ForecastSupervision(Supervision):
    """Asks a forecaster about each row, and tells it each target when it comes.

    config, n_features, counts, came, at_once: as for `Supervision`.
    """

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan
        self._begins = True

    def step(
        self, learner: Any, row: Row, label: float, number: int, seconds: float
    ) -> Forecast | float:
        """Answer a row, and learn whatever targets have come; see `Supervision.step`."""
        self.came.clear()
        self.at_once = False
        # A learner that a checkpoint gave back may have rows that wait: which, nobody knows now.
        cut = self._begins and getattr(learner, "n_waiting", 0) > 0
        if cut or seconds - self._seconds > self._gap:
            self._forget(learner)
        self._begins = False
        self._seconds = seconds
        if self._plain:
            self.at_once = True
            self.counts.learned += 1
            said: float = learner.learn_one(row, label)
            return _forecast(learner, said)
        now = self._now(number, seconds)
        while self._labels and now - self._labels[0][0] >= self._delay:
            self._tell(learner, self._labels.popleft()[1])
        answer = _forecast(learner, float(learner.ask_one(row)))
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

    def _tell(self, learner: Any, label: float | None) -> None:
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


def _forecast(learner: Any, said: float) -> Forecast | float:
    """An answer with its interval and shares, where the learner is at hand."""
    shares = getattr(learner, "shares", None)
    if shares is None:
        return said
    found = learner.interval
    interval = found if found is None or isinstance(found[0], float) else found[0]
    return Forecast(said, interval, shares)
