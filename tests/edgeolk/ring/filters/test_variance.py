"""Variances and intervals of the Gaussian processes, wherever a score can be had."""

from __future__ import annotations

import math
from array import array
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from threaded import together

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.reference import LEARNERS, gaussian

GP = ("krls_t", "sogp")


def learned(name: str, n: int = 200, **options: Any) -> tuple[ek.Learner, np.ndarray, np.ndarray]:
    r = np.random.default_rng(1)
    X = r.uniform(-3, 3, size=(n, 1))
    y = 5 * np.sin(X[:, 0]) + 0.5 * r.normal(size=n)
    learner = ek.Learner(name, n_features=1, budget=25, gamma=0.5, **options)
    learner.learn_many(X, y)
    return learner, X, y


@pytest.mark.parametrize("name", GP)
def test_variance_is_that_of_the_reference(name: str) -> None:
    learner, X, y = learned(name)
    plain = LEARNERS[name](gaussian(0.5), 25)
    plain.learn_many(X, y)
    far = np.array([[50.0]])
    for x in (*X[:20], far[0]):
        assert learner.variance_one(x) == pytest.approx(plain.variance_one(x), rel=1e-6)
    np.testing.assert_array_equal(learner.variance(X), [learner.variance_one(x) for x in X])
    assert learner.variance_one(far[0]) > 10 * learner.variance_one(X[0])


@pytest.mark.parametrize("name", GP)
def test_the_exact_posterior_of_a_ring_with_room_for_all(name: str) -> None:
    """The closed form of a Gaussian process, with the scale of the errors."""
    learner, X, y = learned(name, 20)
    K = np.exp(-0.5 * (X - X.T) ** 2)
    x = np.array([0.3])
    k = np.exp(-0.5 * (X[:, 0] - x[0]) ** 2)
    within = np.linalg.solve(K + 0.01 * np.eye(20), k)
    assert learner.predict_one(x) == pytest.approx(within @ y, rel=1e-3)
    plain = LEARNERS[name](gaussian(0.5), 25)
    plain.learn_many(X, y)
    shape = learner.variance_one(x) / (plain.num / plain.den)
    assert shape == pytest.approx(0.01 + 1.0 - k @ within, rel=1e-3)


@pytest.mark.parametrize("name", GP)
def test_intervals_are_normal_and_hold_the_share_they_promise(name: str) -> None:
    learner, X, y = learned(name, 400, sn2=0.02)
    low, high = learner.interval_one(X[0], 0.9)
    half = NormalDist().inv_cdf(0.95) * math.sqrt(learner.variance_one(X[0]))
    assert (high + low) / 2 == pytest.approx(learner.predict_one(X[0]))
    assert (high - low) / 2 == pytest.approx(half)
    inside = [low <= t <= high for x, t in zip(X, y, strict=True)
              for low, high in [learner.interval_one(x)]]  # fmt: skip
    assert 0.8 < np.mean(inside) <= 1.0


@pytest.mark.parametrize("name", GP)
def test_nothing_is_known_before_the_first_row(name: str) -> None:
    learner = ek.Learner(name, n_features=1, budget=5)
    assert learner.variance_one([0.0]) == math.inf
    assert learner.interval_one([0.0]) == (-math.inf, math.inf)


def test_others_say_who_has_variances() -> None:
    for name in ("knlms", "ogd", "sorf"):
        learner = ek.Learner(name, n_features=1, budget=5)
        for call in (learner.variance_one, learner.variance, learner.interval_one):
            with pytest.raises(AttributeError, match="krls_t, sogp, krls_auto, and sorf with"):
                call([[0.0]])


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 2.0, math.nan])
def test_levels_that_are_no_probability(level: float) -> None:
    learner, X, _ = learned("krls_t", 5)
    with pytest.raises(ValueError, match="level must be a"):
        learner.interval_one(X[0], level)


@pytest.mark.parametrize("coefficients", ["float64", "float32"])
def test_a_learner_without_numpy_and_one_from_a_file_answer_the_same(
    tmp_path: Path, coefficients: str
) -> None:
    learner, X, _ = learned("krls_t", coefficients=coefficients)
    learner.save(tmp_path / "model")
    again = ek.load(tmp_path / "model")
    bare = BareLearner.from_bytes((tmp_path / "model").read_bytes())
    np.testing.assert_array_equal(again.variance(X), learner.variance(X))
    for x in X[:5]:
        row = array("d", x)
        assert bare.variance_one(row) == learner.variance_one(x)
        assert bare.interval_one(row) == learner.interval_one(x)


@pytest.mark.parametrize("coefficients", ["float64", "float32"])
def test_threads_get_what_one_alone_would(coefficients: str) -> None:
    learner, X, _ = learned("krls_t", coefficients=coefficients)
    alone = learner.variance(X)
    rows = np.tile(X, (50, 1))
    for variances in together(*[lambda: learner.variance(rows)] * 4):
        np.testing.assert_array_equal(variances, np.tile(alone, 50))


def test_bad_rows_are_refused() -> None:
    learner, *_ = learned("krls_t", 5)
    with pytest.raises(ValueError, match="finite"):
        learner.variance_one([math.nan])
    with pytest.raises(ValueError, match=r"X\[1\] must be finite"):
        learner.variance([[0.0], [math.inf]])
