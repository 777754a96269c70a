"""The regressor with krls_auto, which scales inputs and targets itself and has no width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek

pytest.importorskip("sklearn")

from edgeolk.sklearn import OnlineKernelRegressor


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) * [1.0, 100.0, 0.01]
    return X, 1e3 + 50.0 * (np.sin(2.0 * X[:, 0]) + X[:, 1] / 100.0 + 0.1 * rng.normal(size=600))


def test_defaults_are_those_of_the_learner(rows: Any) -> None:
    X, y = rows
    model = OnlineKernelRegressor("krls_auto", ram="8KiB").partial_fit(X, y)
    learner = ek.Learner("krls_auto", n_features=3, ram="8KiB")
    learner.learn_many(X, y)
    assert np.array_equal(model.predict(X), learner.decision_function(X))
    assert (model.target_mean_, model.target_scale_) == (0.0, 1.0)
    targets, deviations = model.predict(X, return_std=True)
    assert np.array_equal(deviations, np.sqrt(learner.variance(X)))
    within = np.abs(targets - y) < 1.6449 * deviations
    assert 0.84 < within[300:].mean() < 0.99
    assert model.fit(X, y).score(X[300:], y[300:]) > 0.95


def test_lags_are_for_rows_in_order(rows: Any) -> None:
    X, y = rows
    options = {"params": {"lags": 2}, "ram": "8KiB"}
    with pytest.raises(ValueError, match="lags=2 needs rows in the order of time"):
        OnlineKernelRegressor("krls_auto", **options).fit(X, y)
    model = OnlineKernelRegressor("krls_auto", **options).partial_fit(X, y)
    assert model.learner_.parameters["lags"] == 2
