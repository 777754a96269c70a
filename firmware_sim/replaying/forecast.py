"""A forecast's horizon and season in rows, its errors by horizon, and the path beyond the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import in_rows
from firmware_sim.device.device import Device
from firmware_sim.device.planning import plan_device
from firmware_sim.errors import DoesNotFitError
from firmware_sim.metrics import Figures
from firmware_sim.replaying.checked import Delay, checked
from firmware_sim.replaying.periods import (
    MOST_FILLED,
    Periods,
    filled_targets,
    has_few_gaps,
    step_of,
)
from firmware_sim.replaying.season import FIRST_ROWS, day_of, find_season
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.cadence import Cadence

#: Share of the cap that the targets of a season found automatically may take, and bytes of each.
_SEASON_SHARE, _TARGET_BYTES = 0.25, 4


class Point(NamedTuple):
    """One forecast: its row, the bounds of its interval (NaN without one), the target if known."""

    row: int
    forecast: float
    low: float
    high: float
    target: float


@dataclass(frozen=True)
class Horizon:
    """The errors of the forecasts of one horizon.

    rows: rows ahead.
    cap: bytes of its forecaster and all that belongs to it.
    figures: of the forecaster and of the baselines.
    """

    rows: int
    cap: int
    figures: dict[str, Figures]


@dataclass(frozen=True)
class Outlook:
    """What a forecast consists of besides its error over time.

    period: seconds between rows; None if unknown.
    last: time of the last row in seconds; NaN if unknown.
    season: the season and why it was chosen, as text.
    horizons: errors by horizon, ascending.
    recent: the last targets with their rows, NaN where a target is missing.
    past: the last path whose targets are all known, from the row before its first one; empty
        without paths.
    future: the path from the last row.
    """

    period: float | None
    last: float
    season: str
    horizons: list[Horizon]
    recent: tuple[Row, Row]
    past: list[Point]
    future: list[Point]


def resolved(config: ReplayConfig, stream: Stream) -> tuple[ReplayConfig, str, float | None]:
    """Return a configuration whose horizon and season are numbers of rows.

    A forecaster without a season is compared with the value of a day ago all the same.

    stream: without faults.

    Returns the season with its reason, and the seconds between rows; None if unknown.
    Raises SimulatorError: a time cannot be expressed in rows.
    """
    in_numbers = isinstance(config.horizon, int) and isinstance(config.season, int)
    is_known = in_numbers and config.season and not config.path
    if is_known and config.grid is not None:
        return config, "", config.period
    first = _first_rows(config, stream)
    config = replace(config, grid=first.grid)
    if is_known:
        return config, "", config.period
    y, n, period = first.y, first.n, config.period or first.period
    horizon = in_rows(config.horizon, period, "horizon")
    season, reason = config.season, "as given"
    if season == "auto":
        largest = int(_SEASON_SHARE * config.cap_bytes / _TARGET_BYTES) - 2
        season, reason = find_season(y, period, horizon, largest)
    season = in_rows(season, period, "season")
    day = 0 if season else day_of(period, horizon, n)
    config = replace(config, horizon=horizon, season=season, baseline_season=day)
    if in_numbers and not config.path:
        return config, "", config.period
    return config, reason, period


class _FirstRows(NamedTuple):
    """What the first rows tell, as far as the stream can be read again.

    y: their targets, with those of missing periods.
    period: seconds per row; None if unknown.
    n: the number of rows; None if there may be more of them.
    grid: as of the configuration.
    """

    y: Row
    period: float | None
    n: int | None
    grid: float | None


def _first_rows(config: ReplayConfig, stream: Stream) -> _FirstRows:
    """Read the first rows of a stream."""
    cadence, labels = Cadence(), config.label_kind.labels()
    y, seconds, readable = [np.empty(0)], [np.empty(0)], [np.empty(0, bool)]
    ends = (FIRST_ROWS, config.limit, stream.kept)
    limit, n = min(end for end in ends if end is not None), 0
    if limit:
        for block in checked(replace(config, limit=limit), stream, labels):
            cadence.add_block(block.block.seconds)
            y.append(block.y)
            seconds.append(block.block.seconds)
            readable.append(~block.damaged)
            n += len(block)
    is_all = n < limit or n == config.limit
    period, good = cadence.seconds_per_row, np.flatnonzero(np.concatenate(readable))
    targets, times = np.concatenate(y)[good], np.concatenate(seconds)[good]
    known = np.isfinite(targets)
    step = step_of(times, config.period or period, uneven=cadence.is_uneven)
    periods = Periods(step, config.gap, MOST_FILLED + 2).of(good + 1, times)
    grid = step if has_few_gaps(periods, known) else None
    targets = targets[known]
    if grid is not None:
        targets = filled_targets(periods[known], targets)
    return _FirstRows(targets, period, n if is_all else None, grid)


def shared(config: ReplayConfig, n_features: int) -> list[ReplayConfig]:
    """Return a configuration for each horizon up to the last, which together keep to the cap.

    Each forecaster gets the bytes that it needs and an equal share of the rest.

    Raises DoesNotFitError: the cap is too small.
    """
    each = [replace(config, horizon=rows, path=False) for rows in range(1, config.rows_ahead + 1)]
    season = config.season
    assert isinstance(season, int)
    each = [replace(one, season=season if season >= one.rows_ahead else 0) for one in each]
    least = [_least(one, n_features) for one in each]
    spare = config.cap_bytes - sum(least)
    if spare < 0:
        raise DoesNotFitError(
            f"{config.cap_bytes:,} bytes are too few for the forecasters of {len(each)} horizons: "
            f"the smallest cap that fits is {sum(least):,} bytes (--ram {sum(least)}); without "
            f"--path, {least[-1]:,} bytes",
            sum(least),
        )
    more = spare // len(each)
    return [replace(one, ram=nbytes + more) for one, nbytes in zip(each, least, strict=True)]


def _least(config: ReplayConfig, n_features: int) -> int:
    """Return the bytes of the smallest cap that fits a configuration."""
    try:
        plan_device(replace(config, ram=1), n_features, None)
    except DoesNotFitError as error:
        return error.smallest
    return 1


def ending(metrics: Any, before: int) -> list[Point]:
    """Return the forecast of the row that is `before` rows before the last one.

    Empty if it is not kept.
    """
    rows, recent = metrics.timeline.recent
    if before >= len(rows):
        return []
    target, forecast, low, high = recent[-1 - before].tolist()
    return [Point(int(rows[-1 - before]), forecast, low, high, target)]


def advanced(device: Device, delay: Delay, last: int) -> list[Point]:
    """Have the learner answer the last rows, whose targets are to come; return these forecasts.

    Then it is where a board is that has read all rows, and a saved model goes on from there.

    delay: the last readings.
    last: number of the last row.
    """
    learner: Any = getattr(device, "learner", None)
    if not hasattr(learner, "ask_one"):
        return []
    pending = list(device.supervision.pending)
    readings, _ = device.row.take(delay.rows)
    found = []
    for row, values in enumerate(readings, last + 1):
        if pending:
            learner.tell_one(pending.pop(0))
        try:
            forecast = float(learner.ask_one(np.asarray(values, float)))
        except ValueError:  # a reading beyond what can be held
            learner.restart()
            return []
        low, high = learner.interval
        if not np.isfinite(high - low):
            low = high = np.nan
        found.append(Point(row, forecast, low, high, np.nan))
    return found
