"""What the later families promise: sampled, averaged and feature rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from families import kernels, make, modest, seeds
from helpers import EVERY, LIVELY, RINGS
from hypothesis import given
from hypothesis import strategies as st
from twins.streams import random_stream

import edgeolk as ek

# ---- sampled and averaged ------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{"method": "nc"}, {"h": "cut", "delta": 0.1}], ids=str)
@modest
@given(seed=seeds)
def test_klr_without_sampling_draws_nothing(params: dict[str, Any], seed: int) -> None:
    X, y = random_stream(seed % 1000, 60, 3)
    one = make("klr", budget=40, eta=0.5, seed=1, **params)
    other = make("klr", budget=40, eta=0.5, seed=seed, **params)
    assert one.learn_many(X, y).tobytes() == other.learn_many(X, y).tobytes()
    assert np.array_equal(one.dual_coef_, other.dual_coef_)
    fresh = bytes(memoryview(make("klr", budget=40, eta=0.5, seed=1, **params)._engine.arena))
    used = bytes(memoryview(one._engine.arena))
    # The state of the generator: words that only the seed sets. They are as they were.
    reseeded = bytes(memoryview(make("klr", budget=40, eta=0.5, seed=2, **params)._engine.arena))
    words = [np.frombuffer(block, np.uint64) for block in (fresh, reseeded, used)]
    of_the_seed = words[0] != words[1]
    assert 2 <= of_the_seed.sum() <= 3
    assert np.array_equal(words[0][of_the_seed], words[2][of_the_seed])


RAMPS = [row.name for row in ek.algorithms() if "ramp" in row.choices.get("loss", ())]


@pytest.mark.parametrize("name", RAMPS)
@modest
@given(seed=seeds, kernel=kernels)
def test_labels_are_asked_for_where_they_are_used(name: str, seed: int, kernel: str) -> None:
    X, y = random_stream(seed, 60, 3)
    params = {key: value for key, value in LIVELY.get(name, {}).items() if key != "lam"}
    learner = make(name, kernel, budget=8, loss="ramp", seed=seed, **params)
    asked = 0
    for a, b in zip(2 * X, y, strict=True):
        before = learner.support_vectors_, learner.dual_coef_, learner.updates
        state = bytes(learner._sealed())
        wants = learner.wants_label(a)
        assert wants == (abs(learner.decision_one(a)) <= 1.0)
        assert bytes(learner._sealed()) == state
        assert learner.ask_label(a) == wants
        asked += wants
        assert learner.labels_asked == asked
        learner.learn_one(a, b)
        assert learner.labels_asked == asked
        if not wants:
            assert learner.updates == before[2]
            assert np.array_equal(learner.support_vectors_, before[0])
            assert np.array_equal(learner.dual_coef_, before[1])


def test_other_losses_always_want_the_label() -> None:
    X, y = random_stream(2, 60, 3)
    learner = make("pa1", budget=60)
    learner.learn_many(X, y)
    assert all(learner.wants_label(3 * x) for x in X)
    assert learner.labels_asked == 0
    assert all(learner.ask_label(3 * x) for x in X)
    assert learner.labels_asked == 60
    assert learner.steps == 60
    for bad in (X, X[0, :2], [np.nan, 0.0, 0.0], None):
        for call in (learner.wants_label, learner.ask_label):
            with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
                call(bad)
    assert learner.labels_asked == 60


@pytest.mark.parametrize("name", EVERY)
def test_whether_a_label_is_wanted_changes_no_byte(name: str) -> None:
    X, y = random_stream(2, 60, 3)
    learner = ek.Learner(name, n_features=3, budget=20, checksums=True, **LIVELY.get(name, {}))
    learner.learn_many(X, y)
    learner.seal()
    block = bytes(learner._engine.arena)
    state = block[: 8 * int.from_bytes(block[12:16], "little")]
    for x in X:
        learner.wants_label(x)
    assert bytes(learner._engine.arena)[: len(state)] == state


def test_probabilities_are_those_of_the_logistic_loss() -> None:
    X, y = random_stream(2, 100, 3)
    with_loss = {"klr", "oskl"}
    for row in ek.algorithms():
        losses = row.choices.get("loss", {})
        for loss in losses or [None]:
            params = LIVELY.get(row.name, {}) | ({} if loss is None else {"loss": loss})
            learner = make(row.name, budget=30, **params)
            if loss == "logistic" or (row.name in with_loss and loss is None):
                learner.learn_many(3 * X, y)
                for x in (X[0], 5 * X[1], X[2]):
                    p = 1.0 / (1.0 + math.exp(-learner.decision_one(x)))
                    assert learner.predict_proba_one(x) == pytest.approx(p, rel=1e-14)
                continue
            with pytest.raises(AttributeError, match="prob"):
                learner.predict_proba_one(X[0])


MEANS = [name for name in RINGS if make(name, budget=2, **LIVELY.get(name, {})).parts["averaging"]
         == ek.Averaging.MEAN]  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
@modest
@given(seed=seeds, kernel=kernels, budget=st.integers(2, 30))
def test_means_are_the_means_of_the_models(name: str, seed: int, kernel: str, budget: int) -> None:
    X, y = random_stream(seed, 60, 3)
    learner = make(name, kernel, budget=budget, seed=seed, **LIVELY.get(name, {}))
    average, total = learner.averaged, np.zeros(2 * budget)
    assert average.decision_one(X[0]) == 0.0
    scored = 0.0
    for a, b in zip(X, y, strict=True):
        coef = learner.dual_coef_
        total[: len(coef)] += coef
        scored += learner.decision_one(X[7])
        learner.learn_one(a, b)
    mean = total[: len(learner.dual_coef_)] / learner.steps
    size = max(1.0, np.abs(mean).max(initial=0.0))
    assert average.dual_coef_ == pytest.approx(mean, rel=1e-9, abs=1e-12 * size)
    assert average.decision_one(X[7]) == pytest.approx(scored / 60, rel=1e-9, abs=1e-9 * size)


# ---- features ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@modest
@given(seed=st.integers(0, 2**64 - 1), D=st.integers(1, 70), d=st.integers(1, 9))
def test_fogd_frequencies_are_those_of_numpy(dtype: str, seed: int, D: int, d: int) -> None:
    learner = ek.Learner("fogd", n_features=d, budget=D, kernel=ek.Gaussian(0.7), dtype=dtype,
                         seed=seed)  # fmt: skip
    draws = np.random.Generator(np.random.PCG64(seed)).standard_normal((D, d))
    expected = draws * math.sqrt(2.0 * 0.7)
    assert np.array_equal(learner.support_vectors_, expected.astype(dtype))
    x = np.linspace(-1.0, 1.0, d)
    learner.learn_one(x, 1)
    assert learner.support_vectors_.shape == (D, d)
    assert learner.decision_one(x) == pytest.approx(0.1, rel=1e-6)  # eta |z|^2, |z| = 1
