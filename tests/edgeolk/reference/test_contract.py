"""The reference implementations compared with independent results: the contract that
all of them share, the shifting perceptron, and the basic and greedy forgetrons."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream, regression_stream

from edgeolk.reference import LEARNERS, Pcg32
from edgeolk.reference import base as tb
from edgeolk.reference.forgetron import SHARE, psi, shrinking_factor

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=8, deadline=None, database=None)

EXTRA = {
    "avp": {"U": 3.0, "lam": 0.4},
    "spa": {"beta": 2.0},
    "olrd": {"U": 8.0},
    "olru": {"schedule": "constant", "T": 100, "gamma": 0.2, "U": 2.0},
    "olk": {"U": 2.0, "eta": 0.4},
    "ogd": {"lam": 0.2},
    "bogd": {"lam": 0.2, "gamma": 1.5},
    "bogd++": {"lam": 0.2, "gamma": 1.5},
    "oskl": {"G": 2.0, "R": 2.0, "eta": 0.4},
    "klr": {"R": 2.0, "eta": 0.4},
    "projectron": {"eta": 0.2},
    "projectron++": {"eta": 0.2},
    "pegasos": {"lam": 0.1},
    "bsgd": {"lam": 0.1},
    "fogd": {"lam": 0.2, "D": 6},
    "pomdr": {"U": 4.0, "M": 5},
}
REGRESSORS = {name for name, learner in LEARNERS.items() if learner.loss in tb.REAL}
GAUSSIAN_ONLY = {"fogd", "bsgd"}
SHRINKING = {"ogd", "bogd", "bogd++", "pegasos", "bsgd", "fogd"}


@pytest.mark.parametrize("name", sorted(LEARNERS))
@pytest.mark.parametrize("kernel", [*KERNELS, tb.linear(), tb.laplacian(0.5)])
@pytest.mark.spread(7)
def test_contract(name, kernel):
    real = name in REGRESSORS
    X, y = (regression_stream if real else random_stream)(3, 70, 2)
    if name in GAUSSIAN_ONLY and kernel is not KERNELS[0]:
        with pytest.raises(ValueError, match="Gaussian"):
            LEARNERS[name](kernel, 7, 5, **EXTRA.get(name, {}))
        return
    model, again = (LEARNERS[name](kernel, 7, 5, **EXTRA.get(name, {})) for _ in range(2))
    mistakes = 0
    bad_rows = [([np.nan, 0], 1), ([0, np.inf], 1), ([0, 0], np.nan if real else 2), ([0, 0, 0], 1)]
    for i, (a, b) in enumerate(zip(X, y, strict=True)):
        expected, old, probe = model.decision(a), copy.deepcopy(model), X[i - 1]
        f = model.step(a, b)
        assert f == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert again.step(a, b) == f
        mistakes += not real and not b * f > 0.0
        assert (model.t, model.mistakes) == (i + 1, mistakes)
        assert model.m <= 7
        assert model.sv.shape == (model.m, 2)
        if model.updates == old.updates:
            assert np.array_equal(old.sv.reshape(-1, 2), model.sv)
            # At most everything shrank by one factor.
            before, after = old.decision(probe), model.decision(probe)
            if name == "pomdr":
                assert np.array_equal(old.alpha, model.alpha)
            elif name in SHRINKING:
                assert abs(after) <= abs(before) + 1e-12
            else:
                assert after == pytest.approx(before, abs=1e-12)
        else:
            assert model.updates == old.updates + 1
            assert model.capacity_hits == old.capacity_hits
    assert model.updates > 3
    before = str(vars(model) | {"rng": model.rng.state})
    for bad_x, bad_y in bad_rows:
        with pytest.raises(ValueError, match=r"not finite|labels|dimension"):
            model.step(np.array(bad_x, dtype=float), bad_y)
    assert before == str(vars(model) | {"rng": model.rng.state})


UNBOUNDED = {
    "perceptron", "shifting_perceptron", "projectron", "projectron++", "avp", "pa", "pa1", "pa2",
    "ogd", "olk", "olru", "spa", "oskl", "klr", "pegasos", "fogd",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_only_some_do_without_a_budget(name):
    if name in UNBOUNDED:
        LEARNERS[name](KERNELS[0], None, 0, **EXTRA.get(name, {}))
        return
    with pytest.raises((ValueError, TypeError)):
        LEARNERS[name](KERNELS[0], None, 0, **EXTRA.get(name, {}))
    smallest = LEARNERS[name].min_budget
    with pytest.raises(ValueError, match="budget"):
        LEARNERS[name](KERNELS[0], smallest - 1, 0, **EXTRA.get(name, {}))


@pytest.mark.parametrize("name", ["olk", "olru", "bogd", "bogd++", "ogd", "fogd", "nogd"])
def test_regression_counts_squared_errors(name):
    model = LEARNERS[name](KERNELS[0], 4, **(EXTRA.get(name, {}) | {"loss": "square"}))
    errors = 0.0
    for x, b in [(0.1, 2.5), (0.4, -0.3), (0.2, 1.7), (0.9, 0.0)]:
        errors += (b - model.step(np.array([x]), b)) ** 2
    assert model.sq_error == pytest.approx(errors)
    assert model.mistakes == 0


# --- shifting perceptron --------------------------------------------------------------


@modest
@given(seeds, st.sampled_from([0.3, 1.0, 7.0, 1e12]))
def test_shifting_perceptron_without_a_budget(seed, lam):
    X, y = random_stream(seed, 100, 2)
    model = LEARNERS["shifting_perceptron"](KERNELS[0], None, lam=lam)
    plain = LEARNERS["perceptron"](KERNELS[0], None)
    # The form f <- n / (lam + n - 1) f + y k has another scale and the same decisions.
    sv, weights = np.zeros((0, 2)), np.zeros(0)
    for a, b in zip(X, y, strict=True):
        n, f = model.m, model.step(a, b)
        score = float(weights @ tb.gaussian(0.5)(sv, a))
        if abs(score) > 1e-9 or score == f:
            assert np.sign(score) == np.sign(f)
        if not b * f > 0:
            weights = np.append(weights * (n / (lam + n - 1) if n else 1.0), b)
            sv = np.vstack([sv, a])
        assert model.m == 0 or np.abs(model.alpha).sum() == pytest.approx(1.0)
        assert model.m == model.mistakes
        if lam == 1.0:
            expected = plain.step(a, b)
            assert f * max(1, n) == pytest.approx(expected, abs=1e-9)
            if abs(expected) < 1e-9 and n and f != expected:
                return
            assert np.allclose(np.abs(model.alpha), 1 / model.m)
        if lam == 1e12 and model.m:
            assert np.allclose(model.alpha[:-1], 0.0, atol=1e-9)
            assert abs(model.alpha[-1]) == pytest.approx(1.0)


def test_shifting_perceptron_overwrites_the_drawn_slot():
    X, y = random_stream(6, 150, 2)
    model, rng = LEARNERS["shifting_perceptron"](KERNELS[0], 5, 3, lam=2.0), Pcg32(3)
    slots, n = [], 0
    for a, b in zip(X, y, strict=True):
        if not b * model.step(a, b) > 0:
            weight = 2.0 / (2.0 + n)
            slots = [(s, c * (1 - weight)) for s, c in slots]
            if len(slots) < 5:
                slots.append((a, weight * b))
            else:
                slots[(rng.next_u32() * 5) // 2**32] = (a, weight * b)
            n += 1
        assert np.allclose(model.alpha, [c for _, c in slots], rtol=1e-12)
        assert np.array_equal(model.sv, [s for s, _ in slots])
    assert n == model.updates > 20


# --- basic and greedy forgetron -------------------------------------------------------


def grown_margins(old, a, b):
    """y_i f'(s_i) with the incoming vector added, by brute force."""
    return np.array(
        [
            math.copysign(1, c) * (old.decision(s) + b * float(old.kernel(a[None, :], s)[0]))
            for c, s in zip(old.alpha, old.sv, strict=True)
        ]
    )


