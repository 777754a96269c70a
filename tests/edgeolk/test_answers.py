"""What a loop asks of a learner before and after each row, of many rows in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek

ROWS, FEATURES = 200, 3
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, FEATURES))
Y = np.cumsum(RNG.normal(size=ROWS)) + X[:, 0]


def forecaster(**options: Any) -> ek.Learner:
    return ek.Learner(
        "sorf", n_features=FEATURES, ram="8KiB", loss="square", history=True, **options
    )


def numbers(learner: ek.Learner) -> list[float]:
    _, reach, shares = learner._engine.last_forecast()
    return [*reach, *shares]


def test_forecasts_of_many_rows_say_what_those_of_one_do() -> None:
    one, many = forecaster(interval=(0.8, 0.95)), forecaster(interval=(0.8, 0.95))
    expected, outputs = [], []
    for row, target in zip(X, Y.tolist(), strict=True):
        expected.append(one.learn_one(row, target))
        outputs.append(numbers(one))
    answers, after = np.empty(ROWS), np.empty((ROWS, len(outputs[0])))
    many._answer_many(X, Y, answers, None, after.reshape(-1))
    assert answers.tolist() == expected
    assert after.tolist() == outputs
    assert many._engine.counters() == one._engine.counters()


def test_who_says_no_more_than_a_score_is_not_asked_for_more() -> None:
    plain = ek.Learner("sorf", n_features=FEATURES, ram="8KiB", n_classes=3)
    with pytest.raises(TypeError, match="history=True"):
        plain._answer_many(X, np.zeros(ROWS), np.empty(ROWS), np.empty(ROWS + 3), np.empty(ROWS))
    with pytest.raises(TypeError, match="already returns all forecasts"):
        forecaster()._answer_many(X, Y, np.empty(ROWS), np.empty(ROWS + 1))
