"""A width from rows that are at hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import edgeolk as ek


def test_it_is_one_over_the_median_squared_distance() -> None:
    X = np.random.default_rng(1).normal(size=(40, 3))
    squares = [np.sum((a - b) ** 2) for a, b in itertools.combinations(X[:30], 2)]
    assert ek.gamma_from(X, rows=30) == pytest.approx(1.0 / np.median(squares), rel=1e-12)
    assert ek.gamma_from(X.tolist()) == ek.gamma_from(X)
    assert ek.gamma_from(X * 1e100) == pytest.approx(ek.gamma_from(X) * 1e-200, rel=1e-12)
    assert ek.Gaussian(ek.gamma_from(X)).gamma > 0.0


def test_rows_that_are_mostly_equal() -> None:
    X = np.zeros((20, 2))
    X[3] = 2.0
    assert ek.gamma_from(X) == pytest.approx(1.0 / 8.0)


@pytest.mark.parametrize(
    ("X", "error"),
    [
        ([[1.0, 2.0]], ValueError),
        ([1.0, 2.0], ValueError),
        (np.zeros((5, 2)), ValueError),
        ([[np.nan], [1.0]], ValueError),
        ([["a"], ["b"]], TypeError),
    ],
    ids=str,
)
def test_what_gives_none(X: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="X must"):
        ek.gamma_from(X)


@pytest.mark.parametrize(
    "X",
    [
        {"a": [1.0, 2.0], "b": [3.0, 4.0]},
        [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}],
        [[1.0, 2.0], [3.0]],
        [["a", "b"], ["c", "d"]],
        [[1j, 2.0], [3.0, 4.0]],
        np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[True, False], [False, False]]),
    ],
    ids=lambda X: f"{type(X).__name__} of {type(next(iter(X))).__name__}",
)
def test_what_are_no_rows_is_said_as_a_learner_says_it(X: Any) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=4)
    with pytest.raises((TypeError, ValueError)) as said:
        learner.learn_many(X, [1, -1])
    with pytest.raises(said.type) as found:
        ek.gamma_from(X)
    assert str(found.value) == str(said.value)


@pytest.mark.parametrize("kind", ["csr", "coo", "csc"])
def test_a_sparse_matrix(kind: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for made in (sparse.eye(3), sparse.eye_array(3)):
        with pytest.raises(TypeError, match=r"array, got a sparse matrix: .* X\[:500\].toarray"):
            ek.gamma_from(made.asformat(kind))


@pytest.mark.parametrize("rows", [1, 2.5, True, "3"])
def test_the_number_of_rows(rows: Any) -> None:
    with pytest.raises(ValueError, match="rows must be"):
        ek.gamma_from(np.eye(4), rows=rows)