@modest
@given(seeds, st.integers(1, 10), st.sampled_from([None, 0.7, math.inf]))
def test_forgetron_basic(seed, B, U):
    kernel = tb.gaussian(0.5)
    X, y = random_stream(seed, 150, 2, label_noise=0.3)
    model = LEARNERS["forgetron_basic"](kernel, B, U=U)
    if U is None:
        assert 0.25 * math.sqrt((B + 1) / math.log(B + 1)) == model.U
    constant, Q = (B + 1) ** (-0.5 / (B + 1)), 0.0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        if b * f > 0 or old.m < B:
            shared = old.alpha
            assert np.array_equal(model.alpha[: old.m], shared)
            continue
        grown2 = old.norm2() + 2 * b * f + 1
        r = int(np.argmin(old.arrival))
        phi = abs(float(model.alpha[r]))
        assert phi == pytest.approx(min(constant, model.U / math.sqrt(max(grown2, 1e-300))))
        assert phi * math.sqrt(grown2) <= model.U * (1 + 1e-9)
        others = np.arange(B) != r
        assert np.allclose(model.alpha[others], phi * old.alpha[others])
        assert np.array_equal(model.sv[r], a)
        Q += psi(abs(old.alpha[r]) * phi, grown_margins(old, a, b)[r] * phi)
        assert pytest.approx(Q, abs=1e-9) == model.Q
    if math.inf == U and model.updates >= 2 * B:
        ages = model.arrivals - 1 - model.arrival
        assert np.allclose(np.abs(model.alpha), constant ** (ages + 1))


@modest
@given(seeds, st.integers(1, 8), st.sampled_from([0.2, 2.0]))
def test_forgetron_greedy(seed, B, gamma):
    X, y = random_stream(seed, 120, 2, label_noise=0.3)
    model, Q = LEARNERS["forgetron_greedy"](tb.gaussian(gamma), B), 0.0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        model.step(a, b)
        if model.updates > old.updates and old.m == B:
            replaced = np.flatnonzero(old.arrival != model.arrival)
            assert len(replaced) == 1
            r, margins = replaced[0], grown_margins(old, a, b)
            damage = [psi(abs(c), mu) for c, mu in zip(old.alpha, margins, strict=True)]
            least = [i for i in range(B) if damage[i] == min(damage)]
            assert damage[r] <= min(damage) + 1e-12
            if len(least) > 1:
                assert old.arrival[r] == min(old.arrival[least])
            phi = abs(float(model.alpha[r]))
            slack = SHARE * model.mistakes - Q
            assert phi == pytest.approx(shrinking_factor(abs(old.alpha[r]), margins[r], slack))
            Q += psi(abs(old.alpha[r]) * phi, margins[r] * phi)
            others = np.arange(B) != r
            assert np.allclose(model.alpha[others], phi * old.alpha[others])
        assert pytest.approx(Q, abs=1e-9) == model.Q
        assert SHARE * model.mistakes * (1 + 1e-9) >= model.Q


def test_forgetron_greedy_ties_go_to_the_oldest():
    # Mutually invisible vectors of equal weight.
    model = LEARNERS["forgetron_greedy"](tb.gaussian(1.0), 3)
    run(model, 100.0 * np.arange(4)[:, None], np.ones(4))
    assert model.sv[:, 0].tolist() == [300.0, 100.0, 200.0]
