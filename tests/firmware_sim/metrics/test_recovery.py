"""Rows until answers are back near their later level."""

from __future__ import annotations

import numpy as np

from firmware_sim.metrics.curve import WINDOW, recovery


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
