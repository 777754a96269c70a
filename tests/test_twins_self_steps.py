"""The reference implementations held against things independent of them:
passive-aggressive steps, gradient steps, sparse PA, AVP and Ahpatron."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import TWINS
from twins import base as tb
from twins.aggressive import split_by_size, takeover_weights
from twins.checks import KERNELS, FixedIndex, features, joint_gram, run
from twins.gradient import dynamic_budget
from twins.streams import random_stream, regression_stream

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=15, deadline=None, database=None)


# --- passive-aggressive ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_pa_step_minimises_its_objective(name, kernel):
    C = 0.4
    X, y = random_stream(6, 60, 2)
    twin, rng = TWINS[name](kernel, None, C=C), np.random.default_rng(0)

    def objective(size2, loss):
        if name == "pa":
            return np.where(loss <= 1e-9, size2 / 2, np.inf)
        return size2 / 2 + C * (loss if name == "pa1" else loss**2)

    for a, b in zip(X, y, strict=True):
        old = twin.alpha
        f = twin.step(a, b)
        if twin.m == len(old):
            assert b * f >= 1.0
            continue
        kxx = float(kernel(a[None, :], a)[0])
        tau = b * float(twin.alpha[-1])
        here = objective(tau**2 * kxx, max(0.0, 1 - b * f - tau * kxx))
        grid = np.linspace(-1.0, 2.0, 3001) * max(1.0, (1 - b * f) / kxx)
        there = objective(grid**2 * kxx, np.maximum(0.0, 1 - b * f - grid * kxx))
        assert here <= there.min() + 1e-9
        K = twin.gram()
        for _ in range(5):  # no direction of the whole span does better
            v = 0.05 * rng.standard_normal(twin.m)
            v[-1] += tau * b
            assert here <= objective(v @ K @ v, max(0.0, 1 - b * (f + v @ K[-1]))) + 1e-9


@pytest.mark.parametrize("name", ["pa1", "bpa_s"])
def test_ramp_changes_nothing_beyond_the_margins(name):
    X, y = random_stream(9, 250, 2, label_noise=0.3)
    twin, beyond = TWINS[name](tb.gaussian(0.5), 25, loss="ramp"), 0
    for a, b in zip(X, y, strict=True):
        old, hits = copy.deepcopy(twin), twin.capacity_hits
        f = twin.step(a, b)
        if abs(f) > 1.0:
            beyond += b * f < -1.0
            assert np.array_equal(old.alpha, twin.alpha)
            assert np.array_equal(old.sv, twin.sv)
            assert (twin.updates, twin.capacity_hits) == (old.updates, hits)
    assert beyond > 0


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("B", [1, 2, 7])
@pytest.mark.parametrize("skip", [True, False])
def test_bpa_s_choice_has_the_least_objective(kernel, B, skip):
    C = 0.7
    X, y = random_stream(B, 120, 2)
    twin, full_updates, skipped = TWINS["bpa_s"](kernel, B, C=C, allow_skip=skip), 0, 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(twin)
        f = twin.step(a, b)
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
            # Least squares repair first, then the PA move along the newcomer, on a grid
            # that contains both corner solutions.
            lost = old.alpha[r] * phi[r]
            repair = np.linalg.lstsq(phi[-1:].T, lost, rcond=None)[0][0]
            moves = np.linspace(-0.5, 1.5, 41) * min(C, (1 - b * f) / kxx)
            best = min(best, *(Q(before - lost + (repair + b * v) * phi[-1]) for v in moves))
        if twin.updates > old.updates:
            r = [i for i in range(B) if twin.arrival[i] != old.arrival[i]]
            assert len(r) == 1
            after = phi.copy()
            after[r[0]] = phi[-1]
            here = Q(twin.alpha @ after[:-1])
            full_updates += 1
        else:
            here, skipped = Q(before), skipped + 1
        assert here == pytest.approx(best, rel=1e-7, abs=1e-8)
        if skip:
            assert here <= C * tb.hinge(b, f) + 1e-9
    assert full_updates > 0
    assert (skip or skipped == 0)


# --- OLRD -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", ["hinge", "logistic", "square"])
def test_olrd_is_unbiased_over_the_removed_slot(kernel, loss):
    B, eta = 5, 0.05
    X, y = (regression_stream if loss == "square" else random_stream)(2, 60, 2)
    twin = TWINS["olrd"](kernel, B, eta=eta, loss=loss, schedule="sqrt")
    probes, checked = np.random.default_rng(0).standard_normal((4, 2)), 0
    for a, b in zip(X, y, strict=True):
        branches = [copy.deepcopy(twin) for _ in range(B)]
        before = np.array([twin.decision(p) for p in probes])
        f, full = twin.step(a, b), twin.m == B and branches[0].m == B
        if not full or twin.updates == branches[0].updates:
            continue
        for i, branch in enumerate(branches):
            branch.rng = FixedIndex(i)
            branch.step(a, b)
        mean = np.mean([[z.decision(p) for p in probes] for z in branches], axis=0)
        step = -eta / math.sqrt(twin.t) * tb.loss_gradient(loss, b, f)
        expected = before + step * kernel(probes, a)
        assert np.allclose(mean, expected, rtol=1e-9, atol=1e-9)
        checked += 1
    assert checked > 10
    assert (twin.sq_error > 0) == (loss == "square")


@modest
@given(seeds, st.sampled_from(["inf", "ball"]), st.sampled_from([None, 1.5]))
def test_olrd_norm_stays_in_the_ball(seed, projection, c):
    X, y = random_stream(seed, 100, 2)
    twin = TWINS["olrd"](tb.gaussian(0.5), 8, seed, eta=1.0, c=c, U=3.0, projection=projection)
    for a, b in zip(X, y, strict=True):
        twin.step(a, b)
        assert math.sqrt(max(0.0, twin.norm2())) <= 3.0 * (1 + 1e-9)
        assert twin.m <= dynamic_budget(8, c, twin.t)


@pytest.mark.parametrize("kernel", KERNELS)
def test_olrd_coefficient_projection_only_shrinks_what_is_too_large(kernel):
    U, B, fired = 20.0, 6, 0
    X, y = random_stream(14, 150, 2)
    twin = TWINS["olrd"](kernel, B, eta=0.7, c=0.4, U=U)
    for a, b in zip(X, y, strict=True):
        raw = copy.deepcopy(twin)
        raw.projection = "none"
        twin.step(a, b)
        raw.step(a, b)
        weighted = [
            abs(c) * math.sqrt(kernel(s[None, :], s)[0])
            for c, s in zip(raw.alpha, raw.sv, strict=True)
        ]
        bound = dynamic_budget(B, 0.4, twin.t) * max(weighted, default=0.0)
        fired += twin.updates > 0 and bound > U
        factor = min(1.0, U / bound) if bound else 1.0
        assert np.allclose(twin.alpha, factor * raw.alpha, rtol=1e-12)
    assert 0 < fired < twin.updates


def test_olrd_dynamic_budgets_as_published():
    published = {
        32561: (91, 362, 1445), 49990: (113, 448, 1790),
        78823: (141, 563, 2247), 100000: (159, 633, 2531),
    }  # fmt: skip
    for T, budgets in published.items():
        assert tuple(dynamic_budget(10**6, c, T) for c in (0.5, 2.0, 8.0)) == budgets
    assert dynamic_budget(50, 2.0, 10**6) == 50
    assert dynamic_budget(50, 0.1, 1) == 2


# --- SPA ------------------------------------------------------------------------------


def test_spa_expected_number_of_vectors():
    T, alpha, beta, runs = 200, 1.0, 5.0, 60
    X, y = random_stream(1, T, 2, label_noise=0.4)
    sizes = []
    for seed in range(runs):
        twin = TWINS["spa"](tb.gaussian(0.5), None, seed, alpha=alpha, beta=beta)
        run(twin, X, y)
        sizes.append(twin.m)
    deviation = math.sqrt(T * alpha / beta / runs)
    assert np.mean(sizes) <= alpha * T / beta + 4 * deviation
    assert np.mean(sizes) > 0.4 * alpha * T / beta


@modest
@given(seeds, st.sampled_from([4, None]))
def test_spa_average_is_the_mean_of_the_models(seed, B):
    X, y = random_stream(seed, 60, 2)
    twin, probe, values = TWINS["spa"](KERNELS[0], B, seed, beta=3.0), np.array([0.3, -0.7]), []
    assert twin.averaged(probe) == 0.0
    for a, b in zip(X, y, strict=True):
        values.append(twin.decision(probe))
        old, state = twin.m, twin.rng.state
        f = twin.step(a, b)
        drew = twin.rng.state != state
        assert drew == (b * f < 1.0 and old != B)
        assert twin.averaged(probe) == pytest.approx(np.mean(values), abs=1e-12)
        current = np.mean([*values, twin.decision(probe)])
        assert twin.averaged(probe, include_current=True) == pytest.approx(current, abs=1e-12)


def test_spa_step_minimises_its_objective():
    X, y = random_stream(12, 200, 2)
    for kernel in KERNELS:
        twin, eta = TWINS["spa"](kernel, None, 1, eta=0.15, beta=4.0), 0.15
        for a, b in zip(X, y, strict=True):
            old = twin.m
            f = twin.step(a, b)
            if twin.m > old:
                kxx, loss = float(kernel(a[None, :], a)[0]), 1 - b * f
                weight = eta / (min(1.0, loss) / 4.0)
                grid = np.append(np.linspace(0, 3 * loss / kxx, 2001), b * twin.alpha[-1])
                cost = grid**2 * kxx / 2 + weight * np.maximum(0, loss - grid * kxx)
                assert cost[-1] <= cost.min() + 1e-12


# --- AVP and Ahpatron -----------------------------------------------------------------


@modest
@given(seeds, st.sampled_from([0.2, 0.6]), st.sampled_from([2.0, math.inf]))
def test_avp_bound_and_ball(seed, lam, U):
    X, y = random_stream(seed, 120, 2)
    kernel, eps = tb.gaussian(0.5), 0.5
    twin = TWINS["avp"](kernel, None, U=U, lam=lam, eps=eps)
    K = joint_gram(kernel, X[:30])
    c = np.linalg.solve(K + np.eye(30), y[:30])
    c *= min(1.0, U / math.sqrt(c @ K @ c))
    left = right = 0.0
    for a, b in zip(X, y, strict=True):
        n = twin.updates
        f = twin.step(a, b)
        assert (twin.updates > n) == (b * f < 1 - eps)
        if twin.updates > n:
            left += 1 - b * f - lam / 2
            right += tb.hinge(b, float(c @ kernel(X[:30], a)))
        assert math.sqrt(max(0.0, twin.norm2())) <= U * (1 + 1e-9)
    assert left <= right + c @ K @ c / (2 * lam) + 1e-9
    M, N = twin.mistakes, twin.margin_updates
    assert twin.updates == M + N
    assert M * (1 - lam / 2) + N * (eps - lam / 2) <= right + c @ K @ c / (2 * lam) + 1e-9


def test_avp_adaptive_rate():
    X, y = random_stream(5, 60, 2)
    twin = TWINS["avp"](tb.gaussian(0.5), None, U=2.0)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(twin)
        twin.step(a, b)
        if twin.updates > old.updates:
            raw = np.append(old.alpha, b * 2.0 / math.sqrt(twin.updates))
            size = math.sqrt(raw @ twin.gram() @ raw)
            assert np.allclose(twin.alpha, raw * min(1.0, 2.0 / size), rtol=1e-12)


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


@modest
@given(seeds, st.integers(2, 9), st.booleans(), st.sampled_from([5e-4, 0.0]))
def test_ahpatron_facts(seed, B, rescale, ridge):
    X, y = random_stream(seed, 150, 2)
    kernel, h, halvings = tb.gaussian(0.5), B // 2, 0
    twin = TWINS["ahpatron"](kernel, B, eta=ridge, rescale=rescale)
    avp = TWINS["avp"](kernel, None, U=twin.U, lam=twin.lam, eps=twin.eps)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(twin)
        twin.step(a, b)
        n = twin.updates
        assert (n > old.updates) == (b * old.decision(a) < 0.5)
        assert math.sqrt(max(0.0, twin.norm2())) <= twin.U * (1 + 1e-9)
        assert twin.m <= B
        assert twin.halvings == (0 if n <= B else 1 + (n - B - 1) // (B - h))
        if twin.halvings == 0:
            avp.step(a, b)
            assert np.allclose(avp.alpha, twin.alpha)
            assert np.array_equal(avp.sv, twin.sv)
        if twin.halvings == halvings:
            continue
        halvings = twin.halvings
        assert twin.m == h + 1
        assert np.all(np.diff(twin.arrival) > 0)
        sizes = np.sort(np.abs(old.alpha))
        kept = np.isin(old.arrival, twin.arrival)
        assert np.abs(old.alpha[kept]).min() >= sizes[B - h - 1]
        half = copy.deepcopy(old)
        half._halve()
        assert np.array_equal(half.sv, twin.sv[:h])
        if rescale:
            assert half.norm2() == pytest.approx(old.norm2(), rel=1e-9)
        elif ridge == 0.0:
            assert half.norm2() <= old.norm2() * (1 + 1e-6) + 1e-9


def test_ahpatron_duplicate_hands_over_its_weight():
    kernel = tb.gaussian(0.5)
    twin = TWINS["ahpatron"](kernel, 2, lam=0.2, rescale=False)
    for b in (1.0, 1.0, -1.0):
        twin.step(np.zeros(1), b)
    assert twin.halvings == 1
    assert twin.alpha == pytest.approx([0.4, -0.2], rel=1e-3)
