"""Rows in the order of time without labels: the learner is restarted after long gaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision, When
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Score
from firmware_sim.tasks.learning import LearnResult
from firmware_sim.tasks.regression import TargetScale


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
