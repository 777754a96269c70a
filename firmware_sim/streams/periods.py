"""The periods of a forecast's rows: a row that was skipped, or is not there, has one as well.

Lags and seasons of a forecaster count its targets. Where a row of an even stream is missing, the
target of its period is drawn on the straight line between the known ones before and after, so that
a season is still a season. A longer gap begins the history again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.streams.block import Places, Row

#: Most consecutive periods without a target that are filled in, or half a season if that is more.
#: Beyond, a straight line costs more than a new history does.
_MOST_FILLED = 48
#: Share of the first rows' periods that need a target, so that the others are filled in.
_MIN_KNOWN = 0.75
#: Steps of an even stream differ from their period by at most this share of it, nearly all.
_MAX_JITTER, _EVEN = 0.25, 0.9
_MOST_PASSED = 1e9


def most_filled(season: int) -> int:
    """Return the most consecutive periods that are filled in, of a season of so many rows."""
    return max(_MOST_FILLED, season // 2)


class Periods:
    """Numbers the periods of readable rows, from their times or by row.

    Without gaps they are the numbers of the rows.

    step: seconds of a period; 0 if each row has one, damaged ones as well.
    gap: seconds after which what comes is not related to what was before.
    break_: periods that such a gap counts as, at least.
    """

    def __init__(self, step: float = 0.0, gap: float | None = None, break_: int = 1) -> None:
        self._step, self._gap, self._break = step, np.inf if gap is None else gap, break_
        self._number = self._period = 0
        self._time = np.nan
        self._since = 0  # periods after the last row with a known time

    def of(self, numbers: Places, seconds: Row) -> Places:
        """Return the periods of the next readable rows.

        numbers: of the rows, from 1.
        seconds: their times; NaN if unknown.
        """
        if not len(numbers):
            return numbers
        passed = np.diff(numbers, prepend=self._number)
        known = np.flatnonzero(np.isfinite(seconds))
        by_rows = np.cumsum(passed)
        if len(known):
            between = np.diff(by_rows[known], prepend=-self._since) - passed[known]
            elapsed = np.diff(seconds[known], prepend=self._time)
            timed = np.isfinite(elapsed)
            at = known[timed]
            if self._step:
                n = np.rint(np.minimum(elapsed[timed] / self._step, _MOST_PASSED)).astype(np.int64)
                passed[at] = np.maximum(1, n - between[timed])
            broken = at[elapsed[timed] > self._gap]
            passed[broken] = np.maximum(passed[broken], self._break)
            self._time = float(seconds[known[-1]])
            self._since = int(by_rows[-1] - by_rows[known[-1]])
        else:
            self._since += int(by_rows[-1])
        found = self._period + np.cumsum(passed)
        self._number, self._period = int(numbers[-1]), int(found[-1])
        return found


def step_of(seconds: Row, period: float | None, *, uneven: bool) -> float:
    """Return the seconds of a period by which rows are numbered; 0 where times do not tell.

    seconds: the times of the first readable rows; NaN if unknown.
    period: usual seconds between rows; None if unknown.
    uneven: whether many rows come much later than usual.
    """
    if period is None or uneven:
        return 0.0
    steps = np.diff(seconds[np.isfinite(seconds)]) / period
    steps = steps[steps > 0.5]
    if not len(steps):
        return 0.0
    return period if np.mean(np.abs(steps - np.rint(steps)) <= _MAX_JITTER) >= _EVEN else 0.0


def has_few_gaps(periods: Places, is_known: npt.NDArray[np.bool_]) -> bool:
    """Whether so many periods have a target that those of the others can be filled in.

    periods: of the first rows.
    is_known: which of these rows have a target.
    """
    if not len(periods):
        return True
    steps = np.diff(periods[is_known])
    steps = steps[steps <= _MOST_FILLED + 1]
    n = int(steps.sum())
    return n == 0 or len(steps) >= _MIN_KNOWN * n


def filled_targets(periods: Places, y: Row) -> Row:
    """Return the targets of consecutive periods, those between known ones on straight lines.

    Of a long gap nothing is filled in.

    periods, y: ascending, of the rows with a target.
    """
    if not len(y):
        return y
    every = np.arange(periods[0], periods[-1] + 1) if periods[-1] - periods[0] < 1e7 else periods
    return np.interp(every[_near(every, periods)], periods, y)


def _near(wanted: Places, known: Places) -> npt.NDArray[np.bool_]:
    """Return which periods are known, or in a gap that is filled in."""
    after = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    before = np.maximum(np.searchsorted(known, wanted, "right") - 1, 0)
    return np.asarray(known[after] - known[before] - 1 <= _MOST_FILLED)


class Filled(NamedTuple):
    """Rows for a forecaster, one for each period that it has to know of.

    X, y: readings, NaN where they are missing, and targets; NaN at the beginning of a long gap,
        where forecasts were made whose targets do not come.
    periods: ascending.
    places: index in the block, of the next row for a period without one.
    is_row: which are rows of the stream that have a forecast to judge.
    """

    X: Row
    y: Row
    periods: Places
    places: Places
    is_row: npt.NDArray[np.bool_]

    def part(self, which: Any) -> Filled:
        """Return some of the rows."""
        return Filled(*(one[which] for one in self))


class Filler:
    """Puts in the periods between the rows that can be learned.

    A period without a target has to wait for the next known one, from which its own follows. So
    a forecast made meanwhile is none: its row is learned, but not judged.

    ahead: rows from the readings of a forecast to its target.
    n_features: readings in a row.
    most: consecutive periods that are filled in.
    n_filled, n_gaps, n_breaks: periods filled in, the gaps that they were in, and longer gaps.
    """

    def __init__(self, ahead: int, n_features: int, most: int) -> None:
        self._ahead, self.most = ahead, most
        self._known = np.empty(0, np.int64)  # the last periods with a target
        self._first: int | None = None
        self._y = np.nan
        #: periods since the last target, and their readings
        self._held = np.empty(0, np.int64)
        self._X = np.empty((0, n_features))
        self.n_filled = self.n_gaps = self.n_breaks = 0

    def of(
        self, X: Row, y: Row, periods: Places, places: Places, is_row: npt.NDArray[np.bool_]
    ) -> Filled:
        """Return the rows to learn, from those of a block.

        X, y: readings and targets, NaN where they are missing.
        periods: ascending.
        places: indices in the block.
        is_row: which the learner takes if there were no gaps.
        """
        n_held = len(self._held)
        X, periods = np.concatenate([self._X, X]), np.concatenate([self._held, periods])
        y = np.concatenate([np.full(n_held, np.nan), y])
        places = np.concatenate([np.full(n_held, places[0] if len(places) else 0), places])
        is_row = np.concatenate([np.zeros(n_held, bool), is_row])
        finite = np.flatnonzero(np.isfinite(y))
        end = int(finite[-1]) + 1 if len(finite) else 0
        # More of them than are ever filled in need not be remembered.
        self._held, self._X = periods[end:][: self.most + 1], X[end:][: self.most + 1]
        if not end:
            return Filled(X[:0], y[:0], periods[:0], places[:0], is_row[:0])
        before = self._known[-1:]
        known = np.concatenate([before, periods[finite]])
        if self._first is None:
            self._first = int(known[0])
        steps = np.diff(known) - 1
        self._count(steps)
        missing = [np.empty(0, np.int64)]
        unlabelled = [np.empty(0, np.int64)]
        for at in np.flatnonzero(steps > 0).tolist():
            first, n = known[at] + 1, steps[at]
            if n > self.most:
                n = min(n - 1, self._ahead)
                unlabelled.append(np.arange(first, first + n))
            missing.append(np.arange(first, first + n))
        wanted = np.union1d(np.concatenate(missing), periods[finite])
        targets = np.interp(wanted, known, np.concatenate([[self._y] * len(before), y[finite]]))
        targets[np.isin(wanted, np.concatenate(unlabelled))] = np.nan
        at = np.searchsorted(periods[:end], wanted)
        has_row = periods[at] == wanted
        readings = np.where(has_row[:, np.newaxis], X[at], np.nan)
        recent = np.concatenate([self._known, periods[finite]])
        origin = wanted - self._ahead
        can_judge = np.isin(origin, recent) | (origin < self._first)
        judged = has_row & is_row[at] & can_judge & np.isfinite(y[at])
        self._known, self._y = recent[recent > recent[-1] - self._ahead - 1], float(targets[-1])
        return Filled(readings, targets, wanted, places[at], judged)

    def _count(self, steps: Places) -> None:
        short = steps[(steps > 0) & (steps <= self.most)]
        self.n_filled += int(short.sum())
        self.n_gaps += len(short)
        self.n_breaks += int(np.count_nonzero(steps > self.most))
