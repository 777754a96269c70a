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


@pytest.mark.parametrize("rows", [1, 2.5, True, "3"])
def test_the_number_of_rows(rows: Any) -> None:
    with pytest.raises(ValueError, match="rows must be"):
        ek.gamma_from(np.eye(4), rows=rows)
