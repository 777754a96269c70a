"""The reference implementations compared with independent results: random Fourier and
Nystroem features, kernel Pegasos and its budgeted form."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream, regression_stream

from edgeolk.reference import LEARNERS, Pcg32
from edgeolk.reference import base as tb
from edgeolk.reference.features import nystroem_map
from edgeolk.reference.pegasos import merge_height, merged_size

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=10, deadline=None, database=None)
LOSSES = ["hinge", "square", "logistic"]
PROBES = np.random.default_rng(0).standard_normal((4, 2))


def stream_for(loss, seed, n, d=2, **nuisances):
    return (regression_stream if loss == "square" else random_stream)(seed, n, d, **nuisances)


def at(model, points):
    return np.array([model.decision(p) for p in points])


# --- FOGD -----------------------------------------------------------------------------


def test_fogd_inner_products_tend_to_the_kernel():
    kernel, rng = tb.gaussian(0.7), np.random.default_rng(0)
    model = LEARNERS["fogd"](kernel, seed=3, D=20000)
    for _ in range(5):
        a, b = rng.standard_normal((2, 3))
        assert model.features(a) @ model.features(a) == pytest.approx(1.0)
        expected = kernel(a[None, :], b)[0]
        assert model.features(a) @ model.features(b) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("lam", [0.0, 0.4])
def test_fogd_is_kernel_descent_with_the_kernel_of_its_features(loss, lam):
    X, y = stream_for(loss, 6, 80)
    model = LEARNERS["fogd"](tb.gaussian(0.5), seed=1, D=9, eta=0.3, lam=lam, loss=loss)

    def kernel(S, x):
        if not len(S):
            return np.zeros(0)
        return np.array([model.features(s) for s in S]) @ model.features(x)

    free = LEARNERS["ogd"](kernel, None, eta=0.3, lam=lam, loss=loss)
    assert np.allclose(run(model, X, y), run(free, X, y), atol=1e-10)
    assert (model.updates, model.mistakes) == (free.updates, free.mistakes)
    assert np.allclose(at(model, PROBES), at(free, PROBES), atol=1e-10)


# --- NOGD -----------------------------------------------------------------------------


@modest
@given(seeds, st.integers(2, 9), st.integers(1, 9))
def test_nystroem_map(seed, B, k):
    X, _ = random_stream(seed, B, 2, duplicates=0.3)
    K = joint_gram(tb.gaussian(0.5), X)
    M, _, _ = nystroem_map(K, min(k, B), 1e-10)
    values = np.sort(np.linalg.svd(K, compute_uv=False))[::-1]
    rank = min(k, int(np.sum(values > 1e-10 * values[0])))
    assert M.shape == (rank, B)
    assert np.allclose(M @ K @ M.T, np.eye(rank), atol=1e-5)
    # The features reproduce K but for the discarded part of its spectrum.
    missed = K - (M @ K).T @ (M @ K)
    assert np.linalg.norm(missed, 2) <= (values[rank] if rank < B else 0.0) + 1e-8


@pytest.mark.parametrize("kernel", [tb.gaussian(2.0), tb.polynomial(2, 0.5, 1.0)])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("k", [1, 3, 5])
def test_nogd_start_and_steps_are_projections(kernel, loss, k):
    B, eta, eta2 = 5, 0.2, 0.15
    X, y = stream_for(loss, 3, 60, duplicates=0.0)
    model = LEARNERS["nogd"](kernel, B, k=k, eta=eta, eta2=eta2, loss=loss)
    free = LEARNERS["ogd"](kernel, None, eta=eta, loss=loss)
    steps = 0
    for a, b in zip(X, y, strict=True):
        if model.M is None:
            assert model.step(a, b) == pytest.approx(free.step(a, b), abs=1e-12)
            if model.m < B:
                assert np.array_equal(model.alpha, free.alpha)
                continue
            K = joint_gram(kernel, model.sv)
            values, vectors = np.linalg.eigh(K)
            values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
            gap = free.alpha - model.alpha
            assert model.M.shape[0] == k
            # What is left out is orthogonal to the kept eigenfunctions, what is kept is in
            # their span.
            assert np.allclose(vectors.T @ (K @ gap), 0.0, atol=1e-10)
            assert np.allclose(vectors @ (vectors.T @ model.alpha), model.alpha)
            if k == B:
                assert np.allclose(model.alpha, free.alpha)
            continue
        old = copy.deepcopy(model)
        f = model.step(a, b)
        assert f == pytest.approx(old.decision(a), abs=1e-12)
        assert f == pytest.approx(old.alpha @ kernel(old.sv, a), abs=1e-9)
        g = tb.loss_gradient(loss, b, f)
        row = kernel(old.sv, a)
        # P k_x with P on the kept eigenfunctions, which are K v up to scale.
        onto = vectors @ ((vectors.T @ row) / values)
        assert np.allclose(model.alpha - old.alpha, -eta2 * g * onto, atol=1e-8)
        assert model.updates == old.updates + (g != 0.0)
        if k == B:
            assert np.allclose(at(model, model.sv), at(old, model.sv) - eta2 * g * row, atol=1e-7)
        steps += g != 0.0
        assert np.array_equal(model.sv, old.sv)
    assert steps > 5


def test_nogd_with_duplicates_and_defaults():
    kernel = tb.gaussian(1.0)
    model = LEARNERS["nogd"](kernel, 4, k=4, eta=0.1, loss="square")
    for x, b in [(0.0, 1.0), (0.0, 2.0), (1.0, -1.0), (0.0, 0.5), (2.0, 1.0)]:
        model.step(np.array([x]), b)
    assert model.M.shape == (2, 4)
    for B, k in [(1, 1), (2, 1), (5, 1), (7, 1), (8, 2), (150, 30), (400, 80)]:
        assert LEARNERS["nogd"](kernel, B).k == k
    for bad in ({"k": 0}, {"k": 5}, {"eta": 0.0}, {"eta2": -1.0}):
        with pytest.raises(ValueError, match=r".+"):
            LEARNERS["nogd"](kernel, 4, **bad)


# --- Pegasos --------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_pegasos_is_the_shrinking_recursion(kernel):
    lam = 0.05
    X, y = random_stream(4, 90, 2)
    model, values = LEARNERS["pegasos"](kernel, None, lam=lam), np.zeros(4)
    entered = 0
    for t, (a, b) in enumerate(zip(X, y, strict=True), start=1):
        f = model.step(a, b)
        values = (1 - 1 / t) * values
        if b * f < 1:
            values = values + b / (lam * t) * kernel(PROBES, a)
            entered += 1
        assert np.allclose(at(model, PROBES), values, rtol=1e-9, atol=1e-9)
        assert model.m == entered == model.updates
        assert np.all(np.abs(model.beta) == 1.0)
        if kernel is KERNELS[0]:
            assert math.sqrt(model.norm2()) <= 1 / lam + 1e-9


def test_pegasos_freezes_its_vectors_but_goes_on_shrinking():
    X, y = random_stream(4, 60, 2)
    model = LEARNERS["pegasos"](KERNELS[0], 6, lam=0.1)
    run(model, X, y)
    assert model.m == 6 == model.updates
    assert model.capacity_hits > 5
    assert np.allclose(np.abs(model.alpha), 1 / (0.1 * 60))


# --- BSGD -----------------------------------------------------------------------------


@pytest.mark.parametrize("maintenance", ["remove", "random", "project", "merge"])
def test_bsgd_is_pegasos_until_full(maintenance):
    X, y = random_stream(4, 60, 2)
    free = LEARNERS["pegasos"](KERNELS[0], None, lam=0.1)
    model = LEARNERS["bsgd"](KERNELS[0], 60, lam=0.1, maintenance=maintenance)
    assert np.array_equal(run(free, X, y), run(model, X, y))
    assert np.array_equal(free.alpha, model.alpha)


def test_bsgd_without_repair_keeps_the_latest_or_the_drawn_ones():
    X, y = random_stream(4, 120, 2)
    model = LEARNERS["bsgd"](KERNELS[0], 5, lam=0.05, maintenance="remove")
    dice = LEARNERS["bsgd"](KERNELS[0], 5, 9, lam=0.05, maintenance="random")
    inside, rng, slots = [], Pcg32(9), []
    for i, (a, b) in enumerate(zip(X, y, strict=True)):
        if b * model.step(a, b) < 1:
            inside.append(i)
        if b * dice.step(a, b) < 1:
            if len(slots) < 5:
                slots.append(i)
            else:
                slots[(rng.next_u32() * 5) // 2**32] = i
        ring = [max(j for j in range(len(inside)) if j % 5 == s) for s in range(model.m)]
        assert np.array_equal(model.sv, X[[inside[j] for j in ring]])
        assert np.array_equal(dice.sv, X[slots])
        assert np.array_equal(dice.beta, y[slots])
    assert len(inside) > 20
    assert dice.rng.state == rng.state


def test_bsgd_weighs_with_the_kernel_and_can_drop_the_candidate():
    model = LEARNERS["bsgd"](tb.linear(), 2, lam=1.0, maintenance="remove")
    for x in ([2.0], [-2.0], [0.1]):
        model.step(np.array(x), 1.0)
    assert model.sv.tolist() == [[2.0], [-2.0]]
    assert (model.t, model.updates) == (3, 2)
    assert np.allclose(model.alpha, 1 / 3)


def before_maintenance(old, a, b, t):
    return np.vstack([old.sv, a]), np.append(old.beta, b), np.append(old.stamp, t)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("B", [1, 6])
def test_bsgd_projection_is_least_squares(kernel, B):
    X, y = random_stream(5, 100, 2, zeros=0.0)
    model, full = LEARNERS["bsgd"](kernel, B, lam=0.1, maintenance="project"), 0
    for t, (a, b) in enumerate(zip(X, y, strict=True), start=1):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        if old.m < B or b * f >= 1:
            continue
        full += 1
        S, beta, stamp = before_maintenance(old, a, b, t)
        K = joint_gram(kernel, S)
        sizes = np.abs(beta) * np.sqrt(np.diag(K))
        ties = np.flatnonzero(sizes == sizes.min())
        p = int(ties[np.argmin(stamp[ties])])
        others = [i for i in range(B + 1) if i != p]
        order = [B if i == p else i for i in range(B)]
        assert np.array_equal(model.sv, S[order])
        assert np.array_equal(model.stamp, stamp[order])
        change = np.zeros(B + 1)
        change[order] = model.beta
        change -= beta
        # Optimal for the ridged distance: its gradient vanishes on the others.
        moved = change[others]
        scale = 1 + np.abs(K @ change).max() + np.abs(moved).max()
        assert np.allclose((K @ change)[others] + 1e-8 * moved, 0.0, atol=1e-9 * scale)
        missed = float(change @ K @ change)
        if np.linalg.cond(K) < 1e6:
            assert missed == pytest.approx(beta[p] ** 2 / np.linalg.inv(K)[p, p], rel=1e-3)
    assert full > 15
    assert B == 1 or model.updates > B


@settings(max_examples=150, deadline=None, database=None)
@given(st.floats(0.0, 60.0), st.floats(1e-3, 0.5))
def test_merge_height_is_the_global_maximum(L, share):
    h = merge_height(L, share, 40)
    grid = np.linspace(0.0, 1.0, 4001)
    values = share * np.exp(-L * (1 - grid) ** 2) + (1 - share) * np.exp(-L * grid**2)
    assert 0 <= h <= 0.5
    assert merged_size(h, L, share) >= values.max() - 1e-9


def test_bsgd_merging_is_the_best_single_replacement():
    X, y = random_stream(5, 160, 2, label_noise=0.3)
    gamma, B = 0.6, 6
    kernel = tb.gaussian(gamma)
    model = LEARNERS["bsgd"](kernel, B, lam=0.1)
    grid = np.linspace(0, 1, 4001)
    merged = with_candidate = 0
    for t, (a, b) in enumerate(zip(X, y, strict=True), start=1):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        assert np.allclose(model.alpha, model.beta / (0.1 * t))
        if old.m < B or b * f >= 1:
            assert np.array_equal(model.beta[: old.m], old.beta)
            continue
        S, beta, stamp = before_maintenance(old, a, b, t)
        p = min(range(B + 1), key=lambda i: (abs(beta[i]), stamp[i]))
        best = {}
        for j in range(B + 1):
            if j != p and beta[j] * beta[p] > 0:
                z = grid[:, None] * S[p] + (1 - grid[:, None]) * S[j]
                weight = beta[p] * kernel(z, S[p]) + beta[j] * kernel(z, S[j])
                pair = beta[p] ** 2 + beta[j] ** 2 + 2 * beta[p] * beta[j] * kernel(S, S[p])[j]
                best[j] = float(np.min(pair - weight**2))
        if not best:
            order = [B if i == p else i for i in range(B)]
            assert np.array_equal(model.sv, S[order])
            continue
        merged += 1
        K = joint_gram(kernel, [*S, *model.sv])
        gap = np.concatenate([beta, -model.beta])
        least = min(best.values())
        assert least - 1e-3 <= gap @ K @ gap <= least + 1e-9
        j = min(best, key=best.get)
        if sorted(best.values())[:2][-1] - best[j] < 1e-3 and len(best) > 1:
            continue
        low, high = min(p, j), max(p, j)
        with_candidate += high == B
        for slot in range(B):
            if slot == low:
                # On the segment, with the weight that stands in best for both.
                gone = S[p] - S[j]
                share = (model.sv[slot] - S[j]) @ gone / max(1e-300, gone @ gone)
                assert -1e-9 <= share <= 0.5 + 1e-9
                assert np.allclose(model.sv[slot], share * S[p] + (1 - share) * S[j])
                k = kernel(S, model.sv[slot])
                assert model.beta[slot] == pytest.approx(beta[p] * k[p] + beta[j] * k[j])
                assert model.stamp[slot] == t
            else:
                source = B if slot == high else slot
                assert np.array_equal(model.sv[slot], S[source])
                assert model.beta[slot] == beta[source]
                assert model.stamp[slot] == stamp[source]
    assert merged > 40
    assert with_candidate > 3
    with pytest.raises(ValueError, match="Gaussian"):
        LEARNERS["bsgd"](tb.linear(), 5)


def test_fogd_averages_the_models_that_made_the_predictions():
    X, y = random_stream(6, 30, 2)
    model, models, probe = LEARNERS["fogd"](KERNELS[0], seed=1, D=9, eta=0.3), [], X[0] + 0.5
    assert model.averaged(probe) == 0.0
    for a, b in zip(X, y, strict=True):
        models.append(model.decision(probe))
        model.step(a, b)
    assert model.averaged(probe) == pytest.approx(np.mean(models), abs=1e-12)
    expected = np.mean([*models, model.decision(probe)])
    assert model.averaged(probe, include_current=True) == pytest.approx(expected, abs=1e-12)


def test_a_vector_without_a_partner_of_its_sign_is_removed():
    model = LEARNERS["bsgd"](KERNELS[0], 2, lam=0.1)
    run(model, np.array([[0.0], [50.0], [100.0]]), np.array([-1.0, 1.0, 1.0]))
    assert (model.sv[:, 0].tolist(), model.beta.tolist()) == ([100.0, 50.0], [1.0, 1.0])
    lone = LEARNERS["bsgd"](KERNELS[0], 1, lam=0.1)
    run(lone, np.array([[0.0], [50.0]]), np.array([1.0, -1.0]))
    assert (lone.sv[0, 0], lone.beta.tolist()) == (50.0, [-1.0])
