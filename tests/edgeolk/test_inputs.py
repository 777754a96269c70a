"""Which inputs matter, and why a row has its score."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

INPUTS = np.random.default_rng(0).normal(size=(3000, 5))
PRODUCT = INPUTS[:, 1] * INPUTS[:, 3]


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
    learner.learn_many(INPUTS, y)
    before = pickle.dumps(learner)
    rows = INPUTS[-300:].copy()
    found = learner.inputs(rows)
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1.0)
    assert set(np.argsort(found)[-2:]) == {1, 3}
    assert found[[1, 3]].sum() > 0.5
    np.testing.assert_array_equal(rows, INPUTS[-300:])
    np.testing.assert_array_equal(found, learner.inputs(rows))
    assert pickle.dumps(learner) == before
    if "algorithm" in options:
        with pytest.raises(ValueError, match="has not learned relevances; pass rows"):
            learner.inputs()
    else:
        assert set(np.argsort(learner.inputs())[-2:]) == {1, 3}


def test_an_input_that_stands_still_does_not_matter() -> None:
    still = INPUTS.copy()
    still[:, 2] = 7.0
    learner = ek.Learner(n_features=5, ram="4KiB")
    learner.learn_many(still, np.where(PRODUCT > 0, 1.0, -1.0))
    assert learner.inputs(still[-200:])[2] == 0.0


def test_what_cannot_be_told() -> None:
    learner = ek.Learner(n_features=5, ram="4KiB", loss="square", history=True)
    with pytest.raises(ValueError, match="rows in order cannot be shuffled"):
        learner.inputs(INPUTS)
    fresh = ek.Learner(n_features=5, ram="4KiB")
    np.testing.assert_array_equal(fresh.inputs(INPUTS[:50]), np.zeros(5))
    with pytest.raises(ValueError, match="X must have at least two rows"):
        fresh.inputs(INPUTS[0])


@pytest.mark.parametrize(
    ("options", "y"),
    [
        ({"ram": "8KiB"}, np.where(INPUTS[:, 1] > 0, 1.0, -1.0)),
        ({"ram": "8KiB", "n_classes": 3}, np.digitize(INPUTS[:, 1], [-0.4, 0.4])),
        ({"ram": "8KiB", "loss": "square"}, INPUTS[:, 1]),
        ({"ram": "8KiB", "loss": "square", "history": True}, INPUTS[:, 1]),
        ({"ram": "8KiB", "scale": "minmax"}, np.where(INPUTS[:, 1] > 0, 1.0, -1.0)),
        ({"ram": "8KiB", "lapse": 3, "last_label": True}, np.where(INPUTS[:, 1] > 0, 1.0, -1.0)),
    ],
    ids=str,
)
def test_a_row_is_explained_by_the_input_that_decides(
    options: dict[str, Any], y: np.ndarray
) -> None:
    """All inputs of the row are far from their means, and one of them decides."""
    offset = np.array([5.0, 0.0, 100.0, -3.0, 1.0])
    learner = ek.Learner(n_features=5, **options)
    learner.learn_many(INPUTS + offset, y)
    before = pickle.dumps(learner)
    row = offset + 1.5
    found = learner.explain_one(row)
    assert np.abs(found).argmax() == 1
    assert abs(found[1]) > 4 * np.abs(np.delete(found, 1)).max()
    assert found[1] > 0.0  # towards +1, the highest class, higher targets
    at_mean = row.copy()
    at_mean[1] = learner.scaler.mean_[1]
    if learner.n_classes == 2 and "history" not in options and "lapse" not in options:
        by_hand = learner.decision_one(row) - learner.decision_one(at_mean)
        assert found[1] == by_hand
    assert pickle.dumps(learner) == before
    np.testing.assert_array_equal(row, offset + 1.5)


def test_a_row_is_explained_against_the_values_that_are_given() -> None:
    plain = ek.Learner("bpa_s", n_features=5, budget=50, gamma=0.2)
    plain.learn_many(INPUTS, np.where(INPUTS[:, 1] > 0, 1.0, -1.0))
    row = INPUTS[0] + 1.0
    with pytest.raises(ValueError, match=r"bpa_s has no means .*explain_one\(x, means\)"):
        plain.explain_one(row)
    np.testing.assert_array_equal(plain.explain_one(row, row), np.zeros(5))
    assert np.abs(plain.explain_one(row, np.zeros(5))).argmax() == 1
    common = ek.Learner(n_features=5, ram="4KiB", scale="common")
    common.learn_many(INPUTS + 7.0, np.where(INPUTS[:, 1] > 0, 1.0, -1.0))
    usual = np.full(5, common.scaler.mean)
    np.testing.assert_array_equal(common.explain_one(row), common.explain_one(row, usual))


@pytest.mark.parametrize(
    ("x", "means", "message"),
    [
        (np.zeros(4), None, "x must have the shape (5,), got (4,)"),
        (np.zeros((1, 5)), None, "x must have the shape (5,), got (1, 5)"),
        (np.zeros(5), np.zeros(4), "means must have the shape (5,), got (4,)"),
        (np.array([0.0, np.nan, 0.0, 0.0, 0.0]), None, "finite"),
        (np.zeros(5), np.full(5, np.nan), "finite"),
    ],
)
def test_what_cannot_be_explained_is_refused(x: Any, means: Any, message: str) -> None:
    learner = ek.Learner(n_features=5, ram="4KiB")
    with pytest.raises(ValueError, match=re.escape(message)):
        learner.explain_one(x, means)


@pytest.mark.parametrize("seed", ["a", -1, 1.5, None, [1, 2], 2**64])
def test_the_seed_of_a_shuffling_is_checked(seed: Any) -> None:
    learner = ek.Learner(n_features=3, D=64)
    with pytest.raises((TypeError, ValueError), match=r"^seed must be"):
        learner.inputs(np.eye(3), seed=seed)
