"""What one row counts: by how much the step is longer, and who has no use for it."""

from __future__ import annotations

import math
import pickle
from array import array
from typing import Any

import numpy as np
import pytest
from helpers import ACTIVE, KERNELS
from synthetic import random_stream, regression_stream

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.reference.gradient import Norma
from edgeolk.reference.multiclass import Several
from edgeolk.reference.sorf import Sorf

D = 3

REFUSES: list[tuple[dict[str, Any], str]] = [
    ({"update": "perceptron"}, "size of its steps"),
    ({"update": "margin"}, "size of its steps"),
    ({"update": "aggressive"}, "size of its steps"),
    ({"update": "shifting"}, "size of its steps"),
    ({"update": "pegasos", "lam": 0.1}, "size of its steps"),
    ({"update": "pa"}, "without slack"),
    ({"update": "pa1", "sampling": "loss"}, "samples rows"),
    ({"update": "gradient", "sampling": "derivative"}, "samples rows"),
    ({"update": "logistic", "loss": "logistic", "sampling": "margin"}, "samples rows"),
    ({"algorithm": "sorf", "loss": "novelty"}, "all rows equally"),
]


def make(options: dict[str, Any]) -> ek.Learner:
    given = {"n_features": D, "budget": 12, "seed": 2, "dtype": "float64", **options}
    return ek.Learner(kernel=KERNELS["gaussian"][0], **given)


@pytest.mark.parametrize(("options", "why"), REFUSES, ids=str)
def test_who_has_no_use_for_weights(options: dict[str, Any], why: str) -> None:
    X, y = random_stream(3, 20, D)
    learner = make({**options, **({"U": ACTIVE["U"]} if "U" in options else {})})
    learner.learn_many(X, y, weight=np.ones(20))
    before = learner._sealed()
    for call in (
        lambda: learner.learn_one(X[0], y[0], weight=2.0),
        lambda: learner.learn_many(X, y, weight=np.linspace(1.0, 2.0, 20)),
    ):
        with pytest.raises(ValueError, match=f"weight must be 1 for this learner.*{why}"):
            call()
    assert learner._sealed() == before


BAD: list[Any] = [0.0, -1.0, math.nan, math.inf, -math.inf, 1.001e6, 1e300]


@pytest.mark.parametrize("weight", [*BAD, "2", True, [1.0], object()])
def test_bad_weights_change_nothing(weight: Any) -> None:
    X, y = random_stream(3, 20, D)
    learner = make({"update": "pa1", "policy": "simple"})
    learner.learn_many(X, y)
    before = learner._sealed()
    with pytest.raises((TypeError, ValueError), match="weight must be"):
        learner.learn_one(X[0], y[0], weight=weight)
    if weight in BAD:
        with pytest.raises(ValueError, match="weight must be"):
            learner.learn_many(X[:2], y[:2], weight=[1.0, weight])
        with pytest.raises(ValueError, match="weight must be"):
            BareLearner(learner.config).learn_one(array("d", X[0].tolist()), y[0], weight)
    assert learner._sealed() == before


GRADIENT = {"update": "gradient", "policy": "oldest"}


