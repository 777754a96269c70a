"""The usual time between rows, whichever way the times run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from firmware_sim.streams.cadence import Cadence


def taken(*seconds: float) -> Cadence:
    cadence = Cadence()
    for part in np.split(np.array(seconds, float), [2]):
        cadence.add_block(part)
    return cadence


def test_period_is_the_median_gap() -> None:
    assert taken(0, 10, 20, 500, 510).period == 10.0
    assert taken(500, 490, 100, 90, 80).period == 10.0
    assert taken().period is None
    assert taken(5, 5, 5).period is None
    broken = (0.0, 1.0, 2.0, math.nan, 90_000.0, 90_001.0, 90_000.5, 90_001.5)
    assert taken(*broken).period == 1.0
    assert taken(math.nan, 1.0, math.nan).period is None


def test_a_row_of_sensors_one_after_the_other_takes_the_mean_gap() -> None:
    """Three report within seconds of each other, every five minutes."""
    times = [300 * turn + 17 * sensor for turn in range(60) for sensor in range(3)]
    cadence = taken(*times)
    assert cadence.period == 17.0
    assert cadence.is_uneven
    assert cadence.seconds_per_row == pytest.approx(times[-1] / (len(times) - 1))


def test_a_few_breaks_are_no_unevenness() -> None:
    cadence = taken(*range(0, 6000, 60), *range(90_000, 96_000, 60))
    assert not cadence.is_uneven
    assert cadence.seconds_per_row == cadence.period == 60.0
    assert taken().seconds_per_row is None


@pytest.mark.parametrize(
    ("seconds", "falls", "warning"),
    [
        ((3, 2, 1), True, "newest row first"),
        ((3, 3, 2, 2, 1), True, "newest row first"),  # rows of the same second
        ((1, 2, 3), False, ""),
        ((1, 1, 2, 2), False, ""),
        ((2, 1), False, "go back 1 of 1 times"),  # one step back is no direction
        ((*range(30), 1, 2, 3), False, "a clock that was set or started again"),
        ((9, 1, 8, 2, 7, 3), False, "not in the order of time"),
        ((), False, ""),
    ],
)
def test_times_that_go_back(seconds: tuple[float, ...], falls: bool, warning: str) -> None:
    cadence = taken(*seconds)
    assert cadence.falls == falls
    assert warning in cadence.warning()
    assert bool(cadence.warning()) == bool(warning)
    assert ("never comes" in cadence.warning(delay_in_seconds=True)) == falls


def test_the_time_of_a_last_row_without_one_follows_from_the_rows_before() -> None:
    assert taken(0.0, 60.0, 120.0).last == 120.0
    assert taken(0.0, 60.0, 120.0, math.nan, math.nan).last == 240.0
    several = taken(0.0, 60.0)
    several.add_block(np.array([math.nan]))
    several.add_block(np.array([math.nan]))
    assert several.last == 180.0
    assert math.isnan(taken(5.0, math.nan).last)
    assert math.isnan(taken(math.nan).last)


def test_mean_includes_breaks_and_bursts() -> None:
    bursts = taken(*(300.0 * burst + after for burst in range(10) for after in (0.0, 1.0, 2.0)))
    assert bursts.period == 1.0
    assert bursts.mean == pytest.approx((9 * 300 + 2) / 29)
    assert bursts.elapsed == pytest.approx((9 * 300 + 2) * 30 / 29)
    assert taken(500, 490, 100, 90, 80).mean == 105.0  # newest row first
    assert taken(0.0, math.nan, 60.0).elapsed == 120.0
    for unknown in (taken(), taken(5), taken(5, 5, 5)):
        assert unknown.mean is None
        assert unknown.elapsed is None
