"""The reference implementations compared with independent results: sampled gradient
and kernel logistic regression."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from against_formulas import KERNELS, FixedCoin, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import random_stream

from edgeolk.reference import LEARNERS
from edgeolk.reference import base as tb
from edgeolk.reference.logistic import auxiliary_ratio, chance_and_slope

modest = settings(max_examples=12, deadline=None, database=None)
PROBES = np.random.default_rng(0).standard_normal((4, 2))


def at_probes(model):
    return np.array([model.decision(p) for p in PROBES])


# --- sampled gradient -----------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("G", [1.0, 2.5])
def test_oskl_is_unbiased_over_the_coin(loss, G):
    eta = 0.2
    X, y = random_stream(4, 60, 2)
    model = LEARNERS["oskl"](KERNELS[0], None, 1, eta=eta, G=G, loss=loss)
    for a, b in zip(X, y, strict=True):
        before, old = at_probes(model), model.rng.state
        yes = copy.deepcopy(model)
        yes.rng = FixedCoin(True)
        f = yes.step(a, b)
        g = tb.loss_gradient(loss, b, f)
        p = abs(g) / G
        mean = p * at_probes(yes) + (1 - p) * before
        assert np.allclose(mean, before - eta * g * model.kernel(PROBES, a), atol=1e-12)
        assert yes.rng.chances == ([] if g == 0.0 else [p])
        model.step(a, b)
        assert (model.rng.state != old) == (0.0 < p < 1.0)
    with pytest.raises(ValueError, match="G"):
        LEARNERS["oskl"](KERNELS[0], None, G=0.5)


# --- kernel logistic regression -------------------------------------------------------


def literal_upper(z, h, gamma):
    inside = gamma + math.exp(-z) if h == "shift" else 1 + gamma * math.exp(-z)
    return math.log(inside)


@modest
@given(st.floats(-20, 20), st.floats(1, 50), st.sampled_from(["shift", "scale"]))
def test_klr_auxiliary_is_the_ratio_and_the_slope(z, gamma, h):
    p, slope = chance_and_slope(z, "auxiliary", eta=0.1, h=h, gamma=gamma)
    assert p == pytest.approx(math.log1p(math.exp(-z)) / literal_upper(z, h, gamma), rel=1e-6)
    assert 0 <= p <= 1
    d = 1e-5
    numeric = (literal_upper(z + d, h, gamma) - literal_upper(z - d, h, gamma)) / (2 * d)
    assert slope == pytest.approx(numeric, abs=1e-8)


@modest
@given(st.floats(-800, 800), st.floats(0.01, 1.99))
def test_klr_margin_identity(z, eta):
    p, slope = chance_and_slope(z, "margin", eta=eta)
    s = tb.logistic_function(z)
    assert p * (1 - eta / 2 * (1 - s)) == pytest.approx((2 - eta) / 2) or z > 700
    assert (2 - eta) / 2 <= p * (1 + 1e-12)
    assert p <= 1
    assert slope == -tb.logistic_function(-z)


@pytest.mark.parametrize("z", [-800.0, -40.0, 0.0, 40.0, 800.0])
def test_klr_far_out_and_at_gamma_one(z):
    nc = chance_and_slope(z, "nc", eta=0.1)
    for h in ("shift", "scale"):
        for gamma in (1.0, 2.0, 50.0):
            p, slope = chance_and_slope(z, "auxiliary", eta=0.1, h=h, gamma=gamma)
            assert 0.0 <= p <= 1.0
            assert -1.0 <= slope <= 0.0
        assert chance_and_slope(z, "auxiliary", eta=0.1, h=h, gamma=1.0) == nc
    assert auxiliary_ratio(800.0, "shift", 2.0) == pytest.approx(0.0, abs=1e-300)
    assert auxiliary_ratio(800.0, "scale", 2.0) == 0.5
    assert auxiliary_ratio(30.0, "scale", 2.0) == pytest.approx(0.5)
    for delta in (-1.0, 1.0):
        p, slope = chance_and_slope(z, "auxiliary", eta=0.1, h="cut", delta=delta)
        assert (p, slope) == (nc if z <= delta else (0.0, 0.0))


@pytest.mark.parametrize("h", ["shift", "scale"])
def test_klr_with_gamma_one_is_non_conservative(h):
    X, y = random_stream(4, 60, 2)
    nc = LEARNERS["klr"](KERNELS[0], None, 1, method="nc", eta=0.6, R=1.0)
    one = LEARNERS["klr"](KERNELS[0], None, 1, h=h, gamma=1.0, eta=0.6, R=1.0)
    assert np.array_equal(run(nc, X, y), run(one, X, y))
    assert nc.m == 60
    assert np.array_equal(nc.alpha, one.alpha)
    assert nc.posterior(X[0]) == pytest.approx(1 / (1 + math.exp(-nc.decision(X[0]))))


KLR_SETTINGS = [
    {"method": "nc"},
    {"method": "margin", "eta": 1.5},
    {"h": "shift", "gamma": 5.0},
    {"h": "scale", "gamma": 5.0},
    {"h": "cut", "delta": 0.1},
]


@pytest.mark.parametrize("setting", KLR_SETTINGS)
def test_klr_draws_and_coefficients(setting):
    X, y = random_stream(4, 120, 2)
    model = LEARNERS["klr"](KERNELS[0], None, 1, **{"eta": 0.5, **setting})
    never = setting.get("method") == "nc" or setting.get("h") == "cut"
    entered = 0
    for a, b in zip(X, y, strict=True):
        old, m = model.rng.state, model.m
        f = model.step(a, b)
        assert (model.rng.state == old) == never
        z = b * f
        if model.m == m:
            assert setting.get("method") != "nc"
            assert not (never and z <= 0.1)
            continue
        entered += 1
        assert never is False or setting.get("method") == "nc" or z <= 0.1
        if setting.get("h") in ("shift", "scale"):
            gamma = math.log(5.0) if setting["h"] == "scale" else -math.log(5.0)
            expected = 1 / (1 + math.exp(z - gamma))
        else:
            expected = 1 / (1 + math.exp(z))
        assert model.alpha[-1] == pytest.approx(model.eta * b * expected)
    assert 10 < entered == model.m <= 120
    assert model.m == 120 or setting.get("method") != "nc"


@pytest.mark.parametrize("setting", KLR_SETTINGS)
def test_klr_enters_with_the_stated_chance(setting):
    X, y = random_stream(5, 30, 2)
    model = LEARNERS["klr"](KERNELS[0], None, 1, **{"eta": 0.5, **setting})
    for a, b in zip(X, y, strict=True):
        branch = copy.deepcopy(model)
        branch.rng = FixedCoin(True)
        z = b * branch.step(a, b)
        loss, s = math.log1p(math.exp(-z)), 1 / (1 + math.exp(-z))
        if setting.get("method") == "nc":
            expected = [1.0]
        elif setting.get("method") == "margin":
            expected = [0.5 / (0.5 + 1.5 * s)]
        elif setting["h"] == "cut":
            expected = [1.0] if z <= 0.1 else []
        else:
            expected = [loss / literal_upper(z, setting["h"], 5.0)]
        assert branch.rng.chances == pytest.approx(expected)
        model.step(a, b)
