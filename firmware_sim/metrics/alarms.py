"""Alarms, evaluated by labelled windows, and the baseline: a detector without a model."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.base import ratio
from firmware_sim.metrics.ranking import Sample, area
from firmware_sim.streams import Row

_DAY = 86_400.0
#: Step size of the threshold, on a logarithmic scale.
_STEP = 0.05


class Watch:
    """The alarms of a learner or a baseline.

    alarm_rows, alarms, false_alarms: rows called novel; runs of them; runs that overlap no window.
    windows, detected: labelled windows, and those with an alarm in them.
    hold: rows without an alarm that do not end one.
    """

    def __init__(self, sampled: int, hold: int = 0) -> None:
        self._hold, self._quiet = hold, 0
        self.rows = self.alarm_rows = self.alarms = self.false_alarms = 0
        self.windows = self.detected = 0
        self.inside, self.outside = Sample(sampled, 0), Sample(sampled, 1)
        self._delay_rows = self._delay_seconds = 0.0
        self._n_timed = 0
        self._sounding = self._touched = False
        self._window: tuple[int, float] | None = None  # first row and its time
        self._detected = False

    def add_block(
        self, labels: Row, novelty: Row, alarms: npt.NDArray[np.bool_], seconds: Row
    ) -> None:
        """Count rows; NaN means no label."""
        n, before = len(labels), self.rows
        within = labels > 0.0
        self.alarm_rows += int(np.count_nonzero(alarms))
        self.inside.add_block(novelty[within])
        self.outside.add_block(novelty[~within & ~np.isnan(labels)])
        begins = within & ~np.concatenate([[self._window is not None], within[:-1]])
        last = -1 - self._quiet  # the row of the last alarm
        windows, found = np.flatnonzero(begins), np.flatnonzero(alarms)
        self.windows += len(windows)
        n_begun = 0  # windows up to here; of those without an alarm, only the last one matters
        for at, n_before in zip(
            found.tolist(), np.searchsorted(windows, found, "right").tolist(), strict=True
        ):
            if n_before > n_begun:
                self._begin(before, int(windows[n_before - 1]), seconds)
                n_begun = n_before
            self.rows = before + at + 1
            if at - last - 1 > self._hold:
                self._end()
            last = at
            if not within[at]:
                self._window = None
            self._extend_alarm(bool(within[at]), float(seconds[at]))
        if len(windows) > n_begun:
            self._begin(before, int(windows[-1]), seconds)
        self.rows, self._quiet = before + n, n - 1 - last
        if self._quiet > self._hold:
            self._end()
        if not within[-1]:
            self._window = None

    def _begin(self, before: int, at: int, seconds: Row) -> None:
        """Begin a labelled window at the row of index `at`, after so many rows."""
        self._window, self._detected = (before + at + 1, float(seconds[at])), False

    def _extend_alarm(self, within: bool, seconds: float) -> None:
        """Add the current row to the current alarm, or start a new alarm."""
        if not self._sounding:
            self.alarms += 1
            self._sounding, self._touched = True, False
        self._touched |= within
        if self._window is not None and not self._detected:
            self._detect(*self._window, seconds)

    def _detect(self, first: int, began: float, seconds: float) -> None:
        self._detected = True
        self.detected += 1
        self._delay_rows += self.rows - first
        if math.isfinite(seconds - began):
            self._delay_seconds += seconds - began
            self._n_timed += 1

    def _end(self) -> None:
        """End the current alarm, if there is one."""
        self.false_alarms += self._sounding and not self._touched
        self._sounding = False

    @property
    def auc(self) -> float | None:
        """Area under the ROC curve; None without rows of both classes."""
        return area(self.outside.values, self.inside.values)

    @property
    def judged(self) -> bool:
        """Whether there were labels of both classes."""
        return bool(self.inside.seen and self.outside.seen)

    @property
    def delay_rows(self) -> float | None:
        """Mean number of rows from the start of a window to its first alarm."""
        return ratio(self._delay_rows, self.detected)

    def delay_seconds(self, period: float | None) -> float | None:
        """Return the mean delay in seconds, by the stream's own clock if it has one."""
        seconds, late = ratio(self._delay_seconds, self._n_timed), self.delay_rows
        return late * period if seconds is None and late is not None and period else seconds

    def per_day(self, count: float | None, seconds: float | None) -> float | None:
        """Return a count per day, for rows that cover so many seconds.

        None under a day: one alarm in 19 minutes does not mean 76 a day.
        """
        if count is None or seconds is None or seconds < _DAY:
            return None
        return ratio(count, seconds / _DAY)

    @property
    def false(self) -> int | None:
        """False alarms, including a current one; None without labels of both classes."""
        if not self.judged:
            return None
        return int(self.false_alarms + (self._sounding and not self._touched))


class Distance:
    """A detector without a model: the distance of a row from the mean, in standard deviations.

    The mean over the readings of their squared z-scores. The threshold adapts so that a share `nu`
    of the rows exceeds it.
    """

    def __init__(self, nu: float) -> None:
        self._nu = nu
        self._threshold = math.inf
        #: by channel: the number of readings, the first one, the sum of differences from it, and
        #: the sum of squared deviations from the mean
        self._n = self._origin = self._sum = self._squares = np.zeros(0)

    def measure(self, rows: Row) -> tuple[Row, Row]:
        """Return distances and z-scores of rows, each by the statistics of the rows before it.

        Missing readings have a z-score of 0. Shapes (n,) and (n, d). Sums are sequential, so that
        the size of blocks does not change the rounding.
        """
        there = np.isfinite(rows)
        is_complete = bool(there.all())

        def known(values: Row) -> Row:
            """Return values with 0 where a reading is missing."""
            return values if is_complete else np.where(there, values, 0.0)

        d = rows.shape[1]
        if not len(self._n):
            self._n, self._sum, self._squares = np.zeros((3, d))
            self._origin = np.full(d, np.nan)
        new = np.isnan(self._origin) & there.any(axis=0)
        if new.any():
            self._origin[new] = rows[there.argmax(axis=0), np.arange(d)][new]
        origin = np.nan_to_num(self._origin)
        order = np.arange(len(rows) + 1.0)[:, np.newaxis]
        counts = self._n + (order if is_complete else np.vstack([np.zeros(d), there.cumsum(0)]))
        shares = np.maximum(1.0, counts)
        far = known(rows - origin)
        sums = np.add.accumulate(np.vstack([self._sum, far]))
        means = sums / shares  # relative to the origin, as all values here
        deltas = known(far - means[:-1])
        squares = np.add.accumulate(np.vstack([self._squares, deltas * known(far - means[1:])]))
        self._n, self._sum, self._squares = counts[-1], sums[-1].copy(), squares[-1].copy()
        spreads, found = squares[:-1] / shares[:-1], np.zeros(rows.shape)
        np.divide(deltas**2, spreads, out=found, where=spreads > 0.0)
        return found.mean(axis=1), np.copysign(np.sqrt(found), deltas)

    def alarms(self, distances: Row) -> npt.NDArray[np.bool_]:
        """Return which distances exceed the threshold, which adapts after each."""
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
