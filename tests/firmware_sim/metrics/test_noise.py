"""The rule by which a loss is clearly below another, in a replay as in a comparison."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.kinds.regression import Regression
from firmware_sim.metrics import noise
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import Curve


def learned(gains: list[float]) -> Regression:
    """Metrics of a learner whose error is lower than the mean's by these, stretch after stretch."""
    found = Regression()
    labels = np.tile([3.0, -3.0], 10 * len(gains))
    errors = 3.0 - np.repeat(gains, 20)
    found.add_block(Batch.of(label=labels, score=labels - np.sign(labels) * errors))
    return found


def test_a_gain_that_comes_and_goes_is_not_clear() -> None:
    steady, wild = learned([0.5] * 20), learned([2.9, -2.4] * 10)
    assert "beats running mean" in steady.sentence("ours")
    assert wild.loss("learner") < wild.loss("mean")
    assert "ours does not clearly beat running mean" in wild.sentence("ours")
    assert "ours does not beat running mean" in learned([-0.5] * 20).sentence("ours")


def test_the_error_is_that_of_the_mean_of_differences() -> None:
    ours, theirs = [1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 5.0, 4.0]
    expected = np.std([1.0, 0.0, 2.0, 0.0], ddof=1) / 2.0
    assert noise.noise(ours, theirs) == pytest.approx(expected)
    assert noise.noise([], theirs, 0.09) == pytest.approx(0.3)
    assert noise.is_clear(2.1 * expected, expected)
    assert not noise.is_clear(1.9 * expected, expected)


def test_stretches_of_a_curve_are_means_over_rows() -> None:
    curve = Curve(8, ("learner",), float)
    curve.add_block(np.cumsum(np.repeat([1.0, 2.0, 5.0, 4.0], 2))[:, None])
    assert curve.stretches(4).ravel().tolist() == [1.0, 2.0, 5.0, 4.0]
    assert curve.stretches(9).shape == (0, 1)
