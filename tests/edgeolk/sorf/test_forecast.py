"""Forecasters: what holds of them, and how they are asked and told."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forecasts import learner_of, run, sealed, series, state, troubled

import edgeolk as ek
from edgeolk import hosting

# ---- what holds of every forecast ----------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3])
def test_a_constant_target_is_answered_exactly(k: int) -> None:
    learner = learner_of(d=0, D=0, horizon=k)
    said = run(learner, np.zeros((300, 0)), np.full(300, 0.1), k)
    assert (said[:k] == 0.0).all()
    assert (said[k:] == 0.1).all()
    assert not np.frombuffer(state(learner)["head"])[:7].any()


@pytest.mark.parametrize(("k", "rows"), [(1, 30), (12, 90)])
@pytest.mark.parametrize("D", [0, 96])
def test_a_ramp_is_forecast_to_a_tenth_of_its_change(k: int, rows: int, D: int) -> None:
    y = np.arange(300.0)
    said = run(learner_of(d=0, D=D, horizon=k), np.zeros((300, 0)), y, k)
    assert np.abs(said - y)[rows:].max() < 0.1 * k


@pytest.mark.parametrize("D", [0, 96])
def test_first_forecasts_of_two_days_ahead_are_near_the_last_value(D: int) -> None:
    """An hourly room, from the present temperatures outside and inside."""
    k, r = 48, np.random.default_rng(1)
    hours = np.arange(300 + k)
    walks = np.cumsum(r.normal(size=(2, len(hours))), axis=1)
    outside = 10.0 + 8.0 * np.sin(2.0 * np.pi * hours / 24) + 0.3 * walks[0]
    room = 21.0 + 3.0 * np.sin(2.0 * np.pi * (hours - 5) / 24) + 0.15 * walks[1]
    X, y = np.column_stack([outside, room])[:300], room[k:]
    said = run(learner_of(d=2, D=D, horizon=k), X, y, k)[k : k + 100]
    truth, last = y[k : k + 100], y[:100]
    assert np.abs(said - truth).mean() < 1.25 * np.abs(last - truth).mean()
    assert y.min() - 2.0 < said.min() <= said.max() < y.max() + 2.0


def test_asking_changes_only_what_waits() -> None:
    X, y = series()
    learner = learner_of(horizon=2)
    run(learner, X[:200], y[:200], 2)
    learner.tell_one(y[198])
    before = state(learner, "pending", "scaler", "scaler_counts")
    learner.ask_one(X[200])
    learner.ask_one(X[201])
    assert state(learner, "pending", "scaler", "scaler_counts") == before


@pytest.mark.parametrize("never", [None, float("nan")])
def test_a_target_that_is_never_known_changes_only_what_waits(never: Any) -> None:
    X, y = series()
    learner = learner_of()
    learner.learn_many(X[:200], y[:200])
    before = state(learner, "pending", "scaler", "scaler_counts")
    learner.ask_one(X[200])
    learner.tell_one(never)
    assert learner.n_waiting == 0
    assert state(learner, "pending", "scaler", "scaler_counts") == before


@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": "int8"}, {"D": 0, "season": 12}, {"horizon": 3}, {"horizon": 12, "season": 24}],
    ids=str,
)
def test_nothing_comes_from_the_future(options: dict[str, Any]) -> None:
    """Targets from row 300 on are others: no answer, interval or share is, before one has come."""
    X, y = series()
    shifted = y.copy()
    shifted[300:] += 100.0
    k = options.get("horizon", 1)
    said = []
    for targets in (y, shifted):
        learner, rows = learner_of(**options), []
        for t in range(len(X)):
            if t >= k:
                learner.tell_one(targets[t - k])
            rows.append((learner.ask_one(X[t]), learner.interval, learner.shares))
        said.append(rows)
    assert said[0][: 300 + k] == said[1][: 300 + k]
    assert said[0][300 + k][0] != said[1][300 + k][0]


# ---- how it is called ----------------------------------------------------------------------------


def test_a_prediction_is_what_learning_answers_and_changes_nothing() -> None:
    X, y = troubled()
    learner = learner_of(dtype="int8")
    for row, target in zip(X[:300], y[:300], strict=True):
        before = sealed(learner)
        said, interval = learner.predict_one(row), learner.interval
        assert sealed(learner) == before
        assert learner.predict(row[None])[0] == learner.decision_one(row) == said
        assert learner.learn_one(row, target) == said
        assert learner.interval == interval


def test_wrong_order_is_refused() -> None:
    X, y = series()
    learner = learner_of()
    with pytest.raises(RuntimeError, match="no row waits"):
        learner.tell_one(1.0)
    learner.ask_one(X[0])
    before = sealed(learner)
    with pytest.raises(RuntimeError, match="still waits for its target"):
        learner.learn_one(X[1], y[1])
    with pytest.raises(RuntimeError, match="still waits for its target"):
        learner.learn_many(X, y)
    assert sealed(learner) == before
    late = learner_of(horizon=3)
    with pytest.raises(RuntimeError, match="ask_one"):
        late.learn_one(X[0], y[0])
    plain = ek.Learner(n_features=3, D=40, loss="square")
    for call in (lambda: plain.ask_one(X[0]), lambda: plain.tell_one(1.0), plain.restart):
        with pytest.raises(AttributeError, match="history=True"):
            call()
    with pytest.raises(AttributeError, match="history=True"):
        plain.interval  # noqa: B018


@pytest.mark.parametrize("y", [float("inf"), 1e16, "warm"])
def test_a_bad_target_changes_nothing(y: Any) -> None:
    X, targets = series()
    learner = learner_of(dtype="int8")
    learner.learn_many(X[:50], targets[:50])
    before = sealed(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.learn_one(X[50], y)
    assert sealed(learner) == before
    learner.ask_one(X[50])
    before = sealed(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.tell_one(y)
    assert sealed(learner) == before


def test_a_row_with_an_infinite_reading_is_refused() -> None:
    X, y = series()
    learner = learner_of()
    X[0, 1] = np.inf
    for call in (lambda: learner.learn_one(X[0], y[0]), lambda: learner.ask_one(X[0])):
        with pytest.raises(ek.BadRowError, match="feature 1"):
            call()
    assert learner.steps == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_restart_leaves_no_season_and_no_row_that_waits(dtype: str) -> None:
    X, y = series()
    learner = learner_of(dtype=dtype, horizon=3, season=12)
    run(learner, X[:100], y[:100], 3)
    assert learner.n_waiting == 3
    learner.tell_one(y[97])
    assert learner.n_waiting == 2
    learner.restart()
    learner.ask_one(X[100])
    assert learner.n_waiting == 1
    assert np.asarray(learner._engine.view("season")).flat[0] == 0.0


def test_one_row_more_than_the_horizon_drops_the_oldest() -> None:
    X, y = series()
    learner = learner_of(horizon=2)
    run(learner, X[:100], y[:100], 2)
    assert learner.n_waiting == 2
    learner.ask_one(X[100])
    assert learner.n_waiting == 2
    learner.tell_one(y[99])
    learner.tell_one(y[100])
    assert learner.n_waiting == 0


def test_after_a_restart_the_answer_is_the_mean_and_what_was_learned_stays() -> None:
    X, y = series()
    learner = learner_of(season=12)
    learner.learn_many(X[:200], y[:200])
    before = state(learner, "history", "pending", "season")
    learner.restart()
    assert state(learner, "history", "pending", "season") == before
    assert learner.predict_one(X[200]) == pytest.approx(y[:200].mean(), abs=3.0)
    assert learner.interval == (-np.inf, np.inf)
    assert not any(learner.shares.values())


def test_an_interval_has_two_ends_from_the_first_row_on() -> None:
    X, y = series()
    for options in ({}, {"interval": (0.5, 0.9)}):
        learner, known = learner_of(**options), []
        for row, target in zip(X[:8], y[:8], strict=True):
            intervals = np.reshape(learner.interval, (-1, 2))
            assert (intervals[:, 0] < intervals[:, 1]).all()
            known.append(bool(np.isfinite(intervals).all()))
            learner.learn_one(row, target)
        assert known == [False] * 5 + [True] * 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"horizon": 2}, "need loss='square' and history=True"),
        ({"interval": 0.5}, "needs history=True"),
        ({"interval": 0.9}, "got interval=0.9"),
        ({"interval": (0.9,)}, "needs history=True"),
        ({"interval": 0.9, "loss": "hinge"}, "needs history=True"),
        ({"interval": 0.9, "loss": "novelty", "history": True}, "needs history=True"),
        ({"history": True, "season": 3, "horizon": 5}, "season must be 0 or at least horizon"),
        ({"history": True, "last_label": True}, "no last_label"),
        ({"history": True, "scale": None}, "scale='standard'"),
        ({"history": True, "interval": 1.5}, "between 0 and 1"),
        ({"history": True, "D": 20}, "D must be 0"),
        ({"history": "never"}, "'auto'"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        ek.Learner(**{"n_features": 3, "D": 64, "loss": "square", **options})


def test_a_ring_is_no_kernel_of_a_forecaster() -> None:
    """Refused with the reason, whether it follows targets or classes."""
    for options in ({"loss": "epsilon"}, {}):
        with pytest.raises(TypeError, match="history=True is for 'sorf'"):
            ek.Config("bpa_s", n_features=3, budget=20, history=True, **options)
    assert not ek.Config("bpa_s", n_features=3, budget=20, history="auto")._settings.awaits_targets


def test_history_auto_is_a_forecaster_for_targets_and_the_last_label_for_classes() -> None:
    given = ek.Config(n_features=3, ram="4KiB", loss="square", history="auto")
    assert given._settings.awaits_targets
    classes = ek.Config(n_features=3, ram="4KiB", history="auto")
    assert classes.parameters["last_label"] is True
    assert not classes._settings.awaits_targets
    own = ek.Config(n_features=3, ram="4KiB", history="auto", last_label=False)
    assert own.parameters["last_label"] is False
    novelty = ek.Config(n_features=3, ram="2KiB", history="auto", loss="novelty")
    assert novelty.parameters["last_label"] is False


# ---- intervals -----------------------------------------------------------------------------------


def test_intervals_hold_what_they_say() -> None:
    r = np.random.default_rng(3)
    y = np.cumsum(r.normal(size=4000)) + r.normal(size=4000)
    learner = learner_of(d=0, D=0, interval=(0.5, 0.9))
    inside = np.zeros(2)
    for t in range(len(y)):
        learner.learn_one(np.zeros(0), y[t])
        if t >= 100:
            for i, (low, high) in enumerate(learner.interval):
                inside[i] += low <= y[t] <= high
    assert inside / 3900 == pytest.approx([0.5, 0.9], abs=0.01)


def test_a_series_without_inputs_is_kept_like_any_other(tmp_path: Path) -> None:
    y = series(200, 0)[1]
    for D in (0, 64):
        learner = learner_of(d=0, D=D, season=12)
        learner.learn_many(np.zeros((100, 0)), y[:100])
        learner.save(tmp_path / "series.olk")
        copies = [ek.load(tmp_path / "series.olk"), pickle.loads(pickle.dumps(learner))]
        assert learner.scaler is None
        for target in y[100:]:
            said = learner.learn_one([], target)
            assert all(copy.learn_one([], target) == said for copy in copies)


def test_frozen_it_follows_the_target_and_learns_nothing() -> None:
    X, y = series(200)
    frozen, unasked = learner_of(), learner_of()
    run(frozen, X[:120], y[:120])
    run(unasked, X[:120], y[:120])
    hosting.freeze(frozen)
    before, errors = state(frozen), frozen.squared_error
    frozen.tell_one(y[119])
    for row, target in zip(X[120:], y[120:].tolist(), strict=True):
        frozen.learn_one(row, target)
    after = state(frozen)
    for name in ("weights", "mean_weights", "blend"):
        assert after[name] == before[name]
    assert (frozen.steps, frozen.squared_error) == (unasked.steps, errors)
    assert abs(frozen.predict_one(X[-1]) - y[-1]) < abs(unasked.predict_one(X[-1]) - y[-1])


@pytest.mark.parametrize("D", [0, 96])
def test_a_target_of_0_has_no_errors(D: int) -> None:
    learner = learner_of(d=2, D=D)
    assert not run(learner, np.random.default_rng(0).normal(size=(300, 2)), np.zeros(300)).any()
    assert learner.squared_error == 0.0


@pytest.mark.parametrize("region", ["head", "ml_poly", "forecaster", "history"])
@pytest.mark.parametrize("D", [0, 96])
def test_no_forged_number_spoils_later_forecasts(D: int, region: str) -> None:
    """A covariance that is none, regrets without squares: what is loaded goes on with numbers."""
    X, y = series(300)
    learner = learner_of(D=D)
    run(learner, X[:200], y[:200])
    numbers = len(np.asarray(learner._engine.view(region)).reshape(-1))
    for at in range(numbers):
        for number in (-1e3, 0.0, 1e308):
            numbers_of = np.asarray(learner._engine.view(region)).reshape(-1)
            before = numbers_of[at]
            numbers_of[at] = number
            data = bytes(learner._sealed())
            numbers_of[at] = before
            try:
                copy = ek.Learner._from_block(data)
            except ValueError:
                continue
            said = []
            for t in range(200, 206):
                copy.tell_one(y[t - 1])
                said.append(copy.ask_one(X[t]))
            assert number == 1e308 or np.isfinite(said[1:]).all()


def test_a_kernel_so_narrow_that_no_row_is_in_its_range() -> None:
    for g in (1e30, 1e37):
        learner = ek.Learner("sorf", n_features=3, D=64, loss="square", history=True, clip=1e6,
                             kernel=ek.Gaussian(g), relevance=True)  # fmt: skip
        for call in (learner.predict_one, learner.ask_one):
            with pytest.raises(ek.BadRowError, match="the kernel overflows for this row"):
                call([1.0, 2.0, 3.0])
        assert learner.steps == 0


@pytest.mark.parametrize("number", [-1e3, 1e308])
def test_damaged_variances_begin_again(number: float) -> None:
    X, y = series(300)
    learner = learner_of(D=0)
    run(learner, X[:200], y[:200])
    variances = np.asarray(learner._engine.view("forecaster")).reshape(-1)[10:20]
    variances[:] = number
    learner.tell_one(y[199])
    assert ((variances > 0.0) & (variances <= 1.0)).all()
    assert np.isfinite(learner.ask_one(X[200]))
    assert ek.Learner._from_block(sealed(learner)).steps == learner.steps
