"""scikit-learn's own checks of an estimator, and arguments of the learner by name.

All checks; no failure is expected.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import edgeolk as ek
from edgeolk.configuration.generate_options import kinds
from edgeolk.sklearn import OnlineKernelClassifier, OnlineKernelNovelty, OnlineKernelRegressor
from edgeolk.wrapped import SIZES

ESTIMATORS = [OnlineKernelClassifier(), OnlineKernelRegressor(), OnlineKernelNovelty()]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.spread(2)
def test_a_check_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


R = np.random.default_rng(0)
X = R.normal(size=(60, 3))
GIVEN: dict[Any, dict[str, Any]] = {
    OnlineKernelClassifier: {
        "loss": "logistic", "dtype": "float32", "drift": False, "relevance": False, "memory": 8,
    },
    OnlineKernelRegressor: {"loss": "square", "dtype": "float64", "relevance": False},
    OnlineKernelNovelty: {"window": 200, "dtype": "float32"},
}  # fmt: skip
LABELS = {OnlineKernelClassifier: X[:, 0] > 0, OnlineKernelRegressor: X[:, 0]}


def fitted(estimator: Any, **options: Any) -> Any:
    model = estimator(random_state=0, epochs=1, **options)
    return model.fit(X, LABELS.get(estimator))


@pytest.mark.parametrize("estimator", GIVEN)
def test_they_are_arguments_of_the_learner(estimator: Any) -> None:
    known = {*kinds(), *inspect.signature(ek.Config.__init__).parameters}
    there = list(inspect.signature(estimator.__init__).parameters)
    assert set(estimator._named) <= known
    assert {*estimator._named, *SIZES} <= set(there)


@pytest.mark.parametrize("estimator", GIVEN)
def test_by_name_or_in_params(estimator: Any) -> None:
    given = dict(GIVEN[estimator])
    if "memory" in given:
        given["loss"] = "hinge"
    named, listed = fitted(estimator, **given), fitted(estimator, params=given)
    assert named.to_learner().config == listed.to_learner().config
    for name, value in given.items():
        with pytest.raises(TypeError, match=f"give {name}= or params="):
            fitted(estimator, **{name: value}, params={name: value})


@pytest.mark.parametrize("estimator", GIVEN)
def test_parameters_are_those_of_scikit_learn(estimator: Any) -> None:
    model = estimator(D=64, **GIVEN[estimator])
    told = model.get_params()
    assert {name: told[name] for name in GIVEN[estimator]} == GIVEN[estimator]
    assert clone(model).get_params() == told
    model.set_params(dtype="float64", D=None, ram="2KiB")
    assert (model.dtype, model.D, model.ram) == ("float64", None, "2KiB")


@pytest.mark.parametrize("estimator", GIVEN)
def test_one_size_is_given(estimator: Any) -> None:
    assert fitted(estimator, D=64).to_learner().budget == 64
    assert fitted(estimator, budget=64).to_learner().budget == 64
    assert fitted(estimator, ram="2KiB").to_learner().nbytes <= 2048
    with pytest.raises((TypeError, ValueError), match="budget"):
        fitted(estimator, budget=64, D=64)


@pytest.mark.parametrize("estimator", [OnlineKernelClassifier, OnlineKernelRegressor])
def test_labels_that_come_late_are_learned_when_they_come(estimator: Any) -> None:
    """``predict`` remembers no rows, so a delay would only take bytes."""
    with pytest.raises(ValueError, match=r"delay=20 needs rows that wait .* or use edgeolk\.river"):
        fitted(estimator, params={"delay": 20})
    with pytest.raises(ValueError, match="horizon=3 needs rows that wait"):
        fitted(estimator, params={"history": True, "horizon": 3})
