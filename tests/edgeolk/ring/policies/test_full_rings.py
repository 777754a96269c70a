"""What policies do where numbers overflow, vanish, or are damaged in memory; several classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from synthetic import random_stream

import edgeolk as ek

D = 3
X, Y = random_stream(6, 200, D)
CLASSES = np.arange(200) % 3
PERCEPTRON = {"update": "perceptron", "n_features": D, "budget": 6, "dtype": "float64"}


def numbers(learner: ek.Learner, region: str) -> np.ndarray:
    return np.asarray(learner._engine.view(region)).reshape(-1)


def taught(name: str, rows: int = 60, **options: Any) -> ek.Learner:
    options = {"n_features": D, "budget": 4, "dtype": "float64", **options}
    learner = ek.Learner(name, **options)
    learner.learn_many(X[:rows], Y[:rows])
    return learner


# ---- halving -------------------------------------------------------------------------------------


def test_halving_keeps_the_norm_of_several_classes() -> None:
    learner = ek.Learner(**PERCEPTRON, policy="halve", n_classes=3)
    for x, label in zip(X, CLASSES, strict=True):
        before, norm2 = learner.n_support, learner.norm2
        learner.learn_one(x, label)
        if learner.n_support < before:
            alpha, S = learner.dual_coef_, learner.support_vectors_
            gram = np.exp(-((S[:, None] - S[None]) ** 2).sum(2) / D)
            assert learner.norm2 == pytest.approx(np.trace(alpha.T @ gram @ alpha))
            kept = learner.n_support - 1
            rest = np.trace(alpha[:kept].T @ gram[:kept, :kept] @ alpha[:kept])
            assert rest == pytest.approx(norm2)
    assert learner._engine.counters()["halvings"] > 3


def test_halving_stays_within_the_ball() -> None:
    """Coefficients of equal signs: what is kept weighs more than all that is allowed."""
    learner = ek.Learner(**PERCEPTRON, policy="halve", U=0.05, rescale=False)
    for x, y in zip(X, Y, strict=True):
        before = learner.n_support
        learner.learn_one(x, y)
        if learner.n_support < before:
            alpha, S = learner.dual_coef_[:-1], learner.support_vectors_[:-1]
            gram = np.exp(-((S[:, None] - S[None]) ** 2).sum(2) / D)
            assert alpha @ gram @ alpha <= 0.05**2 * (1.0 + 1e-9)


def test_halving_without_a_ridge_of_rows_that_are_0() -> None:
    learner = ek.Learner("ahpatron", n_features=D, budget=4, kernel=ek.Linear(), ridge=0.0)
    assert not learner.learn_many(np.zeros((30, D)), Y[:30]).any()
    assert learner._engine.counters()["halvings"] > 3
    assert not learner.decision_function(X).any()


def test_halving_ends_where_the_gram_matrix_is_damaged() -> None:
    """The lighter half goes without compensation: the other coefficients stay as they are."""
    learner = taught("ahpatron", kernel=ek.Linear(), rescale=False)
    while learner.n_support < 4:
        learner.learn_one(0.0 * X[0], 1.0)
    numbers(learner, "support_vectors")[:] = 1e200
    heavy = np.sort(np.abs(learner.dual_coef_))[2:]
    learner.learn_one(0.0 * X[0], 1.0)
    assert learner.n_support == 3
    assert np.sort(np.abs(learner.dual_coef_[:2])) == pytest.approx(heavy)


def test_a_rate_from_the_radius() -> None:
    """The n-th coefficient is U / sqrt(n) y before the ball: a row that nothing is near to."""
    learner = ek.Learner(
        "ahpatron", n_features=2, budget=8, rate=None, U=100.0, kernel=ek.Gaussian(1.0)
    )
    for n in range(5):
        learner.learn_one([50.0 * n, 0.0], 1)
    assert learner.dual_coef_ == pytest.approx(100.0 / np.sqrt([1, 2, 3, 4, 5]) * shrunk(5))


def shrunk(n: int) -> np.ndarray:
    """How much of each coefficient the ball of radius 100 leaves, of far rows."""
    left = np.ones(n)
    alpha = np.zeros(n)
    for i in range(n):
        alpha[i] = 100.0 / np.sqrt(i + 1)
        factor = min(1.0, 100.0 / np.linalg.norm(alpha))
        alpha *= factor
        left[: i + 1] *= factor
    return left


# ---- removal of the lightest, budgeted PA, projection --------------------------------------------


@pytest.mark.parametrize("kernel", [ek.Gaussian(0.5), ek.Linear()], ids=str)
@pytest.mark.parametrize(("budget", "n_classes"), [(6, 3), (40, None)])
def test_the_lightest_leaves(kernel: ek.Kernel, budget: int, n_classes: int | None) -> None:
    learner = ek.Learner(n_features=D, budget=budget, dtype="float64", update="pa",
                         policy="lightest", n_classes=n_classes, kernel=kernel)  # fmt: skip
    rows, left = np.random.default_rng(0).normal(size=(200, D)), 0
    for x, label in zip(rows, CLASSES if n_classes else Y, strict=True):
        held = learner.support_vectors_
        alpha = learner.dual_coef_.reshape(len(held), n_classes or 1)
        learner.learn_one(x, label)
        if len(held) < budget or np.array_equal(held, learner.support_vectors_):
            continue
        length = 1.0 if isinstance(kernel, ek.Gaussian) else (held**2).sum(1)
        lightest = held[np.argmin((alpha**2).sum(1) * length)]
        assert not (learner.support_vectors_ == lightest).all(1).any()
        left += 1
    assert left > 20


def test_a_damaged_gram_matrix_moves_no_coefficient() -> None:
    learner = taught("bsgd", maintenance="project")
    numbers(learner, "factor")[:] = np.inf
    learner.learn_many(X[60:90], Y[60:90])
    assert np.isfinite(learner.dual_coef_).all()
    assert np.isfinite(learner.decision_function(X)).all()


def test_a_damaged_factor_adds_no_vector() -> None:
    learner = ek.Learner("pomdr", n_features=D, budget=8, U=3.0, b0=6, ald=0.0)
    learner.learn_many(X[:4], Y[:4])
    numbers(learner, "factor")[:] = 1e30
    held = learner.dual_coef_
    learner.learn_many(X[4:10], Y[4:10])
    np.testing.assert_array_equal(learner.dual_coef_, held)


@pytest.mark.parametrize("name", ["projectron", "pomdr"])
def test_a_first_row_of_length_0_is_not_stored(name: str) -> None:
    learner = ek.Learner(name, n_features=D, budget=4, kernel=ek.Linear())
    assert learner.learn_one([0.0] * D, 1) == 0.0
    assert (learner.steps, learner.n_support) == (1, 0)


@pytest.mark.parametrize("name", ["bpa_s", "bpa_nn"])
def test_costs_that_overflow_choose_the_first_slot(name: str) -> None:
    """Coefficients and vectors that only damaged memory has."""
    learner = taught(name, kernel=ek.Linear(), allow_skip=False)
    numbers(learner, "coefficients")[:4] = [1e99, -1e99, 1e99, -1e99]
    numbers(learner, "support_vectors")[:] = np.repeat([0.0, 1e70, 0.0], 4)
    numbers(learner, "diagonal")[:] = 1e140
    x = np.array([0.5, 0.0, 0.0])
    learner.learn_one(x, 1)
    np.testing.assert_array_equal(learner.support_vectors_[0], x)
    assert (learner.support_vectors_[1:] == [0.0, 1e70, 0.0]).all()


def test_a_share_beyond_the_range_of_coefficients_is_not_taken() -> None:
    """A projection on a short row: the vector goes without compensation."""
    learner = ek.Learner("bpa_nn", n_features=1, budget=2, kernel=ek.Linear(), dtype="float64")
    for x, y in (([1.0], 1), ([2.0], -1)):
        learner.learn_one(x, y)
    numbers(learner, "coefficients")[:2] = [1e90, 1e91]
    learner.learn_one([1e-20], -1)
    assert sorted(learner.dual_coef_) == [-1.0, 1e91]
    assert sorted(learner.support_vectors_[:, 0]) == [1e-20, 2.0]


@pytest.mark.parametrize("name", ["bpa_nn", "bpa_p"])
def test_a_row_that_nothing_is_near_to_is_left_out_where_that_costs_least(name: str) -> None:
    """Its projection is 0, and so is the step within the span."""
    learner = ek.Learner(name, n_features=8, budget=4, kernel=ek.Linear(), dtype="float64")
    rows = np.eye(8)
    for k in range(4):
        learner.learn_one(rows[k], 1, weight=1000.0)
    before = learner.dual_coef_
    assert learner.learn_one(0.01 * rows[6], 1, weight=0.001) == 0.0
    np.testing.assert_array_equal(learner.dual_coef_, before)
    np.testing.assert_array_equal(learner.support_vectors_, rows[:4])


def test_rows_infinitely_far_share_the_first_slot() -> None:
    """Squared distances overflow: a full ring of qklms adds its step to slot 0."""
    learner = ek.Learner("qklms", n_features=D, budget=2, dtype="float64")
    for size in (1.0, -2.0):
        learner.learn_one([size * 1e200] * D, 1.0)
    before = learner.dual_coef_
    learner.learn_one([3e200] * D, 1.0)
    assert learner.dual_coef_.tolist() == [before[0] + 0.5, before[1]]


def test_an_inverse_that_no_ridge_makes_is_that_of_the_diagonal() -> None:
    """A damaged vector, whose length overflows."""
    learner = taught("bpa_p", kernel=ek.Linear(), budget=3)
    vectors = numbers(learner, "support_vectors").reshape(D, -1)
    vectors[:, :3] = np.diag([1e200, 2.0, 4.0])
    numbers(learner, "inverse")[:] *= 1e6
    learner.learn_one([0.0, 1.0, 1.0], -np.sign(learner.decision_one([0.0, 1.0, 1.0])))
    inverse = numbers(learner, "inverse")[:6]
    np.testing.assert_allclose(inverse, [0.0, 0.0, 0.25, 0.0, 0.0, 0.0625])


@pytest.mark.parametrize("policy", ["oldest", "random"])
def test_a_norm_is_not_negative(policy: str) -> None:
    """What the removal of a class's only vector leaves is 0 up to rounding."""
    for seed in range(20):
        draws = np.random.default_rng(seed)
        learner = ek.Learner(**{**PERCEPTRON, "n_features": 2, "budget": 1 + seed % 3},
                             policy=policy, projection="ball", U=1.0, n_classes=3)  # fmt: skip
        rows, labels = 0.1 * draws.normal(size=(30, 2)), draws.integers(0, 3, 30)
        for x, label in zip(rows, labels, strict=True):
            learner.learn_one(x, label)
            alpha, S = learner.dual_coef_, learner.support_vectors_
            gram = np.exp(-0.5 * ((S[:, None] - S[None]) ** 2).sum(2))
            assert learner.norm2 == pytest.approx(np.trace(alpha.T @ gram @ alpha), abs=1e-9)
            assert learner.norm2 >= 0.0
