"""Rows of any finite size: learned within stated ranges (docs/rows.md), or refused unchanged."""

from __future__ import annotations

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.bare import BareLearner


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
