"""The reference implementations compared with independent results:
passive-aggressive steps, gradient steps, sparse PA, AVP and Ahpatron."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, FixedIndex, features, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream, regression_stream

from edgeolk.reference import LEARNERS
from edgeolk.reference import base as tb
from edgeolk.reference.halving import split_by_size, takeover_weights

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=8, deadline=None, database=None)


# --- passive-aggressive ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_pa_step_minimises_its_objective(name, kernel):
    C = 0.4
    X, y = random_stream(6, 60, 2)
    model, rng = LEARNERS[name](kernel, None, C=C), np.random.default_rng(0)

    def objective(size2, loss):
        if name == "pa":
            return np.where(loss <= 1e-9, size2 / 2, np.inf)
        return size2 / 2 + C * (loss if name == "pa1" else loss**2)

    for a, b in zip(X, y, strict=True):
        old = model.alpha
        f = model.step(a, b)
        if model.m == len(old):
            assert b * f >= 1.0
            continue
        kxx = float(kernel(a[None, :], a)[0])
        tau = b * float(model.alpha[-1])
        here = objective(tau**2 * kxx, max(0.0, 1 - b * f - tau * kxx))
        grid = np.linspace(-1.0, 2.0, 3001) * max(1.0, (1 - b * f) / kxx)
        there = objective(grid**2 * kxx, np.maximum(0.0, 1 - b * f - grid * kxx))
        assert here <= there.min() + 1e-9
        K = model.gram()
        for _ in range(5):  # no direction of the whole span does better
            v = 0.05 * rng.standard_normal(model.m)
            v[-1] += tau * b
            assert here <= objective(v @ K @ v, max(0.0, 1 - b * (f + v @ K[-1]))) + 1e-9


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("B", [1, 2, 7])
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.spread(3)
def test_bpa_s_choice_has_the_least_objective(kernel, B, skip):
    C = 0.7
    X, y = random_stream(B, 120, 2)
    model, full_updates, skipped = LEARNERS["bpa_s"](kernel, B, C=C, allow_skip=skip), 0, 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        if old.m < B or b * f >= 1.0:
            continue
        phi = features(joint_gram(kernel, [*old.sv, a]))
        before = old.alpha @ phi[:-1]
        kxx = phi[-1] @ phi[-1]

        def Q(w, before=before, phi=phi, b=b):
            gap = w - before
            return gap @ gap / 2 + C * max(0.0, 1 - b * (w @ phi[-1]))

        best = Q(before) if skip else np.inf
        for r in range(B):
            # Least squares repair first, then the PA move along the candidate, on a grid
            # that contains both corner solutions.
            lost = old.alpha[r] * phi[r]
            repair = np.linalg.lstsq(phi[-1:].T, lost, rcond=None)[0][0]
            moves = np.linspace(-0.5, 1.5, 41) * min(C, (1 - b * f) / kxx)
            best = min(best, *(Q(before - lost + (repair + b * v) * phi[-1]) for v in moves))
        if model.updates > old.updates:
            r = [i for i in range(B) if model.arrival[i] != old.arrival[i]]
            assert len(r) == 1
            after = phi.copy()
            after[r[0]] = phi[-1]
            here = Q(model.alpha @ after[:-1])
            full_updates += 1
        else:
            here, skipped = Q(before), skipped + 1
        assert here == pytest.approx(best, rel=1e-7, abs=1e-8)
        if skip:
            assert here <= C * tb.hinge(b, f) + 1e-9
    assert full_updates > 0
    assert skip or skipped == 0


# --- OLRD -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", ["hinge", "logistic", "square"])
def test_olrd_is_unbiased_over_the_removed_slot(kernel, loss):
    B, eta = 5, 0.05
    X, y = (regression_stream if loss == "square" else random_stream)(2, 60, 2)
    model = LEARNERS["olrd"](kernel, B, eta=eta, loss=loss, schedule="sqrt")
    probes, checked = np.random.default_rng(0).standard_normal((4, 2)), 0
    for a, b in zip(X, y, strict=True):
        branches = [copy.deepcopy(model) for _ in range(B)]
        before = np.array([model.decision(p) for p in probes])
        f, full = model.step(a, b), model.m == B and branches[0].m == B
        if not full or model.updates == branches[0].updates:
            continue
        for i, branch in enumerate(branches):
            branch.rng = FixedIndex(i)
            branch.step(a, b)
        mean = np.mean([[z.decision(p) for p in probes] for z in branches], axis=0)
        step = -eta / math.sqrt(model.t) * tb.loss_gradient(loss, b, f)
        expected = before + step * kernel(probes, a)
        assert np.allclose(mean, expected, rtol=1e-9, atol=1e-9)
        checked += 1
    assert checked > 10
    assert (model.sq_error > 0) == (loss == "square")


# --- SPA ------------------------------------------------------------------------------


def test_spa_expected_number_of_vectors():
    T, alpha, beta, runs = 200, 1.0, 5.0, 60
    X, y = random_stream(1, T, 2, label_noise=0.4)
    sizes = []
    for seed in range(runs):
        model = LEARNERS["spa"](tb.gaussian(0.5), None, seed, alpha=alpha, beta=beta)
        run(model, X, y)
        sizes.append(model.m)
    deviation = math.sqrt(T * alpha / beta / runs)
    assert np.mean(sizes) <= alpha * T / beta + 4 * deviation
    assert np.mean(sizes) > 0.4 * alpha * T / beta


def test_spa_step_minimises_its_objective():
    X, y = random_stream(12, 200, 2)
    for kernel in KERNELS:
        model, eta = LEARNERS["spa"](kernel, None, 1, eta=0.15, beta=4.0), 0.15
        for a, b in zip(X, y, strict=True):
            old = model.m
            f = model.step(a, b)
            if model.m > old:
                kxx, loss = float(kernel(a[None, :], a)[0]), 1 - b * f
                weight = eta / (min(1.0, loss) / 4.0)
                grid = np.append(np.linspace(0, 3 * loss / kxx, 2001), b * model.alpha[-1])
                cost = grid**2 * kxx / 2 + weight * np.maximum(0, loss - grid * kxx)
                assert cost[-1] <= cost.min() + 1e-12


# --- AVP and Ahpatron -----------------------------------------------------------------


@modest
@given(seeds, st.sampled_from([0.2, 0.6]), st.sampled_from([2.0, math.inf]))
def test_avp_bound_and_ball(seed, lam, U):
    X, y = random_stream(seed, 120, 2)
    kernel, eps = tb.gaussian(0.5), 0.5
    model = LEARNERS["avp"](kernel, None, U=U, lam=lam, eps=eps)
    K = joint_gram(kernel, X[:30])
    c = np.linalg.solve(K + np.eye(30), y[:30])
    c *= min(1.0, U / math.sqrt(c @ K @ c))
    left = right = 0.0
    for a, b in zip(X, y, strict=True):
        n = model.updates
        f = model.step(a, b)
        assert (model.updates > n) == (b * f < 1 - eps)
        if model.updates > n:
            left += 1 - b * f - lam / 2
            right += tb.hinge(b, float(c @ kernel(X[:30], a)))
        assert math.sqrt(max(0.0, model.norm2())) <= U * (1 + 1e-9)
    assert left <= right + c @ K @ c / (2 * lam) + 1e-9
    M, N = model.mistakes, model.margin_updates
    assert model.updates == M + N
    assert M * (1 - lam / 2) + N * (eps - lam / 2) <= right + c @ K @ c / (2 * lam) + 1e-9


def test_avp_adaptive_rate():
    X, y = random_stream(5, 60, 2)
    model = LEARNERS["avp"](tb.gaussian(0.5), None, U=2.0)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        model.step(a, b)
        if model.updates > old.updates:
            raw = np.append(old.alpha, b * 2.0 / math.sqrt(model.updates))
            size = math.sqrt(raw @ model.gram() @ raw)
            assert np.allclose(model.alpha, raw * min(1.0, 2.0 / size), rtol=1e-12)


@modest
@given(seeds, st.integers(3, 12), st.sampled_from([5e-4, 0.1]))
def test_takeover_weights_by_least_squares(seed, n, ridge):
    X, y = random_stream(seed, n, 2, duplicates=0.4)
    keep, gone = split_by_size(y * np.arange(1, n + 1) % 5, n // 2)
    K = joint_gram(tb.gaussian(0.5), X)
    theta = takeover_weights(K[np.ix_(keep, keep)], K[np.ix_(keep, gone)], y[gone], ridge)
    phi = features(K)
    tall = np.vstack([phi[keep].T, math.sqrt(ridge) * np.eye(len(keep))])
    target = np.concatenate([y[gone] @ phi[gone], np.zeros(len(keep))])
    expected = np.linalg.lstsq(tall, target, rcond=None)[0]
    assert np.allclose(theta, expected, rtol=1e-6, atol=1e-8)


def test_split_by_size_breaks_ties_downwards():
    keep, gone = split_by_size(np.array([1.0, -1.0, 1.0, 2.0, 0.5]), 2)
    assert keep.tolist() == [0, 3]
    assert gone.tolist() == [1, 2, 4]


def test_ahpatron_duplicate_hands_over_its_weight():
    kernel = tb.gaussian(0.5)
    model = LEARNERS["ahpatron"](kernel, 2, lam=0.2, rescale=False)
    for b in (1.0, 1.0, -1.0):
        model.step(np.zeros(1), b)
    assert model.halvings == 1
    assert model.alpha == pytest.approx([0.4, -0.2], rel=1e-3)


def test_takeover_weights_where_the_system_has_no_factor():
    """The ridge grows until it has one: half of the weight for each of two equal vectors."""
    theta = takeover_weights(np.ones((2, 2)), np.ones((2, 1)), np.array([3.0]), 0.0)
    assert theta == pytest.approx([1.5, 1.5], rel=1e-3)
    nothing = takeover_weights(np.zeros((2, 2)), np.zeros((2, 1)), np.array([3.0]), 0.0)
    assert nothing.tolist() == [0.0, 0.0]
