"""krls_auto with the last targets as inputs: rows in the order of time, late targets, gaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk import hosting

D, LAGS, ROWS = 2, 3, 600


def stream(rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, D))
    y = np.zeros(rows)
    for t in range(rows):
        before = y[t - 1] if t else 0.0
        y[t] = 0.8 * np.sin(before) + 0.3 * X[t, 0] + 0.05 * rng.normal()
    return X, 20.0 + 3.0 * y


def learner_of(lags: int = LAGS, **options: Any) -> Any:
    size = {"budget": 15, **options} if "ram" not in options else options
    return ek.Learner("krls_auto", n_features=D, lags=lags, **size)


def with_lags(X: np.ndarray, y: np.ndarray, delay: int = 1, lags: int = LAGS) -> np.ndarray:
    """Rows followed by the targets that were known, the newest first, 0 where there was none."""
    known = np.concatenate([np.zeros(lags + delay - 1), y])
    columns = [known[lags - 1 - i : lags - 1 - i + len(y)] for i in range(lags)]
    return np.hstack([X, np.column_stack(columns)])


def block(learner: Any) -> bytes:
    return bytes(learner._sealed())


def test_targets_are_inputs() -> None:
    """The answers of a learner that gets rows and last targets, to the bit."""
    X, y = stream()
    plain = ek.Learner("krls_auto", n_features=D + LAGS, budget=15, dtype="float64")
    expected = plain.learn_many(with_lags(X, y), y)
    learner = learner_of(dtype="float64")
    assert np.array_equal(learner.learn_many(X, y), expected)
    last = np.concatenate([X[-1], y[:-LAGS - 1:-1]])
    assert learner.predict_one(X[-1]) == plain.predict_one(last)
    assert learner.variance_one(X[-1]) == plain.variance_one(last)
    assert learner.steps == learner.updates == ROWS
    assert learner.squared_error == plain.squared_error


def test_history_helps() -> None:
    X, y = stream(2000)
    blind = ek.Learner("krls_auto", n_features=D, ram="4KiB").learn_many(X, y) - y
    aware = learner_of(ram="4KiB").learn_many(X, y) - y
    assert np.std(aware[500:]) < 0.5 * np.std(blind[500:])


@pytest.mark.parametrize("delay", [1, 4])
def test_late_targets_find_their_rows(delay: int) -> None:
    """Each row is learned with the targets that were known when it was answered."""
    X, y = stream()
    learner = learner_of(dtype="float64", horizon=delay)
    plain = ek.Learner("krls_auto", n_features=D + LAGS, budget=15, dtype="float64")
    rows = with_lags(X, y, delay)
    for t in range(ROWS):
        if t >= delay:
            learner.tell_one(y[t - delay])
        learner.ask_one(X[t])
        assert learner.n_waiting == min(t + 1, delay)
    for t in range(ROWS - delay, ROWS):
        learner.tell_one(y[t])
    # The first rows give offset and scale, the next ones lack targets that are inputs.
    first = LAGS + delay - 1
    for t in [0, 1, 2, *range(max(3, first), ROWS)]:
        plain.learn_one(rows[t], y[t])
    last = np.concatenate([X[-1], y[: -LAGS - 1 : -1]])
    assert learner.predict_one(X[-1]) == plain.predict_one(last)
    assert learner.steps == learner.updates == ROWS


def test_asking_and_telling_is_learning() -> None:
    X, y = stream()
    one, two = learner_of(), learner_of()
    one.learn_many(X, y)
    for x, target in zip(X, y, strict=True):
        two.ask_one(x)
        two.tell_one(target)
    assert np.array_equal(one.decision_function(X), two.decision_function(X))
    assert one.squared_error == pytest.approx(two.squared_error, rel=0.05)


def test_intervals_hold() -> None:
    X, y = stream(2000)
    learner = learner_of(ram="4KiB")
    assert learner.interval == (-np.inf, np.inf)
    inside = []
    for x, target in zip(X, y, strict=True):
        learner.learn_one(x, target)
        if np.isfinite((interval := learner.interval)[0]):
            inside.append(interval[0] <= target <= interval[1])
    assert len(inside) > 1900
    assert 0.86 < np.mean(inside) < 0.97
    assert learner.shares == {"kernel": 1.0}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_unknown_target_is_dropped(dtype: str) -> None:
    X, y = stream()
    learner = learner_of(dtype=dtype)
    learner.learn_many(X, y)
    answers, steps = learner.decision_function(X), learner.steps
    learner.learn_one(X[0], None)
    learner.ask_one(X[1])
    learner.tell_one(None)
    learner.ask_one(X[1])
    learner.tell_one(math.nan)
    assert np.array_equal(learner.decision_function(X), answers)
    assert (learner.steps, learner.updates) == (steps + 3, steps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gap(dtype: str) -> None:
    """After a restart rows are answered as if the targets were usual, and not learned at first."""
    X, y = stream()
    learner = learner_of(dtype=dtype)
    learner.learn_many(X, y)
    learner.ask_one(X[0])
    learner.restart()
    assert learner.n_waiting == 0
    answers = learner.learn_many(X[:LAGS], np.full(LAGS, 20.0))
    assert np.abs(answers - 20.0).max() < 2.0 * y.std()
    # Three targets are known now: the next row is learned with them, those before were not.
    other = learner_of(dtype=dtype)
    other.learn_many(X, y)
    for _ in range(LAGS):
        other.restart()
        other.learn_one(X[5], 20.0)
    other.learn_many(X[:0], y[:0])
    known = ek.Learner._from_block(block(learner))
    assert known.predict_one(X[9]) == learner.predict_one(X[9])
    assert other.updates == learner.updates


def test_an_unknown_target_is_the_mean_of_its_input() -> None:
    X, y = stream()
    plain = ek.Learner("krls_auto", n_features=D + LAGS, budget=15, dtype="float64")
    plain.learn_many(with_lags(X, y), y)
    learner = learner_of(dtype="float64")
    learner.learn_many(X, y)
    learner.restart()
    means = np.asarray(plain._engine.view("input_scales"))[3]
    usual = np.asarray(plain._engine.view("origin"))[0] + means
    row = np.concatenate([X[3], usual[D:]])
    assert np.abs(means[D:]).min() > 0.1
    assert learner.predict_one(X[3]) == pytest.approx(plain.predict_one(row), rel=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_after_a_gap_the_targets_before_it_do_not_count(dtype: str) -> None:
    X, y = stream()
    low, high = (learner_of(dtype=dtype) for _ in range(2))
    for learner, target in ((low, 16.0), (high, 24.0)):
        learner.learn_many(X, y)
        hosting.freeze(learner)
        learner.learn_many(X[:LAGS], np.full(LAGS, target))
    assert low.predict_one(X[9]) != high.predict_one(X[9])
    for learner in (low, high):
        learner.restart()
    assert low.predict_one(X[9]) == high.predict_one(X[9])


def test_the_queue_drops_the_oldest() -> None:
    X, y = stream()
    learner, other = learner_of(horizon=2), learner_of(horizon=2)
    for one in (learner, other):
        for t in range(100):
            one.ask_one(X[t])
            one.tell_one(y[t])
    learner.ask_one(X[100])
    for t in (101, 102):
        learner.ask_one(X[t])
        other.ask_one(X[t])
    assert learner.n_waiting == 2
    for t in (101, 102):
        learner.tell_one(y[t])
        other.tell_one(y[t])
    assert np.array_equal(learner.decision_function(X), other.decision_function(X))


def test_calls_out_of_order_change_nothing() -> None:
    X, y = stream()
    learner = learner_of()
    learner.learn_many(X, y)
    before = block(learner)
    with pytest.raises(RuntimeError, match="no row waits"):
        learner.tell_one(1.0)
    with pytest.raises(ek.BadRowError, match="coefficient would exceed"):
        learner.learn_one(X[0], 1e19)
    assert block(learner) == before
    learner.ask_one(X[0])
    before = block(learner)
    with pytest.raises(RuntimeError, match="still waits"):
        learner.learn_one(X[0], y[0])
    with pytest.raises(ek.BadRowError, match="coefficient would exceed"):
        learner.tell_one(1e19)
    assert block(learner) == before
    late = learner_of(horizon=2)
    with pytest.raises(RuntimeError, match="horizon above 1"):
        late.learn_one(X[0], y[0])


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="horizon= is for lags="):
        ek.Learner("krls_auto", n_features=2, budget=5, horizon=3)
    with pytest.raises(ValueError, match="lags must be"):
        ek.Learner("krls_auto", n_features=2, budget=5, lags=-1)
    plain = ek.Learner("krls_auto", n_features=2, budget=5)
    calls = (lambda: plain.ask_one(np.zeros(2)), lambda: plain.tell_one(0.0), plain.restart)
    for call in calls:
        with pytest.raises(AttributeError, match="or lags= of krls_auto"):
            call()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_copy_continues(dtype: str, tmp_path: Any) -> None:
    """Waiting rows, known targets and all that was learned are in the file."""
    X, y = stream()
    learner = learner_of(dtype=dtype, horizon=3)
    for t in range(200):
        learner.ask_one(X[t])
        if t >= 2:
            learner.tell_one(y[t - 2])
    learner.save(tmp_path / "model")
    again = ek.load(tmp_path / "model")
    assert again.n_waiting == learner.n_waiting == 2
    for t in range(200, 300):
        assert again.ask_one(X[t]) == learner.ask_one(X[t])
        again.tell_one(y[t - 2])
        learner.tell_one(y[t - 2])
    assert block(again) == block(learner)
    assert learner.nbytes == ek.plan(
        "krls_auto", n_features=D, lags=LAGS, horizon=3, budget=15, dtype=dtype
    ).nbytes


def test_targets_far_from_zero() -> None:
    """Lags are kept in double: 1e9 and noise loses nothing."""
    X, y = stream(1500)
    near = learner_of(ram="4KiB").learn_many(X, y - 20.0) - (y - 20.0)
    far = learner_of(ram="4KiB").learn_many(X, y + 1e9) - (y + 1e9)
    assert np.std(far[300:]) < 1.02 * np.std(near[300:])


@pytest.mark.parametrize("horizon", [1, 3])
def test_frozen_it_follows_the_targets_and_learns_nothing(horizon: int) -> None:
    """The kernel is as it was; the last targets, its inputs, are those of a learner of all rows."""
    X, y = stream(160)
    frozen, other = (learner_of(horizon=horizon, dtype="float64") for _ in range(2))
    for t in range(len(X)):
        if t == 100:
            hosting.freeze(frozen)
            counters, alpha = frozen._engine.counters(), frozen.dual_coef_
        for learner in (frozen, other):
            if learner.n_waiting == horizon:
                learner.tell_one(y[t - horizon])
            learner.ask_one(X[t])
    assert frozen._engine.counters() == counters
    np.testing.assert_array_equal(frozen.dual_coef_, alpha)
    for learner in (frozen, other):
        while learner.n_waiting:
            learner.tell_one(y[len(y) - learner.n_waiting])
    lags = [np.asarray(each._engine.view("recent_targets")) for each in (frozen, other)]
    np.testing.assert_array_equal(*lags)
    assert other.steps == 160


def test_outputs_of_many_rows_are_those_of_one_by_one() -> None:
    X, y = stream(120)
    one, many = learner_of(), learner_of()
    expected = []
    for row, target in zip(X, y.tolist(), strict=True):
        expected.append((one.learn_one(row, target), *hosting.last_forecast(one)[1:]))
    answers, after = np.empty(120), np.empty(240)
    many._answer_many(X, y, answers, None, after)
    found = zip(answers.tolist(), after[::2].tolist(), after[1::2].tolist(), strict=True)
    assert [(f, [half], [share]) for f, half, share in found] == expected
