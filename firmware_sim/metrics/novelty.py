"""Alarms of a learner that is told no labels, judged against labelled windows where there are any.

A window is a stretch of rows labelled +1. An alarm is a stretch of rows called novel, and counts
once. An alarm that touches no window is false, where there are labels at all. The area under the
ROC curve is computed over single rows, from a sample of fixed size of each kind.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from firmware_sim.metrics.base import NOTHING, Context, Figure, LookedMany, Metrics, WatchedMany
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.metrics.distance import Distance
from firmware_sim.metrics.formats import count, duration, short, thousandths
from firmware_sim.metrics.oddities import Oddities, Standstill
from firmware_sim.metrics.watch import Watch
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: Scores of rows of either kind that are kept for the area; more rows are sampled.
SAMPLED = 100_000
#: Windows that are remembered by their rows, for pictures.
_DRAWN = 256


class Novelty(Metrics):
    """The alarms of a learner without labels, beside those of the distance from the mean.

    A score below 0 means novel.

    nu: share of the rows that is to be called novel.
    cadence: tells the seconds between rows as they come.
    period: these seconds, where a user says so.
    sampled: rows of either kind that are kept for the area under the curve.
    hold: rows without an alarm that do not end one.
    oddities: alarms with their reasons, the oddest rows.
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
            lambda own, _: own.auc,
            "how often a labelled row looks more novel than another: 1 is perfect, .5 is chance",
        ),
        "alarm_rows": Figure("rows alarmed", count, lambda own, _: own.alarm_rows),
        "alarms": Figure("alarms", count, lambda own, _: own.alarms),
        "alarms_a_day": Figure(
            "alarms a day", short, lambda own, all: own.a_day(own.alarms, all.period)
        ),
        "false_alarms": Figure("false alarms", count, lambda own, _: own.false),
        "false_alarms_a_day": Figure(
            "false a day", short, lambda own, all: own.a_day(own.false, all.period)
        ),
        "windows": Figure("windows", count, lambda own, _: own.windows),
        "detected": Figure(
            "found", count, lambda own, _: own.detected, "windows with an alarm in them"
        ),
        "delay_rows": Figure("delay in rows", short, lambda own, _: own.delay_rows),
        "delay_seconds": Figure(
            "in time", duration, lambda own, all: own.delay_seconds(all.period)
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
        self.oddities = Oddities()
        self._standstill = Standstill()
        self.curve = Curve(points, ("learner", "distance"))
        self.windows: list[list[int]] = []
        self._most = sampled
        self._baseline = Distance(nu)
        self._cadence = cadence
        self._period = period

    def look(self, rows: Row) -> LookedMany:
        """Return how far rows lie from the mean, and the rows."""
        distances, apart = self._baseline.look_many(rows)
        return LookedMany(distances, rows, apart, self._standstill.add_block(rows))

    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows; a label of NaN says nothing. See `Metrics.add_block`."""
        if not len(labels):
            return
        known = context.watched or WatchedMany.of(np.zeros(len(labels)))
        first, distances = self.rows + 1, known.looked.distances
        # Taken from 0, as the minus of 0 would be -0 in every list of scores.
        novelty, alarms = 0.0 - (scores + known.levels), scores < 0.0
        others = self._baseline.alarms(distances)
        running = [
            watch.alarm_rows + np.cumsum(called)
            for watch, called in ((self.learner, alarms), (self.distance, others))
        ]
        self.learner.add_block(labels, novelty, alarms, known.seconds)
        self.distance.add_block(labels, distances, others, known.seconds)
        self.oddities.add_block(first, novelty, alarms, known)
        self.curve.add_block(np.column_stack(running))
        for row in (first + np.flatnonzero(labels > 0.0)).tolist():
            self._note_window(row)

    def _note_window(self, row: int) -> None:
        """Remember a row that lies in a labelled window, as long as there is room."""
        if self.windows and self.windows[-1][1] == row - 1:
            self.windows[-1][1] = row
        elif len(self.windows) < _DRAWN:
            self.windows.append([row, row])

    @property
    def judged(self) -> bool:
        """Whether there are labelled rows of both kinds to judge by."""
        return self.learner.judged

    @property
    def sampled(self) -> bool:
        """Whether the area is that of a sample."""
        return max(self.learner.inside.seen, self.learner.outside.seen) > self._most

    def loss(self, name: str) -> float:
        """Return what is compared: the area above the ROC curve."""
        watch: Watch = getattr(self, name)
        return 1.0 - (watch.auc or 0.0)

    def mean_loss(self, name: str) -> float:
        """Return the area above the ROC curve, which is a mean already."""
        return self.loss(name)

    def shown(self, name: str) -> str:
        """Return the area under it in words."""
        return self.words(self.loss(name))

    def words(self, loss: float) -> str:
        """Return the area under it in words."""
        return f"AUC {1.0 - loss:.3f}"

    @property
    def comparable(self) -> float | None:
        """The area above the ROC curve; None without labels of both kinds."""
        return self.loss("learner") if self.judged else None

    @property
    def period(self) -> float | None:
        """Seconds between rows, where that is known."""
        if self._period is None and self._cadence is not None:
            return self._cadence.period
        return self._period
