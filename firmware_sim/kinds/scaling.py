"""The device's scaler of targets, for kinds whose learners do not scale them."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.containment.memory import Need
from firmware_sim.streams import Row


def target_need() -> Need:
    """Return the memory that scaling the targets needs."""
    return Need("target scaler", ek.RunningScaler.plan(1).nbytes, "mean and spread of the targets")


class TargetScale:
    """Running mean and standard deviation of the targets.

    buffer: memory of the size that `target_need` returns.
    scaler: the scaler in that memory.
    """

    def __init__(self, buffer: memoryview) -> None:
        self.scaler = ek.RunningScaler(1, buffer=buffer)
        self._one = np.empty(1)

    @classmethod
    def with_own_memory(cls) -> TargetScale:
        """Return one that allocates its own memory."""
        return cls(memoryview(bytearray(target_need().nbytes)))

    @property
    def current(self) -> tuple[float, float]:
        """Mean and standard deviation so far; a deviation of 0 counts as 1."""
        mean = self.scaler.mean_
        assert mean is not None
        return float(mean[0]), float(self.scaler.scale_[0]) or 1.0

    def learn(self, target: float) -> float:
        """Update the statistics with a target and return it scaled."""
        self._one[0] = target
        return float(self.scaler.learn_transform_one(self._one, self._one)[0])


def scaled_targets(scale: TargetScale, y: Row) -> tuple[Row, Row, Row]:
    """Return targets scaled one by one, and mean and deviation before each; updates `scale`."""
    scaled, before = np.empty((len(y), 1)), np.zeros((len(y), 2))
    column = np.ascontiguousarray(y).reshape(-1, 1)
    n_done = hosting.scale_many(scale.scaler, column, scaled, before)
    assert n_done == len(y)  # it is never frozen
    means, spreads = before.T
    return scaled[:, 0], means.copy(), np.where(spreads != 0.0, spreads, 1.0)
