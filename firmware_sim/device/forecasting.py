"""Targets of a forecaster as they come: the learner keeps the rows that wait for them."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Forecast


class _Waiting(NamedTuple):
    """A row whose target has not come."""

    when: float
    label: float | None  # None: it never comes
    number: int  # the learner's steps when it was asked


class ForecastSupervision(Supervision):
    """Asks a forecaster about each row, and tells it each target when it comes.

    config, n_features, counts, came, at_once: as for `Supervision`.
    """

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan
        self._begins = True
        self._asked = 0
        self._targets: deque[_Waiting] = deque()

    def step(
        self, learner: Any, row: Row, label: float, number: int, seconds: float
    ) -> Forecast | float:
        """Answer a row, and learn whatever targets have come; see `Supervision.step`."""
        self.came.clear()
        self.at_once = False
        # A learner out of a file may have rows that wait: which, nobody knows.
        strange = self._begins and getattr(learner, "n_waiting", 0) > 0
        if strange or seconds - self._seconds > self._gap:
            self._forget(learner)
        if self._begins:
            self._asked = int(getattr(learner, "steps", 0))
        self._begins = False
        self._seconds = seconds
        if self._plain:
            self.at_once = True
            self.counts.learned += 1
            said: float = learner.learn_one(row, label)
            return _forecast(learner, said)
        now = self._now(number, seconds)
        while self._targets and now - self._targets[0].when >= self._delay:
            self._tell(learner, self._targets.popleft().label)
        answer = _forecast(learner, float(learner.ask_one(row)))
        never = self._rng.random() < self._config.label_missing
        self._asked += 1
        if len(self._targets) == self._size > 0:  # the learner has dropped the oldest
            self._targets.popleft()
            self.counts.lost += 1
        self._targets.append(_Waiting(now, None if never else label, self._asked))
        if not self._delay:
            self._tell(learner, self._targets.popleft().label)
            self.came.clear()
            self.at_once = not never
        self.counts.waiting = len(self._targets)
        return answer

    def after_cut(self, before: Supervision, learner: Any) -> None:
        """Go on after a power cut: rows that waited at the checkpoint wait still.

        They lie in the learner. Targets that came between checkpoint and cut went with the RAM and
        come no more; rows taken in between are gone, and their targets will find none.
        """
        assert isinstance(before, ForecastSupervision)
        self.counts, self._begins, self._clock = before.counts, False, before._clock
        self._asked = int(getattr(learner, "steps", 0))
        self._targets = deque(one for one in before._targets if one.number <= self._asked)
        self.counts.cut += len(before._targets) - len(self._targets)
        self.counts.waiting = len(self._targets)
        for _ in range(getattr(learner, "n_waiting", 0) - len(self._targets)):
            learner.tell_one(None)

    def _tell(self, learner: Any, label: float | None) -> None:
        learner.tell_one(label)
        if label is None:
            self.counts.missing += 1
        else:
            self.came.append(label)
            self.counts.learned += 1

    def _forget(self, learner: Any) -> None:
        """Rows after a long stop: the history, and the rows that wait, are not theirs."""
        self.counts.lost += len(self._targets)
        self._targets.clear()
        learner.restart()


def _forecast(learner: Any, said: float) -> Forecast | float:
    """An answer with its interval and shares, where the learner is at hand."""
    shares = getattr(learner, "shares", None)
    if shares is None:
        return said
    found = learner.interval
    interval = found if found is None or isinstance(found[0], float) else found[0]
    return Forecast(said, interval, shares)
