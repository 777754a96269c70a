"""Rows together, learned with a view of those to come or scored, are to the last bit what they are
one by one."""

from __future__ import annotations

import copy
import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, Csr, by_variant

import edgeolk as ek
from edgeolk.configuration.settings import MAX_AHEAD

#: A ring that is read in blocks, full long before the stream ends; no multiple of any vector.
BUDGET, FEATURES, ROWS = 61, 35, 240
DTYPES = ("float32", "float64", "float16", "int8")
KERNELS: tuple[ek.Kernel, ...] = (
    ek.Gaussian(0.05),
    ek.Laplacian(0.05),
    ek.Polynomial(3, 0.1, 0.5),
    ek.Linear(),
    ek.Sigmoid(0.1, 0.1),
)
pytestmark = pytest.mark.filterwarnings("ignore:a reading lies outside")


def stream(classes: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which one in five is one of the three before it once more, and labels with noise."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-1.0, 1.0, (ROWS, FEATURES))
    for i in range(5, ROWS, 5):
        X[i] = X[i - rng.integers(1, 4)]
    if classes is not None:
        return X, rng.integers(0, classes, ROWS).astype(float)
    return X, np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=ROWS) > 0.0, 1.0, -1.0)


def fresh(name: str | None, lookahead: int, **options: Any) -> ek.Learner:
    options = {"budget": BUDGET, "kernel": KERNELS[0], **LIVELY.get(name or "", {}), **options}
    if options.get("dtype") == "int8":
        options["feature_range"] = (-0.9, 0.9)
    return ek.Learner(name, n_features=FEATURES, seed=3, lookahead=lookahead, **options)


def assert_learned_alike(learner: ek.Learner, X: Any, y: np.ndarray, rows: Any = None) -> None:
    """Against ``learn_one`` of the same learner: scores, all bytes of the file."""
    single = copy.deepcopy(learner)
    scores = learner.learn_many(X, y)
    rows = X if rows is None else rows
    one_by_one = [single.learn_one(x, label) for x, label in zip(rows, y, strict=True)]
    np.testing.assert_array_equal(scores, one_by_one)
    assert pickle.dumps(learner) == pickle.dumps(single)


def assert_scored_alike(learner: ek.Learner, X: np.ndarray) -> None:
    if learner.config._settings.columns > 1:
        np.testing.assert_array_equal(learner.scores(X), [learner.scores_one(x) for x in X])
        return
    views: list[Any] = [learner]
    if learner.parts.get("averaging") == ek.Averaging.MEAN:
        views.append(learner.averaged)
    for view in views:
        np.testing.assert_array_equal(view.decision_function(X), [view.decision_one(x) for x in X])


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.spread(6)
def test_every_algorithm_kernel_and_type(name: str) -> None:
    """One column of coefficients and several; most numbers of rows ahead come often."""
    tried = 0
    axes = (None, 3), DTYPES, KERNELS
    for number, (classes, dtype, kernel) in enumerate(itertools.product(*axes), EVERY.index(name)):
        coefficients = ("float64", "float32")[number % 2]
        ahead = 1 + (13 * number) % MAX_AHEAD
        options = {"dtype": dtype, "kernel": kernel, "coefficients": coefficients}
        try:
            learner = fresh(name, ahead, n_classes=classes, budget=23, **options)
        except ValueError:
            continue
        X, y = stream(classes)
        assert_learned_alike(learner, X[:110], y[:110])
        assert_scored_alike(learner, X[110:160])
        tried += 1
    assert tried


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rbp", {"coefficients": "float32"}),
        ("ogd", {"n_classes": 3, "coefficients": "float32", "dtype": "float64"}),
        ("pa1", {"n_classes": 12}),
        ("nogd", {"dtype": "float64"}),
    ],
    ids=str,
)
def test_every_number_of_rows(name: str, options: dict[str, Any]) -> None:
    X, y = stream(options.get("n_classes"))
    for ahead in range(1, MAX_AHEAD + 1):
        learner = fresh(name, ahead, **{"budget": 23, **options})
        assert learner.config._settings.lookahead == ahead
        assert_learned_alike(learner, X[:110], y[:110])
        assert_scored_alike(learner, X[:ahead])


