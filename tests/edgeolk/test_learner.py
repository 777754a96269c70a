"""The learner as a user sees it: copies out, empty models, memory of the caller, attributes,
answers around each row, its table in notebooks.
"""

from __future__ import annotations

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


def test_a_learner_without_frequencies_has_no_weights_of_features() -> None:
    learner = ek.Learner(n_features=3, budget=0, linear_group=True)
    learner.learn_one([1.0, 2.0, 3.0], 1)
    assert learner.weights_.shape == (2, 0, 1, 2)
    with pytest.raises(AttributeError, match="rbp has dual_coef_, no weights"):
        _ = ek.Learner("rbp", n_features=3, budget=4).weights_


def test_what_receives_answers_is_of_their_shape() -> None:
    several = ek.Learner("sorf", n_features=FEATURES, D=64, n_classes=3)
    watching = ek.Learner(n_features=FEATURES, D=64, loss="novelty", history=True)
    two = ek.Learner("sorf", n_features=FEATURES, D=64)
    out, zeros = np.empty(ROWS), np.zeros(ROWS)
    for learner, before, after, error, why in [
        (two, np.empty(ROWS + 1), None, TypeError, "already returns the only score"),
        (several, [0.0] * (ROWS + 3), None, TypeError, "before must be a writable float64 array"),
        (several, np.empty(ROWS), None, ValueError, f"before must have {ROWS + 3} numbers"),
        (watching, None, np.empty(ROWS), ValueError, f"after must have {2 * ROWS} numbers"),
    ]:
        with pytest.raises(error, match=why):
            learner._answer_many(X, zeros, out, before, after)
        assert learner.steps == 0
