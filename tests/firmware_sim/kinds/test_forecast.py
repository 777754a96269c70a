"""Metrics of forecasts: rows without a forecast, and the value of a season ago."""

from __future__ import annotations

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.kinds.forecast import Forecasting
from firmware_sim.metrics.batch import Batch


def metrics(ahead: int, season: int, *sizes: int) -> Forecasting:
    """Of 200 rows in blocks, whose targets come `ahead` rows late."""
    draws = np.random.default_rng(0)
    y, scores = draws.normal(size=(2, 200))
    found, at = Forecasting(ahead=ahead, season=season), 0
    for size in (*sizes, 200):
        part = slice(at, min(200, at + size))
        if part.start < part.stop:
            batch = Batch.of(label=y[part], score=scores[part], row=np.arange(200)[part] + 1)
            if ahead > 1:
                batch.rows["late"] = True
                batch.rows["n_arrived"] = batch.rows["row"] > ahead
                batch.arrived = y[max(0, part.start - ahead) : max(0, part.stop - ahead)]
            found.add_block(batch)
        at += size
    return found


@pytest.mark.parametrize(("ahead", "season"), [(0, 0), (1, 0), (6, 0), (1, 7), (6, 24), (6, 300)])
def test_blocks_change_nothing(ahead: int, season: int) -> None:
    whole = metrics(ahead, season)
    for sizes in ([1] * 200, [3, 5, 60], [24, 24, 24]):
        parts = metrics(ahead, season, *sizes)
        assert parts.summary() == whole.summary()
        assert np.array_equal(parts.curve.table()[1], whole.curve.table()[1])


def test_a_season_longer_than_the_rows_is_the_last_value() -> None:
    found = metrics(6, 300).summary()
    assert found["seasonal"]["mae"] == found["last_value"]["mae"]


def test_the_value_of_a_season_ago() -> None:
    y = np.random.default_rng(0).normal(size=(2, 200))[0]
    found = metrics(6, 24).summary()["seasonal"]["mae"]
    first = np.abs(y[6:24] - y[:18]).sum()
    assert found == pytest.approx((np.abs(y[24:] - y[:-24]).sum() + first) / 194)


def test_without_a_season_there_is_no_such_baseline() -> None:
    assert [*metrics(6, 0).summary()] == ["learner", "mean", "last_value"]
    assert [*metrics(6, 7).summary()] == ["learner", "mean", "last_value", "seasonal"]


def test_held_out_rows_have_a_season_before_them() -> None:
    held = metrics(1, 7).held_out()
    y = np.random.default_rng(0).normal(size=(2, 200))[0]
    held.add_block(Batch.of(row=np.arange(201, 204), label=np.zeros(3), score=np.ones(3)))
    assert held.summary()["seasonal"]["mae"] == pytest.approx(np.abs(y[-7:-4]).mean())
    assert held.rows == 3


@pytest.mark.parametrize("clock", [False, True])
def test_the_hour_is_a_hint_where_it_is_no_input(clock: bool) -> None:
    config = fs.ReplayConfig("house", forecast="temperature_comedor_sensor", clock=clock)
    hints = dict(config.label_kind.hints(config, lambda **more: ("other", more)))
    assert ("--clock" in hints) == (not clock)
