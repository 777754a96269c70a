"""Scores of many rows are, to the last bit, the scores of the rows one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, Csr, by_variant

import edgeolk as ek

#: Large enough for blocks of rows; nothing is a multiple of what a variant takes at once.
BUDGET, FEATURES, ROWS = 97, 37, 301
RANGE = (-1.0, 1.0)


def trained(name: str, X: np.ndarray, y: np.ndarray, **options: Any) -> ek.Learner:
    options = {"budget": BUDGET, "kernel": ek.Gaussian(0.05), **LIVELY.get(name, {}), **options}
    if name == "sorf":
        options = {"D": BUDGET}
    if options.get("dtype") == "int8":
        options["feature_range"] = RANGE
    learner = ek.Learner(name, n_features=FEATURES, seed=3, **options)
    learner.learn_many(X, y)
    return learner


def stream() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.uniform(-1.0, 1.0, (ROWS, FEATURES))
    return X, np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=ROWS) > 0.0, 1.0, -1.0)


def assert_as_one_by_one(learner: ek.Learner, X: np.ndarray) -> None:
    before = [learner.decision_one(x) for x in X]
    np.testing.assert_array_equal(learner.decision_function(X), before)


@pytest.mark.parametrize("name", EVERY)
def test_every_algorithm(name: str) -> None:
    X, y = stream()
    learner = trained(name, X, y)
    assert_as_one_by_one(learner, X)
    assert_as_one_by_one(learner, X[:5].astype(np.float32))
    if getattr(learner, "averaged", None) is not None:
        mean = learner.averaged
        np.testing.assert_array_equal(mean.decision_function(X), [mean.decision_one(x) for x in X])


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
    rows[[3, 30, 31, 299]] *= 1e6
    assert_as_one_by_one(learner, rows)
    rows[41] = 1e305 if dtype == "float64" else 1e37
    with pytest.raises(ValueError, match=r"X\[41\]"):
        learner.decision_function(rows)


def in_child(target: str) -> None:
    """The scores of storage types and kernels, each held against those one by one."""
    X, y = stream()
    found = {}
    for dtype in ("float32", "float64", "float16", "int8"):
        for kernel in (ek.Gaussian(0.05), ek.Laplacian(0.05), ek.Polynomial(2, 0.2, 1.0)):
            learner = trained("rbp", X, y, dtype=dtype, kernel=kernel)
            assert_as_one_by_one(learner, X)
            found[f"{dtype}, {kernel}"] = learner.decision_function(X)
    np.savez(target, **found)


@pytest.mark.parametrize("variant", ek.available_simd())
def test_every_kernel_and_storage_type(variant: str, tmp_path: Path) -> None:
    assert len(by_variant(__file__, variant, tmp_path)) == 12


def test_a_row_whose_score_overflows_is_named() -> None:
    X, y = stream()
    learner = trained("rbp", X, y, kernel=ek.Polynomial(8, 1.0, 1.0), dtype="float64")
    rows = X[:60].copy()
    rows[41] = 1e120
    with pytest.raises(ValueError, match=r"X\[41\]"):
        learner.decision_function(rows)


def test_novelty_is_below_the_threshold_of_many_rows_too() -> None:
    X, _ = stream()
    parts = {"update": "gradient", "policy": "oldest", "loss": "novelty"}
    learner = ek.Learner(
        n_features=FEATURES, budget=BUDGET, kernel=ek.Gaussian(0.05), nu=0.2, **parts
    )
    learner.learn_many(X)
    assert learner.threshold > 0.0
    assert_as_one_by_one(learner, X)
    labels = learner.predict(X)
    assert labels.tolist() == [learner.predict_one(x) for x in X]
    assert set(labels.tolist()) == {-1, 1}


@pytest.mark.parametrize("classes", [2, 3, 11, 12, 13, 25, 26, 27, 40])
@pytest.mark.parametrize("name", ["rbp", "pa1", "bpa_s"])
def test_scores_of_classes(name: str, classes: int) -> None:
    """However many rows: blocks are the shorter the more classes there are."""
    X, _ = stream()
    y = np.random.default_rng(1).integers(0, classes, ROWS).astype(float)
    learner = trained(name, X, y, n_classes=classes)
    one_by_one = np.array([learner.scores_one(x) for x in X])
    for count in (0, 1, 2, 3, 5, 6, 7, 12, 13, 24, 25, 26, 49, ROWS):
        np.testing.assert_array_equal(learner.scores(X[:count]), one_by_one[:count])


@pytest.mark.parametrize("count", [1, 2, 3, 23, 24, 25, 26, 27, 47, 48, 49, 50, 51, 73, 100])
def test_any_number_of_rows(count: int) -> None:
    X, y = stream()
    for name in ("rbp", "nogd"):
        assert_as_one_by_one(trained(name, X, y), X[:count])


def test_scaled_rows() -> None:
    X, y = stream()
    learner = trained("rbp", X, y, scale="standard")
    assert_as_one_by_one(learner, 3.0 * X + 1.0)


def test_no_rows() -> None:
    X, y = stream()
    assert trained("rbp", X, y).decision_function(X[:0]).shape == (0,)



@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_rows(sparse: bool) -> None:
    X, y = stream()
    X = np.where(X > 0.3, X, 0.0)
    learner = trained("rbp", X, y, sparse=sparse)
    np.testing.assert_array_equal(
        learner.decision_function(Csr(X)), [learner.decision_function(Csr(x[None]))[0] for x in X]
    )
