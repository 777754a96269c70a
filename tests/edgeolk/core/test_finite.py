"""Numbers that storage cannot hold are found wherever they stand; the largest it can are taken."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgeolk as ek

MOST = float(np.finfo(np.float32).max)
#: The largest double that rounds to a finite float32: half a unit above it, ties go up.
ROUNDS_DOWN = math.nextafter(MOST + 2.0**103, 0.0)


def learner(n_features: int, dtype: str) -> ek.Learner:
    return ek.Learner(
        "rbp", n_features=n_features, budget=3, dtype=dtype, kernel=ek.Gaussian(1e-30)
    )


@pytest.mark.parametrize("given", [np.float32, np.float64])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 7, 8, 9, 16, 33])
def test_wherever_it_stands(dtype: str, given: type, n_features: int) -> None:
    made = learner(n_features, dtype)
    for bad in (math.nan, math.inf, -math.inf):
        for at in range(n_features):
            X = np.ones((3, n_features), given)
            X[1, at] = bad
            with pytest.raises(ek.BadRowError):
                made.decision_one(X[1])
            with pytest.raises(ek.BadRowError, match=r"X\[1\]"):
                made.decision_function(X)
            assert made.decision_one(X[0]) == 0.0


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize(
    ("dtype", "taken", "refused"),
    [
        ("float32", ROUNDS_DOWN, math.nextafter(ROUNDS_DOWN, math.inf)),
        ("float64", float(np.finfo(np.float64).max), math.inf),
        ("float16", 65519.0, 65520.0),
    ],
)
def test_the_largest(dtype: str, taken: float, refused: float, sign: float) -> None:
    made = learner(2, dtype)
    assert made.decision_one(np.array([0.0, sign * taken])) == 0.0
    with pytest.raises(ek.BadRowError):
        made.decision_one(np.array([0.0, sign * refused]))
