"""Rows learned with a view of those to come: to the last bit what they are one by one."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import LIVELY, Csr, by_variant

import edgeolk as ek

#: A ring that is read in blocks, full long before the stream ends; no multiple of any vector.
BUDGET, FEATURES, ROWS = 61, 35, 240
KERNEL = ek.Gaussian(0.05)


def stream(seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which one in five is one of the three before it once more, and labels with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (ROWS, FEATURES))
    for i in range(5, ROWS, 5):
        X[i] = X[i - rng.integers(1, 4)]
    return X, np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=ROWS) > 0.0, 1.0, -1.0)


def fresh(name: str | None, lookahead: int, **options: Any) -> ek.Learner:
    options = {"budget": BUDGET, "kernel": KERNEL, **LIVELY.get(name or "", {}), **options}
    if name == "sorf":
        options = {"D": BUDGET}
    if options.get("dtype") == "int8":
        options["feature_range"] = (-0.9, 0.9)
    return ek.Learner(name, n_features=FEATURES, seed=3, lookahead=lookahead, **options)


def assert_same(learner: ek.Learner, X: Any, y: np.ndarray, rows: Any = None) -> None:
    """``learn_many`` against ``learn_one`` of the same learner: scores, all bytes of the file."""
    single = copy.deepcopy(learner)
    scores = learner.learn_many(X, y)
    rows = X if rows is None else rows
    one_by_one = [single.learn_one(x, label) for x, label in zip(rows, y, strict=True)]
    np.testing.assert_array_equal(scores, one_by_one)
    assert pickle.dumps(learner) == pickle.dumps(single)


@pytest.mark.parametrize("classes", [3, 10, 11, 12, 13, 25])
@pytest.mark.parametrize("name", ["rbp", "pa1", "ogd", "bpa_s"])
def test_several_classes(name: str, classes: int) -> None:
    X, _ = stream()
    y = np.random.default_rng(1).integers(0, classes, ROWS).astype(float)
    assert_same(fresh(name, 6, n_classes=classes), X, y)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rows_far_from_the_origin(dtype: str) -> None:
    """Of a ring with norms, some waiting rows are read by products and some by differences."""
    X, y = stream()
    X[np.random.default_rng(8).random(ROWS) < 0.5] *= 1e4 if dtype == "float64" else 20.0
    learner = fresh("rbp", 6, dtype=dtype, sparse=True)
    assert_same(learner, X, y)
    assert learner.updates > 0.3 * ROWS


def test_every_step_changes_the_ring() -> None:
    X, _ = stream()
    y = np.random.default_rng(2).choice([-1.0, 1.0], ROWS)
    learner = fresh("ogd", 8)
    assert_same(learner, X, y)
    assert learner.updates > 0.5 * ROWS


def test_sparse_rows_between_dense_ones() -> None:
    X, y = stream()
    sparse = np.random.default_rng(6).random(ROWS) < 0.3
    X[sparse, 4:] = 0.0
    assert_same(fresh("rbp", 6, sparse=True), X, y)
    assert_same(fresh("rbp", 6, sparse=True), Csr(X), y, X)
    assert_same(fresh("rbp", 6, sparse=False), Csr(X), y, X)


def test_levels_beyond_the_range_are_counted() -> None:
    X, y = stream()
    learner = fresh("rbp", 6, dtype="int8")
    with pytest.warns(UserWarning, match="feature_range"):
        assert_same(learner, X, y)
    assert learner.n_out_of_range > 0


def test_width_from_the_first_rows() -> None:
    X, y = stream()
    assert_same(fresh("rbp", 6, gamma="auto", gamma_rows=50, kernel=None), X, y)
    # Its ring is full, and its map made, before the width is known.
    for budget, ahead in ((2, 24), (9, 6)):
        options = {"budget": budget, "gamma": "auto", "gamma_rows": 50, "kernel": None}
        assert_same(fresh("nogd", ahead, **options), X, y)


def test_a_row_that_is_refused() -> None:
    X, y = stream()
    X[100] = 1e15
    options = {"kernel": ek.Polynomial(8, 1.0, 1.0), "dtype": "float64"}
    learner, before = fresh("rbp", 9, **options), fresh("rbp", 9, **options)
    with pytest.raises(ValueError, match=r"X\[100\]"):
        learner.learn_many(X, y)
    before.learn_many(X[:100], y[:100])
    assert pickle.dumps(learner) == pickle.dumps(before)
    assert_same(fresh("rbp", 9, on_bad_row="skip", **options), X, y)


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


@pytest.mark.parametrize("lookahead", [1, 2, 3, 4, 5, 8, 13, 24, 64])
@pytest.mark.parametrize("rank", [1, 11, 12, 25, 61])
def test_features_made_of_kernel_values(lookahead: int, rank: int) -> None:
    """Made for several rows together, sparse ones between; scored so, too."""
    X, y = stream()
    X[np.random.default_rng(6).random(ROWS) < 0.3, 4:] = 0.0
    learner = fresh("nogd", lookahead, k=rank, sparse=True)
    assert_same(learner, X, y)
    assert_same(learner, Csr(X), y, X)
    one_by_one = [learner.decision_one(x) for x in X]
    np.testing.assert_array_equal(learner.decision_function(X), one_by_one)
    plain = fresh("nogd", 0, k=rank, sparse=True)
    plain.learn_many(X, y)
    plain.learn_many(X, y)
    np.testing.assert_array_equal(learner.dual_coef_, plain.dual_coef_)


def test_a_mean_model_after_it() -> None:
    X, y = stream()
    learner = fresh(None, 6, update="gradient", policy="stop", averaging="mean")
    assert_same(learner, X, y)
    mean = learner.averaged.decision_function(X)
    np.testing.assert_array_equal(mean, [learner.averaged.decision_one(x) for x in X])


def in_child(target: str) -> None:
    """Every storage type, kernel and type of coefficients, held against rows one by one."""
    X, y = stream()
    found = {}
    kernels = (KERNEL, ek.Laplacian(0.05), ek.Polynomial(2, 0.2, 1.0), ek.Sigmoid(0.1, 0.2))
    for dtype in ("float32", "float64", "float16", "int8"):
        for kernel in kernels:
            for name, coefficients in (
                ("rbp", "float64"), ("bpa_s", "float32"), ("nogd", "float64"),
            ):  # fmt: skip
                options = {"dtype": dtype, "kernel": kernel, "coefficients": coefficients}
                learner = fresh(name, 6, **options)
                assert_same(learner, X, y)
                found[f"{name}, {dtype}, {kernel}"] = learner.decision_function(X)
    np.savez(target, **found)


@pytest.mark.filterwarnings("ignore:a reading lies outside")
@pytest.mark.parametrize("variant", ek.available_simd())
def test_every_kernel_and_storage_type(variant: str, tmp_path: Path) -> None:
    assert len(by_variant(__file__, variant, tmp_path)) == 48
