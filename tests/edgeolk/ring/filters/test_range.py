"""A filter whose numbers leave their range starts again, and is a filter of the rows since then."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

D, BUDGET = 3, 12
#: What a damaged file may hold, and what one step makes of it no file may: an algorithm, a region
#: and how much too large its numbers are.
SPOILED = [
    ("kapa", "window_labels", 1e140),
    ("krls", "factor", 1e30),
    ("krls", "posterior", 1e30),
    ("krls", "per_update", 1e140),
    ("sw_krls", "per_update", 1e140),
    ("fb_krls", "per_update", 1e140),
    ("krls_t", "inverse", 1e30),
    ("krls_t", "posterior", 1e30),
    ("sogp", "inverse", 1e30),
    ("sogp", "posterior", 1e30),
]


def rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(160, D))
    return X, np.sin(2 * X[:, 0]) + X[:, 1]


def fresh(name: str, **options: Any) -> ek.Learner:
    return ek.Learner(name, n_features=D, budget=BUDGET, gamma=0.5, dtype="float64", **options)


def until_it_starts_again(learner: ek.Learner, X: np.ndarray, y: np.ndarray) -> int:
    """The number of rows that were learned when the ring is empty."""
    for row, (x, target) in enumerate(zip(X, y, strict=True), 1):
        learner.learn_one(x, target)
        assert pickle.loads(pickle.dumps(learner)).steps == learner.steps
        if learner.n_support == 0:
            return row
    raise AssertionError("it never started again")


@pytest.mark.parametrize(("name", "region", "by"), SPOILED)
def test_numbers_out_of_range_are_forgotten(name: str, region: str, by: float) -> None:
    X, y = rows()
    learner = fresh(name)
    learner.learn_many(X[:60], y[:60])
    np.asarray(learner._engine.view(region))[...] *= by
    learner = ek.Learner._from_block(bytes(learner._sealed()))
    begun = 60 + until_it_starts_again(learner, X[60:90], y[60:90])
    assert (learner.steps, learner.n_support) == (begun, 0)
    assert not learner.decision_function(X).any()
    if name == "kapa":
        return  # the rows of its window stay
    again = fresh(name)
    expected = again.learn_many(X[begun:], y[begun:])
    np.testing.assert_allclose(learner.learn_many(X[begun:], y[begun:]), expected, atol=1e-9)
    np.testing.assert_array_equal(learner.support_vectors_, again.support_vectors_)
    np.testing.assert_allclose(learner.dual_coef_, again.dual_coef_, atol=1e-9)


def test_targets_at_the_end_of_the_range_do_not_end_a_filter() -> None:
    """Options and targets that nobody would choose: it starts again, and then learns as before."""
    X, y = rows()
    learner = fresh("kapa", eps=1e-300, eta=1.9)
    until_it_starts_again(learner, X, 1e100 * y)
    scores = learner.learn_many(X, y)
    assert np.isfinite(scores).all()
    assert learner.n_support > 0


@pytest.mark.parametrize(
    ("name", "region", "at", "number"),
    [
        ("krls", "factor", 0, 1e61),
        ("krls", "per_update", 0, 1e151),
        ("fb_krls", "per_update", 0, 1e151),
        ("fb_krls", "inverse", 77, 1e61),
        ("krls", "posterior", 0, 1e61),
        ("sogp", "posterior", 0, 1e61),
    ],
)
def test_a_row_without_an_error_shows_numbers_out_of_range(
    name: str, region: str, at: int, number: float
) -> None:
    """In damaged memory: the row moves no coefficient, and the filter starts again."""
    X, y = rows()
    learner = fresh(name)
    learned = 6 if region == "posterior" else 60
    learner.learn_many(X[:learned], y[:learned])
    np.asarray(learner._engine.view(region)).reshape(-1)[at] = number
    far = np.array([5.0, 5.0, -5.0])
    learner.learn_one(far, learner.decision_one(far))
    assert learner.n_support == 0
    assert not learner.decision_function(X).any()
