"""Novelty on a ring and on features of rows: NORMA against a reference written out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS

import edgeolk as ek
from edgeolk.reference.gradient import Norma
from edgeolk.reference.sorf_novelty import SorfNovelty

D = 3
POLICIES = ("oldest", "smallest", "random", "unbiased", "lightest")


def rows(seed: int, n: int = 500) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, D))


def learner_of(policy: str, **options: Any) -> ek.Learner:
    options = {"n_features": D, "budget": 15, "dtype": "float64", "seed": 5, **options}
    return ek.Learner(
        update="gradient", loss="novelty", policy=policy, kernel=KERNELS["gaussian"][0], **options
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("nu", "eta", "lam"), [(0.05, 0.1, 0.0), (0.3, 0.5, 0.1)])
def test_decision_by_decision(policy: str, nu: float, eta: float, lam: float) -> None:
    options = {"nu": nu, "eta": eta, "lam": lam}
    learner = learner_of(policy, **options)
    plain = Norma(KERNELS["gaussian"][1], 15, policy, seed=5, **options)
    X = rows(1)
    for x in X:
        assert learner.learn_one(x) == pytest.approx(plain.step(x), rel=1e-9, abs=1e-11)
        assert learner.threshold == pytest.approx(plain.rho, rel=1e-10, abs=1e-12)
    assert (learner.steps, learner.mistakes) == (plain.t, plain.novelties)
    assert plain.novelties > 20
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha, rtol=1e-9)
    assert np.array_equal(learner.support_vectors_, plain.sv)
    expected = np.array([plain.decision(x) for x in X[:50]])
    np.testing.assert_allclose(learner.decision_function(X[:50]), expected, rtol=1e-9, atol=1e-11)
    assert learner.predict(X[:50]).tolist() == np.where(expected < 0.0, -1, 1).tolist()


def test_the_first_row_starts_the_model() -> None:
    learner = learner_of("oldest", nu=0.2, eta=0.5)
    x = rows(2, 1)[0]
    assert learner.decision_one(x) == 0.0
    assert learner.predict_one(x) == 1
    assert learner.learn_one(x) == 0.0
    assert (learner.mistakes, learner.updates, learner.n_support) == (0, 1, 1)
    assert learner.threshold == -0.5 * 0.8
    assert learner.dual_coef_.tolist() == [0.5]


def test_a_label_is_checked_and_ignored() -> None:
    X = rows(3, 80)
    told, untold = learner_of("random"), learner_of("random")
    labels = np.random.default_rng(0).standard_normal(80)
    assert np.array_equal(told.learn_many(X, labels), untold.learn_many(X))
    assert np.array_equal(told.dual_coef_, untold.dual_coef_)
    for label in (np.nan, np.inf, "a"):
        with pytest.raises((TypeError, ValueError), match="y"):
            told.learn_one(X[0], label)
    assert told.steps == 80


def test_fourier_features_step_by_step() -> None:
    nu, eta, lam = 0.2, 0.3, 0.1
    learner = ek.Learner(
        "fogd", n_features=D, D=60, loss="novelty", nu=nu, eta=eta, lam=lam, dtype="float64",
        kernel=ek.Gaussian(0.5), seed=3,
    )  # fmt: skip
    omega = learner.support_vectors_
    w, rho = np.zeros(120), 0.0
    for t, x in enumerate(rows(6, 300)):
        z = np.concatenate([np.cos(omega @ x), np.sin(omega @ x)]) / np.sqrt(60)
        g = w @ z - rho
        assert learner.learn_one(x) == pytest.approx(g, rel=1e-9, abs=1e-11)
        w *= 1.0 - eta * lam
        if g < 0.0 or t == 0:
            w += eta * z
            rho -= eta * (1.0 - nu)
        else:
            rho += eta * nu
    np.testing.assert_allclose(learner.dual_coef_, w, rtol=1e-9, atol=1e-12)


def test_a_threshold_that_is_no_number_is_refused(tmp_path: Path) -> None:
    learner = learner_of("oldest")
    learner.learn_many(rows(8, 60))
    again = ek.Learner._from_block(bytes(learner._sealed()))
    assert again.threshold == learner.threshold
    for hostile in (np.nan, np.inf):
        broken = ek.Learner._from_block(bytes(learner._sealed()))
        np.asarray(broken._engine.view("novelty"))[0, 0] = hostile
        broken.save(tmp_path / "broken")
        with pytest.raises(ValueError, match="threshold of novelty"):
            ek.load(tmp_path / "broken")
    with pytest.raises(AttributeError, match="threshold"):
        _ = ek.Learner("rbp", n_features=2, budget=3).threshold


def test_the_reference_calls_novel_what_is_below_its_threshold() -> None:
    X = np.random.default_rng(3).normal(size=(60, 2))
    plain = SorfNovelty(2, 32, 0.5)
    for x in X:
        plain.step(x)
    assert [plain.predict(x) for x in X] == [-1 if plain.decision(x) < 0.0 else 1 for x in X]
    assert plain.predict(np.full(2, 9.0)) == -1


@pytest.mark.parametrize("options", [{"dtype": "float32"}, {"dtype": "float64"}, {"history": True}])
def test_thresholds_before_each_of_many_rows(options: dict[str, Any]) -> None:
    one, many = (ek.Learner(n_features=D, D=64, loss="novelty", **options) for _ in range(2))
    expected = []
    X = rows(3, 150)
    for x in X:
        threshold = one.threshold
        expected.append((threshold, one.learn_one(x)))
    before, scores = np.empty(151), np.empty(150)
    many._answer_many(X, np.zeros(150), scores, before)
    assert list(zip(before.tolist(), scores.tolist(), strict=False)) == expected
