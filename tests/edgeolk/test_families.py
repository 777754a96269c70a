"""What the later families promise: projections and budgeted passive-aggressive learning."""

from __future__ import annotations

import math
import subprocess

import numpy as np
import pytest
from families import kernels, make, modest, numbers, seeds
from helpers import KERNELS, gram, python, squared_norm
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import TWINS
from twins.base import polynomial
from twins.streams import random_stream

import edgeolk as ek

# ---- projections ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [None, "jmlr", "icml", "loose"])
@modest
@given(seed=seeds, kernel=kernels, eta=st.floats(0.0, 0.9), budget=st.integers(1, 15))
def test_projectron_removes_nobody(
    *, rule: str | None, seed: int, kernel: str, eta: float, budget: int
) -> None:
    X, y = random_stream(seed, 60, 3)
    more = {} if rule is None else {"rule": rule}
    name = "projectron" if rule is None else "projectron++"
    learner = make(name, kernel, budget=budget, eta=eta, **more)
    held = learner.support_vectors_
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
        now = learner.support_vectors_
        assert np.array_equal(now[: len(held)], held)
        assert len(now) - len(held) in (0, 1)
        held = now
    # No vector lies in the span of the older ones: the Gram matrix has an inverse.
    K = gram(learner, KERNELS[kernel][1])
    pivots = np.diagonal(np.linalg.cholesky(K)) ** 2
    assert np.all(pivots >= 0.9 * max(eta**2, 1e-10) * np.minimum(1.0, np.diagonal(K)))


@modest
@given(seed=seeds, kernel=st.sampled_from(["gaussian", "laplacian"]))
def test_projectron_without_sparsity_is_the_perceptron(seed: int, kernel: str) -> None:
    X, y = random_stream(seed, 60, 3)
    sparse, plain = make("projectron", kernel, budget=60, eta=0.0), make("perceptron", budget=60,
                                                                         kernel=kernel)  # fmt: skip
    for a, b in zip(X, y, strict=True):
        f = plain.decision_one(a)
        assert sparse.decision_one(a) == pytest.approx(f, abs=1e-6)
        if abs(f) < 1e-6 and sparse.n_support:
            return  # a mistake or none, by rounding
        sparse.learn_one(a, b)
        plain.learn_one(a, b)
    assert sparse.mistakes == plain.mistakes
    assert sparse.n_support <= plain.n_support


@pytest.mark.parametrize("name", ["projectron", "projectron++"])
@pytest.mark.parametrize("kernel", [ek.Linear(), ek.Gaussian(1.0), ek.Polynomial(2)], ids=repr)
def test_the_first_row_is_stored_however_short(name: str, kernel: ek.Kernel) -> None:
    """From eta >= sqrt(max k(x, x)) on, nothing but the first is ever stored."""
    learner = ek.Learner(name, n_features=2, budget=5, kernel=kernel, eta=40.0, dtype="float64")
    X = np.random.default_rng(1).normal(size=(200, 2))
    learner.learn_many(X, np.where(X[:, 0] > 0.0, 1.0, -1.0))
    assert learner.support_vectors_.tolist() == X[:1].tolist()
    assert learner.dual_coef_[0] != 0.0


@pytest.mark.parametrize("rule", ["jmlr", "icml"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-6])
def test_margin_steps_of_a_kernel_of_any_size(rule: str, scale: float) -> None:
    """What is too small to be projected on is so beside k(x, x), not beside 1."""
    X, y = random_stream(4, 60, 2, zeros=0.0)
    options = {"U": 1e-9, "eta": 0.0, "rule": rule}
    kernel = ek.Polynomial(2, scale, 0.0)
    learner = ek.Learner(
        "projectron++", n_features=2, budget=9, kernel=kernel, dtype="float64", **options
    )
    twin = TWINS["projectron++"](polynomial(2, scale, 0.0), 9, **options)
    for a, b in zip(X, y, strict=True):
        assert learner.learn_one(a, b) == pytest.approx(twin.step(a, b), rel=1e-6, abs=1e-12)
    assert learner.updates == twin.updates


