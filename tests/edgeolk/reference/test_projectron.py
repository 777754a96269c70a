"""The reference implementations compared with independent results: projectrons and
optimistic mirror descent."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, features, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream

from edgeolk.reference import LEARNERS
from edgeolk.reference import base as tb
from edgeolk.reference.projectron import project_on_span

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=10, deadline=None, database=None)
PROBES = np.random.default_rng(0).standard_normal((4, 2))


def at(model, points):
    return np.array([model.decision(p) for p in points])


def missed2(kernel, held, x):
    """Squared distance of k(x, .) to the span of the support vectors, by least squares."""
    phi = features(joint_gram(kernel, [*held, x]))
    weights = np.linalg.lstsq(phi[:-1].T, phi[-1], rcond=1e-12)[0]
    gap = phi[-1] - weights @ phi[:-1]
    return gap @ gap


@modest
@given(seeds, st.integers(1, 10))
def test_projection_is_orthogonal_and_splits_the_norm(seed, n):
    X, _ = random_stream(seed, n + 1, 3, duplicates=0.0, zeros=0.0)
    kernel = tb.gaussian(0.5)
    K, kx = joint_gram(kernel, X[:n]), kernel(X[:n], X[n])
    beta, p, delta2 = project_on_span(K, kx, 1.0)
    assert np.allclose(K @ beta, kx, atol=1e-8)
    assert p + delta2 == pytest.approx(1.0)
    assert delta2 == pytest.approx(missed2(kernel, X[:n], X[n]), abs=1e-7)
    assert p == pytest.approx(beta @ K @ beta, abs=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("eta", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("rule", [None, "jmlr", "icml", "loose"])
@pytest.mark.parametrize("B", [5, None])
@pytest.mark.spread(6)
def test_projectron_steps(kernel, eta, rule, B):
    X, y = random_stream(7, 70, 2)
    X, y = X[X.any(axis=1)], y[X.any(axis=1)]
    if rule is None:
        model = LEARNERS["projectron"](kernel, B, eta=eta)
    else:
        model = LEARNERS["projectron++"](kernel, B, eta=eta, U=1.0, rule=rule)
    threshold = 1.0 if rule == "loose" else 0.0
    grown = projected = margin = 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        mistake = not b * f > 0 or b * f < threshold
        row = kernel(old.sv.reshape(old.m, 2), a)
        if mistake:
            # Whatever was done, the new function gains y k on all vectors held before.
            assert np.allclose(at(model, old.sv), at(old, old.sv) + b * row, atol=1e-6)
            gap2 = missed2(kernel, old.sv, a) if old.m else math.inf
            kxx = float(kernel(a[None, :], a)[0])
            if model.m > old.m:
                grown += 1
                assert math.sqrt(gap2) > eta - 1e-6
                assert gap2 > 1e-11 * kxx
                assert old.m != B
                assert np.allclose(at(model, PROBES), at(old, PROBES) + b * kernel(PROBES, a))
            else:
                projected += 1
                assert old.m == B or math.sqrt(gap2) < eta + 1e-6 or gap2 < 1e-7 * kxx
            continue
        assert np.array_equal(model.sv, old.sv)
        if model.updates == old.updates:
            continue
        margin += 1
        assert b * f < 1
        assert b * model.decision(a) <= 1 + 1e-9
    assert grown == model.m
    assert projected + grown > 10
    assert (margin > 0) == (rule in ("jmlr", "icml"))
    assert B is None or model.m <= B


def test_projectron_edges():
    X, y = random_stream(3, 80, 2)
    model = LEARNERS["projectron"](tb.gaussian(0.5), None, eta=1.0)
    run(model, X, y)
    assert model.m == 1
    assert np.array_equal(model.sv[0], X[0])
    empty = LEARNERS["projectron"](tb.linear(), 4)
    assert empty.step(np.zeros(2), 1.0) == 0.0
    assert empty.m == 0 == empty.updates
    assert empty.mistakes == 1
    pp = LEARNERS["projectron++"]
    assert LEARNERS["projectron"](KERNELS[0], 9).eta == 0.0
    assert LEARNERS["projectron"](KERNELS[0], None).eta == 0.1
    assert pp(KERNELS[0], None).U == 10.0
    assert math.inf == pp(KERNELS[0], None, eta=0.0).U
    assert pytest.approx(0.25 * math.sqrt(151 / math.log(151))) == pp(KERNELS[0], 150).U
    assert pp(KERNELS[0], 150, eta=0.5).U == 2.0


@modest
@given(seeds, st.sampled_from([(0.1, None), (0.3, None), (0.3, "jmlr"), (0.3, "icml")]))
def test_projectron_mistake_bound(seed, case):
    eta, rule = case
    kernel = tb.gaussian(0.5)
    X, y = random_stream(seed, 120, 2)
    if rule is None:
        model = LEARNERS["projectron"](kernel, None, eta=eta)
    else:
        model = LEARNERS["projectron++"](kernel, None, eta=eta, rule=rule)
    run(model, X, y)
    K = joint_gram(kernel, X[:40])
    c = np.linalg.solve(K + np.eye(40), y[:40])
    c *= min(1.0, 0.4 / eta / math.sqrt(c @ K @ c))
    g2 = float(c @ K @ c)
    hinges = sum(tb.hinge(b, c @ kernel(X[:40], a)) for a, b in zip(X, y, strict=True))
    assert model.mistakes * (1 - 2 * eta * math.sqrt(g2)) <= g2 + 2 * hinges + 1e-9


@modest
@given(seeds, st.sampled_from(["jmlr", "icml"]), st.sampled_from([0.3, 2.0]))
def test_margin_steps_bring_every_good_model_nearer(seed, rule, U):
    kernel, rng = tb.gaussian(0.5), np.random.default_rng(seed)
    X, y = random_stream(seed, 60, 2)
    model = LEARNERS["projectron++"](kernel, 12, eta=0.2, U=U, rule=rule)
    steps = 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        if model.updates == old.updates or not b * f > 0:
            continue
        steps += 1
        points = [*old.sv, a, *X[:10]]
        K, m = joint_gram(kernel, points), old.m
        change = model.alpha - old.alpha
        held, kx = K[:m, :m], K[:m, m]
        p = kx @ np.linalg.solve(held, kx)
        tau = float(b * (kx @ change) / p)
        assert 0 < tau <= 1 + 1e-9
        for _ in range(20):
            g = np.concatenate([np.zeros(m), rng.standard_normal(11)])
            g[:m] = rng.standard_normal() * model.alpha
            g *= U * rng.random() ** 0.1 / math.sqrt(g @ K @ g)
            f0 = np.concatenate([old.alpha, np.zeros(11)]) - g
            f1 = np.concatenate([model.alpha, np.zeros(11)]) - g
            gain = f0 @ K @ f0 - f1 @ K @ f1
            assert gain >= -2 * tau * tb.hinge(b, float(g @ K[m])) - 1e-7
    assert steps > 0 or model.m == 12 or U > 1


@settings(max_examples=60, deadline=None, database=None)
@given(st.floats(0.001, 1.0), st.floats(0.05, 4.0), st.floats(0.0, 1.0), st.floats(0.1, 3.0))
def test_margin_step_lengths(missing, p, delta2, U):
    model = LEARNERS["projectron++"](tb.gaussian(0.5), None, eta=0.1, U=U)
    penalty = U * math.sqrt(delta2) if delta2 > 1e-10 * (p + delta2) else 0.0
    grid = np.linspace(0, 1, 4001) * min(1.0, missing / p)
    harmless = grid[2 * missing - grid * p - 2 * penalty >= 0]
    expected = harmless.max(initial=0.0)
    tau = model._margin_step(missing, p, delta2, p + delta2)
    assert tau == pytest.approx(expected, abs=1e-3 * grid[-1])
    model.rule = "icml"
    tau = model._margin_step(missing, p, delta2, p + delta2)
    assert tau in (0.0, grid[-1])
    assert (tau > 0) == (harmless.size == grid.size)


def test_margin_step_in_the_span_with_an_infinite_radius():
    model = LEARNERS["projectron++"](tb.gaussian(0.5), None, eta=0.0)
    assert model._margin_step(0.4, 1.0, 0.0, 1.0) == 0.4
    assert model._margin_step(0.4, 1.0, 1e-11, 1.0) == 0.4
    assert model._margin_step(0.4, 1.0, 1e-9, 1.0) == 0.0
    assert model._margin_step(0.4, 1e-11, 1.0, 1.0) == 0.0


# --- POMDR ----------------------------------------------------------------------------


def test_pomdr_does_not_blow_up_what_cancels():
    model = LEARNERS["pomdr"](tb.gaussian(0.5), 2, U=5.0, b0=0)
    x = np.zeros(1)
    for left in (0.0, 2.0**-30):
        model.sv, model.alpha = np.zeros((2, 1)), np.array([2.0, left - 2.0])
        model.arrival = np.arange(2)
        model._halve()
        assert model.alpha.tolist() == [left]
        assert model.base(x) == left
    linear = LEARNERS["pomdr"](tb.linear(), 4)
    assert linear.step(x, 1.0) == 0.0
    assert linear.m == 0
    assert len(linear.window) == 1


def test_pomdr_projecting_phase_gains_and_ball():
    # Dense points, a wide kernel and a small ball: nearly all steps are projections.
    rng, kernel, U = np.random.default_rng(1), tb.gaussian(0.3), 1.5
    X = rng.uniform(-1.5, 1.5, (80, 2))
    y = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    model, projected, gained, on_border = LEARNERS["pomdr"](kernel, 40, U=U, M=3, ald=0.6), 0, 0, 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        F = model.step(a, b)
        if old.m == 0 or b * F >= 1 or model.m > old.m:
            continue
        projected += 1
        K, row = joint_gram(kernel, old.sv), kernel(old.sv, a)
        beta = np.linalg.lstsq(K, row, rcond=None)[0]
        p = float(row @ beta)
        assert 1.0 - p <= 0.36 + 1e-9
        past = list(old.window)
        hint_of_projection = sum(
            label * float(beta @ kernel(old.sv, z)) for z, label in past
        ) / len(past)
        gain = p - 2 * b * hint_of_projection
        assert pytest.approx(old.S + max(0.0, gain), abs=1e-8) == model.S
        gained += gain > 1e-3 and p < 0.95
        target = old.alpha + U / math.sqrt(3 + old.S) * b * beta
        size = math.sqrt(target @ K @ target)
        on_border += size > U * (1 + 1e-6)
        assert np.allclose(model.alpha, target * min(1.0, U / size), atol=1e-8)
    assert projected > 20
    assert gained > 3
    assert on_border > 3
