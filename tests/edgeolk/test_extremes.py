"""Numbers at the ends of their range."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from helpers import KERNELS, LIVELY, RINGS, Owned, fitting, in_turn, python
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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
@settings(max_examples=10, deadline=None, database=None)
@given(
    X=hnp.arrays(np.float64, (12, D), elements=extreme),
    signs=st.lists(st.sampled_from([-1, 1]), min_size=12, max_size=12),
    kernel=st.sampled_from(list(KERNELS)),
)
@pytest.mark.spread(6)
def test_finite_in_finite_out(
    name: str, dtype: str, X: np.ndarray, signs: list[int], kernel: str
) -> None:
    function = KERNELS[fitting(name, kernel)][0]
    options = {"n_features": D, "budget": 3, "kernel": function, "dtype": dtype}
    owned = Owned(name, **options, **LIVELY.get(name, {}))
    for x, y in zip(X, signs, strict=True):
        learn_or_refuse(owned, x, y)


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
