"""The reference of sorf with its scaler inside, from raw rows on, against the compiled learner.

`tests/docs/test_sorf_page.py` compares them over every task and option.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees

import edgeolk as ek
from edgeolk.reference import ScaledSorf, Sorf
from edgeolk.reference.sorf_scaling import Input, WideInput

TYPES = ("float64", "int8")


def assert_same(X: np.ndarray, y: np.ndarray, dtype: str, **options: Any) -> ScaledSorf:
    """Every answer and all weights are those of the reference, which is returned."""
    options = {"relevance": False, "dtype": dtype, **options}
    learner = ek.Learner("sorf", n_features=X.shape[1], D=64, **options)
    plain = ScaledSorf(X.shape[1], 64, **options)
    expected = [plain.step(row, label) for row, label in zip(X, y, strict=True)]
    assert_agrees(learner.learn_many(X, y), expected, dtype)
    assert (learner.updates, learner.alarms) == (plain.model.updates, plain.model.alarms)
    assert_agrees(learner.weights_, np.stack([plain.model.w.v, plain.model.a.v]), dtype)
    return plain


@pytest.mark.parametrize("dtype", TYPES)
def test_inputs_that_become_smaller_make_every_scaler_young(dtype: str) -> None:
    """Rows after the alarm count as much as rows in the beginning."""
    n = 1700
    Z = np.random.default_rng(1).normal(size=(n, 2))
    y = np.where(Z[:, 0] + 0.3 * Z[:, 1] > 0.5, 1.0, -1.0)
    Z[1500:] *= 0.05
    X = (Z * [0.1, 10.0] + [0.0, 1.0]).astype(np.float32).astype(float)
    plain = assert_same(X, y, dtype)
    alarm = plain.model.alarm_log[-1]
    assert alarm[1] == "scaler"
    ages = [one.age if dtype == "float64" else one.code - 3 for one in plain.inputs]
    assert ages == [100 + n - alarm[0]] * 2


@pytest.mark.parametrize("dtype", TYPES)
def test_two_numbers_have_one_scale_until_a_third_comes(dtype: str) -> None:
    X = np.where(np.random.default_rng(4).random((60, 3)) < [0.1, 0.5, 0.7], 1.0, 0.0)
    X[:2] = X[0, 0]  # at first there is one number
    X[50, 2] = 0.5
    plain = assert_same(X, np.where(X[:, 1] > X[:, 0], 1.0, -1.0), dtype)
    assert not plain.following.common.two
    assert len(plain.following.common.readings) == 51 * 3


def test_an_alarm_makes_no_scaler_older() -> None:
    wide, narrow = WideInput(), Input()
    for row, reading in enumerate([1.0, 2.0, 3.0, 2.5, 1.5], 1):
        wide.learn(reading)
        narrow.learn(reading, row)
    assert (wide.scaled(99.0), wide.scaled(-99.0)) == (5.0, -5.0)
    assert (wide.age, narrow.code - 3) == (5, 5)
    for limit, age in ((100, 5), (4, 4)):
        wide.limit_age(limit)
        narrow.limit_age(limit)
        assert (wide.age, narrow.code - 3) == (age, age)
    fresh = Input()
    fresh.limit_age(0)
    assert (fresh.code, WideInput().scaled(7.0)) == (0, 0.0)


def test_rows_of_zeros_say_nothing_about_the_width() -> None:
    """Every angle of them is 0 at any width."""
    options: dict[str, Any] = {"dtype": "float64", "relevance": "shared", "drift": False}
    learner = ek.Learner("sorf", n_features=2, D=64, gamma=0.5, scale=None, **options)
    plain, y = Sorf(2, 64, 0.5, **options), np.where(np.arange(230) % 3, 1.0, -1.0)
    expected = [plain.step(np.zeros(2), label) for label in y]
    assert_agrees(learner.learn_many(np.zeros((230, 2)), y), expected, "float64")
    assert (plain.u > 0, plain.gl, plain.gg) == (True, 0.0, 0.0)


def test_a_label_is_that_of_the_largest_score() -> None:
    X = np.random.default_rng(2).normal(size=(80, 2))
    two, several = Sorf(2, 32, 0.5), Sorf(2, 32, 0.5, n_classes=3)
    for x in X:
        two.step(x, 1.0 if x[0] > 0.0 else -1.0)
        several.step(x, float(np.digitize(x[0], (-0.5, 0.5))))
    assert [two.predict(x) for x in X] == [1 if two.decision(x) > 0.0 else -1 for x in X]
    assert [several.predict(x) for x in X] == [int(np.argmax(several.scores(x))) for x in X]
    assert np.mean([several.predict(x) == np.digitize(x[0], (-0.5, 0.5)) for x in X]) > 0.8
    with pytest.raises(AttributeError, match="several scores"):
        several.decision(X[0])
