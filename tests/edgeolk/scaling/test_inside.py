"""``learner.scaler``: a copy of the scaler inside, whatever the learner has seen so far."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import edgeolk as ek

TASKS: tuple[dict[str, Any], ...] = (
    {"loss": "square", "history": True},
    {"loss": "square"},
    {"n_classes": 3},
    {},
    {"loss": "novelty"},
)


@st.composite
def learners(draw: st.DrawFn) -> ek.Learner:
    """A learner with a scaler inside, of either form."""
    made: dict[str, Any] = {"n_features": draw(st.integers(1, 4)), "D": 64}
    made.update(draw(st.sampled_from(TASKS)), dtype=draw(st.sampled_from(["float32", "float64"])))
    methods = ["standard"] if made.get("history") else ["standard", "minmax"]
    made["scale"] = draw(st.sampled_from(methods))
    if draw(st.booleans()):
        made["freeze_after"] = draw(st.sampled_from([1, 2, 3, 4, 8]))
    return ek.Learner("sorf", **made)


def same(one: ek.RunningScaler, other: ek.RunningScaler) -> bool:
    return pickle.dumps(one) == pickle.dumps(other)


@hypothesis.settings(max_examples=150, deadline=None, database=None)
@hypothesis.given(
    learner=learners(),
    n=st.integers(0, 12),
    seed=st.integers(0, 1000),
    missing=st.sampled_from([0.0, 0.3, 0.8]),
)
def test_it_is_there_after_any_rows(
    learner: ek.Learner, n: int, seed: int, missing: float, tmp_path_factory: Any
) -> None:
    r = np.random.default_rng(seed)
    d, classes = learner.n_features, learner._config.columns
    X = np.round(r.normal(size=(n + 9, d)), 1)
    gaps = r.random(X.shape) < missing
    gaps[:1] |= missing > 0.0
    y = r.integers(0, 3, n + 9) if classes > 1 else np.where(X[:, 0] > 0.0, 1.0, -1.0)
    forecasts = learner._config.awaits_targets
    learner.learn_many(np.where(gaps[:n], np.nan, X[:n]) if forecasts else X[:n], y[:n])
    scaler = learner.scaler
    assert isinstance(scaler, ek.RunningScaler)
    assert scaler.compact == (learner.dtype == "float32" and scaler.method == "standard")
    frozen = learner.config._settings.preprocessing.freeze_after
    assert scaler.n_seen == min(n, frozen or n)
    assert np.isfinite(scaler.mean_).all()
    for j in range(d):
        if scaler.compact:
            break
        # Each input by itself, of the readings that there were.
        plain = ek.RunningScaler(1, method=scaler.method, clip=scaler.clip, window=scaler.window)
        for i in range(scaler.n_seen):
            if not (forecasts and gaps[i, j]):
                plain.learn_one(X[i, [j]])
        assert (scaler.mean_[j], scaler.scale_[j]) == (plain.mean_[0], plain.scale_[0])
    path: Path = tmp_path_factory.mktemp("scalers") / "scaler.bin"
    scaler.save(path)
    loaded = ek.RunningScaler.load(path)
    assert same(loaded, scaler)
    for x in X[n:]:
        row = loaded.learn_transform_one(x)
        np.testing.assert_array_equal(row, scaler.learn_transform_one(x))
    assert same(loaded, scaler)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_reading_of_an_input_may_be_missing(dtype: str) -> None:
    learner = ek.Learner(n_features=2, D=64, loss="square", history=True, dtype=dtype)
    learner.learn_one([1.0, np.nan], 3.0)
    scaler = learner.scaler
    assert isinstance(scaler, ek.RunningScaler)
    np.testing.assert_array_equal(scaler.mean_, [1.0, 0.0])
    np.testing.assert_array_equal(scaler.scale_, [0.0, 0.0])
    learner.learn_one([np.nan, 4.0], 3.0)
    np.testing.assert_array_equal(learner.scaler.mean_, [1.0, 4.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_reading_may_be_missing_when_the_scale_is_frozen(dtype: str) -> None:
    learner = ek.Learner(
        n_features=2, D=64, loss="square", history=True, dtype=dtype, freeze_after=20
    )
    rng = np.random.default_rng(0)
    for x, y in zip(rng.normal(size=(30, 2)), rng.normal(size=30), strict=True):
        learner.learn_one(x, y)
    before = learner.scaler
    learner.learn_one([np.nan, 1.0], 0.5)
    assert np.isfinite(learner.predict_one([np.nan, 1.0]))
    assert same(learner.scaler, before)


def test_a_scale_of_no_rows_makes_every_input_0() -> None:
    learner = ek.Learner("rbp", n_features=2, budget=3, scale="common")
    assert not learner.scores(np.ones((4, 2))).any()


def test_one_scale_of_all_inputs_has_its_name() -> None:
    learner = ek.Learner("ogd", n_features=2, budget=3, scale="common")
    learner.learn_one([1.0, 3.0], 1)
    scale = learner.scaler
    assert (scale.method, scale.mean, scale.sd, scale.n_seen) == ("common", 2.0, 1.0, 1)
    assert scale.transform([4.0, 0.0]).tolist() == [2.0, -2.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_input_of_a_wide_row_has_statistics_of_its_own(dtype: str) -> None:
    """Rows are taken in pieces of 64 inputs."""
    d = 150
    X = np.random.default_rng(3).normal(np.arange(d), 1.0 + np.arange(d), size=(20, d))
    learner = ek.Learner("sorf", n_features=d, D=64, dtype=dtype, scale="standard")
    learner.learn_many(X, np.sign(X[:, 0]))
    scaler = ek.RunningScaler(d, compact=dtype == "float32")
    for x in X:
        scaler.learn_one(x)
    assert learner.scaler is not None
    np.testing.assert_array_equal(learner.scaler.mean_, scaler.mean_)
    np.testing.assert_array_equal(learner.scaler.scale_, scaler.scale_)
