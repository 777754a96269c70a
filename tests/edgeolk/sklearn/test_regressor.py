"""Real targets at scikit-learn's desk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import edgeolk as ek
from edgeolk.configuration.plan import RamError
from edgeolk.parts import methods
from edgeolk.sklearn import OnlineKernelRegressor
from firmware_sim.kinds.base import _takes


@pytest.fixture(scope="module")
def wave() -> Any:
    random = np.random.default_rng(0)
    X = random.uniform(-3.0, 3.0, (800, 2))
    return X, 5000.0 + 300.0 * np.sin(2.0 * X[:, 0]) * X[:, 1] + random.normal(0.0, 10.0, 800)


@pytest.mark.parametrize(
    ("algorithm", "params"),
    [
        ("sorf", None),
        ("ogd", {"eta": 0.5, "full": "oldest"}),
        ("fogd", {"eta": 0.2}),
        ("bpa_s", None),
        ("pa1", {"C": 0.3}),
    ],
)
def test_targets_of_any_size(algorithm: str, params: Any, wave: Any) -> None:
    X, y = wave
    model = OnlineKernelRegressor(algorithm, gamma=1.0, params=params, random_state=0).fit(X, y)
    error = np.abs(model.predict(X) - y).mean()
    assert error < 0.6 * np.abs(y - y.mean()).mean()


def test_the_tolerance(wave: Any) -> None:
    X, y = wave
    updates = {
        epsilon: OnlineKernelRegressor(
            "bpa_s", params={"loss": "epsilon", "epsilon": epsilon}, random_state=0, epochs=1
        )
        .fit(X, y)
        .learner_.updates
        for epsilon in (0.0, 1.0)
    }
    assert updates[1.0] < 0.8 * updates[0.0]


def test_weights_are_rows() -> None:
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighed = OnlineKernelRegressor(random_state=0).fit(X, y, sample_weight=weight)
    repeated = OnlineKernelRegressor(random_state=0).fit(X.repeat(weight, 0), y.repeat(weight))
    assert (weighed.predict(X) == repeated.predict(X)).all()


def test_weights_of_zero_leave_the_stream_as_it_was(wave: Any) -> None:
    X, y = wave
    model = OnlineKernelRegressor(random_state=0)
    model.partial_fit(X, y, sample_weight=np.where(np.arange(len(y)) < 100, 1.0, 0.0))
    assert model.learner_.steps == 100


def test_a_first_call_that_is_refused_leaves_nothing(wave: Any) -> None:
    X, y = wave
    model = OnlineKernelRegressor("olru", random_state=0)
    before = dict(vars(model))
    for weight in (2.0, np.ones(3), np.ones((800, 1))):
        with pytest.raises(ValueError, match="weight"):
            model.partial_fit(X, y, sample_weight=weight)
        assert vars(model) == before


@pytest.mark.parametrize(
    ("algorithm", "params", "message"),
    [
        ("spa", None, "no loss for real targets"),
        ("bogd", {"loss": "hinge"}, "loss must be one that fits real targets"),
        (None, {"update": "gradient"}, "loss must be one that fits real targets"),
    ],
)
def test_learners_of_classes_are_refused(
    algorithm: Any, params: Any, message: str, wave: Any
) -> None:
    with pytest.raises(ValueError, match=message):
        OnlineKernelRegressor(algorithm, params=params).fit(*wave)


def test_an_algorithm_for_targets_only_is_known_by_its_parts(
    wave: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a published one could be, whose row has no choice of a loss."""
    row = methods.find("bpa_s")
    parts = {**row.parts, "loss": ek.Loss.EPSILON}
    monkeypatch.setitem(methods._BY_NAME, "bpa_s", replace(row, parts=parts, choices={}))
    X, y = wave
    model = OnlineKernelRegressor("bpa_s", budget=50, epochs=1).fit(X[:200], y[:200])
    assert model.learner_.is_regression
    assert _takes.__wrapped__("bpa_s", "square", "epsilon")
    assert not _takes.__wrapped__("bpa_s", "novelty")


def test_only_partial_fit_knows_the_order_of_time() -> None:
    r = np.random.default_rng(0)
    y = np.cumsum(r.normal(size=300))
    X = r.normal(size=(300, 2))
    model = OnlineKernelRegressor(ram="4KiB", random_state=0, params={"history": "auto"})
    assert model.fit(X, y).learner_.parameters["history"] is None
    model = OnlineKernelRegressor(ram="4KiB", random_state=0, params={"history": "auto"})
    assert model.partial_fit(X, y).learner_.parameters["history"] is True
    assert abs(model.predict(X[:1])[0] - y[-1]) < 4.0  # as the next row
    for more in ({"history": True}, {"history": True, "season": 12}):
        with pytest.raises(ValueError, match="partial_fit"):
            OnlineKernelRegressor(params=more).fit(X, y)


@pytest.mark.parametrize("algorithm", ["sorf", "ogd"])
def test_targets_that_are_all_alike(algorithm: str, wave: Any) -> None:
    X, y = wave
    model = OnlineKernelRegressor(algorithm, random_state=0).fit(X, np.full(len(y), 7.5))
    assert model.target_scale_ == 1.0
    np.testing.assert_allclose(model.predict(X), 7.5, atol=0.5)


def test_a_gaussian_process_that_does_not_fit_says_from_how_many_bytes_it_does(wave: Any) -> None:
    X, y = wave
    model = OnlineKernelRegressor(ram="1KiB", gaussian_process=True, epochs=1, random_state=0)
    with pytest.raises(RamError, match="or 232 without a process") as refused:
        model.fit(X, y)
    with pytest.raises(RamError, match=f"at least {refused.value.least} bytes"):
        model.set_params(ram=refused.value.least - 8).fit(X, y)
    model.set_params(ram=refused.value.least).fit(X, y)
    assert model.learner_.parameters["gaussian_process"] > 0
    _, deviations = model.predict(X[:5], return_std=True)
    assert (deviations > 0.0).all()
