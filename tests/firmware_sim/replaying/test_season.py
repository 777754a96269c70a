"""Seasons found from the first targets."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.replaying.season import FIRST_ROWS, candidates, find_season
from firmware_sim.streams import Row


def seasonal(season: int, n: int = 1500, noise: float = 0.1) -> Row:
    """A random shape that repeats, with noise."""
    draws = np.random.default_rng(7)
    shape = draws.normal(size=season)
    return np.resize(shape, n) + noise * draws.normal(size=n)


def test_candidates_are_a_day_a_week_and_the_strongest_lag() -> None:
    found = candidates(3600.0, seasonal(36))
    assert found == {24: "a day", 168: "a week", 36: "the strongest autocorrelation"}
    assert candidates(None, seasonal(36)) == {36: "the strongest autocorrelation"}
    # Three of them must fit: of 100 rows, no week is taken.
    assert 168 not in candidates(3600.0, seasonal(36)[:100])
    assert candidates(None, np.zeros(100)) == {}
    assert candidates(60.0, np.empty(0)) == {}


@pytest.mark.parametrize("horizon", [1, 5])
@pytest.mark.parametrize("season", [24, 40])
def test_the_one_that_helps_is_taken(season: int, horizon: int) -> None:
    found = find_season(seasonal(season), 3600.0, horizon)
    assert found.rows == season
    assert "less error on the first rows" in found.reason
    assert ("a day" in found.reason) == (season == 24)


def test_a_walk_has_none() -> None:
    walk = np.cumsum(np.random.default_rng(0).normal(size=1500))
    assert find_season(walk, 3600.0).rows == 0


@pytest.mark.parametrize(("horizon", "largest"), [(25, None), (1, 23)])
def test_it_is_neither_shorter_than_the_horizon_nor_longer_than_allowed(
    horizon: int, largest: int | None
) -> None:
    assert find_season(seasonal(24), None, horizon, largest).rows == 0


def test_later_rows_do_not_count() -> None:
    first = seasonal(24, FIRST_ROWS)
    assert find_season(np.append(first, np.full(5000, 1e6)), 3600.0) == find_season(first, 3600.0)
