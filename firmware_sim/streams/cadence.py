"""The time between rows."""

from __future__ import annotations

import math
from statistics import fmean, median

import numpy as np

from firmware_sim.streams.block import Row

#: Gaps that the period is the median of.
_MAX_GAPS = 1_000
#: Rows are uneven if more than this share of gaps is longer than twice the period.
_UNEVEN = 0.1
#: Times are descending if gaps go back more than this many times as often as forward.
_MOSTLY = 9
_HOUR = 3_600.0
#: A step of more than this many usual ones is a gap between samples.
_STEPS = 10
#: The share of steps that are no gaps.
_RARE = 0.999


class Cadence:
    """The usual time between rows: the median of the first gaps, which is robust to breaks.

    If the newest row comes first, the median of the backward gaps.
    """

    def __init__(self) -> None:
        self._last = self._last_known = math.nan
        self._n_since = 0  # rows after the one with the last known time
        self._gaps: list[float] = []
        self._back: list[float] = []
        self._rose = self._fell = self._unknown = self._known = 0
        self._earliest, self._latest = math.inf, -math.inf

    def add_block(self, seconds: Row) -> None:
        """Add the times of rows; NaN means unknown."""
        if not len(seconds):
            return
        known = seconds[~np.isnan(seconds)]
        self._unknown += len(seconds) - len(known)
        self._known += len(known)
        self._earliest = float(known.min(initial=self._earliest))
        self._latest = float(known.max(initial=self._latest))
        gaps = seconds - np.concatenate([[self._last], seconds[:-1]])
        self._last = float(seconds[-1])
        if len(known):
            self._last_known = float(known[-1])
            self._n_since = int(np.isnan(seconds[::-1]).argmin())
        else:
            self._n_since += len(seconds)
        self._rose += int(np.count_nonzero(gaps > 0.0))
        self._fell += int(np.count_nonzero(gaps < 0.0))
        for held, some in ((self._gaps, gaps[gaps >= 0.0]), (self._back, -gaps[gaps <= 0.0])):
            held += some[: _MAX_GAPS - len(held)].tolist()

    @property
    def falls(self) -> bool:
        """Whether the newest row comes first: nearly every time is before that of the row above."""
        return self._fell > 1 and self._fell > _MOSTLY * self._rose

    def warning(self, delay_in_seconds: bool = False) -> str:
        """Return the warning about times that go back, or an empty string.

        delay_in_seconds: whether labels are delayed by seconds, which never elapse if times fall.
        """
        if self.falls:
            late = ", and a label that is late by seconds never comes" if delay_in_seconds else ""
            return (
                f"the times fall from row to row: the learner gets the newest row first{late}; "
                "sort the rows by time"
            )
        if not self._fell:
            return ""
        steps = self._fell + self._rose
        text = f"the times go back {self._fell:,} of {steps:,} times from one row to the next: "
        if 10 * self._fell > steps:
            return text + "the rows are not in the order of time; sort them by time"
        if self._repeats_hours():
            return text + (
                "an hour comes twice, as at the end of daylight saving time; write the log in UTC, "
                "and name the zone of the place with --clock-zone for its hours of the day"
            )
        return text + "a late row, or a clock that was set or started again"

    def _repeats_hours(self) -> bool:
        """Whether each step back is the one from the last row of an hour to its first one."""
        steps, period = [step for step in self._back if step > 0.0], self.period
        if period is None or not steps:
            return False
        return all(abs(step + period - _HOUR) <= 0.5 * period for step in steps)

    @property
    def last(self) -> float:
        """The time of the last row; NaN if unknown.

        That of a damaged row, such as the line of sums at the end, follows from those before it.
        """
        return self._last_known + self._n_since * (self.period or math.nan if self._n_since else 0)

    @property
    def mean(self) -> float | None:
        """Seconds between rows on average, breaks included; None if unknown or constant.

        Figures per day need this one: the median of sensors that report within seconds of each
        other every five minutes is seconds.
        """
        if self._known < 2 or self._latest <= self._earliest:
            return None
        return (self._latest - self._earliest) / (self._known - 1)

    @property
    def elapsed(self) -> float | None:
        """Seconds that the rows cover, one mean interval per row; None if unknown."""
        return None if self.mean is None else self._known * self.mean

    @property
    def period(self) -> float | None:
        """The usual seconds between rows; None if times are unknown or constant."""
        gaps = self._back if self.falls else self._gaps
        usual = median(gaps) if gaps else 0.0
        return usual if usual > 0.0 else None

    @property
    def is_uneven(self) -> bool:
        """Whether many rows come much later than usual, not only after a few breaks."""
        gaps, usual = self._back if self.falls else self._gaps, self.period
        if usual is None:
            return False
        return sum(gap > 2.0 * usual for gap in gaps) > _UNEVEN * len(gaps)

    @property
    def seconds_per_row(self) -> float | None:
        """What a number of rows takes, by row: the period, the mean gap where rows are uneven.

        Sensors that report one after the other every five minutes have a period of seconds.
        """
        return fmean(self._back if self.falls else self._gaps) if self.is_uneven else self.period


def even_steps(seconds: Row) -> tuple[float, float]:
    """Return the mean seconds between evenly taken samples without gaps, and what a gap exceeds.

    seconds: their times, which may be rounded (2, 3, 2 ms at 400 Hz, or many of the same second);
        NaN means unknown.

    Usual is the median of the steps that are not 0, or the mean without the rarest if that is more.
    Returns 0 and infinity if all are 0.
    """
    known = seconds[np.isfinite(seconds)]
    steps = np.abs(np.diff(known))
    moved = np.flatnonzero(steps)
    if not len(moved):
        return 0.0, math.inf
    # Several at once make many short steps: the mean is more. Gaps are rare.
    few = np.quantile(steps, _RARE, method="lower")
    longest = _STEPS * max(float(np.median(steps[moved])), float(steps[steps <= few].mean()))
    # From one change of the time to the next, so that a rounded time has as many samples as steps.
    parts = np.diff(moved)
    taken = steps[moved[1:]] <= longest
    total = float(steps[moved[1:]][taken].sum())
    return total / float(parts[taken].sum()) if total else float(steps[moved[0]]), longest
