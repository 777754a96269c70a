"""What is kept over time: the last forecasts, expert weights, and recovery after a change."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import RECENT, WINDOW, ForecastTimeline, recovery


def test_the_last_rows_are_kept_and_shares_of_all() -> None:
    course = ForecastTimeline(points=16)
    n = RECENT + 760
    t = np.arange(float(n))
    share = np.where(t < n // 2, 1.0, 0.25)
    low, high = (np.where(t % 2 > 0.0, t + end, np.nan) for end in (-1.0, 2.0))
    weights = np.empty(n, [("head", float), ("last", float)])
    weights["head"], weights["last"] = share, 1.0 - share
    course.add_block(Batch.of(label=t, score=t + 0.5, low=low, high=high, weights=weights).rows)
    rows, recent = course.recent
    assert rows.tolist() == list(range(n - RECENT + 1, n + 1))
    assert recent[-1].tolist() == [n - 1.0, n - 0.5, n - 2.0, n + 1.0]
    assert np.isnan(recent[-2, 2:]).all()
    assert course.mean_shares() == pytest.approx({"head": 0.625, "last": 0.375})
    at, shares = course.shares()
    assert len(at) <= 16
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert shares[at <= n // 2, 0] == pytest.approx(1.0)
    assert shares[at > n // 2 + n // 8, 0] == pytest.approx(0.25)


def test_rows_until_the_windowed_loss_is_near_its_later_level() -> None:
    losses = np.zeros(4000)
    losses[1000:1300] = 1.0
    # The first window with at most 2 % of its rows among the 300 bad ones.
    assert recovery(losses, 1000) == 300 - int(0.02 * WINDOW)
    assert recovery(losses, 2000) == 0


def test_until_the_next_change() -> None:
    losses = np.zeros(4000)
    losses[1000:1200] = losses[2000:2500] = 1.0
    assert recovery(losses, 1000, 2000) == 196
    assert recovery(losses, 2000) == 496


def test_none_where_it_never_comes_back_or_too_little_follows() -> None:
    losses = np.ones(2000)
    losses[1999] = 0.0
    assert recovery(np.linspace(0.0, 1.0, 2000) > 0.5, 0) == 0
    assert recovery(losses, 1700) is None


def test_of_no_forecast_there_are_no_weights() -> None:
    rows, shares = ForecastTimeline().shares()
    assert (rows.shape, shares.shape) == ((0,), (0, 0))
    assert ForecastTimeline().mean_shares() == {}
