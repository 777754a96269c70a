"""Alarms of a learner without labels, evaluated against labelled windows if there are any.

A window is a run of rows labelled +1. An alarm is a run of rows called novel, and counts once. If
there are labels, an alarm that overlaps no window is false. The area under the ROC curve is
computed over single rows, from a sample of fixed size of each class.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from firmware_sim.metrics.alarms import Distance, Watch
from firmware_sim.metrics.anomalies import Anomalies, Standstill
from firmware_sim.metrics.base import (
    NOTHING,
    Context,
    Figure,
    Metrics,
    NoveltyRows,
    RowDeviations,
    count,
    duration,
    short,
    thousandths,
)
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: Scores of either class that are kept for the area; of more rows, a sample.
SAMPLED = 100_000
#: Most windows whose rows are kept for pictures.
_DRAWN = 256


class Novelty(Metrics):
    """The alarms of a learner without labels and of the distance from the mean.

    A negative score means novel.

    nu: share of the rows that should be called novel.
    cadence: measures the seconds between rows.
    period: seconds between rows, if given by the user.
    sampled: most scores of either class that are kept for the area under the curve.
    hold: rows without an alarm that do not end one.
    anomalies: alarms with their reasons, and the most novel rows.
    learner, distance: the two records.
    windows: rows of the first labelled windows, counted from 1.
    """

    kind = "novelty"
    baselines: ClassVar = {"distance": "distance"}
    over_time = "rows with an alarm"
    loss_name = "area above the ROC curve"
    over_boards = "area above the ROC curve, %"
    table: ClassVar = {
        "auc": Figure(
            "AUC",
            thousandths,
            lambda record, _: record.auc,
            "how often a labelled row looks more novel than another: 1 is perfect, .5 is chance",
        ),
        "alarm_rows": Figure("rows alarmed", count, lambda record, _: record.alarm_rows),
        "alarms": Figure("alarms", count, lambda record, _: record.alarms),
        "alarms_a_day": Figure(
            "alarms a day",
            short,
            lambda record, metrics: record.per_day(record.alarms, metrics.elapsed),
        ),
        "false_alarms": Figure("false alarms", count, lambda record, _: record.false),
        "false_alarms_a_day": Figure(
            "false a day",
            short,
            lambda record, metrics: record.per_day(record.false, metrics.elapsed),
        ),
        "windows": Figure("windows", count, lambda record, _: record.windows),
        "detected": Figure(
            "found", count, lambda record, _: record.detected, "windows with an alarm in them"
        ),
        "delay_rows": Figure("delay in rows", short, lambda record, _: record.delay_rows),
        "delay_seconds": Figure(
            "in time", duration, lambda record, metrics: record.delay_seconds(metrics.period)
        ),
    }
    learner: Watch

    def __init__(
        self,
        nu: float,
        cadence: Cadence | None = None,
        period: float | None = None,
        *,
        points: int = CURVE_POINTS,
        sampled: int = SAMPLED,
        hold: int = 0,
    ) -> None:
        self.learner, self.distance = Watch(sampled, hold), Watch(sampled, hold)
        self.anomalies = Anomalies()
        self._standstill = Standstill()
        self.curve = Curve(points, ("learner", "distance"))
        self.windows: list[list[int]] = []
        self._max_sampled = sampled
        self._baseline = Distance(nu)
        self._cadence = cadence
        self._period = period

    def row_deviations(self, rows: Row) -> RowDeviations:
        """Return how far the readings of rows are from their means."""
        distances, z_scores = self._baseline.measure(rows)
        return RowDeviations(distances, rows, z_scores, self._standstill.add_block(rows))

    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows; NaN means no label. See `Metrics.add_block`."""
        if not len(labels):
            return
        known = context.watched or NoveltyRows.of(np.zeros(len(labels)))
        first, distances = self.rows + 1, known.deviations.distances
        # Subtracted from 0: the negative of 0 would be -0 in every list of scores.
        novelty, alarms = 0.0 - (scores + known.levels), scores < 0.0
        baseline_alarms = self._baseline.alarms(distances)
        running = [
            watch.alarm_rows + np.cumsum(called)
            for watch, called in ((self.learner, alarms), (self.distance, baseline_alarms))
        ]
        self.learner.add_block(labels, novelty, alarms, known.seconds)
        self.distance.add_block(labels, distances, baseline_alarms, known.seconds)
        self.anomalies.add_block(first, novelty, alarms, known)
        self.curve.add_block(np.column_stack(running))
        for row in (first + np.flatnonzero(labels > 0.0)).tolist():
            self._note_window(row)

    def _note_window(self, row: int) -> None:
        """Extend the last labelled window by a row, or start one if there is capacity."""
        if self.windows and self.windows[-1][1] == row - 1:
            self.windows[-1][1] = row
        elif len(self.windows) < _DRAWN:
            self.windows.append([row, row])

    @property
    def judged(self) -> bool:
        """Whether there are labelled rows of both classes."""
        return self.learner.judged

    @property
    def sampled(self) -> bool:
        """Whether the area is computed from a sample."""
        return max(self.learner.inside.seen, self.learner.outside.seen) > self._max_sampled

    def loss(self, name: str) -> float:
        """Return the area above the ROC curve."""
        watch: Watch = getattr(self, name)
        return 1.0 - (watch.auc or 0.0)

    def mean_loss(self, name: str) -> float:
        """Return the area above the ROC curve, which is a mean already."""
        return self.loss(name)

    def shown(self, name: str) -> str:
        """Return the area under the ROC curve as text."""
        return self.words(self.loss(name))

    def words(self, loss: float) -> str:
        """Return the area under the ROC curve as text."""
        return f"AUC {1.0 - loss:.3f}"

    @property
    def comparable(self) -> float | None:
        """The area above the ROC curve; None without labels of both classes."""
        return self.loss("learner") if self.judged else None

    @property
    def elapsed(self) -> float | None:
        """Seconds that the rows cover; None if unknown."""
        if self._period is None:
            return None if self._cadence is None else self._cadence.elapsed
        return self.rows * self._period

    @property
    def period(self) -> float | None:
        """Seconds between rows; None if unknown."""
        if self._period is None and self._cadence is not None:
            return self._cadence.period
        return self._period
