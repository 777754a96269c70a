"""Times of rows, and the ticks of an axis."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams.row_times import RowTimes

DAY = 86_400.0


def of(n: int, step: float, block: int = 512) -> RowTimes:
    times = RowTimes()
    rows = np.arange(1, n + 1)
    for at in range(0, n, block):
        some = rows[at : at + block]
        times.add(some, 19_000 * DAY + step * (some - 1))
    return times


def test_ticks_are_round_rows_with_their_dates() -> None:
    assert of(97, 3600.0).ticks(1, 97) == [
        (20.0, "20\n01-08 19:00"),
        (40.0, "40\n01-09 15:00"),
        (60.0, "60\n01-10 11:00"),
        (80.0, "80\n01-11 07:00"),
    ]
    assert of(400, DAY).ticks(0, 400)[-1] == (400.0, "400\n2023-02-11")
    assert of(200, 1.0).ticks(0, 200)[1] == (50.0, "50\n00:00:49")


def test_times_are_those_of_the_rows_however_many_there_are() -> None:
    n = 300_000
    times = of(n, 60.0)
    rows = np.array([1.0, 7.0, 123_456.0, n])
    assert times.of(rows).tolist() == (19_000 * DAY + 60.0 * (rows - 1)).tolist()
    assert len(times._rows) <= 5_000
    times.period = 60.0
    assert times.of(np.array([n + 10.0])).tolist() == [19_000 * DAY + 60.0 * (n + 9)]


def test_without_times_there_are_no_ticks() -> None:
    times = RowTimes()
    assert times.ticks(0, 100) == []
    times.add(np.arange(1, 100), np.full(99, np.nan))
    assert times.ticks(0, 100) == []
    beyond = RowTimes()
    beyond.add(np.arange(1, 100), 1e15 + 60.0 * np.arange(99))  # no calendar has such years
    assert beyond.ticks(1, 99) == []
    late = of(100, 60.0)
    assert late.ticks(0, 200) == []  # it is not known when rows after the last one come
