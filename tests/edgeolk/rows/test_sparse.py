"""Sparse rows: same scores as dense ones, from CSR matrices and from lists of non-zeros."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, Csr
from synthetic import random_stream

import edgeolk as ek
from edgeolk.parts.numbers import Rows

D = 40
#: 1e-5 of what is added up: float32 rows of about ten numbers of size 1.
BOUNDS = {"float64": 1e-10, "float32": 1e-5, "float16": 1e-5}


def stream(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Mostly zeros; rows with none, with a few, and with more than half their numbers non-zero."""
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 0.05, 0.2, 0.8], size=(n, 1), p=[0.05, 0.45, 0.4, 0.1])
    X = np.where(rng.random((n, D)) < share, rng.normal(size=(n, D)), 0.0)
    X[1::7] = X[::7][: len(X[1::7])]
    return X, np.where(X[:, :20].sum(axis=1) + 0.1 * rng.normal(size=n) > 0, 1.0, -1.0)


def learner(sparse: bool, name: str = "bpa_s", **options: Any) -> ek.Learner:
    options = {"budget": 30, "kernel": ek.Gaussian(0.3), **options}
    return ek.Learner(name, n_features=D, sparse=sparse, seed=5, **options)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("name", KERNELS)
def test_scores_are_those_of_dense_rows(name: str, dtype: str) -> None:
    (X, y), (kernel, plain) = stream(), KERNELS[name]
    held = learner(True, "perceptron", budget=60, kernel=kernel, dtype=dtype)
    held.learn_many(X[:200], y[:200])
    assert held.n_support > 5
    f = held.decision_function(X[200:])
    assert np.array_equal(f, [held.decision_one(x) for x in X[200:]])
    scale = np.abs(held.dual_coef_).sum() * (1.0 + np.abs(f).max())
    rows = X[200:].astype(dtype).astype(float)
    expected = [plain(held.support_vectors_.astype(float), x) @ held.dual_coef_ for x in rows]
    assert np.abs(f - expected).max() <= BOUNDS[dtype] * scale


@pytest.mark.parametrize(
    "name", ["rbp", "bpa_nn", "ahpatron", "projectron", "bsgd", "spa", "pomdr"]
)
def test_same_decisions_as_dense(name: str) -> None:
    X, y = stream(seed=4)  # no tie: a copy may lie on a threshold to the last digit
    a, b = learner(False, name, dtype="float64"), learner(True, name, dtype="float64")
    f, g = a.learn_many(X, y), b.learn_many(X, y)
    assert np.abs(f - g).max() < 1e-6
    assert (a.mistakes, a.n_support) == (b.mistakes, b.n_support)
    assert b.nbytes > a.nbytes


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("d", [64, 65, 150])
def test_rows_longer_than_a_word_of_bits(d: int, dtype: str) -> None:
    rng = np.random.default_rng(2)
    X = np.where(rng.random((60, d)) < 0.1, rng.normal(size=(60, d)), 0.0)
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    options = {"n_features": d, "budget": 30, "kernel": ek.Gaussian(0.05), "dtype": dtype}
    dense, sparse = (
        ek.Learner("perceptron", sparse=given, **options).learn_many(X, y)
        for given in (False, True)
    )
    assert np.abs(dense - sparse).max() < (1e-10 if dtype == "float64" else 1e-4)
    assert np.abs(dense).max() > 0.2


@pytest.mark.parametrize("options", [{"clip_rows": 1.0}, {"gamma": "auto", "gamma_rows": 20}])
def test_rows_in_several_pieces_are_preprocessed_as_dense_ones(options: dict[str, Any]) -> None:
    d, rng = 150, np.random.default_rng(3)
    X = np.where(rng.random((60, d)) < 0.1, rng.normal(size=(60, d)), 0.0)
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    made = {"n_features": d, "budget": 30, "dtype": "float64", **options}
    dense, sparse = (ek.Learner("perceptron", sparse=given, **made) for given in (False, True))
    np.testing.assert_allclose(sparse.learn_many(Csr(X), y), dense.learn_many(X, y), atol=1e-10)
    assert sparse.kernel == dense.kernel
    assert sparse.n_shortened == dense.n_shortened
    assert dense.n_shortened > 30 or "clip_rows" not in options


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_matrices_are_read_where_they_lie(index_type: Any) -> None:
    C, out = Csr(np.ones((2000, D)), index_type), np.empty(2000)
    C.indptr = C.indptr.astype(np.int64)
    model = learner(True)
    model.decision_function(C, out=out)
    tracemalloc.start()
    try:
        model.decision_function(C, out=out)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(C.indices)


