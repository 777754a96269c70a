"""The season of a target, found from its first rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import edgeolk as ek
from firmware_sim.kinds.base import forecasts
from firmware_sim.streams import Row

#: First rows that a season is found from: memory and time do not grow with the stream.
FIRST_ROWS = 2_000
#: A season found by autocorrelation has at least this many rows, and this autocorrelation.
_MIN_SEASON, _MIN_CORRELATION = 4, 0.3
#: Seasons in the rows that it is found from, at least; share of the error that it has to save.
_MIN_SEASONS, _MIN_GAIN = 3, 0.01
_DAY, _WEEK = 86_400.0, 604_800.0


class Season(NamedTuple):
    """A season, 0 for none, and why it was chosen."""

    rows: int
    reason: str


def candidates(period: float | None, y: Row) -> dict[int, str]:
    """Return seasons that a target may have, in rows, and what they are.

    A day, a week, and the lag of the highest autocorrelation of its changes.

    period: seconds between rows; None if unknown.
    """
    found = {}
    for seconds, name in ((_DAY, "a day"), (_WEEK, "a week")):
        season = round(seconds / period) if period else 0
        if 2 <= season <= len(y) // _MIN_SEASONS:
            found[season] = name
    steps = np.diff(y)
    steps = steps - steps.mean() if len(steps) else steps
    if len(steps) > 4 * _MIN_SEASON and steps.any():
        correlation = np.correlate(steps, steps, "full")[len(steps) - 1 :]
        far = correlation[_MIN_SEASON : len(steps) // _MIN_SEASONS] / correlation[0]
        best = int(np.argmax(far))
        if far[best] > _MIN_CORRELATION:
            found.setdefault(_MIN_SEASON + best, "the strongest autocorrelation")
    return found


def day_of(period: float | None, horizon: int, n: int | None) -> int:
    """Return the rows of a day, or of the fewest days that a forecast can look back to.

    It is what a forecast is compared with, whatever season its learner has.

    period: seconds between rows; None if unknown.
    horizon: rows ahead.
    n: rows of the stream; None if they are more than were looked at.

    Returns: 0 if unknown, or if the rows are not three of them, or if they are too many.
    """
    day = round(_DAY / period) if period else 0
    if day < 2:
        return 0
    season = day * max(1, -(-horizon // day))
    return season if season <= (FIRST_ROWS if n is None else n // _MIN_SEASONS) else 0


def find_season(
    y: Row, period: float | None, horizon: int = 1, largest: int | None = None
) -> Season:
    """Return the season with which the target's own history forecasts its first rows best.

    Each candidate is tried by a forecaster without a kernel and without inputs; the errors of the
    second half of the rows count.

    y: the first targets; those after `FIRST_ROWS` are not used.
    period: seconds between rows; None if unknown.
    horizon: rows ahead; a season is not shorter.
    largest: most rows of a season, which the learner stores.
    """
    y = y[:FIRST_ROWS]
    tried = {
        season: name
        for season, name in candidates(period, y).items()
        if season >= horizon and (largest is None or season <= largest)
    }
    if not tried:
        return Season(0, "no season: the first rows show none")
    errors = {season: _error(y, season, horizon) for season in (0, *tried)}
    best = min(errors, key=errors.__getitem__)
    if best == 0 or errors[best] > (1.0 - _MIN_GAIN) * errors[0]:
        return Season(0, f"no season: none helps on the first {len(y):,} rows")
    saved = 100.0 * (1.0 - errors[best] / errors[0])
    return Season(
        best, f"season {best:,} rows, {tried[best]}: {saved:.0f} % less error on the first rows"
    )


def _error(y: Row, season: int, horizon: int) -> float:
    """Return the mean absolute error of the second half of targets forecast from history alone."""
    learner = ek.Learner(
        n_features=0, D=0, loss="square", history=True, horizon=horizon, season=season
    )
    found = forecasts(learner, np.empty((len(y), 0)), y, horizon)
    half = len(y) // 2
    return float(np.abs(found - y)[half:].mean())
