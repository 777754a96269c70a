"""What the later families promise: projections, budgeted PA, sampled, averaged and feature rows."""

from __future__ import annotations

import math
import subprocess
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, LIVELY, RINGS, fitting, gram, python, squared_norm
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import TWINS
from twins.base import polynomial
from twins.streams import random_stream

import edgeolk as ek

modest = settings(max_examples=15, deadline=None, database=None)
seeds = st.integers(0, 2**32 - 1)
kernels = st.sampled_from(["gaussian", "polynomial", "linear", "laplacian"])


def make(name: str | None, kernel: str = "gaussian", d: int = 3, **options: Any) -> ek.Learner:
    options = {"dtype": "float64", **options}
    return ek.Learner(name, n_features=d, kernel=KERNELS[fitting(name, kernel)][0], **options)


def numbers(learner: ek.Learner, region: str, dtype: Any = np.float64) -> np.ndarray:
    return np.frombuffer(learner._engine.view(region), dtype)


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
        ran = python(EQUAL_BUT_ONE, timeout=10)
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


# ---- sampled and averaged ------------------------------------------------------------------------


@pytest.mark.parametrize("h", ["shift", "scale"])
@modest
@given(seed=seeds, eta=st.floats(0.05, 1.9), R=st.none() | st.floats(0.2, 5.0))
def test_klr_without_boost_keeps_everything(h: str, seed: int, eta: float, R: Any) -> None:
    X, y = random_stream(seed, 60, 3)
    sampled = make("klr", budget=60, h=h, gamma=1.0, eta=eta, R=R, seed=seed)
    plain = make("klr", budget=60, method="nc", eta=eta, R=R)
    f, g = sampled.learn_many(X, y), plain.learn_many(X, y)
    assert f == pytest.approx(g, rel=1e-12, abs=1e-12)
    assert sampled.n_support == plain.n_support == 60


@pytest.mark.parametrize("params", [{"method": "nc"}, {"h": "cut", "delta": 0.1}], ids=str)
@modest
@given(seed=seeds)
def test_klr_without_sampling_draws_nothing(params: dict[str, Any], seed: int) -> None:
    X, y = random_stream(seed % 1000, 60, 3)
    one = make("klr", budget=40, eta=0.5, seed=1, **params)
    other = make("klr", budget=40, eta=0.5, seed=seed, **params)
    assert one.learn_many(X, y).tobytes() == other.learn_many(X, y).tobytes()
    assert np.array_equal(one.dual_coef_, other.dual_coef_)
    fresh = bytes(memoryview(make("klr", budget=40, eta=0.5, seed=1, **params)._engine.arena))
    used = bytes(memoryview(one._engine.arena))
    # The state of the generator: words that only the seed sets. They are as they were.
    reseeded = bytes(memoryview(make("klr", budget=40, eta=0.5, seed=2, **params)._engine.arena))
    words = [np.frombuffer(block, np.uint64) for block in (fresh, reseeded, used)]
    of_the_seed = words[0] != words[1]
    assert 2 <= of_the_seed.sum() <= 3
    assert np.array_equal(words[0][of_the_seed], words[2][of_the_seed])


RAMPS = [row.name for row in ek.algorithms() if "ramp" in row.choices.get("loss", ())]


@pytest.mark.parametrize("name", RAMPS)
@modest
@given(seed=seeds, kernel=kernels)
def test_labels_are_asked_for_where_they_are_used(name: str, seed: int, kernel: str) -> None:
    X, y = random_stream(seed, 60, 3)
    params = {key: value for key, value in LIVELY.get(name, {}).items() if key != "lam"}
    learner = make(name, kernel, budget=8, loss="ramp", seed=seed, **params)
    asked = 0
    for a, b in zip(2 * X, y, strict=True):
        before = learner.support_vectors_, learner.dual_coef_, learner.updates
        wants = learner.wants_label(a)
        asked += wants
        assert wants == (abs(learner.decision_one(a)) <= 1.0)
        assert learner.labels_asked == asked
        learner.learn_one(a, b)
        assert learner.labels_asked == asked
        if not wants:
            assert learner.updates == before[2]
            assert np.array_equal(learner.support_vectors_, before[0])
            assert np.array_equal(learner.dual_coef_, before[1])


def test_other_losses_always_want_the_label() -> None:
    X, y = random_stream(2, 60, 3)
    learner = make("pa1", budget=60)
    learner.learn_many(X, y)
    assert all(learner.wants_label(3 * x) for x in X)
    assert learner.labels_asked == 60
    assert learner.steps == 60
    for bad in (X, X[0, :2], [np.nan, 0.0, 0.0], None):
        with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
            learner.wants_label(bad)
    assert learner.labels_asked == 60