def test_int8_zeros_are_levels_too() -> None:
    X, y = stream()
    a, b = learner(False, dtype="int8"), learner(False, dtype="int8")
    assert np.array_equal(a.learn_many(X, y), b.learn_many(Csr(X), y))
    with pytest.raises(ValueError, match="int8"):
        learner(True, dtype="int8")


def changed(**fields: Any) -> Csr:
    made = Csr(np.eye(3, D))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    "bad",
    [
        changed(shape=(3, D + 1)),
        changed(shape=(4, D)),
        changed(indptr=[0, 2, 1, 3]),
        changed(indptr=[1, 1, 2, 3]),
        changed(indptr=[0, 1, 2, 9]),
        changed(indices=[0, 1, D]),
        changed(indices=[0, -1, 2]),
        changed(indices=[0.0, 1.5, 2.0]),
        changed(indptr=[0, 3, 3, 3], indices=[0, 0, 1]),
        changed(indptr=[0, 3, 3, 3], indices=[2, 1, 0]),
        changed(data=[1.0, 2.0]),
        changed(data=[np.nan, 1.0, 2.0]),
        changed(data=[np.inf, 1.0, 2.0]),
        changed(data=[1e300, 1.0, 2.0]),
        changed(data=["a", "b", "c"]),
        changed(indices=np.array([0, -1, 2], np.int64)),
        changed(indices=np.array([0, 1, 2**33], np.int64)),
        changed(indptr=[0, 3, 3, 3], indices=np.array([2, 1, 0], np.int64)),
    ],
    ids=range(18),
)
def test_bad_matrices_change_nothing(bad: Csr) -> None:
    model = learner(True)
    model.learn_many(*stream())
    before = bytes(memoryview(model._engine.arena))
    with pytest.raises((ValueError, TypeError), match="X"):
        model.learn_many(bad, np.ones(3))
    with pytest.raises((ValueError, TypeError), match="X"):
        model.decision_function(bad)
    assert bytes(memoryview(model._engine.arena)) == before


def test_sparse_must_be_a_bool() -> None:
    with pytest.raises(TypeError, match="sparse"):
        ek.plan("rbp", n_features=2, budget=2, sparse=1)


def test_as_many_values_as_indices() -> None:
    held = learner(True)
    with pytest.raises(ValueError, match="values must have 2 numbers, got 1"):
        held.learn_one_sparse([0, 2], [1.0], 1)
    assert held.steps == 0


def test_repeated_indices_of_scipy_are_added_up_in_a_copy() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    data, indices = np.array([1.0, 2.0, 3.0, 1.0]), np.array([1, 1, 2, 0])
    X = sparse.csr_matrix((data, indices, np.array([0, 3, 4])), shape=(2, 3))
    held = ek.Learner("rbp", n_features=3, budget=4)
    held.learn_many(X, [1, -1])
    assert held.support_vectors_.tolist() == [[0.0, 3.0, 3.0], [1.0, 0.0, 0.0]]
    assert X.data.tolist() == data.tolist()


@pytest.mark.parametrize("size", [1.0, 1e3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_either_kind_near_and_far_from_the_origin(dtype: str, size: float) -> None:
    """Without sparse=: a Laplacian kernel against one that always computes differences."""
    X, y = random_stream(6, 160, 100)
    X[:, 5:] = 0.0
    options = {"n_features": 100, "budget": 140, "kernel": ek.Laplacian(0.5 / size), "dtype": dtype}
    either, dense = ek.Learner("rbp", **options), ek.Learner("rbp", **options, sparse=False)
    assert either._config.parts["rows"] == Rows.EITHER
    found, expected = (each.learn_many(size * X, y) for each in (either, dense))
    np.testing.assert_allclose(found, expected, atol=BOUNDS[dtype])


def test_no_score_of_a_row_beside_its_vector_is_above_1() -> None:
    """Squared distances from norms and products may round below 0."""
    row = np.random.default_rng(0).normal(size=300)
    held = ek.Learner("rbp", n_features=300, budget=4, sparse=True)
    held.learn_one(row, 1)
    beside = row * (1.0 + 1e-7 * np.random.default_rng(1).normal(size=(200, 1)))
    f = held.decision_function(beside)
    assert (f <= 1.0).all()
    assert (f > 1.0 - 1e-5).all()


def test_many_rows_against_a_single_vector() -> None:
    X = np.random.default_rng(0).normal(size=(11, 300))
    held = ek.Learner("rbp", n_features=300, budget=4, kernel=ek.Gaussian(0.002), dtype="float64")
    held.learn_one(X[0], 1)
    expected = np.exp(-0.002 * ((X[1:] - X[0]) ** 2).sum(1))
    np.testing.assert_allclose(held.decision_function(X[1:]), expected)
