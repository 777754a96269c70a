"""How near a row lies to what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, RINGS
from synthetic import random_stream

import edgeolk as ek

D = 3


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@pytest.mark.parametrize("budget", [1, 40, 200])
def test_the_largest_cosine_with_a_support_vector(kernel: str, dtype: str, budget: int) -> None:
    record, plain = KERNELS[kernel]
    learner = ek.Learner("rbp", n_features=D, budget=budget, kernel=record, dtype=dtype)
    X, y = random_stream(5, 900, D)
    X = X.astype(np.float16).astype(float)
    assert learner.familiarity_one(X[0]) == 0.0
    learner.learn_many(X, y)
    S = learner.support_vectors_.astype(float)
    own = np.array([float(plain(s[None, :], s)[0]) for s in S])
    for x in X[:20]:
        x = x if dtype != "int8" else np.clip(np.floor(x * 31.875 + 0.5) / 31.875, -4, 4)
        of_row = float(plain(x[None, :], x)[0])
        cosines = plain(S, x)[own > 0.0] / np.sqrt(own[own > 0.0] * max(of_row, 1e-300))
        expected = cosines.max() if len(cosines) and of_row > 0.0 else 0.0
        found = learner.familiarity_one(x)
        near = {"float64": 1e-12, "int8": 2e-2}.get(dtype, 1e-5)
        assert found == pytest.approx(expected, abs=near)


#: Vectors of krls_auto are relative to its first row.
@pytest.mark.parametrize("name", [name for name in RINGS if name != "krls_auto"])
def test_every_ring_answers_and_features_say_why_not(name: str) -> None:
    X, y = random_stream(5, 60, D)
    learner = ek.Learner(name, n_features=D, budget=10)
    learner.learn_many(X, y)
    before = learner._sealed()
    if learner.parts["basis"] != ek.Basis.SUPPORT_VECTORS:
        with pytest.raises(AttributeError, match="familiarity_one needs support vectors"):
            learner.familiarity_one(X[0])
        return
    held = learner.support_vectors_[0]
    assert learner.familiarity_one(held) == pytest.approx(1.0, abs=1e-6)
    assert learner.familiarity_one(np.full(D, 1e3)) == 0.0
    assert 0.0 <= learner.familiarity_one(X[1]) <= 1.0
    assert learner._sealed() == before


def test_structured_features_say_why_not() -> None:
    with pytest.raises(AttributeError, match="familiarity_one needs support vectors"):
        ek.Learner("sorf", n_features=D, D=64).familiarity_one(np.zeros(D))


@pytest.mark.parametrize("bad", [np.ones(D + 1), np.full(D, np.nan), "abc", None])
def test_bad_rows(bad: Any) -> None:
    learner = ek.Learner("rbp", n_features=D, budget=4)
    with pytest.raises((TypeError, ValueError), match="x"):
        learner.familiarity_one(bad)


def test_sparse_rows_classes_and_averages() -> None:
    X, y = random_stream(5, 80, 8, zeros=0.7)
    dense, sparse = (
        ek.Learner("pa1", n_features=8, budget=30, sparse=s, dtype="float64") for s in (False, True)
    )
    for learner in (dense, sparse):
        learner.learn_many(X, y)
    for x in X[:20]:
        assert sparse.familiarity_one(x) == pytest.approx(dense.familiarity_one(x), abs=1e-12)
    many = ek.Learner("pa1", n_features=8, budget=30, n_classes=2, dtype="float64")
    many.learn_many(X, (y > 0).astype(int))
    assert many.familiarity_one(many.support_vectors_[3]) == pytest.approx(1.0)
    mean = ek.Learner("spa", n_features=8, budget=30, beta=1.0)
    mean.learn_many(X, y)
    assert mean.averaged.familiarity_one(X[0]) == mean.familiarity_one(X[0])


def test_a_row_of_length_0_is_not_familiar() -> None:
    learner = ek.Learner("rbp", n_features=2, budget=3, kernel=ek.Linear())
    learner.learn_one([1.0, 2.0], 1)
    assert learner.familiarity_one([2.0, 4.0]) == pytest.approx(1.0)
    assert learner.familiarity_one([0.0, 0.0]) == 0.0
