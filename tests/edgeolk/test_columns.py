"""Learners of several classes, of novelty, of a tolerance: labels and errors of their own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import Csr
from synthetic import regression_stream

import edgeolk as ek

D, ROWS = 6, 260

MODELS: dict[str, dict[str, Any]] = {
    "perceptron": {"update": "perceptron", "policy": "random", "n_classes": 4},
    "bpa_s": {"update": "pa1", "policy": "simple", "n_classes": 4, "C": 0.4},
    "softmax": {
        "update": "gradient", "loss": "logistic", "policy": "unbiased", "n_classes": 4, "eta": 0.5,
        "lam": 0.02,
    },
    "novelty": {"update": "gradient", "loss": "novelty", "policy": "oldest", "nu": 0.2},
    "tolerance": {"update": "pa1", "loss": "epsilon", "policy": "simple", "epsilon": 0.2},
}  # fmt: skip


def options_of(name: str, **more: Any) -> dict[str, Any]:
    options = {"n_features": D, "budget": 14, "kernel": ek.Gaussian(0.3), "seed": 11}
    return {**options, **MODELS[name], **more}


def stream(name: str, seed: int = 3, n: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Rows exact in float16, a third of whose inputs are 0."""
    X, y = regression_stream(seed, n, D)
    X = X.astype(np.float16).astype(float)
    X[np.abs(X) < 0.4] = 0.0
    classes = MODELS[name].get("n_classes")
    if classes:
        y = np.argmax(np.column_stack([X[:, k] + 0.3 * y for k in range(classes)]), axis=1) * 1.0
    return X, y


def scores(learner: ek.Learner, X: np.ndarray) -> np.ndarray:
    return learner.scores(X) if learner._config.columns > 1 else learner.decision_function(X)


def sealed(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())


@pytest.mark.parametrize("name", MODELS)
def test_rows_expected_to_be_sparse(name: str) -> None:
    X, y = stream(name)
    X[:, 3:] *= (np.arange(ROWS) % 3 == 0)[:, None]
    options = options_of(name, dtype="float64")
    dense, sparse = (ek.Learner(**options, sparse=s) for s in (False, True))
    np.testing.assert_allclose(
        sparse.learn_many(Csr(X), y), dense.learn_many(X, y), rtol=1e-9, atol=1e-10
    )
    np.testing.assert_allclose(scores(sparse, X), scores(dense, X), rtol=1e-9, atol=1e-10)
    assert (sparse.updates, sparse.mistakes) == (dense.updates, dense.mistakes)


# ---- what is refused changes nothing -------------------------------------------------------------


def test_labels_of_others_are_told_where_to_go() -> None:
    x = np.zeros(2)
    two = ek.Learner("bpa_s", n_features=2, budget=3)
    for label in (0, False, 2):
        with pytest.raises(ValueError, match=r"-1 or \+1, got .*n_classes=2 takes 0 and 1; the"):
            two.learn_one(x, label)
    with pytest.raises(TypeError, match=r"must be a number, got str.*edgeolk\.sklearn"):
        two.learn_one(x, "on")
    with pytest.raises(ValueError, match=r"y\[1\] must be -1 or \+1, got 0; n_classes=2"):
        two.learn_many(np.zeros((2, 2)), [1, 0])
    with pytest.raises(ValueError, match=r"a class from 0 to 1, got -1; the estimators"):
        ek.Learner("bpa_s", n_features=2, budget=3, n_classes=2).learn_one(x, -1)


# ---- files ---------------------------------------------------------------------------------------


def test_a_coefficient_beyond_those_in_use_is_found_in_every_column(tmp_path: Path) -> None:
    for column in range(4):
        learner = ek.Learner(**options_of("bpa_s"))
        X, y = stream("bpa_s")
        learner.learn_many(X[:5], y[:5])
        np.asarray(learner._engine.view("coefficients"))[column, 12] = 1.0
        learner.save(tmp_path / "broken")
        with pytest.raises(ValueError, match="beyond those in use"):
            ek.load(tmp_path / "broken")


def test_errors_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    learner = ek.Learner(**options_of("tolerance"))
    X, y = stream("tolerance")
    found = learner.learn_many(X, y)
    assert learner.squared_error == pytest.approx(np.sum((y - found) ** 2))
    assert learner.absolute_error == pytest.approx(np.sum(np.abs(y - found)))
    for word in (0, 1):
        again = ek.Learner._from_block(sealed(learner))
        np.asarray(again._engine.view("errors")).view(np.float64)[0, word] = np.nan
        again.save(tmp_path / "broken")
        with pytest.raises(ValueError, match="error is nan"):
            ek.load(tmp_path / "broken")


# ---- predictions that run away -------------------------------------------------------------------


@pytest.mark.parametrize("many", [True, False])
def test_predictions_that_run_away_are_told_once(many: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 4))
    y = 20.0 + X[:, 0]
    learner = ek.Learner(
        "bogd", n_features=4, budget=20, loss="square", eta=1.5, kernel=ek.Gaussian(0.01)
    )
    with pytest.warns(UserWarning, match="lower eta=") as told:
        learn_in_two(learner, X, y, many)
    assert len(told) == 1


def test_rows_that_were_left_out_say_nothing_of_the_targets() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 4))
    y = 20.0 + X[:, 0]
    y[[40, 60]] = math.inf, 1e200
    learner = ek.Learner(
        "bogd", n_features=4, budget=20, loss="square", eta=1.5, kernel=ek.Gaussian(0.01),
        on_bad_row="skip",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="lower eta="):
        learner.learn_many(X, y)


def learn_in_two(learner: ek.Learner, X: np.ndarray, y: np.ndarray, many: bool) -> None:
    if many:
        learner.learn_many(X[:2000], y[:2000])
        learner.learn_many(X[2000:], y[2000:])
        return
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
