"""Which inputs matter: what was learned of them, and what shuffling them changes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

X = np.random.default_rng(0).normal(size=(3000, 5))
PRODUCT = X[:, 1] * X[:, 3]


@pytest.mark.parametrize(
    ("options", "y"),
    [
        ({"ram": "8KiB"}, np.where(PRODUCT > 0, 1.0, -1.0)),
        ({"ram": "8KiB", "n_classes": 3}, np.digitize(PRODUCT, [-0.4, 0.4])),
        ({"ram": "8KiB", "loss": "square"}, PRODUCT),
        ({"algorithm": "bpa_s", "budget": 200, "gamma": 0.2}, np.where(PRODUCT > 0, 1.0, -1.0)),
    ],
    ids=str,
)
def test_the_inputs_that_decide_matter_most(options: dict[str, Any], y: np.ndarray) -> None:
    learner = ek.Learner(n_features=5, **options)
    learner.learn_many(X, y)
    before = pickle.dumps(learner)
    rows = X[-300:].copy()
    found = learner.inputs(rows)
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1.0)
    assert set(np.argsort(found)[-2:]) == {1, 3}
    assert found[[1, 3]].sum() > 0.5
    np.testing.assert_array_equal(rows, X[-300:])
    np.testing.assert_array_equal(found, learner.inputs(rows))
    assert pickle.dumps(learner) == before
    if "algorithm" in options:
        with pytest.raises(ValueError, match="has not learned relevances; pass rows"):
            learner.inputs()
    else:
        assert set(np.argsort(learner.inputs())[-2:]) == {1, 3}


def test_an_input_that_stands_still_does_not_matter() -> None:
    still = X.copy()
    still[:, 2] = 7.0
    learner = ek.Learner(n_features=5, ram="4KiB")
    learner.learn_many(still, np.where(PRODUCT > 0, 1.0, -1.0))
    assert learner.inputs(still[-200:])[2] == 0.0


def test_what_cannot_be_told() -> None:
    learner = ek.Learner(n_features=5, ram="4KiB", loss="square", history=True)
    with pytest.raises(ValueError, match="rows in order cannot be shuffled"):
        learner.inputs(X)
    fresh = ek.Learner(n_features=5, ram="4KiB")
    np.testing.assert_array_equal(fresh.inputs(X[:50]), np.zeros(5))
    with pytest.raises(ValueError, match="X must have at least two rows"):
        fresh.inputs(X[0])
