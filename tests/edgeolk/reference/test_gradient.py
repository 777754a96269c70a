"""The reference implementations compared with independent results: gradient methods."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, FixedCoin, FixedIndex, FixedUniform
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream, regression_stream

from edgeolk.reference import LEARNERS
from edgeolk.reference import base as tb
from edgeolk.reference.gradient import Norma, keep_probabilities

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=12, deadline=None, database=None)
LOSSES = ["hinge", "square", "logistic"]
PROBES = np.random.default_rng(0).standard_normal((4, 2))


def stream_for(loss, seed, n, d=2):
    return (regression_stream if loss == "square" else random_stream)(seed, n, d)


def at_probes(model):
    return np.array([model.decision(p) for p in PROBES])


# --- OGD and OLK ----------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("full", ["oldest", "stop"])
def test_ogd_holds_what_the_closed_form_says(loss, full):
    eta, lam, B = 0.2, 0.3, 6
    X, y = stream_for(loss, 3, 90)
    model = LEARNERS["ogd"](KERNELS[0], B, eta=eta, lam=lam, loss=loss, full=full)
    entered, hits = [], 0
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        f = model.step(a, b)
        g = tb.loss_gradient(loss, b, f)
        if g != 0.0 and full == "stop" and len(entered) == B:
            hits += 1
        elif g != 0.0:
            entered.append((t, -eta * g))
        ring = [max(j for j in range(len(entered)) if j % B == s) for s in range(model.m)]
        assert model.m == min(B, len(entered))
        slots = [entered[j] for j in ring]
        assert np.array_equal(model.sv, X[[s for s, _ in slots]].reshape(-1, 2))
        aged = [c * (1 - eta * lam) ** (t - s) for s, c in slots]
        assert np.allclose(model.alpha, aged, rtol=1e-10)
    assert (model.updates, model.capacity_hits) == (len(entered), hits)


@modest
@given(seeds, st.sampled_from(["hinge", "logistic"]))
def test_ogd_norm_bound(seed, loss):
    X, y = random_stream(seed, 80, 2, label_noise=0.4)
    model = LEARNERS["ogd"](tb.gaussian(0.5), None, eta=0.5, lam=0.4, loss=loss)
    for a, b in zip(X, y, strict=True):
        model.step(a, b)
        assert math.sqrt(model.norm2()) <= 1 / 0.4 + 1e-9


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["ogd", "olk"])
@pytest.mark.parametrize("schedule", ["constant", "sqrt"])
def test_ogd_and_olk_are_primal_gradient_descent(loss, name, schedule):
    eta, U, lam = 0.3, 0.4, 0.2
    X, y = stream_for(loss, 5, 120, 3)
    extra = {"lam": lam} if name == "ogd" else {"U": U, "schedule": schedule}
    model = LEARNERS[name](tb.linear(), None, eta=eta, loss=loss, **extra)
    w, on_border = np.zeros(3), 0
    for t, (a, b) in enumerate(zip(X, y, strict=True), start=1):
        if loss == "hinge" and abs(b * (w @ a) - 1.0) < 1e-9:
            return
        f = model.step(a, b)
        assert f == pytest.approx(w @ a, abs=1e-9)
        g = tb.loss_gradient(loss, b, w @ a)
        if name == "ogd":
            w = (1 - eta * lam) * w - eta * g * a
            continue
        rate = eta / math.sqrt(t) if schedule == "sqrt" else eta
        w = w - rate * g * a
        if np.linalg.norm(w) > U:
            w = w * U / np.linalg.norm(w)
            on_border += 1
        assert math.sqrt(max(0.0, model.norm2())) <= U * (1 + 1e-9)
    assert on_border > 2 or name == "ogd"


def test_olk_freezes_and_its_average_goes_on():
    X, y = random_stream(2, 80, 2)
    model, values = LEARNERS["olk"](KERNELS[0], 9, eta=0.4, U=1.0), []
    for a, b in zip(X, y, strict=True):
        values.append(at_probes(model))
        model.step(a, b)
    assert model.m == 9 == model.updates
    assert model.capacity_hits > 5
    mean = [model.averaged(p) for p in PROBES]
    assert np.allclose(mean, np.mean(values, axis=0), atol=1e-12)


# --- averages -------------------------------------------------------------------------


# --- unbiased over the coin -----------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("schedule", ["constant", "dynamic"])
def test_olru_is_unbiased_over_the_coin(loss, schedule):
    eta, gamma, c, T = 0.1, 0.3, 1.5, 60
    X, y = stream_for(loss, 4, T)
    model = LEARNERS["olru"](
        KERNELS[0], None, 1, eta=eta, gamma=gamma, c=c, T=T, schedule=schedule, loss=loss
    )
    sure = 0
    for t, (a, b) in enumerate(zip(X, y, strict=True), start=1):
        base = t if schedule == "dynamic" else T
        p = min(1.0, c / base**gamma)
        rate = eta / t ** ((1 + gamma) / 2) if schedule == "dynamic" else eta
        before, old = at_probes(model), model.rng.state
        yes, no = copy.deepcopy(model), copy.deepcopy(model)
        yes.rng, no.rng = FixedCoin(True), FixedCoin(False)
        yes.step(a, b)
        no.step(a, b)
        g = tb.loss_gradient(loss, b, model.step(a, b))
        assert (model.rng.state != old) == (g != 0.0 and p < 1.0)
        assert yes.rng.chances == ([] if g == 0.0 else [pytest.approx(p)])
        assert (yes.updates, no.updates) == (no.updates + (g != 0.0), no.updates)
        sure += g != 0.0 and p == 1.0
        mean = p * at_probes(yes) + (1 - p) * at_probes(no)
        assert np.allclose(mean, before - rate * g * model.kernel(PROBES, a), atol=1e-12)
        # A sure coin is not tossed, so the "no" branch can be impossible.
    assert (sure > 0) == (schedule == "dynamic")


@pytest.mark.parametrize("name", ["olru", "oskl", "klr"])
def test_sampled_methods_freeze_without_draws_and_stay_in_the_ball(name):
    X, y = random_stream(6, 120, 2)
    ball = {"U": 0.7} if name == "olru" else {"R": 0.7}
    model = LEARNERS[name](KERNELS[0], 7, 2, eta=0.9, **ball)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        assert math.sqrt(max(0.0, model.norm2())) <= 0.7 * (1 + 1e-9)
        if old.m == 7:
            assert model.rng.state == old.rng.state
            assert np.array_equal(model.alpha, old.alpha)
            wanted = b * f < 1.0 or name != "olru"
            assert model.capacity_hits == old.capacity_hits + wanted
    assert model.m == 7
    assert model.capacity_hits > 10


# --- BOGD and BOGD++ ------------------------------------------------------------------


def literal_keep_probabilities(w):
    """min(1, c w) that sum to their number minus 1, with c found by bisection."""
    low, high = 0.0, len(w) / w.min()
    for _ in range(200):
        c = (low + high) / 2
        low, high = (c, high) if np.minimum(1.0, c * w).sum() < len(w) - 1 else (low, c)
    return np.minimum(1.0, low * w)


@modest
@given(seeds, st.integers(2, 12), st.sampled_from([0.0, 1.0, 3.0]))
def test_keep_probabilities(seed, B, spread):
    w = np.exp(spread * np.random.default_rng(seed).standard_normal(B))
    keep = keep_probabilities(w)
    assert keep.sum() == pytest.approx(B - 1)
    assert np.all((keep > 0) & (keep <= 1))
    assert np.allclose(keep, literal_keep_probabilities(w), rtol=1e-9)


def test_keep_probabilities_where_the_printed_rule_is_negative():
    keep = keep_probabilities(np.array([1.0] * 99 + [1.1]))
    assert keep[-1] == 1.0
    assert np.allclose(keep[:-1], 98 / 99)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["bogd", "bogd++"])
def test_bogd_is_unbiased_over_the_removed_slot(kernel, loss, name):
    B, eta, lam = 5, 0.05, 0.3
    X, y = stream_for(loss, 2, 60)
    model = LEARNERS[name](kernel, B, eta=eta, lam=lam, loss=loss)
    checked = certain = 0
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        f = model.step(a, b)
        g = tb.loss_gradient(loss, b, f)
        assert model.updates == old.updates + (g != 0.0)
        if g == 0.0 or old.m < B:
            assert np.allclose(model.alpha[: old.m], old.alpha * (1 - eta * lam))
            assert model.rng.state == old.rng.state
            continue
        if name == "bogd":
            lose, draws = np.full(B, 1 / B), [FixedIndex(i) for i in range(B)]
        else:
            sizes = [math.sqrt(kernel(s[None, :], s)[0]) for s in old.sv]
            lose = 1 - literal_keep_probabilities(np.abs(old.alpha) * sizes)
            certain += np.any(lose < 1e-9)
            draws = [FixedUniform(u) for u in np.cumsum(lose) - lose / 2]
        mean = np.zeros(len(PROBES))
        for i in np.flatnonzero(lose > 1e-9):
            branch = copy.deepcopy(old)
            branch.rng = draws[i]
            branch.step(a, b)
            assert np.flatnonzero(branch.arrival != old.arrival).tolist() == [i]
            mean += lose[i] * at_probes(branch)
        expected = (1 - eta * lam) * at_probes(old) - eta * g * kernel(PROBES, a)
        assert np.allclose(mean, expected, rtol=1e-6, atol=1e-8)
        checked += 1
    assert checked > 10
    assert name == "bogd" or loss != "square" or certain > 0


def test_bogd_plus_plus_drops_the_lowest_weightless_slot_without_a_draw():
    model = LEARNERS["bogd++"](tb.linear(), 4, eta=0.5)
    for x in (1.0, 0.0, -1.0, 0.0):
        model.step(np.array([x]), 1.0 if x >= 0 else -1.0)
    assert np.flatnonzero(model.sv[:, 0] == 0.0).tolist() == [1, 3]
    for slot, x in [(1, 0.3), (3, -0.2)]:
        old = copy.deepcopy(model)
        model.step(np.array([x]), -1.0 if x > 0 else 1.0)
        kept = np.arange(4) != slot
        assert model.sv[slot, 0] == x
        assert np.array_equal(model.sv[kept], old.sv[kept])
        assert np.array_equal(model.alpha[kept], old.alpha[kept])
        assert model.rng.state == old.rng.state
    model.step(np.array([0.1]), -1.0)
    assert model.rng.state != old.rng.state


def test_the_lightest_vector_leaves_and_may_be_the_incoming_one():
    model = Norma(KERNELS[0], 2, "lightest", nu=0.1, eta=0.5)
    for place, weight in ((0.0, 1.0), (50.0, 2.0), (100.0, 0.5), (150.0, 1.5)):
        model.admit(np.array([place]), weight)
    assert model.sv[:, 0].tolist() == [150.0, 50.0]
    assert model.alpha.tolist() == [1.5, 2.0]


def test_the_last_slot_that_may_be_lost_is_lost_where_rounding_leaves_a_rest():
    """The probabilities to be lost sum to 1 but for rounding; a draw may be above their sum."""
    model = LEARNERS["bogd++"](KERNELS[0], 3, eta=0.5)
    for x in (0.0, 50.0, 100.0):
        model.step(np.array([x]), 1.0)
    model.rng = FixedUniform(1.0 + 1e-9)
    model.step(np.array([150.0]), 1.0)
    assert model.sv[:, 0].tolist() == [0.0, 50.0, 150.0]
