"""What a plan spends few bytes on: features of a kernel, a linear model, or both."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import edgeolk as ek


def options_of(**arguments: Any) -> tuple[int, Any, str]:
    """Frequencies, the linear group and the scale."""
    options = ek.Config(**arguments).options
    return options["budget"], options["linear_group"], str(options["scale"])


@pytest.mark.parametrize(
    ("arguments", "linear_group", "scale"),
    [
        ({"n_features": 57, "ram": 2048}, False, "standard"),
        ({"n_features": 57, "ram": 1024}, "last", "standard"),
        ({"n_features": 54, "ram": 1024}, True, "standard"),
        ({"n_features": 256, "n_classes": 10, "ram": 4096}, "last", "common"),
        ({"n_features": 256, "n_classes": 10, "ram": 16384}, False, "standard"),
        ({"n_features": 180, "n_classes": 3, "ram": 4096}, True, "standard"),
        ({"n_features": 40, "loss": "square", "ram": 860}, True, "standard"),
    ],
)
def test_few_bytes_hold_a_linear_model(
    arguments: dict[str, Any], linear_group: object, scale: str
) -> None:
    _, group, scaled = options_of(**arguments)
    assert (group, scaled) == (linear_group, scale)
    assert ek.plan(**arguments).nbytes <= arguments["ram"]


@pytest.mark.parametrize(
    "named",
    [
        {"kernel": ek.Gaussian(0.1)}, {"gamma": 0.1}, {"linear_group": False},
        {"relevance": "shared"}, {"groups": 1}, {"widths": (1.0,)}, {"loss": "novelty"},
    ],
    ids=str,
)  # fmt: skip
def test_what_only_features_have_asks_for_features(named: dict[str, Any]) -> None:
    budget, group, _ = options_of(n_features=30, ram=900, **named)
    assert budget > 0
    assert group is False


@pytest.mark.parametrize(("ram", "drift", "constant"), [(1152, True, True), (1024, False, True),
                                                       (920, False, False)])  # fmt: skip
def test_the_drift_alarm_goes_first(ram: int, drift: bool, constant: bool) -> None:
    options = ek.Config(n_features=16, n_classes=26, ram=ram).options
    assert (options["linear_group"], options["scale"]) == ("last", "standard")
    assert (options["drift"], options["constant"]) == (drift, constant)


def test_a_named_scale_is_kept() -> None:
    budget, group, scale = options_of(n_features=256, n_classes=10, ram=8192, scale="standard")
    assert (budget, group, scale) == (0, "last", "standard")


@pytest.mark.parametrize("ram", range(400, 3000, 100))
def test_more_bytes_never_hold_a_smaller_kernel(ram: int) -> None:
    """Once features pay they stay, and the plan names that size."""
    plan = ek.plan(n_features=30, ram=ram)
    more = ek.plan(n_features=30, ram=ram + 100)
    assert more.budget >= plan.budget
    if not plan.budget and "common" not in plan.kernel:
        digits = plan.kernel.rsplit("from ", 1)[1].split(" ")[0].replace(",", "")
        assert ek.plan(n_features=30, ram=int(digits)).budget > 0


def test_the_text_of_a_plan_says_that_inputs_share_one_scale() -> None:
    text = str(ek.plan(n_features=256, n_classes=10, ram=4096))
    assert "a linear model of 256 inputs is worth more" in text
    assert "O(d), every step" in text
    assert "one scale for all inputs (scale='common')" in text


def test_it_learns_what_is_linear() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 57))
    y = np.where(X @ rng.normal(size=57) > 0.0, 1.0, -1.0)
    few = ek.Learner(n_features=57, ram=1024)
    features = ek.Learner(n_features=57, ram=1024, linear_group=False)
    few.learn_many(X, y)
    features.learn_many(X, y)
    assert few.mistakes < 0.6 * features.mistakes
    again = pickle.loads(pickle.dumps(few))
    assert np.array_equal(again.decision_function(X[:9]), few.decision_function(X[:9]))


def test_an_average_over_no_window_comes_back() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    learner = ek.Learner("sorf", n_features=3, D=64, cmin=1, cmax=1)
    learner.learn_many(X, np.sign(X[:, 0]))
    again = ek.Learner._from_block(bytes(learner._sealed()))
    np.testing.assert_array_equal(again.decision_function(X), learner.decision_function(X))
