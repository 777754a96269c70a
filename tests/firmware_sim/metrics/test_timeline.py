"""What is remembered of forecasts: the last ones, and shares over time."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.metrics.curve import RECENT, Forecasts, ForecastTimeline
from firmware_sim.metrics.regression import Regression


def test_the_last_rows_are_kept_and_shares_of_all() -> None:
    course = ForecastTimeline(points=16)
    n = RECENT + 760
    t = np.arange(float(n))
    share = np.where(t < n // 2, 1.0, 0.25)
    low, high = (np.where(t % 2 > 0.0, t + end, np.nan) for end in (-1.0, 2.0))
    said = Forecasts(("head", "last"), low, high, np.column_stack([share, 1.0 - share]))
    course.add_block(t, t + 0.5, said)
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


def test_a_learner_that_forecasts_nothing_leaves_none() -> None:
    metrics = Regression()
    metrics.add_block(np.ones(3), np.zeros(3))
    assert metrics.timeline.rows == 0
    assert metrics.timeline.names == ()
