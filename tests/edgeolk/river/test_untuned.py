"""The river model with krls_auto, which scales inputs and targets itself and has no width."""

from __future__ import annotations

import numpy as np
import pytest

import edgeolk as ek

pytest.importorskip("river")

from edgeolk.river import KernelRegressor


def test_answers_and_intervals_of_the_learner() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) * [1.0, 100.0]
    y = 1e3 + 50.0 * np.sin(2.0 * X[:, 0]) + X[:, 1]
    model = KernelRegressor("krls_auto", ram="8KiB")
    learner = ek.Learner("krls_auto", n_features=2, ram="8KiB")
    for row, target in zip(X, y, strict=True):
        x = {"a": row[0], "b": row[1]}
        if learner.steps:
            assert model.predict_one(x) == learner.predict_one(row)
        model.learn_one(x, float(target))
        learner.learn_one(row, float(target))
    last = {"a": X[0, 0], "b": X[0, 1]}
    low, high = learner.interval_one(X[0], 0.9)
    assert model.predict_one(last, with_interval=True) == (learner.predict_one(X[0]), low, high)
    assert abs(model.predict_one(last) - y[0]) < 0.2 * y.std()


def test_a_filter_with_one_loss_takes_the_default() -> None:
    model = KernelRegressor("krls_t", scale="standard", gamma=0.5)
    for t in range(20):
        model.learn_one({"a": float(t)}, float(t % 3))
    assert len(model.predict_one({"a": 1.0}, with_interval=True)) == 3
    with pytest.raises(TypeError, match="unknown parameter 'loss'"):
        KernelRegressor("krls_t", loss="epsilon").learn_one({"a": 1.0}, 2.0)
