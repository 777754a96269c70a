"""Numbers at the ends of their range."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from helpers import KERNELS, LIVELY, RINGS, Owned, fitting, in_turn, python
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from twins.streams import random_stream

import edgeolk as ek

D = 2
#: Powers of ten of either sign, zero, and whatever else is finite.
magnitudes = st.builds(lambda s, k: s * 10.0**k, st.sampled_from([-1, 1]), st.integers(-320, 154))
extreme = st.just(0.0) | magnitudes | st.floats(allow_nan=False, allow_infinity=False)


def learn_or_refuse(owned: Owned, x: np.ndarray, y: float) -> None:
    """Finite before and after, or refused with the model as it was."""
    before, why = owned.state(), ""
    try:
        assert np.isfinite(owned.learner.learn_one(x, y))
    except ValueError as error:
        why = str(error)
    if why:
        assert "x" in why or "y" in why
        assert owned.state() == before
    learner = owned.learner
    assert np.isfinite(learner.dual_coef_).all()
    assert learner.norm2 is None or np.isfinite(learner.norm2)
    assert np.isfinite(learner.decision_one(np.zeros(D)))


@pytest.mark.parametrize(("name", "dtype"), in_turn(RINGS, ["float32", "float64"]))
@settings(max_examples=20, deadline=None, database=None)
@given(
    X=hnp.arrays(np.float64, (12, D), elements=extreme),
    signs=st.lists(st.sampled_from([-1, 1]), min_size=12, max_size=12),
    kernel=st.sampled_from(list(KERNELS)),
)
def test_finite_in_finite_out(
    name: str, dtype: str, X: np.ndarray, signs: list[int], kernel: str
) -> None:
    function = KERNELS[fitting(name, kernel)][0]
    options = {"n_features": D, "budget": 3, "kernel": function, "dtype": dtype}
    owned = Owned(name, **options, **LIVELY.get(name, {}))
    for x, y in zip(X, signs, strict=True):
        learn_or_refuse(owned, x, y)


@pytest.mark.parametrize("name", RINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_too_small_to_mend_anything(name: str, dtype: str) -> None:
    """k(x, x) is subnormal or 0: a step of loss / k(x, x) would overflow."""
    function = KERNELS[fitting(name, "linear")][0]
    options = {"n_features": D, "budget": 3, "kernel": function, "dtype": dtype}
    for exponent in (-20, -22, -23, -150, -156, -160, -162, -200):
        owned = Owned(name, **options, **LIVELY.get(name, {}))
        for _ in range(5):
            learn_or_refuse(owned, np.array([10.0**exponent, 0.0]), 1)
            learn_or_refuse(owned, np.array([1.0, 0.5]), -1)


@pytest.mark.parametrize("target", [1e154, 1e300, 1e308, -1.7e308])
@pytest.mark.parametrize("eta", [0.1, 1.5, 100.0, 1e300])
def test_targets_at_the_end_of_their_range(target: float, eta: float) -> None:
    owned = Owned("olrd", n_features=D, budget=3, loss="square", eta=eta, dtype="float64")
    for i in range(6):
        learn_or_refuse(owned, np.array([1.0, 0.5 * i]), target * (-1) ** i)
    assert np.isfinite(owned.learner.squared_error) or abs(target) >= 1e154


@pytest.mark.parametrize("update", list(ek.Update))
@pytest.mark.parametrize("kernel", ["linear", "homogeneous", "gaussian"])
def test_the_zero_row_in_every_pair_of_update_and_policy(update: ek.Update, kernel: str) -> None:
    """With k(x, x) = 0 nothing may be divided by it."""
    for policy in ek.Policy:
        takes_the_zero_row(update, policy, kernel)


def takes_the_zero_row(update: ek.Update, policy: ek.Policy, kernel: str) -> None:
    options = {"n_features": D, "budget": 2, "kernel": KERNELS[kernel][0], "dtype": "float64"}
    try:
        owned = Owned(None, update=update, policy=policy, **options)
    except ValueError:
        return
    rows = [[1.0, 0.5], [0.0, 0.0], [0.5, -1.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    for i, row in enumerate(rows):
        try:
            learn_or_refuse(owned, np.array(row), (-1) ** i)
        except ek.BudgetError:
            break
    if update in (ek.Update.PA, ek.Update.PA1, ek.Update.PA2, ek.Update.SPARSE_PA):
        self_kernels = [KERNELS[kernel][1](s[None], s)[0] for s in owned.learner.support_vectors_]
        assert np.all(np.array(self_kernels) > 0)


HUGE = """
import sys, numpy as np, edgeolk as ek
kernel = ek.Polynomial(int(sys.argv[1]), 1.0, 0.0)
for size in np.linspace(0.5, 1.4, 10) * 10 ** (154 / int(sys.argv[1])):
    for budget in (4, 5, 8):
        learner = ek.Learner("ahpatron", n_features=1, budget=budget, kernel=kernel,
                             dtype="float64")
        for i in range(30):
            try:
                learner.learn_one(np.array([size]), 1 - 2 * (i % 2))
            except ValueError:
                pass
            assert np.isfinite(learner.dual_coef_).all()
