"""Times of the place: zones by name and by offset, daylight saving, unknown times."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pytest

from firmware_sim.errors import StreamError
from firmware_sim.streams.zones import Clock, zone_of

DAY = 86_400.0


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()


@pytest.mark.parametrize(
    ("zone", "hour"), [(None, 12.0), ("UTC", 12.0), ("+05:30", 17.5), ("UTC-3", 9.0)]
)
def test_hours_are_those_of_the_place(zone: str | None, hour: float) -> None:
    (local,) = Clock(zone).local(np.array([utc("2026-03-01 12:00")]))
    assert local % DAY == 3600.0 * hour


def test_hours_follow_daylight_saving() -> None:
    pytest.importorskip("zoneinfo").ZoneInfo("Europe/Berlin")
    times = np.array([utc("2026-03-28 12:00"), utc("2026-03-29 00:59"), utc("2026-03-29 01:00")])
    hours = Clock("Europe/Berlin").local(times) % DAY / 3600.0
    assert hours.tolist() == [13.0, pytest.approx(1.0 + 59 / 60), 3.0]


def test_unknown_times_stay_unknown() -> None:
    local = Clock("+01:00").local(np.array([np.nan, 0.0, 1e30]))
    assert np.isnan(local[0])
    assert local[1:].tolist() == [3600.0, 1e30]
    assert not len(Clock("+01:00").local(np.empty(0)))


@pytest.mark.parametrize("text", ["Mars/Olympus", "+25:00", "", "../etc"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(StreamError, match="there is no time zone"):
        zone_of(text)


def test_offsets_that_are_remembered_are_right_and_bounded() -> None:
    clock, times = Clock("+01:00"), np.arange(100_003) * 900.0
    for _ in range(2):
        np.testing.assert_array_equal(clock.local(times), times + 3600.0)
    assert len(clock._known) < len(times)
    assert clock.local(times[-1:]).tolist() == [times[-1] + 3600.0]