@pytest.mark.parametrize("weight", [1e-300, 10.0, 1e6])
@pytest.mark.parametrize("loss", ["hinge", "square"])
@pytest.mark.parametrize("name", ["sorf", "ogd", None])
def test_what_the_heaviest_rows_leave_is_a_model(
    name: str | None, loss: str, weight: float
) -> None:
    """Labels that nobody can learn: every counter of mistakes grows as far as it can."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(1500, D)), rng.choice([-1.0, 1.0], 1500)
    options: dict[str, Any] = {"update": "pa1", "policy": "oldest"}
    if name == "sorf":
        options = {"delta": 0.99}
    elif name == "ogd" or loss == "square":
        options = {"eta": 1e-9} if name else {**GRADIENT, "eta": 1e-9}
    learner = ek.Learner(
        name, n_features=D, budget=20, kernel=ek.Gaussian(0.5), loss=loss, **options
    )
    scores = learner.learn_many(X, y, weight=np.full(1500, weight))
    assert np.isfinite(scores).all()
    again = pickle.loads(pickle.dumps(learner))
    assert pickle.dumps(again) == pickle.dumps(learner)


def test_as_many_weights_as_rows() -> None:
    X, y = random_stream(3, 20, D)
    learner = make({"update": "pa1", "policy": "simple"})
    for weight in (np.ones(19), np.ones((20, 1)), np.ones(0)):
        with pytest.raises((TypeError, ValueError), match="weight"):
            learner.learn_many(X, y, weight=weight)
    with pytest.raises(ValueError, match="out must not share"):
        learner.learn_many(X, y, weight=(w := np.ones(20)), out=w)
    assert learner.steps == 0


# ---- against references that know the weight -----------------------------------------------------


@pytest.mark.parametrize("update", ["pa1", "pa2", "gradient"])
@pytest.mark.parametrize("policy", ["random", "simple", "nearest", "project"])
@pytest.mark.spread(2)
def test_classes_step_by_weight(update: str, policy: str) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((200, D)), rng.integers(0, 4, 200)
    weight = rng.choice([0.3, 1.0, 4.0], 200)
    options = {"C": 0.3} if update != "gradient" else {"eta": 0.3, "lam": 0.05}
    learner = make({"update": update, "policy": policy, "n_classes": 4, **options})
    plain = Several(KERNELS["gaussian"][1], 12, 4, update, policy, seed=2, **options)
    for a, b, v in zip(X, y, weight, strict=True):
        m = learner.learn_one(a, b, weight=v)
        assert m == pytest.approx(plain.step(a, int(b), float(v)), rel=1e-6, abs=1e-7)
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha, rtol=1e-6, atol=1e-7)


def test_two_classes_step_by_weight() -> None:
    X, y = random_stream(3, 5, D)
    for update, weight, expected in (
        ("pa1", 0.5, 0.35), ("pa1", 9.0, 1.0), ("pa2", 2.0, 1.0 / (1.0 + 0.5 / 1.4)),
        ("gradient", 3.0, 0.3),
    ):  # fmt: skip
        options = {"C": 0.7} if update != "gradient" else {"eta": 0.1}
        learner = make({"update": update, **options})
        learner.learn_one(X[0], y[0], weight=weight)
        assert learner.dual_coef_[0] == pytest.approx(y[0] * expected, rel=1e-15)


def test_novelty_steps_by_weight() -> None:
    learner = make({"update": "gradient", "loss": "novelty", "policy": "oldest", "nu": 0.2})
    plain = Norma(KERNELS["gaussian"][1], 12, "oldest", nu=0.2)
    rng = np.random.default_rng(4)
    for x in rng.standard_normal((150, D)):
        v = float(rng.choice([0.5, 1.0, 2.0]))
        assert learner.learn_one(x, weight=v) == pytest.approx(
            plain.step(x, v), rel=1e-9, abs=1e-11
        )


@pytest.mark.parametrize("task", ["two", "classes", "regression"])
def test_structured_features_step_by_weight(task: str) -> None:
    tasks: dict[str, dict[str, Any]]
    tasks = {"two": {}, "classes": {"n_classes": 3}, "regression": {"loss": "square"}}
    extra = tasks[task]
    X, y = (regression_stream if task == "regression" else random_stream)(5, 250, D)
    X = X.astype(np.float32).astype(float)
    if task == "classes":
        y = np.arange(250) % 3
    weight = np.random.default_rng(0).choice([0.3, 1.0, 4.0], 250)
    learner = ek.Learner(
        "sorf", n_features=D, D=128, gamma=0.3, scale=None, seed=9, relevance=False, **extra
    )
    plain = Sorf(D, 128, 0.3, groups=((0.3, 1.0, 3.0),), dtype="int8", seed=9, drift=False, **extra)
    expected = [plain.step(*row) for row in zip(X, y, weight, strict=True)]
    found = learner.learn_many(X, y, weight=weight)
    assert found.tolist() == expected
    assert np.array_equal(learner.weights_, np.stack([plain.w.v, plain.a.v]))