@pytest.mark.parametrize("classes", [2, 3, 11, 12, 13, 25, 26, 27, 40])
@pytest.mark.parametrize("name", ["rbp", "pa1", "bpa_s"])
def test_several_classes(name: str, classes: int) -> None:
    """However many rows: blocks are the shorter the more classes there are."""
    X, y = stream(classes)
    learner = fresh(name, 6, n_classes=classes)
    assert_learned_alike(learner, X, y)
    one_by_one = np.array([learner.scores_one(x) for x in X])
    for count in (0, 1, 2, 3, 5, 6, 7, 12, 13, 24, 25, 26, 49, ROWS):
        np.testing.assert_array_equal(learner.scores(X[:count]), one_by_one[:count])


@pytest.mark.parametrize("dtype", DTYPES[:3])
def test_rows_far_from_the_origin(dtype: str) -> None:
    """Of a ring with norms, some waiting rows are read by products and some by differences."""
    X, y = stream()
    X[np.random.default_rng(8).random(ROWS) < 0.5] *= 1e4 if dtype == "float64" else 20.0
    learner = fresh("rbp", 6, dtype=dtype, sparse=True)
    assert_learned_alike(learner, X, y)
    assert learner.updates > 0.3 * ROWS


def test_every_step_changes_the_ring() -> None:
    X, y = stream(2)
    learner = fresh("ogd", 8)
    assert_learned_alike(learner, X, 2.0 * y - 1.0)
    assert learner.updates > 0.5 * ROWS


@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_rows_between_dense_ones(sparse: bool) -> None:
    X, y = stream()
    X[np.random.default_rng(6).random(ROWS) < 0.3, 4:] = 0.0
    assert_learned_alike(fresh("rbp", 6, sparse=sparse), X, y)
    learner = fresh("rbp", 6, sparse=sparse)
    assert_learned_alike(learner, Csr(X), y, X)
    np.testing.assert_array_equal(
        learner.decision_function(Csr(X)), [learner.decision_function(Csr(x[None]))[0] for x in X]
    )


def test_width_from_the_first_rows() -> None:
    X, y = stream()
    # The ring of a map to features is full, and the map made, before the width is known.
    for name, budget, ahead in (("rbp", BUDGET, 6), ("nogd", 2, 24), ("nogd", 9, 6)):
        options = {"budget": budget, "gamma": "auto", "gamma_rows": 50, "kernel": None}
        assert_learned_alike(fresh(name, ahead, **options), X, y)


def test_a_row_that_is_refused() -> None:
    X, y = stream()
    X[100] = 1e15
    options = {"kernel": ek.Polynomial(8, 1.0, 1.0), "dtype": "float64"}
    learner, before = fresh("rbp", 9, **options), fresh("rbp", 9, **options)
    with pytest.raises(ValueError, match=r"X\[100\]"):
        learner.learn_many(X, y)
    before.learn_many(X[:100], y[:100])
    assert pickle.dumps(learner) == pickle.dumps(before)
    X[41] = 1e120
    with pytest.raises(ValueError, match=r"X\[41\]"):
        learner.decision_function(X[:60])
    assert_learned_alike(fresh("rbp", 9, on_bad_row="skip", **options), X, y)


def test_a_full_ring_that_raises() -> None:
    X, y = stream()
    learner, before = (fresh("ogd", 9, full="raise") for _ in range(2))
    with pytest.raises(ek.BudgetError):
        learner.learn_many(X, y)
    for x, label in zip(X, y, strict=True):
        try:
            before.learn_one(x, label)
        except ek.BudgetError:
            break
    assert pickle.dumps(learner) == pickle.dumps(before)


