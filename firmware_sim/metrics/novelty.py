"""Alarms of a learner that is told no labels, judged against labelled windows where there are any.

A window is a stretch of rows labelled +1. An alarm is a stretch of rows called novel, and counts
once. An alarm that touches no window is false, where there are labels at all. The area under the
ROC curve is computed over single rows, from a sample of fixed size of each kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.base import (
    NOTHING,
    Contexts,
    Figure,
    Looked,
    LookedMany,
    Metrics,
    RowContext,
    ratio,
)
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.metrics.formats import count, duration, short, thousandths
from firmware_sim.metrics.oddities import Oddities, Standstill
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: Scores of rows of either kind that are kept for the area; more rows are sampled.
SAMPLED = 100_000
#: Windows that are remembered by their rows, for pictures.
_DRAWN = 256
_DAY = 86_400.0
#: Steps of the baseline's threshold, as a factor of the distance.
_STEP = 0.05


class Sample:
    """A sample of fixed size of numbers as they come, every one as likely to be in it."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._held: list[float] = []
        self._rng = np.random.default_rng((seed, 4))
        self.seen = 0

    def add(self, value: float) -> None:
        """Take a number (Vitter, algorithm R, ACM TOMS 1985)."""
        self.seen += 1
        if len(self._held) < self._size:
            self._held.append(value)
            return
        place = int(self._rng.integers(self.seen))
        if place < self._size:
            self._held[place] = value

    def add_block(self, values: Row) -> None:
        """Take numbers, as `add` does one by one."""
        room = max(0, self._size - len(self._held))
        self._held += values[:room].tolist()
        self.seen += len(values[:room])
        for value in values[room:].tolist():
            self.add(value)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The numbers held."""
        return np.array(self._held)


def area(low: npt.ArrayLike, high: npt.ArrayLike) -> float | None:
    """Return how often a number of `high` is above one of `low`, ties counted half."""
    below, above = np.sort(np.asarray(low, float)), np.asarray(high, float)
    if not below.size or not above.size:
        return None
    under = np.searchsorted(below, above, "left") + np.searchsorted(below, above, "right")
    return float(under.sum()) / (2.0 * below.size * above.size)


class Watch:
    """The alarms of a learner or a baseline.

    alarm_rows, alarms, false_alarms: rows called novel; stretches of them; those that touch no
        window.
    windows, detected: windows, and those with an alarm in them.
    hold: rows without an alarm that do not end one.
    """

    def __init__(self, sampled: int, hold: int = 0) -> None:
        self._hold, self._quiet = hold, 0
        self.rows = self.alarm_rows = self.alarms = self.false_alarms = 0
        self.windows = self.detected = 0
        self.inside, self.outside = Sample(sampled, 0), Sample(sampled, 1)
        self._delay_rows = self._delay_seconds = 0.0
        self._timed = 0
        self._sounding = self._touched = False
        self._window: tuple[int, float] | None = None  # first row and its time
        self._found = False

    def add(self, label: float, novelty: float, alarm: bool, seconds: float) -> None:
        """Count one row; a label of NaN says nothing."""
        self.rows += 1
        self.alarm_rows += alarm
        within = label > 0.0
        if not math.isnan(label):
            (self.inside if within else self.outside).add(novelty)
        if within and self._window is None:
            self.windows += 1
            self._window, self._found = (self.rows, seconds), False
        elif not within:
            self._window = None
        if not alarm:
            self._quiet += 1
            if self._quiet > self._hold:
                self._end()
            return
        self._quiet = 0
        if not self._sounding:
            self.alarms += 1
            self._sounding, self._touched = True, False
        self._touched |= within
        if self._window is not None and not self._found:
            self._detect(*self._window, seconds)

    def add_block(self, labels: Row, novelty: Row, alarms: Row, seconds: Row) -> None:
        """Count rows, as `add` does one by one."""
        n, before = len(labels), self.rows
        within = labels > 0.0
        self.alarm_rows += int(np.count_nonzero(alarms))
        self.inside.add_block(novelty[within])
        self.outside.add_block(novelty[~within & ~np.isnan(labels)])
        begins = within & ~np.concatenate([[self._window is not None], within[:-1]])
        last = -1 - self._quiet  # the row of the last alarm
        for at in np.flatnonzero(begins | alarms).tolist():
            self.rows, moment = before + at + 1, float(seconds[at])
            if begins[at]:
                self.windows += 1
                self._window, self._found = (self.rows, moment), False
            if not alarms[at]:
                continue
            if at - last - 1 > self._hold:
                self._end()
            last = at
            if not self._sounding:
                self.alarms += 1
                self._sounding, self._touched = True, False
            self._touched |= bool(within[at])
            if within[at] and self._window is not None and not self._found:
                self._detect(*self._window, moment)
        self.rows, self._quiet = before + n, n - 1 - last
        if self._quiet > self._hold:
            self._end()
        if not within[-1]:
            self._window = None

    def _detect(self, first: int, began: float, seconds: float) -> None:
        self._found = True
        self.detected += 1
        self._delay_rows += self.rows - first
        if math.isfinite(seconds - began):
            self._delay_seconds += seconds - began
            self._timed += 1

    def _end(self) -> None:
        """An alarm is over, if there was one."""
        self.false_alarms += self._sounding and not self._touched
        self._sounding = False

    @property
    def auc(self) -> float | None:
        """Area under the ROC curve; None without rows of both kinds."""
        return area(self.outside.values, self.inside.values)

    @property
    def judged(self) -> bool:
        """Whether there were labels of both kinds."""
        return bool(self.inside.seen and self.outside.seen)

    @property
    def delay_rows(self) -> float | None:
        """Rows from the beginning of a window to its first alarm, in the mean."""
        return ratio(self._delay_rows, self.detected)

    def delay_seconds(self, period: float | None) -> float | None:
        """Return these rows as a time, by the stream's own clock where it has one."""
        seconds, late = ratio(self._delay_seconds, self._timed), self.delay_rows
        return late * period if seconds is None and late is not None and period else seconds

    def a_day(self, count: float | None, period: float | None) -> float | None:
        """Return a count for each day of rows that are `period` seconds apart."""
        days = 0.0 if period is None else self.rows * period / _DAY
        return None if count is None else ratio(count, days)

    @property
    def false(self) -> int | None:
        """False alarms, one that still sounds among them; None without labels of both kinds."""
        if not self.judged:
            return None
        return int(self.false_alarms + (self._sounding and not self._touched))


