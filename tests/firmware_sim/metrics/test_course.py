"""What is remembered of forecasts: the last ones, and shares over time."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.metrics.base import RowContext
from firmware_sim.metrics.course import RECENT, Course
from firmware_sim.metrics.regression import Regression


def test_the_last_rows_are_kept_and_shares_of_all() -> None:
    course = Course(points=16)
    n = RECENT + 760
    for t in range(n):
        share = 1.0 if t < n // 2 else 0.25
        interval = (t - 1.0, t + 2.0) if t % 2 else None
        course.add(float(t), t + 0.5, interval, {"head": share, "last": 1.0 - share})
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
    metrics.add(1.0, 2.0)
    metrics.add_block(np.ones(3), np.zeros(3))
    assert metrics.course.rows == 0
    assert metrics.course.names == ()
    metrics.add(1.0, 2.0, context=RowContext(shares={"head": 0.5, "last": 0.5}))
    metrics.add_block(np.ones(2), np.zeros(2), [RowContext(shares={"head": 1.0, "last": 0.0})] * 2)
    assert metrics.course.rows == 3
    assert metrics.course.mean_shares() == pytest.approx({"head": 2.5 / 3, "last": 0.5 / 3})