def test_probabilities_are_those_of_the_logistic_loss() -> None:
    X, y = random_stream(2, 100, 3)
    with_loss = {"klr", "oskl"}
    for row in ek.algorithms():
        losses = row.choices.get("loss", {})
        for loss in losses or [None]:
            params = LIVELY.get(row.name, {}) | ({} if loss is None else {"loss": loss})
            learner = make(row.name, budget=30, **params)
            if loss == "logistic" or (row.name in with_loss and loss is None):
                learner.learn_many(3 * X, y)
                for x in (X[0], 5 * X[1], X[2]):
                    p = 1.0 / (1.0 + math.exp(-learner.decision_one(x)))
                    assert learner.predict_proba_one(x) == pytest.approx(p, rel=1e-14)
                continue
            with pytest.raises(AttributeError, match="prob"):
                learner.predict_proba_one(X[0])


@modest
@given(seed=seeds, kernel=kernels, lam=st.floats(1e-4, 2.0), budget=st.integers(1, 60))
def test_pegasos_sums_are_whole(seed: int, kernel: str, lam: float, budget: int) -> None:
    X, y = random_stream(seed, 60, 3)
    learner = make("pegasos", kernel, budget=budget, lam=lam)
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
        n = learner.n_support
        assert np.all(np.abs(numbers(learner, "coefficients")[:n]) == 1.0)
        sums = learner.dual_coef_ * lam * learner.steps
        assert np.abs(sums) == pytest.approx(np.ones(n), rel=1e-14)


MEANS = [name for name in RINGS if make(name, budget=2, **LIVELY.get(name, {})).parts["averaging"]
         == ek.Averaging.MEAN]  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
@modest
@given(seed=seeds, kernel=kernels, budget=st.integers(2, 30))
def test_means_are_the_means_of_the_models(name: str, seed: int, kernel: str, budget: int) -> None:
    X, y = random_stream(seed, 60, 3)
    learner = make(name, kernel, budget=budget, seed=seed, **LIVELY.get(name, {}))
    average, total = learner.averaged, np.zeros(2 * budget)
    assert average.decision_one(X[0]) == 0.0
    scored = 0.0
    for a, b in zip(X, y, strict=True):
        coef = learner.dual_coef_
        total[: len(coef)] += coef
        scored += learner.decision_one(X[7])
        learner.learn_one(a, b)
    mean = total[: len(learner.dual_coef_)] / learner.steps
    size = max(1.0, np.abs(mean).max(initial=0.0))
    assert average.dual_coef_ == pytest.approx(mean, rel=1e-9, abs=1e-12 * size)
    assert average.decision_one(X[7]) == pytest.approx(scored / 60, rel=1e-9, abs=1e-9 * size)


# ---- features ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@modest
@given(seed=st.integers(0, 2**64 - 1), D=st.integers(1, 70), d=st.integers(1, 9))
def test_fogd_frequencies_are_those_of_numpy(dtype: str, seed: int, D: int, d: int) -> None:
    learner = ek.Learner("fogd", n_features=d, budget=D, kernel=ek.Gaussian(0.7), dtype=dtype,
                         seed=seed)  # fmt: skip
    draws = np.random.Generator(np.random.PCG64(seed)).standard_normal((D, d))
    expected = draws * math.sqrt(2.0 * 0.7)
    assert np.array_equal(learner.support_vectors_, expected.astype(dtype))
    x = np.linspace(-1.0, 1.0, d)
    learner.learn_one(x, 1)
    assert learner.support_vectors_.shape == (D, d)
    assert learner.decision_one(x) == pytest.approx(0.1, rel=1e-6)  # eta |z|^2, |z| = 1


@modest
@given(seed=seeds)
def test_nogd_of_full_rank_goes_on_as_projected_gradient(seed: int) -> None:
    """The change of basis leaves f as it is; a step then adds the projection of k(x, .)."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 4)) * 1.5, rng.choice([-1.0, 1.0], 60)
    options = {"d": 4, "eta": 0.3}
    learner = make("nogd", budget=8, k=8, eta2=0.2, **options)
    plain = make("ogd", budget=60, **options)
    for a, b in zip(X, y, strict=True):
        full = learner.n_support == 8
        before = learner.decision_function(learner.support_vectors_)
        row = KERNELS["gaussian"][1](learner.support_vectors_, a)
        f = learner.learn_one(a, b)
        if not full:
            assert f == pytest.approx(plain.learn_one(a, b), abs=1e-9)
            if learner.n_support == 8:
                same = plain.decision_function(X)
                assert learner.decision_function(X) == pytest.approx(same, abs=1e-7)
            continue
        step = 0.2 * b if b * f < 1.0 else 0.0
        after = learner.decision_function(learner.support_vectors_)
        assert after == pytest.approx(before + step * row, abs=1e-7)
        weights = learner.dual_coef_
        K = gram(learner, KERNELS["gaussian"][1])
        assert K @ weights == pytest.approx(after, abs=1e-7)
