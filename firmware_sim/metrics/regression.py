"""Errors of real numbers, beside repeating the last value and the mean so far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from firmware_sim.metrics.base import NOTHING, Beside, Figures, Metrics
from firmware_sim.metrics.curve import CURVE_POINTS, Curve


@dataclass
class Deviation:
    """Errors of predictions of real numbers."""

    rows: int = 0
    absolute: float = 0.0  # sum of |error|
    squared: float = 0.0

    def add(self, target: float, prediction: float) -> None:
        """Count one row."""
        error = prediction - target
        self.rows += 1
        self.absolute += abs(error)
        self.squared += error * error

    @property
    def mae(self) -> float | None:
        """Mean absolute error."""
        return self.absolute / self.rows if self.rows else None

    @property
    def rmse(self) -> float | None:
        """Root of the mean squared error."""
        return math.sqrt(self.squared / self.rows) if self.rows else None


class Regression(Metrics):
    """The learner's errors beside two baselines': the last value, and the mean of all so far.

    Attributes
    ----------
    learner, mean, last_value : Deviation
        The three records; the curve has their absolute errors.
    """

    kind = "regression"
    baselines: ClassVar = {"mean": "running mean", "last_value": "last value"}
    shares = False
    over_time = "mean absolute error"
    learner: Deviation

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.learner = Deviation()
        self.mean = Deviation()
        self.last_value = Deviation()
        self.curve = Curve(points, ("learner", "mean", "last_value"), float)
        self._last = 0.0
        self._known = 0
        self._known_mean = 0.0
        self._mean = 0.0  # of all targets, known or not
        self._spread = 0.0  # sum of squared distances from it

    def add(self, label: float, score: float, known: bool = True, beside: Beside = NOTHING) -> None:
        """Count one row; before the first target the baselines say 0. See `Metrics.add`."""
        self.learner.add(label, score)
        self.mean.add(label, self._known_mean)
        self.last_value.add(label, self._last)
        delta = label - self._mean
        self._mean += delta / self.learner.rows
        self._spread += delta * (label - self._mean)
        self.curve.add(self.learner.absolute, self.mean.absolute, self.last_value.absolute)
        if known:
            self.observe(label)

    def observe(self, label: float) -> None:
        """Tell the baselines a target."""
        self._last = label
        self._known += 1
        self._known_mean += (label - self._known_mean) / self._known

    def loss(self, name: str) -> float:
        """Return what is compared: the sum of absolute errors of one of the three."""
        record: Deviation = getattr(self, name)
        return record.absolute

    def shown(self, name: str) -> str:
        """Return the mean absolute error in words."""
        return f"{self.mean_loss(name):.4g} MAE"

    def summary(self) -> dict[str, Figures]:
        """Return every figure by the name of who earned it.

        ``r2`` is against the mean of the whole stream, ``r2_last_value`` against repeating the last
        value: 0 where the learner is no better.
        """
        return {
            name: {
                "mae": record.mae,
                "rmse": record.rmse,
                "r2": _gain(record.squared, self._spread),
                "r2_last_value": _gain(record.squared, self.last_value.squared),
            }
            for name, record in (
                ("learner", self.learner),
                ("mean", self.mean),
                ("last_value", self.last_value),
            )
        }


def _gain(squared: float, reference: float) -> float | None:
    return 1.0 - squared / reference if reference else None
