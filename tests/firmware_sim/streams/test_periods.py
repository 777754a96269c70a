"""Periods of rows, and the targets of those between."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.streams.periods import (
    Filler,
    Periods,
    filled_targets,
    has_few_gaps,
    most_filled,
    step_of,
)

MOST_FILLED = most_filled(0)


def test_half_a_season_is_filled_in() -> None:
    assert (most_filled(0), most_filled(96), most_filled(336)) == (48, 48, 168)


class TestPeriods:
    def test_without_times_they_are_row_numbers(self) -> None:
        periods = Periods()
        nan = np.full(3, np.nan)
        assert periods.of(np.array([2, 3, 6]), nan).tolist() == [2, 3, 6]
        assert periods.of(np.array([7, 9, 10]), nan).tolist() == [7, 9, 10]

    @pytest.mark.parametrize("size", [1, 2, 3, 9])
    def test_times_count_those_between(self, size: int) -> None:
        # A late row, a missing one, one without a time, a repetition, a time that goes back.
        seconds = np.array([0, 10, 21, 40, np.nan, 60, 60, 55, 70.0])
        numbers = np.array([1, 2, 3, 4, 5, 6, 8, 9, 10])
        periods = Periods(10.0)
        parts = range(0, len(numbers), size)
        found = [periods.of(numbers[at : at + size], seconds[at : at + size]) for at in parts]
        assert np.concatenate(found).tolist() == [1, 2, 3, 5, 6, 7, 8, 9, 11]

    def test_a_block_without_readable_rows_leaves_the_count(self) -> None:
        periods = Periods(10.0)
        assert periods.of(np.array([1, 2]), np.array([0.0, 10.0])).tolist() == [1, 2]
        assert periods.of(np.empty(0, int), np.empty(0)).tolist() == []
        assert periods.of(np.array([3]), np.array([40.0])).tolist() == [5]

    def test_a_gap_is_a_break(self) -> None:
        periods = Periods(0.0, 10.0, 60)
        assert periods.of(np.array([1, 2, 3]), np.array([0.0, 1.0, 12.0])).tolist() == [1, 2, 62]


def test_times_tell_periods_where_they_are_even() -> None:
    even = np.arange(100) * 60.0
    jitter = even + np.random.default_rng(0).uniform(-5, 5, 100)
    assert step_of(even, 60.0, uneven=False) == step_of(jitter, 60.0, uneven=False) == 60.0
    assert step_of(even[np.arange(100) % 10 > 0], 60.0, uneven=False) == 60.0
    assert step_of(even, 60.0, uneven=True) == step_of(even, None, uneven=False) == 0.0
    wild = np.cumsum(np.random.default_rng(0).exponential(60.0, 100))
    assert step_of(wild, 60.0, uneven=False) == 0.0
    assert step_of(np.zeros(9), 60.0, uneven=False) == 0.0


def test_targets_between_known_ones() -> None:
    periods = np.array([3, 4, 7, 7 + MOST_FILLED + 2])
    assert filled_targets(periods, np.array([1.0, 2.0, 5.0, 9.0])).tolist() == [1, 2, 3, 4, 5, 9]
    assert has_few_gaps(np.arange(8), np.array([1, 1, 1, 0, 1, 1, 1, 1], bool))
    assert not has_few_gaps(np.arange(8), np.arange(8) % 2 == 0)
    assert has_few_gaps(np.empty(0, int), np.empty(0, bool))
    assert filled_targets(np.empty(0, int), np.empty(0)).tolist() == []


def test_a_filler_remembers_a_bounded_number_of_rows() -> None:
    filler = Filler(1, 1, MOST_FILLED)

    def given(first: int, n: int, y: float) -> int:
        periods = np.arange(first, first + n)
        rows = np.zeros((n, 1)), np.full(n, y), periods, np.arange(n), np.isfinite(np.full(n, y))
        return len(filler.of(*rows).y)

    assert given(1, 3, 1.0) == 3
    assert given(4, 1_000, np.nan) == 0
    assert len(filler._held) <= MOST_FILLED + 1
    assert given(1_004, 1, 2.0) == 2  # and the forecast made from the last row of before
    assert filler.n_breaks == 1
