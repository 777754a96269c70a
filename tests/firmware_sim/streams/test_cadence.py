"""The usual time between rows, whichever way the times run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from firmware_sim.streams.cadence import Cadence, even_steps


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
        ((*range(0, 9000, 600), *range(5400, 9600, 600)), False, "end of daylight saving time"),
        ((*range(0, 9000, 600), *range(1200, 9000, 600)), False, "a late row"),
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


@pytest.mark.parametrize(
    ("times", "step", "gap"),
    [
        (np.floor(np.arange(2000) * 2.5) / 1e3, 0.0025, 0.03),  # 2, 3, 2, 3 ms
        (np.floor(np.arange(2000) / 400), 1 / 400, 10.0),  # in whole seconds
        (np.arange(2000) / 400 + 5.0 * (np.arange(2000) > 700), 1 / 400, 0.025),  # 5 s without
        (-np.arange(2000) / 400, 1 / 400, 0.025),  # the newest first
        # Six at once every 16 ms, with the times of a computer that reads them.
        (0.016 * (np.arange(9000) // 6) + 1e-4 * (np.arange(9000) % 6), 0.016 / 6, 0.0267),
        (np.full(9, 7.0), 0.0, np.inf),
        (np.full(9, np.nan), 0.0, np.inf),
        (np.zeros(0), 0.0, np.inf),
        (np.array([1.0, 3.0]), 2.0, 20.0),
    ],
)
def test_the_step_of_samples_is_the_mean_without_gaps(
    times: np.ndarray, step: float, gap: float
) -> None:
    found, longest = even_steps(times)
    assert found == pytest.approx(step, rel=1e-3)
    assert longest == pytest.approx(gap, rel=0.5)


def test_a_step_back_after_many_repeated_times_is_no_end_of_daylight_saving() -> None:
    """Of the steps back the first thousand are kept, which are all 0 here."""
    cadence = taken(*np.repeat(np.arange(40.0), 30), 3.0)
    assert cadence.warning().endswith("a late row, or a clock that was set or started again")
