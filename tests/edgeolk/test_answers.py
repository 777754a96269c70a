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
    _, reach, shares = learner._engine.said()
    return [*reach, *shares]


def test_forecasts_of_many_rows_say_what_those_of_one_do() -> None:
    one, many = forecaster(interval=(0.8, 0.95)), forecaster(interval=(0.8, 0.95))
    expected, said = [], []
    for row, target in zip(X, Y.tolist(), strict=True):
        expected.append(one.learn_one(row, target))
        said.append(numbers(one))
    answers, after = np.empty(ROWS), np.empty((ROWS, len(said[0])))
    many._answer_many(X, Y, answers, None, after.reshape(-1))
    assert answers.tolist() == expected
    assert after.tolist() == said
    assert many._engine.counters() == one._engine.counters()


@pytest.mark.parametrize("horizon", [1, 4])
def test_targets_come_between_rows(horizon: int) -> None:
    """As many as there are, now and then one that is never known, some behind the last row."""
    one, many = forecaster(horizon=horizon), forecaster(horizon=horizon)
    rng = np.random.default_rng(horizon)
    waiting: list[float] = []
    told: list[float] = []
    counts: list[int] = []
    expected, said = [], []
    for at in range(ROWS + 1):
        counts.append(int(rng.integers(len(waiting) + 1)) if len(waiting) < horizon else 1)
        for _ in range(counts[-1]):
            target = waiting.pop(0)
            told.append(target)
            one.tell_one(target)
        if at < ROWS:
            expected.append(one.ask_one(X[at]))
            said.append(numbers(one))
            waiting.append(np.nan if rng.random() < 0.1 else float(Y[at]))
    answers, after = np.empty(ROWS), np.empty((ROWS, len(said[0])))
    call = (np.array(told), np.array(counts, dtype=np.int64), answers, after.reshape(-1))
    assert many._ask_many(X, *call) == ROWS
    assert answers.tolist() == expected
    assert after.tolist() == said
    assert many.n_waiting == one.n_waiting == len(waiting)
    assert many._engine.counters() == one._engine.counters()


def test_a_refused_row_ends_it_behind_its_targets() -> None:
    learner = forecaster()
    rows = X.copy()
    rows[5, 1] = np.inf
    told, counts = Y[:ROWS].copy(), np.array([0] + [1] * ROWS, dtype=np.int64)
    after = np.empty(ROWS * len(numbers(learner)))
    assert learner._ask_many(rows, told, counts, np.empty(ROWS), after) == 5
    assert learner.steps == 5
    assert learner.n_waiting == 0


def test_a_target_without_a_row_is_an_error() -> None:
    learner = forecaster()
    after = np.empty(len(numbers(learner)))
    with pytest.raises(RuntimeError, match="no row waits"):
        learner._ask_many(X[:1], Y[:1].copy(), np.array([1, 0]), np.empty(1), after)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"told": Y[:3].copy()}, "in all 3"),
        ({"counts": np.array([1, -1, 1, 1])}, "counts must be 4 numbers"),
        ({"counts": np.array([1, 1])}, "counts must be 4 numbers"),
        ({"told": [1.0, 2.0]}, "told must be a float64 array"),
        ({"after": np.empty(3)}, "after must have"),
        ({"after": np.empty(3, np.float32)}, "after must be a writable float64 array"),
    ],
)
def test_arguments_are_checked(change: dict[str, Any], sentence: str) -> None:
    learner = forecaster()
    arguments = {
        "told": Y[:2].copy(), "counts": np.array([0, 1, 1, 0]), "out": np.empty(3),
        "after": np.empty(3 * len(numbers(learner))), **change,
    }  # fmt: skip
    with pytest.raises((TypeError, ValueError), match=sentence):
        learner._ask_many(X[:3], **arguments)
    assert learner.steps == 0


def test_who_says_no_more_than_a_score_is_not_asked_for_more() -> None:
    plain = ek.Learner("sorf", n_features=FEATURES, ram="8KiB", n_classes=3)
    with pytest.raises(TypeError, match="history=True"):
        plain._answer_many(X, np.zeros(ROWS), np.empty(ROWS), np.empty(ROWS + 3), np.empty(ROWS))
    with pytest.raises(TypeError, match="already returns all forecasts"):
        forecaster()._answer_many(X, Y, np.empty(ROWS), np.empty(ROWS + 1))
    with pytest.raises(AttributeError, match="history=True"):
        plain._ask_many(X, Y, np.zeros(ROWS + 1, np.int64), np.empty(ROWS), np.empty(ROWS))