print("done")
"""


@pytest.mark.parametrize("degree", ["1", "2"])
def test_halving_ends_where_the_gram_nearly_overflows(degree: str) -> None:
    try:
        ran = python(HUGE, degree, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.fail("learn_one does not return")
    assert ran.stdout == "done\n", ran.stderr


def test_a_kernel_that_overflows() -> None:
    """The row is named and changes nothing; in bulk the rows before it have been learned."""
    kernel = ek.Polynomial(4, 1.0, 1.0)
    owned = Owned("perceptron", n_features=D, budget=9, kernel=kernel, dtype="float64")
    X, y = random_stream(0, 6, D)
    X[4] = [1e100, 0.0]
    before = owned.state()
    with pytest.raises(ValueError, match=r"\bx\b.*overflow"):
        owned.learner.learn_one(X[4], 1)
    assert owned.state() == before
    with pytest.raises(ValueError, match=r"X\[4\].*overflow"):
        owned.learner.learn_many(X, y)
    assert owned.learner.steps == 4
    before = owned.state()
    for call in (owned.learner.decision_one, owned.learner.predict_one):
        with pytest.raises(ValueError, match=r"\bx\b.*overflow"):
            call(X[4])
    for call in (owned.learner.decision_function, owned.learner.predict):
        with pytest.raises(ValueError, match=r"X\[4\].*overflow"):
            call(X)
    assert owned.state() == before
    owned.learner.learn_many(X[5:], y[5:])


def test_nothing_to_learn_in() -> None:
    """Landmarks that span nothing: the features stay 0, the ring within its budget."""
    learner = ek.Learner("nogd", n_features=4, budget=8, kernel=ek.Linear())
    for _ in range(40):
        assert learner.learn_one(np.zeros(4, np.float32), 1.0) == 0.0
    assert learner.n_support == 8
    assert learner.decision_one(np.ones(4, np.float32)) == 0.0
    assert ek.Learner("nogd", n_features=4, budget=8, kernel=ek.Linear()).plan == learner.plan


def test_neighbours_infinitely_far() -> None:
    """Squared distances overflow float32: no neighbour is adjusted, its bytes stay."""
    learner = ek.Learner("bpa_nn", n_features=16, budget=3, kernel=ek.Gaussian(1.0))
    seen = []
    for i in range(14):
        x = np.zeros(16, np.float32)
        x[i % 15], x[15] = (1.0 + 0.1 * i) * 1e20, 1.875
        learner.learn_one(x, 1.0 if i % 2 else -1.0)
        seen.append(x)
        for held in learner.support_vectors_:
            assert any(np.array_equal(held, x) for x in seen)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_norm_of_a_budget_that_grows_slowly(dtype: str) -> None:
    """The smaller the budget of the moment, the sooner a kept norm has to be computed afresh."""
    learner = ek.Learner(
        update="gradient", policy="unbiased", projection="ball", n_features=5, budget=200,
        growth=0.2, eta=0.3, U=3.0, kernel=ek.Gaussian(0.5), dtype=dtype,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    for _ in range(400):
        learner.learn_one(rng.normal(size=5), rng.choice([-1.0, 1.0]))
        S, a = learner.support_vectors_.astype(float), learner.dual_coef_
        K = np.exp(-0.5 * ((S[:, None] - S) ** 2).sum(-1))
        assert learner.norm2 == pytest.approx(a @ K @ a, rel=1e-3, abs=1e-6)
