"""Several classes, novelty and the tolerance in every kind of memory, file and caller."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import WAYS, Csr, by_variant
from twins.streams import regression_stream

import edgeolk as ek
from edgeolk.bare import BareLearner

D, ROWS, CUT = 6, 260, 170

MODELS: dict[str, dict[str, Any]] = {
    "perceptron": {"update": "perceptron", "policy": "random", "n_classes": 4},
    "pa1 stop": {"update": "pa1", "policy": "stop", "n_classes": 4, "averaging": "mean"},
    "bpa_s": {"update": "pa1", "policy": "simple", "n_classes": 4, "C": 0.4},
    "bpa_nn": {"update": "pa2", "policy": "nearest", "n_classes": 4},
    "bpa_p": {"update": "pa1", "policy": "project", "n_classes": 4, "C": 0.4},
    "halving": {
        "update": "margin", "policy": "halve", "n_classes": 4, "projection": "ball", "U": 2.0,
    },
    "softmax": {
        "update": "gradient", "loss": "logistic", "policy": "unbiased", "n_classes": 4, "eta": 0.5,
        "lam": 0.02,
    },
    "softmax, smallest": {
        "update": "gradient", "loss": "logistic", "policy": "smallest", "n_classes": 4, "eta": 0.5,
    },
    "lightest": {"update": "gradient", "policy": "lightest_project", "n_classes": 4},
    "two columns": {"update": "pa1", "policy": "oldest", "n_classes": 2},
    "novelty": {"update": "gradient", "loss": "novelty", "policy": "oldest", "nu": 0.2},
    "novelty, merged": {"update": "gradient", "loss": "novelty", "policy": "merge", "nu": 0.2},
    "novelty of features": {"update": "gradient", "loss": "novelty", "basis": "fourier"},
    "tolerance": {"update": "pa1", "loss": "epsilon", "policy": "simple", "epsilon": 0.2},
    "tolerance, gradient": {"update": "gradient", "loss": "epsilon", "policy": "unbiased"},
}  # fmt: skip
each = pytest.mark.parametrize("name", MODELS)


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


# ---- going on ------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@each
def test_going_on_bit_for_bit(
    name: str, way: Callable[[ek.Learner, Path], ek.Learner], tmp_path: Path
) -> None:
    X, y = stream(name)
    whole, half = (ek.Learner(**options_of(name)) for _ in range(2))
    expected = whole.learn_many(X, y)
    half.learn_many(X[:CUT], y[:CUT])
    again = way(half, tmp_path)
    assert again.config == half.config
    assert again.learn_many(X[CUT:], y[CUT:]).tobytes() == expected[CUT:].tobytes()
    assert sealed(again) == sealed(whole)


@each
def test_one_by_one_sparse_and_bare_are_many(name: str) -> None:
    X, y = stream(name)
    memory = bytearray(ek.plan(**options_of(name)).nbytes)
    many, one, sparse, csr = (ek.Learner(**options_of(name)) for _ in range(4))
    bare = BareLearner(buffer=memory, **options_of(name))
    expected = many.learn_many(X, y).tolist()
    for a, b, f in zip(X, y, expected, strict=True):
        assert one.learn_one(a, b) == f
        assert bare.learn_one(array("d", a.tolist()), b) == f
        at = np.flatnonzero(a)
        assert sparse.learn_one_sparse(at, a[at], b) == f
    assert csr.learn_many(Csr(X), y).tolist() == expected
    out = array("d", [0.0] * many._config.columns)
    if many._config.columns > 1:
        bare.scores_one(array("d", X[0].tolist()), out)
        assert out.tolist() == many.scores_one(X[0]).tolist()
        at = np.flatnonzero(X[0])
        assert many.predict_one_sparse(at, X[0][at]) == many.predict_one(X[0])
    else:
        assert bare.decision_one(array("d", X[0].tolist())) == many.decision_one(X[0])
    del bare
    blocks = {sealed(learner) for learner in (many, one, sparse, csr, ek.attach(memory))}
    assert len(blocks) == 1


@each
def test_configurations_say_themselves(name: str) -> None:
    learner = ek.Learner(**options_of(name))
    assert eval(repr(learner.config), {"ek": ek}) == learner.config
    assert ek.Config(**learner.config.options) == learner.config
    assert learner.n_classes == max(2, MODELS[name].get("n_classes", 2))


# ---- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@each
def test_the_plan_is_what_is_taken(name: str, dtype: str) -> None:
    if dtype == "int8" and MODELS[name].get("basis") == "fourier":
        return
    for budget in (2, 14, 200):
        options = options_of(name, dtype=dtype, budget=budget)
        plan = ek.plan(**options)
        memory = bytearray(b"\xa5" * (plan.nbytes + 64))
        learner = ek.Learner(buffer=memoryview(memory)[: plan.nbytes], **options)
        assert learner.nbytes == plan.nbytes
        X, y = stream(name)
        learner.learn_many(X, y)
        scores(learner, X)
        if learner.parts["averaging"] == ek.Averaging.MEAN:
            learner.averaged.scores(X)
        assert memory[plan.nbytes :] == b"\xa5" * 64


@pytest.mark.parametrize("ram", ["2KiB", "16KiB"])
@each
def test_a_cap_is_kept_and_used(name: str, ram: str) -> None:
    options = options_of(name, ram=ram)
    del options["budget"]
    learner = ek.Learner(**options)
    cap = 1024 * int(ram.removesuffix("KiB"))
    assert learner.nbytes <= cap
    assert ek.plan(**options_of(name, budget=learner.budget + 1)).nbytes > cap


@pytest.mark.parametrize(
    ("dtype", "coefficients", "near"),
    [
        ("float32", "float64", 2e-5),
        ("float16", "float64", 2e-5),  # the rows are exact in it
        ("float64", "float32", 1e-5),
        ("float32", "float32", 3e-5),
    ],
)
@pytest.mark.parametrize("name", ["bpa_s", "softmax", "perceptron", "novelty", "tolerance"])
def test_narrow_storage_keeps_near(name: str, dtype: str, coefficients: str, near: float) -> None:
    X, y = stream(name)
    wide = ek.Learner(**options_of(name, dtype="float64"))
    narrow = ek.Learner(**options_of(name, dtype=dtype, coefficients=coefficients))
    expected = wide.learn_many(X, y)
    np.testing.assert_allclose(narrow.learn_many(X, y), expected, rtol=near, atol=near)
    np.testing.assert_allclose(scores(narrow, X), scores(wide, X), rtol=near, atol=near)


@pytest.mark.parametrize("name", ["bpa_s", "softmax", "perceptron", "novelty", "tolerance"])
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


# ---- instruction sets ----------------------------------------------------------------------------


def in_child(target: str) -> None:
    """What every model answered, and what it holds."""
    found = {}
    for name in MODELS:
        for budget in (14, 90):
            X, y = stream(name)
            learner = ek.Learner(**options_of(name, dtype="float64", budget=budget))
            found[f"{name} {budget} f"] = learner.learn_many(X, y)
            found[f"{name} {budget} held"] = learner.support_vectors_
            found[f"{name} {budget} scores"] = scores(learner, X)
            found[f"{name} {budget} counters"] = np.array([learner.updates, learner.mistakes])
    np.savez(target, **found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("columns")


@pytest.mark.parametrize("variant", ek.available_simd()[1:])
def test_the_same_decisions_on_every_instruction_set(variant: str, folder: Path) -> None:
    here, there = (by_variant(__file__, v, folder) for v in (ek.available_simd()[0], variant))
    for key, expected in here.items():
        merged = key.startswith("novelty, merged")
        near = 1e-5 if merged else 1e-8
        if key.endswith("counters") or (key.endswith("held") and not merged):
            assert np.array_equal(there[key], expected), key
        else:
            np.testing.assert_allclose(there[key], expected, rtol=near, atol=near, err_msg=key)


# ---- what is refused changes nothing -------------------------------------------------------------

BAD_LABELS: dict[str, list[Any]] = {
    "bpa_s": [-1, 4, 0.5, np.nan, np.inf, 10**30, None, "a"],
    "novelty": [np.nan, -np.inf, "a"],
    "tolerance": [np.nan, np.inf, 10**400, None, "a"],
}


@pytest.mark.parametrize("name", BAD_LABELS)
def test_bad_rows_and_labels_change_nothing(name: str) -> None:
    X, y = stream(name)
    learner = ek.Learner(**options_of(name))
    learner.learn_many(X, y)
    before = sealed(learner)
    for label in BAD_LABELS[name]:
        with pytest.raises((TypeError, ValueError), match=r"\by\b"):
            learner.learn_one(X[0], label)
        with pytest.raises((TypeError, ValueError), match=r"\by\b"):
            learner.learn_many(X[:2], [label, y[0]])
    for row in (np.ones(D - 1), np.full(D, np.nan), "abc", None):
        with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
            learner.learn_one(row, y[0])
        with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
            learner.scores_one(row)
    assert sealed(learner) == before


@pytest.mark.parametrize("kernel", [ek.Linear(), ek.Polynomial(3, 1.0, 1.0)])
@pytest.mark.parametrize("name", ["bpa_s", "bpa_nn", "softmax", "perceptron", "tolerance"])
def test_rows_that_overflow_change_nothing(name: str, kernel: ek.Kernel) -> None:
    X, y = stream(name)
    learner = ek.Learner(**options_of(name, dtype="float64", kernel=kernel))
    learner.learn_many(X[:60], y[:60])
    taken = refused = 0
    for power in (10, 60, 100, 150, 200, 300):
        before = sealed(learner)
        try:
            assert np.isfinite(learner.learn_one(X[1] * 10.0**power, y[1]))
            taken += 1
        except ValueError:
            assert sealed(learner) == before
            refused += 1
        ek.Learner._from_block(sealed(learner))
    assert refused > 0


def test_scores_are_one_a_class() -> None:
    X, y = stream("bpa_s")
    learner = ek.Learner(**options_of("bpa_s"))
    learner.learn_many(X, y)
    assert learner.scores(X).shape == (ROWS, 4)
    for call in (learner.decision_one, learner.decision_function):
        with pytest.raises(TypeError, match="per class"):
            call(X[0] if call == learner.decision_one else X)
    assert learner.wants_label(X[0])


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
