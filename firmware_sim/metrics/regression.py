"""Errors of real numbers, beside repeating the last value and the mean so far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from firmware_sim.metrics.base import NOTHING, Figure, Figures, Metrics, RowContext, ratio
from firmware_sim.metrics.course import Course, Forecasts
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.metrics.formats import short, thousandths
from firmware_sim.streams import Row


@dataclass
class Deviation:
    """Errors of predictions of real numbers."""

    rows: int = 0
    absolute: float = 0.0  # sum of |error|
    squared: float = 0.0
    intervals: int = 0  # rows that were answered with one
    inside: int = 0  # of them, targets that fell into it

    def add(self, target: float, prediction: float) -> None:
        """Count one row."""
        error = prediction - target
        self.rows += 1
        self.absolute += abs(error)
        self.squared += error * error

    def add_block(self, targets: Row, predictions: Row) -> Row:
        """Count rows; return the sum of |error| after each."""
        errors = predictions - targets
        self.rows += len(errors)
        # Added one after the other, as `add` does.
        absolute = np.add.accumulate(np.concatenate([[self.absolute], np.abs(errors)]))
        with np.errstate(over="ignore"):  # infinite, as it is there
            squared = np.add.accumulate(np.concatenate([[self.squared], errors * errors]))
        self.absolute, self.squared = float(absolute[-1]), float(squared[-1])
        return np.asarray(absolute[1:])

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

    learner, mean, last_value: the three records; the curve has their absolute errors.
    spread: sum of the squared distances of all targets from their mean.
    course: what a forecaster said; without a row where the learner is none.
    """

    kind = "regression"
    table: ClassVar = {
        "mae": Figure(
            "MAE",
            short,
            lambda own, _: own.mae,
            "mean absolute error, in the unit of the target",
        ),
        "rmse": Figure(
            "RMSE", short, lambda own, _: own.rmse, "as MAE, with large errors counted for more"
        ),
        "r2": Figure(
            "R2",
            thousandths,
            lambda own, all: _gain(own.squared, all.spread),
            "share of the target's variance that is explained: 1 is perfect, 0 as good as its mean",
        ),
        "r2_last_value": Figure(
            "R2 vs last value",
            thousandths,
            lambda own, all: _gain(own.squared, all.last_value.squared),
            "1 is perfect, 0 as good as repeating the last value, below 0 worse",
        ),
    }
    baselines: ClassVar = {"mean": "running mean", "last_value": "last value"}
    shares = False
    over_time = loss_name = "mean absolute error"
    over_boards = "mean absolute error / that of the last value"
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
        self.course = Course(points)
        self.spread = 0.0  # sum of squared distances from it

    def add(
        self, label: float, score: float, known: bool = True, context: RowContext = NOTHING
    ) -> None:
        """Count one row; before the first target the baselines say 0. See `Metrics.add`."""
        self.learner.add(label, score)
        if context.shares:
            self.course.add(label, score, context.interval, context.shares)
        if context.interval is not None:
            low, high = context.interval
            self.learner.intervals += 1
            self.learner.inside += low <= label <= high
        self.mean.add(label, self._known_mean)
        self.last_value.add(label, self._last)
        delta = label - self._mean
        self._mean += delta / self.learner.rows
        self.spread += delta * (label - self._mean)
        self.curve.add(self.learner.absolute, self.mean.absolute, self.last_value.absolute)
        if known:
            self.observe(label)

    def add_block(self, labels: Row, scores: Row, context: Sequence[RowContext] = ()) -> None:
        """Count rows; see `Metrics.add_block`."""
        if any(one.shares or one.interval is not None for one in context):
            super().add_block(labels, scores, context)
        elif len(labels):
            self._add_many(labels, scores, *self._baselines(labels))

    def add_forecasts(self, labels: Row, scores: Row, said: Forecasts) -> None:
        """Count rows that a forecaster answered, as `observe` and `add` do one by one."""
        if not len(labels):
            return
        self.course.add_block(labels, scores, said)
        self.learner.intervals += int(np.count_nonzero(~np.isnan(said.low)))
        self.learner.inside += int(np.count_nonzero((said.low <= labels) & (labels <= said.high)))
        self._add_many(labels, scores, *self._baselines(labels, said.came, said.late))

    def _baselines(
        self,
        labels: Row,
        came: Mapping[int, Sequence[float]] = MappingProxyType({}),
        late: Set[int] = frozenset(),
    ) -> tuple[Row, Row]:
        """Return what the baselines say of rows, and tell them the targets; see `Forecasts`."""
        rows, mean, spread = self.learner.rows, self._mean, self.spread
        last, known, own = self._last, self._known, self._known_mean
        means, lasts = np.empty(len(labels)), np.empty(len(labels))
        for at, label in enumerate(labels.tolist()):
            for heard in came.get(at, ()):
                last = heard
                known += 1
                own += (heard - own) / known
            means[at], lasts[at] = own, last
            rows += 1
            delta = label - mean
            mean += delta / rows
            spread += delta * (label - mean)
            if at not in late:
                last = label
                known += 1
                own += (label - own) / known
        self._mean, self.spread = mean, spread
        self._last, self._known, self._known_mean = last, known, own
        return means, lasts

    def _add_many(self, labels: Row, scores: Row, means: Row, lasts: Row) -> None:
        """Count the errors of all three."""
        said = ((self.learner, scores), (self.mean, means), (self.last_value, lasts))
        self.curve.add_block(
            np.column_stack([record.add_block(labels, answers) for record, answers in said])
        )

    def observe(self, label: float) -> None:
        """Tell the baselines a target."""
        self._last = label
        self._known += 1
        self._known_mean += (label - self._known_mean) / self._known

    def summary(self) -> dict[str, Figures]:
        """Return every figure; of a learner whose answers had intervals, the share inside, too."""
        told = super().summary()
        if self.learner.intervals:
            told["learner"]["inside"] = self.learner.inside / self.learner.intervals
        return told

    def loss(self, name: str) -> float:
        """Return what is compared: the sum of absolute errors of one of the three."""
        record: Deviation = getattr(self, name)
        return record.absolute

    def shown(self, name: str) -> str:
        """Return the mean absolute error in words."""
        return f"{self.mean_loss(name):.4g} MAE"

    @property
    def comparable(self) -> float | None:
        """The mean absolute error as a multiple of that of the last value."""
        return ratio(self.mean_loss("learner"), self.mean_loss("last_value"))

    def words(self, loss: float) -> str:
        """Return a mean absolute error in words."""
        return f"{loss:.4g} mean absolute error"


def _gain(squared: float, reference: float) -> float | None:
    return 1.0 - squared / reference if reference else None
