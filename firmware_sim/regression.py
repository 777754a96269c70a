"""Targets that are real numbers, scaled as they come."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from firmware_sim.memory import Need


def target_need() -> Need:
    """Return what scaling the targets needs."""
    return Need("target scaler", ek.RunningScaler.plan(1).nbytes, "mean and spread of the targets")


class TargetScale:
    """Running mean and standard deviation of the targets.

    Parameters
    ----------
    buffer : writable buffer
        As large as `target_need` says.

    Attributes
    ----------
    scaler : RunningScaler
        What keeps them.
    """

    def __init__(self, buffer: memoryview) -> None:
        self.scaler = ek.RunningScaler(1, buffer=buffer)
        self._one = np.empty(1)

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
