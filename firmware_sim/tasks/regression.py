"""Targets that are real numbers, scaled as they come."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from firmware_sim.containment.memory import Need
from firmware_sim.streams import Row


def target_need() -> Need:
    """Return what scaling the targets needs."""
    return Need("target scaler", ek.RunningScaler.plan(1).nbytes, "mean and spread of the targets")


class TargetScale:
    """Running mean and standard deviation of the targets.

    buffer: as large as `target_need` says.
    scaler: what keeps them.
    """

    def __init__(self, buffer: memoryview) -> None:
        self.scaler = ek.RunningScaler(1, buffer=buffer)
        self._one = np.empty(1)

    @classmethod
    def made(cls) -> TargetScale:
        """Return one in memory of its own."""
        return cls(memoryview(bytearray(target_need().nbytes)))

    @property
    def present(self) -> tuple[float, float]:
        """Mean and standard deviation so far; a spread of 0 counts as 1."""
        mean = self.scaler.mean_
        assert mean is not None
        return float(mean[0]), float(self.scaler.scale_[0]) or 1.0

    def learn(self, target: float) -> float:
        """Take a target in and return it scaled."""
        self._one[0] = target
        return float(self.scaler.learn_transform_one(self._one, self._one)[0])


def scaled_targets(scale: TargetScale, y: Row) -> tuple[Row, Row, Row]:
    """Return targets scaled as they come, and mean and spread before each; `scale` goes on."""
    told, before = np.empty((len(y), 1)), np.zeros((len(y), 2))
    done = scale.scaler._learn_transform_many(np.ascontiguousarray(y).reshape(-1, 1), told, before)
    assert done == len(y)  # it is never frozen
    means, spreads = before.T
    return told[:, 0], means.copy(), np.where(spreads != 0.0, spreads, 1.0)
