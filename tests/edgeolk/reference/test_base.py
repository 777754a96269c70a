"""The reference implementations compared with independent results: shared parts,
perceptrons, forgetron.

Mostly the optimisation problem that a step claims to solve, the bound that a paper proves, or a
count that follows from the description alone.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream

from edgeolk.reference import LEARNERS, Pcg32
from edgeolk.reference import base as tb
from edgeolk.reference.forgetron import psi, shrinking_factor

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=15, deadline=None, database=None)


# --- shared parts ---------------------------------------------------------------------


def test_pcg32_draws():
    a, b = Pcg32(7), Pcg32(7)
    assert not a.bernoulli(0.0)
    assert a.bernoulli(1.0)
    assert a.state == b.state
    assert a.bernoulli(0.5) == (b.next_u32() < 2**31)
    assert a.state == b.state
    words = [copy.deepcopy(a).next_u32(), a.index(10)]
    assert words[1] == words[0] * 10 // 2**32
    counts = np.bincount([a.index(5) for _ in range(5000)], minlength=5)
    assert np.all(np.abs(counts - 1000) < 150)


def test_kernels_literally():
    rng = np.random.default_rng(0)
    S, x = rng.standard_normal((4, 3)), rng.standard_normal(3)
    for i, s in enumerate(S):
        dot = sum(p * q for p, q in zip(s, x, strict=True))
        d1 = sum(abs(p - q) for p, q in zip(s, x, strict=True))
        d2 = sum((p - q) ** 2 for p, q in zip(s, x, strict=True))
        expected = {
            tb.gaussian(0.3): math.exp(-0.3 * d2),
            tb.laplacian(0.3): math.exp(-0.3 * d1),
            tb.linear(): dot,
            tb.polynomial(3, 0.5, 2.0): (0.5 * dot + 2.0) ** 3,
            tb.sigmoid(0.2, -0.1): math.tanh(0.2 * dot - 0.1),
        }
        for kernel, value in expected.items():
            assert kernel(S, x)[i] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "ramp", "square", "logistic", "epsilon"])
@modest
@given(f=st.floats(-3, 3))
def test_loss_gradients_by_differences(loss, f):
    corners = {"hinge": (1.0,), "ramp": (-1.0, 1.0)}
    corners["epsilon"] = (1.0 - tb.TOLERANCE, 1.0 + tb.TOLERANCE)
    if any(abs(f - corner) < 1e-3 for corner in corners.get(loss, ())):
        return
    h = 1e-5
    slope = (tb.loss_value(loss, 1.0, f + h) - tb.loss_value(loss, 1.0, f - h)) / (2 * h)
    assert tb.loss_gradient(loss, 1.0, f) == pytest.approx(slope, abs=1e-8)


def test_logistic_is_stable_far_out():
    assert tb.loss_gradient("hinge", 1.0, 1.0) == 0.0
    for f in (-800.0, 800.0):
        assert math.isfinite(tb.loss_gradient("logistic", 1.0, f))
        assert math.isfinite(tb.loss_value("logistic", 1.0, f))


# --- perceptrons ----------------------------------------------------------------------


@modest
@given(seeds)
def test_perceptron_separable_margin_bound(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 3))
    u = rng.standard_normal(3)
    u /= np.linalg.norm(u)
    X = X[np.abs(X @ u) > 0.2]
    y = np.sign(X @ u)
    model = LEARNERS["perceptron"](tb.linear(), None)
    run(model, X, y)
    margin = float(np.min(y * (X @ u)))
    assert model.mistakes == model.m == model.updates
    assert model.mistakes <= np.max(np.sum(X**2, axis=1)) / margin**2


@modest
@given(seeds)
def test_perceptron_is_primal_and_obeys_the_general_bound(seed):
    X, y = random_stream(seed, 150, 3)
    model, w, scores = LEARNERS["perceptron"](tb.linear(), None), np.zeros(3), []
    for a, b in zip(X, y, strict=True):
        scores.append(w @ a)
        if not b * scores[-1] > 1e-12:  # sums in different order may leave dust around 0
            w = w + b * a
        f = model.step(a, b)
        if abs(scores[-1]) < 1e-9 and f != scores[-1]:
            return
        assert f == pytest.approx(scores[-1], abs=1e-9)
    assert model.norm2() <= np.sum(model.sv**2) + 1e-9
    g = np.linalg.lstsq(X, y, rcond=None)[0]
    hinges = [tb.hinge(b, g @ a) for a, b, f in zip(X, y, scores, strict=True) if not b * f > 0]
    assert model.mistakes <= sum(hinges) + np.linalg.norm(g) * math.sqrt(model.norm2()) + 1e-6


def test_remove_smallest_drops_the_least_weight():
    X, y = random_stream(4, 200, 2)
    model, full_steps = LEARNERS["remove_smallest"](KERNELS[0], 6, C=0.8), 0
    for a, b in zip(X, y, strict=True):
        old, n = np.abs(model.alpha), model.updates
        model.step(a, b)
        if len(old) == 6 and model.updates > n:
            kept = set(np.abs(model.alpha).tolist())
            assert all(w in kept for w in np.sort(old)[1:])
            full_steps += 1
    assert full_steps > 20


# --- forgetron ------------------------------------------------------------------------

GRID = np.arange(1, 100_001) / 100_000


@settings(max_examples=60, deadline=None, database=None)
@given(st.floats(0.01, 1.0), st.floats(-6.0, 6.0), st.floats(1e-4, 40.0))
def test_forgetron_factor_is_the_largest_feasible(sigma, mu, slack):
    # The feasible p need not form an interval: only the largest one counts.
    phi = shrinking_factor(sigma, mu, slack)
    assert 0.0 < phi <= 1.0
    assert psi(sigma * phi, mu * phi) <= slack + 1e-9 * (1.0 + slack)
    values = (sigma * GRID) ** 2 + 2 * sigma * GRID - 2 * sigma * mu * GRID**2
    clearly = GRID[values <= slack - 1e-7 * (1.0 + slack)]
    assert clearly.size == 0 or clearly.max() <= phi * (1 + 1e-12)


def test_forgetron_factor_where_the_feasible_set_has_a_hole():
    sigma, mu, slack = 1.0, 1.6, 0.2
    values = GRID**2 + 2 * GRID - 2 * mu * GRID**2
    assert values.max() > slack >= values[-1]
    assert shrinking_factor(sigma, mu, slack) == 1.0


def test_forgetron_mistake_bound():
    X, y = random_stream(8, 600, 2, label_noise=0.1)
    kernel, B = tb.gaussian(0.5), 83
    model = LEARNERS["forgetron"](kernel, B)
    run(model, X, y)
    assert model.updates > B
    K = joint_gram(kernel, X[:80])
    c = np.linalg.solve(K + 0.5 * np.eye(80), y[:80])
    c *= 0.25 * math.sqrt((B + 1) / math.log(B + 1)) / math.sqrt(c @ K @ c)
    hinges = sum(tb.hinge(b, c @ kernel(X[:80], a)) for a, b in zip(X, y, strict=True))
    assert model.mistakes <= 2 * c @ K @ c + 4 * hinges


def test_a_loss_of_another_name_is_refused():
    for of in (tb.loss_value, tb.loss_gradient):
        with pytest.raises(ValueError, match="unknown loss 'cubic'"):
            of("cubic", 1.0, 0.5)


def test_the_averaged_model_is_the_mean_of_the_models():
    X, y = random_stream(3, 40, 2)
    model, models, probe = LEARNERS["oskl"](KERNELS[0], None, eta=0.4), [], X[0] + 0.5
    assert model.averaged(probe) == 0.0
    for a, b in zip(X, y, strict=True):
        models.append(model.decision(probe))
        f = model.decision(a)
        assert model.learn_one(a, b) == pytest.approx(f, abs=1e-12)
        assert model.averaged(probe) == pytest.approx(np.mean(models), abs=1e-12)
    expected = np.mean([*models, model.decision(probe)])
    assert model.averaged(probe, include_current=True) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(AttributeError, match="this method has no averaged model"):
        LEARNERS["rbp"](KERNELS[0], 5).averaged(probe)


def test_a_forgetron_forgets_vectors_without_weight_and_models_without_norm():
    """Where weights underflow, and where the incoming vector cancels the model."""
    model = LEARNERS["forgetron_basic"](KERNELS[0], 2, U=1e-200)
    run(model, 50.0 * np.arange(5.0)[:, None], np.ones(5))
    assert model.sv[:, 0].tolist() == [200.0, 150.0]
    assert model.alpha.tolist() == [1.0, 1e-200]
    model = LEARNERS["forgetron_basic"](tb.linear(), 1)
    run(model, np.array([[1.0], [1.0]]), np.array([1.0, -1.0]))
    assert model.alpha.tolist() == [-(2.0**-0.25)]
