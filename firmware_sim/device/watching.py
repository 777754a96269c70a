"""Rows that are watched in the order of time: a long stop between them is told to the learner."""

from __future__ import annotations

import math
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Score


class WatchSupervision(Supervision):
    """Has each row learned; see `Supervision`."""

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> Score:
        """Learn a row; see `Supervision.step`."""
        if seconds - self._seconds > self._gap:
            learner.restart()
        if math.isfinite(seconds):
            self._seconds = seconds
        return super().step(learner, row, label, number, seconds)