class Distance:
    """A detector without a model: how far a row lies from the mean, in standard deviations.

    The mean of the squared distances over the readings; its threshold sets itself so that a share
    `nu` of the rows lies above it.
    """

    def __init__(self, nu: float) -> None:
        self._nu = nu
        self._threshold = math.inf
        self._n = self._mean = self._squares = np.zeros(0)

    def look_many(self, rows: Row) -> tuple[Row, Row]:
        """Return the distance of each row, taken in then, and its readings in deviations.

        Absent readings count as usual ones. Shapes (n,) and (n, d).
        """
        n, d = rows.shape
        if not len(self._n):
            self._n = self._mean = self._squares = np.zeros(d)
        there = np.isfinite(rows)
        whole = there.all(axis=1).tolist()
        counts = self._n + np.vstack([np.zeros(d), np.cumsum(there, axis=0)])
        shares = np.maximum(1.0, counts)
        deltas, sums, mean = np.empty((n, d)), np.empty((n + 1, d)), self._mean.copy()
        sums[0] = self._squares
        step = np.empty(d)
        add, divide, multiply, subtract = np.add, np.divide, np.multiply, np.subtract
        each = zip(rows, there, whole, deltas, shares[1:], sums[:-1], sums[1:], strict=True)
        for row, known, all_known, delta, share, before, after in each:
            x = row if all_known else np.where(known, row, mean)
            subtract(x, mean, delta)
            divide(delta, share, step)
            add(mean, step, mean)
            subtract(x, mean, step)
            multiply(delta, step, step)
            add(before, step, after)
        self._n, self._mean, self._squares = counts[-1], mean, sums[-1].copy()
        spreads, squares = sums[:-1] / shares[:-1], np.zeros((n, d))
        np.divide(deltas**2, spreads, out=squares, where=spreads > 0.0)
        return squares.mean(axis=1), np.copysign(np.sqrt(squares), deltas)

    def alarms(self, distances: Row) -> npt.NDArray[np.bool_]:
        """Return which distances are above the threshold, which moves after each."""
        found = np.zeros(len(distances), dtype=bool)
        threshold = self._threshold
        up, down = (math.exp(_STEP * (alarm - self._nu)) for alarm in (True, False))
        for at, distance in enumerate(distances.tolist()):
            if threshold == math.inf and distance > 0.0:
                threshold = distance
            if distance > threshold:
                found[at] = True
                threshold *= up
            else:
                threshold *= down
        self._threshold = threshold
        return found


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
        "auc": Figure("AUC", thousandths, lambda own, _: own.auc),
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
        "detected": Figure("found", count, lambda own, _: own.detected),
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

    def look(self, row: Row) -> Looked:
        """Return how far a row lies from the mean, and the row."""
        looked: Looked = self.look_many(row[np.newaxis])[0]
        return looked

    def look_many(self, rows: Row) -> LookedMany:
        """Return what `look` does of each of many rows."""
        distances, apart = self._baseline.look_many(rows)
        return LookedMany(distances, rows, apart, self._standstill.add_block(rows))

    def add(
        self, label: float, score: float, known: bool = True, context: RowContext = NOTHING
    ) -> None:
        """Count one row; a label of NaN says nothing. See `Metrics.add`."""
        level, looked, seconds = context.level, context.looked.distance, context.seconds
        self.learner.add(label, -(score + level), score < 0.0, seconds)
        alarm = bool(self._baseline.alarms(np.array([looked]))[0])
        self.distance.add(label, looked, alarm, seconds)
        self.oddities.add(self.rows, -(score + level), score < 0.0, context)
        self.curve.add(self.learner.alarm_rows, self.distance.alarm_rows)
        if label > 0.0:
            self._note_window(self.rows)

    def add_block(self, labels: Row, scores: Row, context: Sequence[RowContext] = ()) -> None:
        """Count rows; see `Metrics.add_block`."""
        if not isinstance(context, Contexts):
            super().add_block(labels, scores, context)
            return
        if not len(labels):
            return
        first, distances = self.rows + 1, context.looked.distances
        novelty, alarms = -(scores + context.levels), scores < 0.0
        others = self._baseline.alarms(distances)
        running = [
            watch.alarm_rows + np.cumsum(called)
            for watch, called in ((self.learner, alarms), (self.distance, others))
        ]
        self.learner.add_block(labels, novelty, alarms, context.seconds)
        self.distance.add_block(labels, distances, others, context.seconds)
        self.oddities.add_block(first, novelty, alarms, context)
        self.curve.add_block(np.column_stack(running))
        for row in (first + np.flatnonzero(labels > 0.0)).tolist():
            self._note_window(row)

    def _note_window(self, row: int) -> None:
        """Remember a row that lies in a labelled window, as long as there is room."""
        if self.windows and self.windows[-1][1] == row - 1:
            self.windows[-1][1] = row
        elif len(self.windows) < _DRAWN:
            self.windows.append([row, row])

    def observe(self, label: float) -> None:
        """Nobody is told labels."""

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
