"""Targets of a forecaster, delivered as they arrive: the learner itself stores pending rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.supervision import Supervision, When
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import TargetScale
from firmware_sim.tasks.learning import LearnResult, n_outputs


class ForecastSupervision(Supervision):
    """Requests a forecast for each row, and delivers each target when it arrives.

    config, n_features, counts, arrived, at_once: as for `Supervision`.
    """

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan
        self._is_first = True

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> float:
        """Answer a row, and learn the targets that have arrived; see `Supervision.step`."""
        self.arrived.clear()
        self.at_once = False
        if self._has_unknown_pending(learner) or seconds - self._seconds > self._gap:
            self._restart_history(learner)
        self._seconds = seconds
        if self._immediate:
            self.at_once = True
            self.counts.learned += 1
            return float(learner.learn_one(row, label))
        now = self._now(number, seconds)
        while self._labels and now - self._labels[0][0] >= self._delay:
            self._deliver(learner, self._labels.popleft()[1])
        answer = float(learner.ask_one(row))
        is_missing = self._rng.random() < self._config.label_missing
        if len(self._labels) == self._size > 0:  # the learner has dropped the oldest
            self._labels.popleft()
            self.counts.lost += 1
        self._labels.append((now, None if is_missing else label))
        if not self._delay:
            self._deliver(learner, self._labels.popleft()[1])
            self.arrived.clear()
            self.at_once = not is_missing
        self.counts.waiting = len(self._labels)
        return answer

    def after_cut(self, previous: Supervision, learner: Any, lost: int) -> None:
        """Continue after a power cut: rows that were pending at the checkpoint are still pending.

        They are stored in the learner. Targets that arrived between checkpoint and cut were lost
        with the RAM and do not come again; rows of that time are lost, and their targets find none.
        """
        self.counts, self._is_first, self._clock = previous.counts, False, previous._clock
        pending = list(previous._labels)
        self._labels.extend(pending[: max(0, len(pending) - lost)])
        self.counts.cut += len(pending) - len(self._labels)
        self.counts.waiting = len(self._labels)
        for _ in range(getattr(learner, "n_waiting", 0) - len(self._labels)):
            learner.tell_one(None)

    def _has_unknown_pending(self, learner: Any) -> bool:
        """Whether a learner from a file has pending rows, of which this object knows nothing."""
        begins, self._is_first = self._is_first, False
        return begins and getattr(learner, "n_waiting", 0) > 0

    def _deliver(self, learner: Any, label: float | None) -> None:
        """Deliver the target of the oldest pending row.

        A target that the learner refuses is delivered as missing: otherwise the row would receive
        the next target, which belongs to another row.
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
            self.arrived.append(label)
            self.counts.learned += 1

    def _restart_history(self, learner: Any) -> None:
        """Forget the history and the pending rows after a long gap."""
        self.counts.lost += len(self._labels)
        self._labels.clear()
        learner.restart()

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> LearnResult:
        """Learn rows whose targets arrive with them; see `Supervision.learn_many`."""
        total, first = LearnResult.empty(len(y), n_outputs(learner)), 0
        gaps = np.diff(when.seconds, prepend=self._seconds) > self._gap
        if len(y):
            gaps[0] |= self._has_unknown_pending(learner)
        for end in [*np.flatnonzero(gaps).tolist(), len(y)]:
            if end > first:
                rows = slice(first, end)
                part = super().learn_many(kind, learner, targets, X[rows], y[rows], when.part(rows))
                part.write_into(total, first)
                self._seconds = float(when.seconds[end - 1])
            if end < len(y):
                self._restart_history(learner)
            first = end
        return total
