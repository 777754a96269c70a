"""Rows of any finite size: learned within stated ranges (docs/rows.md), or refused unchanged."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from helpers import EVERY, LIVELY, Owned, in_turn

import edgeolk as ek
from edgeolk.bare import BareLearner

KERNELS = {
    "linear": ek.Linear(),
    "polynomial": ek.Polynomial(2),
    "sigmoid": ek.Sigmoid(0.4, 0.2),
    "gaussian": ek.Gaussian(0.5),
}
SIZES = (1e6, 1e12, 1e25, 1e37, 1e49, 1e77, 1e120, 1e154, 1e200, 1e307)


@pytest.mark.parametrize(
    ("name", "kernel", "dtype"), in_turn(EVERY, KERNELS, ["float32", "float64"])
)
def test_what_is_learned_leaves_a_model_that_loads(name: str, dtype: str, kernel: str) -> None:
    draws = np.random.default_rng(0)
    Z = draws.normal(size=(60, 3))
    y = np.where(Z[:, 0] > Z[:, 1] ** 2 - 0.5, 1, -1)
    for size in SIZES:
        if dtype == "float32" and size > 3e37:
            continue
        for every in (1, 7):
            X = Z.copy()
            X[::every] *= size
            try:
                owned = Owned(
                    name,
                    n_features=3,
                    budget=6,
                    kernel=KERNELS[kernel],
                    dtype=dtype,
                    seed=1,
                    **LIVELY.get(name, {}),
                )
            except ValueError:
                return  # the algorithm has no such kernel
            for x, label in zip(X, y, strict=True):
                before = owned.state()
                try:
                    assert np.isfinite(owned.learner.learn_one(x, label))
                except ValueError:
                    assert owned.state() == before
            assert pickle.loads(pickle.dumps(owned.learner)).steps == owned.learner.steps


@pytest.mark.parametrize(
    ("kernel", "options", "within", "beyond"),
    [
        (ek.Linear(), {"dtype": "float64"}, 0.99e50, 1.01e50),
        (ek.Linear(), {"dtype": "float64", "coefficients": "float32"}, 0.99e15, 1.01e15),
        (ek.Polynomial(2), {"dtype": "float64"}, 0.99e25, 1.01e25),
        (ek.Sigmoid(1e-30), {"dtype": "float64"}, 0.99e50, 1.01e50),
        (ek.Sigmoid(1e-30), {"dtype": "float32"}, 0.99e18, 1.01e18),
        (ek.Gaussian(1.0), {"dtype": "float64"}, 1.7e308, None),
    ],
)
def test_the_ranges_that_are_stated(
    kernel: ek.Kernel, options: dict[str, str], within: float, beyond: float | None
) -> None:
    learner = ek.Learner("rbp", n_features=1, budget=4, kernel=kernel, **options)
    learner.learn_one([within], 1)
    assert learner.n_support == 1
    if beyond is not None:
        with pytest.raises(ValueError, match="the kernel overflows for this row"):
            learner.learn_one([beyond], -1)
    assert learner.steps == 1


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(
    ("options", "target", "said"),
    [
        ({"loss": "square", "dtype": "float64"}, 1e102, "its coefficient would exceed 1e100"),
        ({"loss": "square", "coefficients": "float32"}, 1e27, "1e25 with coefficients='float32'"),
        ({"algorithm": "sorf", "loss": "square"}, 1e101, "its target must be from -1e100 to 1e100"),
    ],
)
def test_a_refusal_says_what_is_out_of_range(
    options: dict[str, str], target: float, said: str, bare: bool
) -> None:
    maker = BareLearner if bare else ek.Learner
    learner = maker(**{"algorithm": "ogd", "n_features": 1, "budget": 4, **options})
    with pytest.raises(ek.BadRowError, match=f"^x: .*{said}"):
        learner.learn_one(np.array([0.5]), target)
    steps = learner.counters()["steps"] if bare else learner.steps
    assert steps == 0


def test_rows_whose_coefficient_is_out_of_range_are_left_out_where_bad_rows_are() -> None:
    options = {"n_features": 1, "budget": 4, "loss": "square", "dtype": "float64"}
    learner = ek.Learner("ogd", on_bad_row="skip", **options)
    scores = learner.learn_many(np.array([[0.5], [0.6]]), np.array([1e102, 1.0]))
    assert np.isnan(scores).tolist() == [True, False]
    assert (learner.n_skipped, learner.steps) == (1, 1)
