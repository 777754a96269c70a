"""The learner as a user sees it: copies out, empty models, memory of the caller, attributes,
answers around each row, which inputs matter, its table in notebooks.
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import RINGS, Owned, takes_classes
from synthetic import random_stream

import edgeolk as ek


def test_what_a_learner_shows_is_a_copy() -> None:
    owned = Owned("spa", n_features=2, budget=5, beta=1.0, eta=9.0)
    rows = 100.0 * np.arange(1, 6)[:, None] * np.ones(2)
    owned.learner.learn_many(rows, np.ones(5))
    assert owned.learner.n_support == 5
    before = owned.state()
    for shown in ("support_vectors_", "dual_coef_"):
        array = getattr(owned.learner, shown)
        assert array.flags.c_contiguous
        array[...] = 7.0
    owned.learner.averaged.dual_coef_[...] = 7.0
    owned.learner.parts.clear()
    owned.learner.parameters.clear()
    assert owned.state() == before
    assert np.array_equal(owned.learner.support_vectors_, rows)


def test_empty_model_scores_zero() -> None:
    for name in RINGS:
        learner = ek.Learner(name, n_features=2, budget=4)
        assert learner.decision_one(np.ones(2)) == 0.0
        assert learner.predict_one(np.ones(2)) == takes_classes(name)
        assert not learner.dual_coef_.any()
        frequencies = 4 if name == "fogd" else 0
        assert learner.support_vectors_.shape == (frequencies, 2)
        assert learner.dual_coef_.shape == (2 * frequencies,)


def test_no_rows() -> None:
    owned = Owned("rbp", n_features=2, budget=4)
    before = owned.bytes()
    assert owned.learner.learn_many(np.empty((0, 2)), []).shape == (0,)
    assert owned.learner.decision_function(np.empty((0, 2))).shape == (0,)
    assert owned.learner.predict(np.empty((0, 2))).shape == (0,)
    assert owned.bytes() == before


def test_regression_predicts_scores() -> None:
    X, y = random_stream(5, 60, 4)
    learner = ek.Learner("olrd", n_features=4, budget=20, loss="square", U=20.0)
    f = learner.learn_many(X, 3.5 * y)
    assert learner.is_regression
    assert learner.mistakes == 0
    assert learner.squared_error == pytest.approx(np.sum((3.5 * y - f) ** 2), rel=1e-12)
    assert np.array_equal(learner.predict(X), learner.decision_function(X))
    assert learner.predict_one(X[0]) == learner.decision_one(X[0])


def test_no_average_where_none_is_kept() -> None:
    with pytest.raises(AttributeError, match="rbp keeps no averaged model"):
        _ = ek.Learner("rbp", n_features=1, budget=1).averaged


def test_a_model_in_memory_of_the_caller(tmp_path: Path) -> None:
    """Any start address serves, nothing outside is touched, and an array or a mapping will do."""
    X, y = random_stream(1, 50, 4)
    setting: dict[str, Any] = {"n_features": 4, "budget": 10, "seed": 3}
    plain = ek.Learner("rbp", **setting)
    plain.learn_many(X, y)
    size = plain.nbytes
    for start in (0, 1, 7, 63):
        memory = bytearray(b"\xa5" * (size + 200))
        learner = ek.Learner("rbp", buffer=memoryview(memory)[start:], **setting)
        learner.learn_many(X, y)
        assert learner._sealed() == plain._sealed()
        assert memory[:start] == b"\xa5" * start
        assert memory[start + size :] == b"\xa5" * (200 - start)
        with pytest.raises(BufferError):
            memory.append(0)  # held while the learner lives
        del learner
        memory.append(0)
    mapped = np.memmap(tmp_path / "memory", np.uint8, "w+", shape=size)
    learner = ek.Learner("rbp", buffer=mapped, **setting)
    learner.learn_many(X, y)
    assert learner._sealed() == plain._sealed()


def test_a_property_keeps_its_own_error() -> None:
    learner = ek.Learner("perceptron", n_features=2, budget=4)
    with pytest.raises(AttributeError) as raised:
        _ = learner.weights_
    assert "did you mean" not in str(raised.value)
    assert "no attribute" not in str(raised.value)


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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ram": "4KiB"}, ("2 classes, 3 inputs", "mistakes")),
        ({"ram": "4KiB", "n_classes": 3}, ("3 classes", "mistakes")),
        ({"ram": "4KiB", "loss": "square"}, ("regression", "mean absolute error")),
        ({"ram": "4KiB", "loss": "novelty"}, ("novelty",)),
        ({"budget": 7, "algorithm": "rbp"}, ("support vectors", "of 7")),
    ],
)
def test_a_table(options: dict[str, Any], said: tuple[str, ...]) -> None:
    learner = ek.Learner(options.pop("algorithm", None), n_features=3, **options)
    assert "rows learned" in learner._repr_html_()
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, 0] > 0).astype(float)
    if learner._config.needs_labels:
        learner.learn_many(X, y if learner.n_classes == 3 or learner.is_regression else 2 * y - 1)
    else:
        learner.learn_many(X)
    shown = learner._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == shown.count("</tr>") >= 5
    for part in (*said, ">30<", f"{learner.nbytes:,} bytes"):
        assert part in shown


@pytest.mark.parametrize("seed", ["a", -1, 1.5, None, [1, 2], 2**64])
def test_the_seed_of_a_shuffling_is_checked(seed: Any) -> None:
    learner = ek.Learner(n_features=3, D=64)
    with pytest.raises((TypeError, ValueError), match=r"^seed must be"):
        learner.inputs(np.eye(3), seed=seed)