@modest
@given(seed=seeds, kernel=kernels, budget=st.integers(2, 12), U=st.floats(0.3, 5.0))
def test_pomdr_facts(seed: int, kernel: str, budget: int, U: float) -> None:
    """The base stays in its ball; without a projecting phase halvings come as the updates say."""
    X, y = random_stream(seed, 80, 3)
    learner = make("pomdr", kernel, budget=budget, U=U, b0=0, M=4)
    h = budget // 2
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
        true = squared_norm(learner, KERNELS[kernel][1])
        assert math.sqrt(max(0.0, true)) <= U * (1 + 1e-9)
        n = learner.updates
        assert learner.halvings == (0 if n < budget else 1 + (n - budget) // (budget - h))
        assert learner.n_support < budget


# ---- budgeted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bogd", "bogd++"])
@pytest.mark.parametrize("projection", ["clip", "scale"])
@modest
@given(seed=seeds, kernel=kernels, gamma=st.floats(0.1, 3.0), lam=st.floats(0.0, 0.5))
def test_bogd_coefficients_stay_within_their_bound(
    *, name: str, projection: str, seed: int, kernel: str, gamma: float, lam: float
) -> None:
    X, y = random_stream(seed, 60, 3)
    learner = make(
        name, kernel, budget=5, eta=0.4, gamma=gamma, lam=lam, projection=projection, seed=seed
    )
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
        assert np.abs(learner.dual_coef_).max(initial=0.0) <= gamma * 0.4 * (1 + 1e-12)


EQUAL_BUT_ONE = """
import numpy as np, edgeolk as ek
learner = ek.Learner("bogd++", n_features=1, budget=11, kernel=ek.Linear(), dtype="float64")
learner.learn_one([1e-20], 1)
for i in range(15):
    learner.learn_one([1.0], 1 - 2 * (i % 2))
assert learner.n_support == 11 and np.isfinite(learner.dual_coef_).all()
print("done")
"""


def test_bogd_sizes_that_add_up_to_a_rounding_error() -> None:
    """Ten equal weights and one of nothing: all but that one are certain to stay."""
    try:
        ran = python(EQUAL_BUT_ONE, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.fail("learn_one does not return")
    assert ran.stdout == "done\n", ran.stderr


@settings(max_examples=40, deadline=None, database=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([-1, 1])),
        min_size=10,
        max_size=60,
    ),
    budget=st.integers(1, 8),
    C=st.floats(0.05, 2.0),
    allow_skip=st.booleans(),
)
def test_bpa_nn_knows_every_nearest_neighbour(
    rows: list[tuple[int, int, int]], budget: int, C: float, allow_skip: bool
) -> None:
    """On a grid full of ties and duplicates: the lowest of the nearest slots, always."""
    learner = make("bpa_nn", d=2, budget=budget, C=C, allow_skip=allow_skip)
    for u, v, label in rows:
        learner.learn_one([float(u), float(v)], label)
        S, n = learner.support_vectors_, learner.n_support
        d2 = ((S[:, None] - S[None]) ** 2).sum(axis=2)
        np.fill_diagonal(d2, np.inf)
        expected = np.argmin(d2, axis=1) if n > 1 else np.full(n, -1)
        assert np.array_equal(numbers(learner, "nearest", np.int64)[:n], expected)
        if n > 1:
            least = d2[np.arange(n), expected]
            assert np.array_equal(numbers(learner, "nearest_distance")[:n], least)
            found = numbers(learner, "nearest_kernel")[:n]
            assert found == pytest.approx(np.exp(-0.5 * least), rel=1e-12)


@pytest.mark.parametrize("coefficients", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("whole", "nonzeros"), [(True, 3), (False, 3), (False, 60)])
def test_bpa_nn_finds_neighbours_of_rows_that_are_mostly_zeros(
    dtype: str, coefficients: str, whole: bool, nonzeros: int
) -> None:
    """A short row is the nearest of many, who look again when it goes; in whole numbers all tie."""
    rng = np.random.default_rng(nonzeros)
    d, budget = 90, 50
    learner = ek.Learner(
        "bpa_nn", n_features=d, budget=budget, dtype=dtype, coefficients=coefficients,
        kernel=ek.Gaussian(0.2), sparse=True,
    )  # fmt: skip
    for step in range(400):
        x = np.zeros(d)
        at = rng.permutation(d)[:nonzeros]
        x[at] = rng.integers(1, 4, nonzeros) if whole else rng.normal(size=nonzeros)
        learner.learn_one(x, rng.choice([-1.0, 1.0]))
        if step < budget or step % 10:
            continue
        S, n = learner.support_vectors_.astype(float), learner.n_support
        d2 = ((S[:, None] - S[None]) ** 2).sum(axis=2)
        np.fill_diagonal(d2, np.inf)
        found = numbers(learner, "nearest", np.int64)[:n]
        if whole:
            assert np.array_equal(found, np.argmin(d2, axis=1))
        assert d2[np.arange(n), found] == pytest.approx(d2.min(axis=1), rel=1e-5, abs=1e-12)
    assert learner.n_support == budget


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("seed", range(4))
def test_bpa_p_keeps_its_inverse(kernel: str, seed: int) -> None:
    """After far more than 50 replacements, on both sides of the computation afresh at 10 B."""
    X, y = random_stream(seed, 400, 4)
    B = 8
    learner = make("bpa_p", kernel, d=4, budget=B, allow_skip=False, C=0.3)
    replaced, worst = 0, 0.0
    for a, b in zip(X, y, strict=True):
        before = learner.support_vectors_
        learner.learn_one(a, b)
        now = learner.support_vectors_
        replaced += len(before) == B and not np.array_equal(before, now)
        if len(now) == B:
            inverse = np.zeros((B, B))
            inverse[np.tril_indices(B)] = numbers(learner, "inverse")[: B * (B + 1) // 2]
            inverse += np.tril(inverse, -1).T
            K = gram(learner, KERNELS[kernel][1])
            fresh = np.linalg.inv(K)
            worst = max(worst, np.abs(inverse - fresh).max() / np.abs(fresh).max())
    assert replaced > 100
    assert worst < 1e-8


@pytest.mark.parametrize("maintenance", ["merge", "project", "remove", "random"])
@modest
@given(seed=seeds, budget=st.integers(1, 12), lam=st.floats(1e-3, 1.0))
def test_bsgd_stays_within_its_budget(maintenance: str, seed: int, budget: int, lam: float) -> None:
    X, y = random_stream(seed, 80, 3)
    learner = make("bsgd", budget=budget, lam=lam, maintenance=maintenance, seed=seed)
    for a, b in zip(X, y, strict=True):
        before, updates = learner.dual_coef_ * learner.steps, learner.updates
        S = learner.support_vectors_
        learner.learn_one(a, b)
        assert learner.n_support <= budget
        if learner.updates == updates:
            assert learner.dual_coef_ * learner.steps == pytest.approx(before, rel=1e-12)
            assert np.array_equal(learner.support_vectors_, S)
    if maintenance == "merge":
        # What is merged lies between its parents, so nothing leaves the box of the examples.
        assert np.all(learner.support_vectors_ <= X.max(axis=0) + 1e-12)
        assert np.all(learner.support_vectors_ >= X.min(axis=0) - 1e-12)
