"""Errors of real-valued predictions, and of two baselines: the last value and the running mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firmware_sim.metrics.base import (
    NOTHING,
    Context,
    Figure,
    Figures,
    Metrics,
    ratio,
    short,
    thousandths,
)
from firmware_sim.metrics.curve import CURVE_POINTS, Curve, ForecastTimeline
from firmware_sim.streams import Row


@dataclass
class Deviation:
    """Errors of predictions of real numbers."""

    rows: int = 0
    absolute: float = 0.0  # sum of |error|
    squared: float = 0.0
    intervals: int = 0  # rows that were answered with an interval
    inside: int = 0  # of these, rows whose target was within it

    def add_block(self, targets: Row, predictions: Row) -> Row:
        """Count rows; return the sum of |error| after each."""
        errors = predictions - targets
        self.rows += len(errors)
        # Added sequentially, so that the size of blocks does not change the rounding.
        absolute = np.add.accumulate(np.concatenate([[self.absolute], np.abs(errors)]))
        with np.errstate(over="ignore"):  # becomes infinite
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
    """Errors of the learner and of two baselines: the last value and the running mean.

    learner, mean, last_value: the three records; the curve has their absolute errors.
    spread: sum of the squared deviations of all targets from their mean.
    timeline: the answers of a forecaster; empty for other learners.
    """

    kind = "regression"
    table: ClassVar = {
        "mae": Figure(
            "MAE",
            short,
            lambda record, _: record.mae,
            "mean absolute error, in the unit of the target",
        ),
        "rmse": Figure(
            "RMSE",
            short,
            lambda record, _: record.rmse,
            "as MAE, with large errors counted for more",
        ),
        "r2": Figure(
            "R2",
            thousandths,
            lambda record, metrics: _gain(record.squared, metrics.spread),
            "share of the target's variance that is explained: 1 is perfect, 0 as good as its mean",
        ),
        "r2_last_value": Figure(
            "R2 vs last value",
            thousandths,
            lambda record, metrics: _gain(record.squared, metrics.last_value.squared),
            "1 is perfect, 0 as good as repeating the last value, below 0 worse; from squared "
            "errors, of which those of the first rows, answered by 0, may outweigh all others",
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
        #: number and mean of the revealed targets, and of all targets
        self._revealed = self._all = (0, 0.0)
        self.timeline = ForecastTimeline(points)
        self.spread = 0.0

    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows; before the first target the baselines predict 0. See `Metrics.add_block`."""
        if not len(labels):
            return
        details = context.forecasts
        if details is not None:
            self.timeline.add_block(labels, scores, details)
            self.learner.intervals += int(np.count_nonzero(~np.isnan(details.low)))
            within = (details.low <= labels) & (labels <= details.high)
            self.learner.inside += int(np.count_nonzero(within))
        means = known = _means(*self._all, labels)
        revealed, before = labels, np.arange(len(labels))
        if context.revealed is not None:
            revealed, before = context.revealed
        if context.revealed is not None or self._revealed != self._all:
            known = _means(*self._revealed, revealed)
        lasts = np.concatenate([[self._last], revealed])
        terms = (labels - means[:-1]) * (labels - means[1:])
        self.spread = float(np.add.accumulate(np.concatenate([[self.spread], terms]))[-1])
        self._all = self._all[0] + len(labels), float(means[-1])
        self._revealed = self._revealed[0] + len(revealed), float(known[-1])
        self._last = float(lasts[-1])
        self.curve.add_block(
            np.column_stack([
                self.learner.add_block(labels, scores),
                self.mean.add_block(labels, known[before]),
                self.last_value.add_block(labels, lasts[before]),
            ])
        )  # fmt: skip

    def summary(self) -> dict[str, Figures]:
        """Return all figures; with intervals, also the share of targets inside."""
        figures = super().summary()
        if self.learner.intervals:
            figures["learner"]["inside"] = self.learner.inside / self.learner.intervals
        return figures

    def loss(self, name: str) -> float:
        """Return the sum of absolute errors of one of the three."""
        record: Deviation = getattr(self, name)
        return record.absolute

    def shown(self, name: str) -> str:
        """Return the mean absolute error of one of the three as text."""
        return f"{self.mean_loss(name):.4g} MAE"

    @property
    def comparable(self) -> float | None:
        """The mean absolute error divided by that of the last value."""
        return ratio(self.mean_loss("learner"), self.mean_loss("last_value"))

    def words(self, loss: float) -> str:
        """Return a mean absolute error as text."""
        return f"{loss:.4g} mean absolute error"


def _means(n: int, mean: float, values: Row) -> Row:
    """Return the mean before the first value and after each; `mean` is that of n earlier ones."""
    found = [mean]
    for at, value in enumerate(values.tolist(), n + 1):
        mean += (value - mean) / at
        found.append(mean)
    return np.array(found)


def _gain(squared: float, reference: float) -> float | None:
    return 1.0 - squared / reference if reference else None