@pytest.mark.parametrize("rank", [1, 11, 12, 25, 61])
def test_features_made_of_kernel_values(rank: int) -> None:
    """Made for several rows together, sparse ones between; scored so, too."""
    X, y = stream()
    X[np.random.default_rng(6).random(ROWS) < 0.3, 4:] = 0.0
    plain = fresh("nogd", 0, k=rank, sparse=True)
    plain.learn_many(X, y)
    plain.learn_many(X, y)
    for lookahead in (1, 2, 3, 5, 8, 13, 24, 64):
        learner = fresh("nogd", lookahead, k=rank, sparse=True)
        learner.learn_many(X, y)
        assert_learned_alike(learner, Csr(X), y, X)
        assert_scored_alike(learner, X)
        np.testing.assert_array_equal(learner.dual_coef_, plain.dual_coef_)


@pytest.mark.parametrize(
    ("loss", "options"),
    [
        ("hinge", {}),
        ("hinge", {"relevance": True, "last_label": True}),
        ("square", {"relevance": True}),
        ("novelty", {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_structured_features(dtype: str, loss: str, options: dict[str, Any]) -> None:
    """Rows of which some have angles beyond single precision, and one that is refused."""
    X, y = stream()
    options = {**LIVELY["sorf"], "dtype": dtype, "loss": loss, **options}
    learner = ek.Learner("sorf", n_features=FEATURES, D=BUDGET, **options)
    learner.learn_many(X, *([] if loss == "novelty" else [y]))
    rows = X.copy()
    rows[[3, 30, 31, 199]] *= 1e6
    assert_scored_alike(learner, rows)
    rows[41] = 1e305 if dtype == "float64" else 1e37
    with pytest.raises(ValueError, match=r"X\[41\]"):
        learner.decision_function(rows)


def test_novelty_is_below_the_threshold_of_many_rows_too() -> None:
    X, _ = stream()
    parts = {"update": "gradient", "policy": "oldest", "loss": "novelty", "nu": 0.2}
    learner = fresh(None, 0, **parts)
    learner.learn_many(X)
    assert learner.threshold > 0.0
    assert_scored_alike(learner, X)
    labels = learner.predict(X)
    assert labels.tolist() == [learner.predict_one(x) for x in X]
    assert set(labels.tolist()) == {-1, 1}


def test_any_number_of_rows_is_scored() -> None:
    X, y = stream()
    for name, options in (("rbp", {}), ("nogd", {}), ("rbp", {"scale": "standard"})):
        learner = fresh(name, 0, budget=97, **options)
        learner.learn_many(X, y)
        for count in (0, 1, 2, 3, 23, 24, 25, 26, 27, 47, 48, 49, 50, 51, 73, 100):
            assert_scored_alike(learner, 3.0 * X[:count] + 1.0)


def in_child(target: str) -> None:
    """Every storage type, kernel and type of coefficients, held against rows one by one."""
    X, y = stream()
    found = {}
    algorithms = ("rbp", "float64"), ("bpa_s", "float32"), ("nogd", "float64")
    for dtype, kernel, (name, of) in itertools.product(DTYPES, KERNELS, algorithms):
        learner = fresh(name, 6, dtype=dtype, kernel=kernel, coefficients=of)
        assert_learned_alike(learner, X, y)
        assert_scored_alike(learner, X)
        found[f"{name}, {dtype}, {kernel}"] = learner.decision_function(X)
    np.savez(target, **found)


@pytest.mark.parametrize("variant", ek.available_simd())
@pytest.mark.spread(4)
def test_every_kernel_and_storage_type(variant: str, tmp_path: Path) -> None:
    assert len(by_variant(__file__, variant, tmp_path)) == 60


def test_rows_beside_each_other_are_learned_as_one_by_one() -> None:
    """Squared distances from norms and products may round below 0."""
    draws = np.random.default_rng(0)
    rows = np.repeat(draws.normal(size=(20, 300)), 10, axis=0)
    rows *= 1.0 + 1e-7 * draws.normal(size=(200, 1))
    labels = draws.choice([-1.0, 1.0], 200)
    many, one = (
        ek.Learner("rbp", n_features=300, budget=400, sparse=True, lookahead=ahead)
        for ahead in (8, 0)
    )
    found = many.learn_many(rows, labels)
    expected = [one.learn_one(x, y) for x, y in zip(rows, labels, strict=True)]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(many.dual_coef_, one.dual_coef_)
